"""Machine codes and statuses of one provider that say: the account or the key is spent."""

from __future__ import annotations

from .._evidence import Evidence
from .._verdict import VerdictKind
from .row import Rule


def _says_nothing_or_is_tavily(evidence: Evidence) -> bool:
    return evidence.host.endswith("tavily.com") or not (evidence.text or evidence.codes)


_NOT_IN_PLAN = r"(?:endpoint|feature|parameter) .{0,20}not (?:available|included|supported)"

CODES_QUOTA_ONE: tuple[Rule, ...] = (
    Rule(
        id="zhipu-spent",
        kind=VerdictKind.QUOTA,
        about="Zhipu and Z.AI: no balance, plan ran out",
        codes=("error#1113", "error#1309"),
        source="https://github.com/hugalafutro/model-hotel/blob/main/internal/proxy/upstream_classify_test.go",
        read="2026-11-30",
        samples=("zai-429-1113-model-outside-plan", "zhipu-429-1309-plan-expired"),
    ),
    Rule(
        id="minimax-spent",
        kind=VerdictKind.QUOTA,
        about="MiniMax: no balance, no plan",
        codes=("base_resp#1008", "base_resp#2062"),
        source="https://github.com/hugalafutro/model-hotel/blob/main/internal/proxy/minimax_test.go",
        read="2026-11-30",
        samples=("minimax-200-base-resp-1008", "minimax-200-base-resp-2062-no-plan"),
    ),
    Rule(
        id="tavily-limit",
        kind=VerdictKind.QUOTA,
        about="Tavily: 432 and 433, with words of a limit",
        words=(r"limit", r"usage", r"credits?", r"\bplan\b", r"pay-?as-?you-?go"),
        unless=(_NOT_IN_PLAN,),
        statuses=(432, 433),
        source="public source code",
        read="2026-11-30",
        samples=("tavily-432-plan-limit",),
    ),
    Rule(
        id="tavily-status",
        kind=VerdictKind.QUOTA,
        about="Tavily: 432 and 433, which only it uses, with JSON that says nothing else",
        marks=("fault",),
        unless=(_NOT_IN_PLAN,),
        statuses=(432, 433),
        test=_says_nothing_or_is_tavily,
        source="public source code",
        read="2026-11-30",
        samples=("tavily-433-paygo-empty",),
    ),
    Rule(
        id="deepl-characters",
        kind=VerdictKind.QUOTA,
        about="DeepL: 456, which only it uses: characters of the month",
        words=(r"quota", r"limit", r"exceeded"),
        statuses=(456,),
        source="https://github.com/windingwind/zotero-pdf-translate/issues/346",
        read="2026-12-01",
        samples=("deepl-456",),
    ),
    Rule(
        id="exchangerate-month",
        kind=VerdictKind.QUOTA,
        about="ExchangeRate-API: requests of the plan's month",
        codes=("quota-reached",),
        statuses=(200, 403),
        source="public source code",
        read="2026-12-01",
        samples=("exchangerate-403-quota",),
    ),
    Rule(
        id="google-maps-no-billing",
        kind=VerdictKind.QUOTA,
        about="Google Maps: a project without billing is told of a daily quota",
        codes=("OVER_QUERY_LIMIT", "OVER_DAILY_LIMIT", "REQUEST_DENIED"),
        words=(r"active billing account", r"enable billing"),
        source="https://github.com/blackmann/locationpicker/issues/6",
        read="2026-11-30",
        samples=("gmaps-200-over-query-limit-no-billing",),
    ),
)
