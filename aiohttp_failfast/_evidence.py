"""Evidence: what one answer says, as plain frozen data. Rules read it and parse nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ._evidence_headers import challenge_in, codes_in, lowered, stated_reset, stated_wait
from ._evidence_json import decode, decode_inside
from ._evidence_text import matchable, readable, windows_of, words_of
from ._evidence_walk import Findings, walk
from ._times import BEIJING, moment_in, seconds_until, wait_in

MAX_BODY = 64 * 1024
"""Bytes of a body that are looked at."""

SHORT_WAIT = 1800.0
"""Up to this many seconds a wait is a matter of minutes."""
LONG_WAIT = 10 * 86400.0
"""Beyond this many seconds a wait is a new billing period rather than a window."""


GENERIC_CODES = frozenset(
    [
        "error",
        "none",
        "null",
        "errorresponse",
        "invalidrequesterror",
        "ratelimiterror",
        "permissionerror",
        "autherror",
        "servererror",
        "apierror",
        "apierrors",
    ]
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
    _read_body(body, found, status)
    if not fault:
        fault = "fault" in found.marks
    if plain:
        _read_headers(plain, found, status)
    return _conclude(status, fault, found, _host(url))


def _host(url: object) -> str:
    if url is None:
        return ""
    text = str(url)[:512]
    return text.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0].lower()


def _read_body(body: bytes, found: Findings, status: int) -> None:
    text = body[:MAX_BODY].decode("utf-8", "replace").strip("\ufeff \t\r\n\0")
    if not text:
        found.marks.add("empty")
        return
    first = text[0]
    if first in '{["':
        value = decode(text)
        if value is None:
            value = decode_inside(text, 0)[0]
        if isinstance(value, (dict, str)) or (isinstance(value, list) and text[1:2] in _IN_ARRAY):
            _read_value(value, found, status)
            return
    if first == "<":
        _read_markup(text, found)
    elif text.startswith(("data:", "event:", "id:", ": ", "retry:")):
        _read_events(text, found, status)
    elif first != "{" and text[:2] not in ("[{", "[["):
        _read_plain(text, found, status)


_IN_ARRAY = ('"', "{", "[", " ", "\n", "\r", "\t")
"""What stands behind the bracket of a real array; "[403]: ..." is prose."""


def _read_plain(text: str, found: Findings, status: int) -> None:
    found.marks.add("plain")
    if status >= 400:
        found.add_text(text[:8192], 0)


def _read_value(value: Any, found: Findings, status: int) -> None:
    if status >= 400 or _reports_fault(value):
        found.marks.add("fault")
        walk(value, found, "")


def _reports_fault(value: Any) -> bool:
    """Whether the body of a healthy status says that something went wrong."""
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict) and bool(value[0].get("error"))
    if not isinstance(value, dict):
        return False
    if value.get("ok") is False or value.get("success") is False or value.get("Success") is False:
        return True
    if any(value.get(name) for name in _FAULT_MEMBERS):
        return True
    for name, members in _FAULT_NUMBERS.items():
        holder = value.get(name) if name else value
        if isinstance(holder, dict) and any(_is_fault(holder.get(code)) for code in members):
            return True
    choices = value.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return bool(choices[0].get("error"))
    return _is_flat_fault(value)


_FAULT_MEMBERS = (
    "error",
    "errors",
    "Error",
    "Errors",
    "error_message",
    "error_msg",
    "errorMessage",
    "errmsg",
    "fault",
    "Fault",
)
_FAULT_NUMBERS = {
    "base_resp": ("status_code",),
    "header": ("code",),
    "": ("error_code", "errcode", "errorCode", "err_code"),
    "status": ("error_code",),
}
_FLAT_FAULTS = ("Information", "Note")


def _is_fault(code: object) -> bool:
    if isinstance(code, str):
        return code.lower() not in ("", "0", "ok", "success", "200", "null", "none")
    return isinstance(code, int) and not isinstance(code, bool) and code not in (0, 200)


def _is_flat_fault(value: dict[str, Any]) -> bool:
    if len(value) <= 2 and any(isinstance(value.get(name), str) for name in _FLAT_FAULTS):
        return True
    if value.get("status") == "0" and value.get("message") == "NOTOK":
        return True
    if value.get("type") == "error" or value.get("object") == "error":
        return True
    response = value.get("Response") or value.get("response")
    if isinstance(response, dict) and (response.get("Error") or response.get("error")):
        return True
    # {code, msg}: a code that is no success next to prose and no data.
    prose = value.get("msg") or value.get("message")
    return isinstance(prose, str) and _is_fault(value.get("code")) and not value.get("data")


_EVENT_LIMIT = 64


def _read_events(text: str, found: Findings, status: int) -> None:
    named_error = False
    for line in text.split("\n")[:_EVENT_LIMIT]:
        name, _, rest = line.partition(":")
        rest = rest.strip()
        if name == "event":
            named_error = rest in ("error", "response.failed")
        elif name == "data" and rest[:1] in ("{", "["):
            value = decode(rest)
            if isinstance(value, dict) and (named_error or status >= 400 or _event_fails(value)):
                found.marks.add("fault")
                walk(value, found, "")
                return


def _event_fails(value: dict[str, Any]) -> bool:
    return _reports_fault(value) or value.get("type") in ("error", "response.failed")


_XML_FIELD = re.compile(
    r"<(?:\w{1,20}:)?(Code|Message|Error|status|error_message|ErrorCode|ErrorMessage|faultstring"
    r"|faultcode|Reason|error)>([^<>]{1,500})</"
)
_TITLE = re.compile(r"<(?:title|h1)>\s*([^<>]{1,200})", re.IGNORECASE)


def _read_markup(text: str, found: Findings) -> None:
    head = text[:8192]
    fields = _XML_FIELD.findall(head)
    if not fields or "<html" in head[:400].lower():
        found.marks.add("html")
        title = _TITLE.search(head)
        found.raw_text = readable(title.group(1)) if title else ""
        return
    found.marks.add("xml")
    for name, content in fields[:12]:
        if "essage" in name or "string" in name or " " in content.strip():
            found.add_text(content, 0)
        else:
            found.add_code(content.strip(), name.lower())
    if {"OVER_QUERY_LIMIT", "REQUEST_DENIED"}.intersection(found.codes.values()):
        found.marks.add("fault")


def _read_headers(headers: dict[str, str], found: Findings, status: int) -> None:
    for code in codes_in(headers):
        found.add_code(code, "header")
    marks, words = challenge_in(headers)
    found.marks.update(marks)
    if words:
        found.add_text(words, 0)
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
    message = texts[0] if texts else found.raw_text
    text = " | ".join([matchable(text, status) for text in texts]) if texts else ""
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


def _mark_times(found: Findings) -> None:
    wait = found.wait
    if wait is None and found.moment is not None:
        found.marks.add("reset-named")
        wait = seconds_until(found.moment, found.clock) or None
    if wait is None:
        return
    if wait <= SHORT_WAIT:
        found.marks.add("wait-short")
    elif wait <= LONG_WAIT:
        found.marks.add("wait-long")
    else:
        found.marks.add("wait-weeks")
