"""What the response headers say: waits, resets, challenges and error codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ._times import moment_of, seconds_of

MAX_HEADERS = 256
MAX_VALUE = 1024

_CODE_HEADERS = ("x-amzn-errortype", "x-ms-error-code", "x-error-code", "x-error-type")

# In the order of trust: the first that is present and sane is taken.
_RESET_HEADERS = (
    "x-codex-primary-reset-at",
    "x-ratelimit-reset",
    "x-rate-limit-reset",
    "x-ratelimit-reset-at",
    "anthropic-ratelimit-unified-reset",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-reset",
    "anthropic-ratelimit-input-tokens-reset",
    "anthropic-ratelimit-output-tokens-reset",
    "ratelimit-reset",
)
_WAIT_HEADERS = (
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "x-ratelimit-reset-after",
)

# Below this an "x-ratelimit-reset" counts seconds, above it names a moment.
_EPOCH_FROM = 1_000_000_000.0

_CHALLENGE_ERROR = re.compile(r'\berror="?([a-z_]{1,40})', re.IGNORECASE)
_CHALLENGE_TEXT = re.compile(r'\berror_description="([^"]{1,300})"', re.IGNORECASE)
_HANDSHAKES = ("digest", "negotiate", "ntlm", "kerberos", "hoba")


def lowered(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Copy headers under lower-case names; anything that is no text is left out."""
    if not headers:
        return {}
    plain: dict[str, str] = {}
    try:
        for name, value in headers.items():
            if len(plain) >= MAX_HEADERS:
                break
            if isinstance(name, str) and isinstance(value, str):
                key = name.lower()
                # A repeated header is one list, except that a first Retry-After stands.
                plain[key] = (
                    f"{plain[key]}, {value}"[:MAX_VALUE] if key in plain else value[:MAX_VALUE]
                )
    except Exception:
        return plain
    return plain


def stated_wait(headers: dict[str, str], clock: datetime) -> tuple[float | None, datetime | None]:
    """Read Retry-After in all its forms.

    Args:
        headers: lower-cased.
        clock: when the answer was made, to turn a date into seconds.

    Returns:
        Seconds to wait, and the moment if the header named one.
    """
    milliseconds = headers.get("retry-after-ms")
    if milliseconds is not None:
        wait = seconds_of(milliseconds)
        if wait is not None:
            return wait / 1000, None
    value = headers.get("retry-after")
    if value is None:
        return None, None
    value = value.partition(", ")[0] if value[:1].isdigit() else value
    wait = seconds_of(value)
    if wait is not None or value[:1].isdigit():
        return wait, None
    moment = moment_of(value)
    if moment is None:
        return None, None
    return seconds_of(max(0.0, (moment - clock).total_seconds())), moment


def stated_reset(headers: dict[str, str]) -> tuple[float | None, datetime | None]:
    """Read rate limit reset headers: a wait in seconds, or a moment."""
    for name in _RESET_HEADERS:
        value = headers.get(name)
        if value is None:
            continue
        moment = None if _is_wait(value) else moment_of(value)
        if moment is not None:
            return None, moment
    for name in (*_RESET_HEADERS[1:3], _RESET_HEADERS[-1], *_WAIT_HEADERS):
        value = headers.get(name)
        if value is not None:
            # "1, 86400": one number a window; the longest is the one that can be spent for long.
            waits = [seconds_of(part) for part in value.split(",")[:8]]
            known = [wait for wait in waits if wait is not None]
            if known:
                return max(known), None
    return None, None


def _is_wait(value: str) -> bool:
    wait = seconds_of(value)
    return wait is not None and wait < _EPOCH_FROM


def codes_in(headers: dict[str, str]) -> list[str]:
    """Machine codes that APIs put into headers."""
    return [
        headers[name].partition(":")[0].rpartition("#")[2]
        for name in _CODE_HEADERS
        if name in headers
    ]


def challenge_in(headers: dict[str, str]) -> tuple[list[str], str]:
    """Read WWW-Authenticate.

    Returns:
        Marks such as `challenge-invalid-token` or `challenge-handshake`, and the provider's words.
    """
    value = headers.get("www-authenticate")
    if not value:
        return [], ""
    marks = []
    error = _CHALLENGE_ERROR.search(value)
    if error:
        marks.append("challenge-" + error.group(1).lower().replace("_", "-"))
    schemes = value.lower()
    if any(scheme in schemes for scheme in _HANDSHAKES):
        marks.append("challenge-handshake")
    words = _CHALLENGE_TEXT.search(value)
    return marks, words.group(1) if words else ""
