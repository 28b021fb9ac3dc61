# ruff: noqa: E501 - a pattern is easier to read on one line
"""Machine codes of one provider that say: the key is dead."""

from __future__ import annotations

from .._verdict import VerdictKind
from .row import Rule

CODES_AUTH_ONE: tuple[Rule, ...] = (
    Rule(
        id="zhipu-key",
        kind=VerdictKind.AUTH,
        about="Zhipu and Z.AI: key missing, malformed, expired; account locked or irregular",
        codes=(
            "error#1000",
            "error#1001",
            "error#1002",
            "error#1003",
            "error#1004",
            "error#1110",
            "error#1111",
            "error#1112",
            "error#1120",
            "error#1121",
        ),
        statuses=(400, 401, 403, 429),
        source="https://docs.bigmodel.cn/cn/api/api-code",
        read="2026-11-30",
        samples=(
            "zhipu-401-1001-no-auth-header",
            "zhipu-401-1003-token-expired",
            "zai-429-1112-locked",
        ),
    ),
    Rule(
        id="xai-oauth",
        kind=VerdictKind.AUTH,
        about="xAI: token not accepted, under a code that speaks of permission",
        words=(r"wke=unauthenticated", r"access token could not be validated"),
        statuses=(400, 401, 403),
        source="public source code",
        read="2026-12-01",
        samples=("xai-403-bad-credentials",),
    ),
    Rule(
        id="short-key-statement",
        kind=VerdictKind.AUTH,
        about="Kraken, WAQI and others, with 200: nothing but an invalid key",
        words=(
            r"(?:^|\| )(?:eapi: ?)?(?:invalid|unknown|wrong|expired|missing|incorrect|bad) (?:key|token|access token|user key|apikey|credentials)\.?(?: \||$)",
        ),
        statuses=(200,),
        source="public source code",
        read="2026-12-01",
        samples=("kraken-200-key", "waqi-200-key"),
    ),
    Rule(
        id="minimax-key",
        kind=VerdictKind.AUTH,
        about="MiniMax: login failed, key invalid",
        codes=("base_resp#1004", "base_resp#2049"),
        unless=(r"\bcookie\b",),
        source="https://github.com/hugalafutro/model-hotel/blob/main/internal/proxy/minimax_test.go",
        read="2026-11-30",
        samples=("minimax-200-base-resp-1004",),
    ),
    Rule(
        id="baidu-token",
        kind=VerdictKind.AUTH,
        about="Baidu: access token invalid or expired",
        codes=("error_code#110", "error_code#111", "error_code#100"),
        words=(r"access token", r"token (?:invalid|expired)"),
        source="public source code",
        read="2026-11-30",
        samples=("baidu-200-token-expired-111",),
    ),
    Rule(
        id="twilio-20003",
        kind=VerdictKind.AUTH,
        about="Twilio: wrong token or closed account; a restricted key may hear it too",
        codes=("code#20003",),
        words=(r"^authenticate\b",),
        sightings=2,
        source="https://taourl.com/read-2220964.html",
        read="2026-11-30",
        samples=("twilio-401-20003-authenticate",),
    ),
    Rule(
        id="cloudflare-token",
        kind=VerdictKind.AUTH,
        about="Cloudflare API: token not accepted; also told to a live token without the scope, as 403",
        codes=(
            "errors#10000",
            "errors#9109",
            "errors#6111",
            "errors#1000",
            "error_chain#6111",
            "errors#9106",
            "errors#9103",
        ),
        statuses=(400, 401),
        sightings=2,
        source="https://github.com/Ultimate-Multisite/ultimate-multisite/issues/73",
        read="2026-11-30",
        samples=("cloudflare-401-10000-fake-token", "cloudflare-400-6003-header-format"),
    ),
)
