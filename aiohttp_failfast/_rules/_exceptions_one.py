"""Answers of one provider that look like a spent or dead key and are none."""

from __future__ import annotations

from .._verdict import VerdictKind
from .row import Rule

EXCEPTIONS_ONE: tuple[Rule, ...] = (
    Rule(
        id="twilio-restricted",
        kind=VerdictKind.OTHER,
        about="Twilio: a restricted key at a resource it may not use; wrong names hear it too",
        codes=("code#20003",),
        words=(r"invalid username",),
        source="https://support.twilio.com/hc/en-us/articles/50301225354651",
        read="2026-11-30",
        samples=("twilio-401-20003-restricted-key",),
    ),
    Rule(
        id="blockfrost-day",
        kind=VerdictKind.WINDOWED,
        about="Blockfrost: requests of the day, told with 402",
        words=(r"project over limit",),
        statuses=(402,),
        source="https://github.com/blockfrost/openapi/pull/27",
        read="2026-12-01",
        samples=("blockfrost-402-daily",),
    ),
    Rule(
        id="login-attempts",
        kind=VerdictKind.TRANSIENT,
        about="any: locked for minutes after too many attempts to log in",
        words=(r"too many (?:\w+ )?(?:\w+ )?attempts",),
        statuses=(200, 400, 401, 403, 423, 429),
        source="public source code",
        read="2026-12-01",
        samples=("appnexus-200-locked-5min",),
    ),
    Rule(
        id="aws-no-route",
        kind=VerdictKind.OTHER,
        about="AWS API Gateway: there is no such path, in the words of a missing token",
        codes=("MissingAuthenticationTokenException",),
        statuses=(403,),
        source="public source code",
        read="2026-12-01",
        samples=("apigw-403-missing-token",),
    ),
    Rule(
        id="aws-no-route-words",
        kind=VerdictKind.OTHER,
        about="AWS API Gateway: the same without its header",
        words=(r"^missing authentication token\b",),
        statuses=(403,),
        source="public source code",
        read="2026-12-01",
        samples=("apigw-403-missing-token-bare",),
    ),
    Rule(
        id="kimi-plan-window",
        kind=VerdictKind.WINDOWED,
        about="Kimi Code: window of the plan under a code that sounds final",
        codes=("access_terminated_error",),
        words=(r"usage limit", r"quota will (?:reset|be refreshed)"),
        source="https://github.com/openclaw/openclaw/pull/142656",
        read="2026-11-30",
        samples=("kimi-code-403-weekly-window", "kimi-code-403-billing-cycle-but-5h-window"),
    ),
    Rule(
        id="upgrade-for-one-thing",
        kind=VerdictKind.OTHER,
        about="Supabase and others: a dearer plan is needed for one feature or one more object",
        words=(r"upgrade .{0,60}\bto (?:enable|unlock|create|add|invite|export) \w+",),
        statuses=(402,),
        unless=(
            r"\b(?:credits?|balance|quota|limits?|usage|used|exhausted|insufficient|payment|funds|trial|expired|billing)\b",
        ),
        source="public source code",
        read="2026-12-01",
        samples=("supabase-402-vector-buckets", "waitlist-402-more"),
    ),
)
