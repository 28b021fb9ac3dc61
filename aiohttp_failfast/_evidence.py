"""Evidence: what one answer says, as plain frozen data. Rules read it and parse nothing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from ._evidence_body import read_body
from ._evidence_findings import Findings
from ._evidence_headers import challenge_in, codes_in, lowered, stated_reset, stated_wait
from ._evidence_text import matchable, spelled_out, windows_of, words_of
from ._times import BEIJING, moment_in, seconds_until, wait_in
from ._times_named import MONTH_WORDS, named_moment_in

SHORT_WAIT = 1800.0
"""Up to this many seconds a wait is a matter of minutes."""
MAX_ALL_TEXT = 5000
"""Characters of prose that are matched in all."""
LONG_WAIT = 10 * 86400.0
"""Beyond this many seconds a wait is a new billing period rather than a window."""


GENERIC_CODES = frozenset(
    {"error", "none", "null", "errorresponse", "invalidrequesterror", "ratelimiterror", "autherror"}
    | {"permissionerror", "servererror", "apierror", "invalidrequest", "ratelimit", "permission"}
    | {"auth", "server", "api", "forbidden", "unauthorized", "badrequest", "notfound"}
    | {"toomanyrequests", "resourceexhausted", "permissiondenied", "invalidargument"}
)
"""Folded codes that say nothing of the cause; they prove nothing and are told last."""


class Evidence(NamedTuple):
    """What one answer says.

    Attributes:
        status: HTTP status of the answer.
        fault: whether the answer reports a fault at all: by its status or in its body.
        codes: machine codes, folded (lower case, no separators) to the provider's own spelling.
            Bare numbers carry the member that holds them, as in `base_resp#1008`.
        text: the provider's prose, lower case, without anything it may quote from the request.
        words: the words in `text`.
        message: the provider's prose as it was written.
        marks: structural findings, such as `wait-short`, `window-day`, `html` or `upstream`.
        retry_after: seconds the provider asks to wait.
        resets_at: when the provider says the limit ends.
        host: host the request went to, if known.

    .. versionadded:: 0.1.0
    """

    status: int
    fault: bool
    codes: dict[str, str]
    text: str
    words: set[str]
    message: str
    marks: set[str]
    retry_after: float | None
    resets_at: datetime | None
    host: str

    @property
    def upstream_fault(self) -> bool:
        """Whether a gateway reports here what its own upstream answered.

        .. versionadded:: 0.1.0
        """
        return "upstream" in self.marks

    @property
    def code(self) -> str | None:
        """The most telling machine code in the provider's own spelling.

        .. versionadded:: 0.1.0
        """
        for folded, raw in self.codes.items():
            if folded not in GENERIC_CODES:
                return raw
        return next(iter(self.codes.values()), None)


def gather(
    status: int, headers: Mapping[str, str] | None, body: bytes, url: object = None
) -> Evidence:
    """Turn an answer into evidence. Never raises on any content.

    Args:
        status: HTTP status.
        headers: response headers, any case.
        body: decompressed bytes; may be cut off.
        url: where the request went.
    """
    plain = lowered(headers)
    found = Findings(plain.get("date"))
    fault = status >= 400
    read_body(body, found, status)
    if not fault:
        fault = "fault" in found.marks
    if plain:
        _read_headers(plain, found, status)
    return _conclude(status, fault, found, _host(url))


def _host(url: object) -> str:
    if url is None:
        return ""
    try:
        text = str(url)[:512]
    except Exception:
        return ""
    return text.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0].lower()


def _read_headers(headers: dict[str, str], found: Findings, status: int) -> None:
    for code in codes_in(headers):
        found.add_code(code, "header")
    marks, words = challenge_in(headers)
    found.marks.update(marks)
    if words:
        found.keep(words)
    wait, moment = stated_wait(headers, found.clock)
    if wait is not None:
        # The header is what the provider means for machines; it outranks the body.
        found.wait = wait
    # A reset is told with every answer; it matters where the limit is hit.
    if moment is None and (status == 429 or _spent(headers)):
        wait, moment = stated_reset(headers)
        if found.wait is None:
            found.wait = wait
    found.add_moment(moment)


def _spent(headers: dict[str, str]) -> bool:
    remaining = headers.get("x-ratelimit-remaining") or headers.get("ratelimit-remaining") or ""
    return any(part.strip() == "0" for part in remaining[:64].split(","))


_UPSTREAM = (
    "provider returned error",
    "error from provider",
    "upstream request failed",
    "upstream error",
    "upstream provider",
    "litellm.",
    "bad response from upstream",
    "provider error",
)
_UPSTREAM_WORDS = frozenset({"provider", "upstream", "litellm"})
_UPSTREAM_CODES = frozenset(
    {"aiapicallerror", "upstreamerror", "providererror", "badresponsestatuscode"}
)


def _conclude(status: int, fault: bool, found: Findings, host: str) -> Evidence:
    texts = found.texts
    message = next((text for text in texts if " " in text), texts[0] if texts else found.raw_text)
    parts = [matchable(text, status) for text in texts]
    parts += [
        spelled_out(raw) for folded, raw in found.codes.items() if folded not in GENERIC_CODES
    ]
    text = " | ".join(filter(None, dict.fromkeys(parts)))[:MAX_ALL_TEXT]
    marks = found.marks
    words = words_of(text)
    if text:
        marks.update(windows_of(text, words) or _quoted_windows(texts, text, status))
        _read_times(text, words, found)
        if not _UPSTREAM_WORDS.isdisjoint(words) and any(cue in text for cue in _UPSTREAM):
            marks.add("upstream")
    if not _UPSTREAM_CODES.isdisjoint(found.codes):
        marks.add("upstream")
    _mark_times(found)
    return Evidence(
        status if status >= 400 or not fault else found.embedded or status,
        fault,
        found.codes,
        text,
        words,
        message,
        marks,
        found.wait,
        found.moment,
        host,
    )


def _quoted_windows(texts: list[str], text: str, status: int) -> list[str]:
    """Windows in the quoted names of limits ('Queries per day'); no verdict is final by these."""
    if status != 429 or '""' not in text:
        return []
    whole = " ".join(texts).lower()
    return [mark for mark in windows_of(whole, words_of(whole)) if mark != "window-month"]


_TIME_WORDS = frozenset(
    [
        "again",
        "retry",
        "retrying",
        "wait",
        "waiting",
        "reset",
        "resets",
        "replenished",
        "refresh",
        "refreshes",
        "refreshed",
        "available",
        "back",
        "after",
        "access",
        "until",
        "renews",
    ]
)


def _read_times(text: str, words: set[str], found: Findings) -> None:
    if _TIME_WORDS.isdisjoint(words) and text.isascii():
        return
    if found.wait is None:
        found.wait = wait_in(text)
    if found.moment is None:
        # Z.AI writes Beijing time without a zone in English too; its codes are four digits.
        eastern = not text.isascii() or any(code.startswith("error#13") for code in found.codes)
        found.moment = moment_in(text, BEIJING) if eastern else moment_in(text)
        if found.moment is None and not MONTH_WORDS.isdisjoint(words):
            found.moment = named_moment_in(text)


def _mark_times(found: Findings) -> None:
    wait = found.wait
    if wait is None and found.moment is not None:
        wait = seconds_until(found.moment, found.clock) or None
    if wait is None:
        return
    if wait <= SHORT_WAIT:
        found.marks.add("wait-short")
    elif wait <= LONG_WAIT:
        found.marks.add("wait-long")
    else:
        found.marks.add("wait-weeks")
