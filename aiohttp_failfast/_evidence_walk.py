"""Collect from a decoded body what it says of its own fault."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ._evidence_findings import LONGEST_CODE, Findings
from ._evidence_headers import lowered, stated_reset, stated_wait
from ._evidence_json import decode_inside
from ._evidence_keys import MEMBERS, Member
from ._times import moment_of, seconds_of

MAX_NODES = 400
MAX_DEPTH = 12
MAX_MEMBERS = 64
MAX_ITEMS = 16
MAX_NESTED = 3
"""Levels of JSON inside strings that are opened."""

# Prose that announces the caller's own JSON: what follows it is an echo, not an error.
_ANNOUNCES_ECHO = (
    "input",
    "prompt",
    "request body",
    "pars",
    "invalid json",
    "validat",
    "schema",
    "arguments",
    "content",
    "received:",
)

# Prose that announces the error that a gateway or a client library wraps.
_ANNOUNCES_ERROR = (
    *("error", "exception", "fail", "http", "status", "code", "response", "provider", "upstream"),
    *("api", "4", "5", "错误", "失败", "异常"),
)

_LOCATION_NAME = "loc"
_CREDENTIAL_NAMES = ("token", "key", "authorization", "auth", "credential", "secret")


# Bound once: looking a member of an enumeration up is slow in older Pythons.
_CODE = Member.CODE
_EITHER = Member.EITHER
_HEADERS = Member.HEADERS
_LIMIT_VALUE = Member.LIMIT_VALUE
_LOCATION = Member.LOCATION
_MOMENT = Member.MOMENT
_PRICE = Member.PRICE
_QUOTA_ID = Member.QUOTA_ID
_RAW = Member.RAW
_TEXT = Member.TEXT
_WAIT = Member.WAIT
_WAIT_MS = Member.WAIT_MS


def add_prose(text: str, found: Findings, level: int = 0) -> None:
    """Note prose, and open the JSON or Python repr that it may carry.

    Args:
        text: as the provider wrote it.
        found: is added to.
        level: how many strings had to be opened to get here.
    """
    start = text.find("{")
    if start < 0 or level >= MAX_NESTED or not _opened(text, start, found, level):
        found.keep(text)


def _wraps_error(head: str) -> bool:
    """Whether prose before a brace says that an error follows, rather than the caller's JSON."""
    near = head[-80:].lower()
    if any(cue in near for cue in _ANNOUNCES_ECHO):
        return False
    return not near.strip(" [\"'") or any(cue in near for cue in _ANNOUNCES_ERROR)


def _opened(text: str, start: int, found: Findings, level: int) -> bool:
    head = text[:start]
    if not _wraps_error(head):
        found.keep(head)
        return True
    value, tail = decode_inside(text, start)
    if not isinstance(value, dict) or MEMBERS.keys().isdisjoint(value):
        return False
    found.keep(head.rstrip(" [-:"))
    walk(value, found, "", level + 1)
    if tail.strip(" ]'\")."):
        found.keep(tail)
    return True


def walk(value: Any, found: Findings, where: str, level: int = 0, depth: int = 0) -> None:
    """Collect the findings of a decoded value.

    Args:
        value: decoded JSON.
        found: is added to.
        where: name of the member that holds the value.
        level: how many strings had to be opened to get here.
        depth: how many objects and lists are around the value.
    """
    found.nodes += 1
    if depth > MAX_DEPTH or found.nodes > MAX_NODES:
        return
    if isinstance(value, dict):
        _walk_members(value, found, where, level, depth)
    elif isinstance(value, list):
        for inner in value[:MAX_ITEMS]:
            if isinstance(inner, (str, dict, list)):
                walk(inner, found, where, level, depth + 1)
    elif isinstance(value, str):
        add_prose(value, found, level)


def _walk_members(
    value: dict[str, Any], found: Findings, where: str, level: int, depth: int
) -> None:
    if _LOCATION_NAME in value:
        _note_location(value, found)
        return
    for name, inner in value.items() if len(value) <= MAX_MEMBERS else _first_members(value):
        meaning = MEMBERS.get(name)
        if meaning is not None and inner is not None:
            _take(meaning, name, inner, found, where, level, depth)


def _first_members(value: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(islice(value.items(), MAX_MEMBERS))


def _take(
    meaning: Member, name: str, inner: Any, found: Findings, where: str, level: int, depth: int
) -> None:
    if isinstance(inner, str):
        _take_string(meaning, inner, found, where or name.lower(), level)
    elif isinstance(inner, bool):
        return
    elif isinstance(inner, (int, float)):
        _take_number(meaning, name, inner, found, where)
    elif meaning is _HEADERS:
        _take_headers(inner, found)
    elif meaning is not _LOCATION:
        walk(inner, found, name.lower(), level, depth + 1)


def _take_string(meaning: Member, inner: str, found: Findings, where: str, level: int) -> None:
    if meaning is _CODE:
        found.add_code(inner, where)
    elif meaning is _TEXT:
        add_prose(inner, found, level)
        if " " not in inner and len(inner) <= LONGEST_CODE and not inner.isdigit():
            found.add_code(inner, where)
    elif meaning is _EITHER:
        if " " in inner or not inner.isascii():
            add_prose(inner, found, level)
        else:
            found.add_code(inner, where)
            if not found.texts:
                add_prose(inner, found, level)
    elif meaning is _RAW:
        found.marks.add("upstream")
        add_prose(inner, found, level)
    else:
        _take_limit(meaning, inner, found)


def _take_number(meaning: Member, name: str, inner: float, found: Findings, where: str) -> None:
    if meaning in (_CODE, _EITHER):
        if isinstance(inner, int):
            found.add_code(inner, where or name.lower())
    else:
        _take_limit(meaning, inner, found)


def _take_limit(meaning: Member, inner: str | float, found: Findings) -> None:
    if meaning is _WAIT:
        found.add_wait(seconds_of(inner))
    elif meaning is _WAIT_MS:
        wait = seconds_of(inner)
        found.add_wait(None if wait is None else wait / 1000)
    elif meaning is _MOMENT:
        found.add_moment(moment_of(inner))
    elif meaning is _LIMIT_VALUE:
        if str(inner)[:2] == "0":
            found.marks.add("limit-zero")
    elif meaning is _PRICE:
        found.marks.add("pay-per-call")
    elif meaning is _QUOTA_ID:
        _note_quota_id(str(inner)[:200].lower(), found)


def _note_quota_id(quota_id: str, found: Findings) -> None:
    if "perday" in quota_id or "daily" in quota_id:
        found.marks.add("quota-id-day")
    if "perminute" in quota_id or "persecond" in quota_id:
        found.marks.add("quota-id-minute")
    if "permodel" in quota_id:
        found.marks.add("quota-id-model")


def _take_headers(inner: Any, found: Findings) -> None:
    if not isinstance(inner, dict):
        return
    headers = lowered({str(name): str(value)[:64] for name, value in list(inner.items())[:64]})
    wait, moment = stated_wait(headers, found.clock)
    found.add_wait(wait)
    if moment is None:
        wait, moment = stated_reset(headers)
        found.add_wait(wait)
    found.add_moment(moment)


def _note_location(item: dict[str, Any], found: Findings) -> None:
    # A complaint about one part of the request: its words may quote it, so none is read.
    found.marks.add("validation")
    location = item.get(_LOCATION_NAME)
    if not isinstance(location, list) or len(location) < 2 or location[0] != "header":
        return
    header = str(location[1])[:64].lower()
    if any(name in header for name in _CREDENTIAL_NAMES):
        found.marks.add("credential-header-missing")
