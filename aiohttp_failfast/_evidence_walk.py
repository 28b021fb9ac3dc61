"""Collect from a decoded body what it says of its own fault."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from ._evidence_headers import lowered, stated_reset, stated_wait
from ._evidence_json import decode_inside
from ._evidence_keys import MEMBERS, Member
from ._evidence_text import readable
from ._times import moment_of, seconds_of

MAX_NODES = 400
MAX_DEPTH = 12
MAX_TEXTS = 12
MAX_CODES = 24
MAX_NESTED = 3
"""Levels of JSON inside strings that are opened."""

_LONGEST_CODE = 96
_FOLD = str.maketrans("", "", " _-.:/#'\"`,;!()[]{}")

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

_CREDENTIAL_NAMES = ("token", "key", "authorization", "auth", "credential", "secret")


def fold(code: str) -> str:
    """One spelling of a machine code: `InvalidApiKey`, `invalid-api-key` and so on are equal."""
    return code.translate(_FOLD).lower()


class Findings:
    """What has been collected of one answer so far."""

    __slots__ = (
        "_date",
        "codes",
        "embedded",
        "marks",
        "moment",
        "nodes",
        "raw_text",
        "texts",
        "wait",
    )

    def __init__(self, date: str | None = None) -> None:
        self._date = date
        self.codes: dict[str, str] = {}
        self.texts: list[str] = []
        self.raw_text = ""
        self.marks: set[str] = set()
        self.wait: float | None = None
        self.moment: datetime | None = None
        self.embedded: int | None = None
        self.nodes = 0

    @property
    def clock(self) -> datetime:
        """When the answer was made: by its Date, else now. Read only where a wait needs it."""
        return (moment_of(self._date) if self._date else None) or datetime.now(timezone.utc)

    def add_wait(self, wait: float | None) -> None:
        """Note a stated wait; the longest one counts."""
        if wait is not None and (self.wait is None or wait > self.wait):
            self.wait = wait

    def add_moment(self, moment: datetime | None) -> None:
        """Note a stated reset; the first one counts."""
        if self.moment is None:
            self.moment = moment

    def add_code(self, raw: str | int, where: str) -> None:
        """Note a machine code. A bare number is told apart by the member that holds it."""
        if len(self.codes) >= MAX_CODES:
            return
        if isinstance(raw, int):
            # Compared first: turning a number of unlimited length into text fails.
            if not -(10**9) < raw < 10**9:
                return
            raw = str(raw)
        if not raw or len(raw) > _LONGEST_CODE or not raw.isascii():
            return
        if raw.lstrip("-").isdigit():
            self._add_number(raw, where)
            return
        if "/" in raw:
            raw = raw.rstrip("/").rpartition("/")[2]
        raw = raw.rpartition("#")[2]
        folded = fold(raw)
        if folded:
            self.codes.setdefault(folded, raw)
            # InvalidApiKeyError is invalid_api_key.
            for ending in ("error", "exception"):
                if folded.endswith(ending) and len(folded) > len(ending) + 3:
                    self.codes.setdefault(folded[: -len(ending)], raw)

    def _add_number(self, raw: str, where: str) -> None:
        if len(raw) == 3 and raw[0] in "45":
            if self.embedded is None:
                self.embedded = int(raw)
            return
        self.codes.setdefault(f"{where}#{raw}", raw)

    def add_text(self, text: str, level: int) -> None:
        """Note prose, and open the JSON or Python repr that it may carry."""
        if len(self.texts) >= MAX_TEXTS or not text:
            return
        start = text.find("{")
        if start >= 0 and level < MAX_NESTED and self._open(text, start, level):
            return
        self._keep(text)

    def _keep(self, text: str) -> None:
        prose = readable(text)
        if prose and prose not in self.texts:
            self.texts.append(prose)

    def _open(self, text: str, start: int, level: int) -> bool:
        head = text[:start]
        if any(cue in head[-200:].lower() for cue in _ANNOUNCES_ECHO):
            self._keep(head)
            return True
        value, tail = decode_inside(text, start)
        if not isinstance(value, dict) or MEMBERS.keys().isdisjoint(value):
            return False
        self._keep(head.rstrip(" [-:"))
        walk(value, self, "", level + 1, 0)
        if tail.strip(" ]'\")."):
            self._keep(tail)
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
        if MEMBERS_OF_LOCATION in value:
            _note_location(value, found)
            return
        for name, inner in list(value.items())[:64]:
            meaning = MEMBERS.get(name)
            if meaning is not None and inner is not None:
                _take(meaning, name, inner, found, where, level, depth)
    elif isinstance(value, list):
        for inner in value[:16]:
            if isinstance(inner, str):
                found.add_text(inner, level)
            elif isinstance(inner, (dict, list)):
                walk(inner, found, where, level, depth + 1)
    elif isinstance(value, str):
        found.add_text(value, level)


MEMBERS_OF_LOCATION = "loc"


def _take(
    meaning: Member, name: str, inner: Any, found: Findings, where: str, level: int, depth: int
) -> None:
    if isinstance(inner, str):
        _take_string(meaning, inner, found, where or name.lower(), level)
    elif isinstance(inner, bool):
        return
    elif isinstance(inner, (int, float)):
        _take_number(meaning, name, inner, found, where)
    elif meaning is Member.HEADERS:
        _take_headers(inner, found)
    elif meaning is not Member.LOCATION:
        walk(inner, found, name.lower(), level, depth + 1)


def _take_string(meaning: Member, inner: str, found: Findings, where: str, level: int) -> None:
    if meaning is Member.CODE:
        found.add_code(inner, where)
    elif meaning is Member.TEXT:
        found.add_text(inner, level)
        if " " not in inner and len(inner) <= _LONGEST_CODE and not inner.isdigit():
            found.add_code(inner, where)
    elif meaning is Member.EITHER:
        if " " in inner or not inner.isascii():
            found.add_text(inner, level)
        else:
            found.add_code(inner, where)
            if not found.texts:
                found.add_text(inner, level)
    elif meaning is Member.RAW:
        found.marks.add("upstream")
        found.add_text(inner, level)
    else:
        _take_limit(meaning, inner, found)


def _take_number(meaning: Member, name: str, inner: float, found: Findings, where: str) -> None:
    if meaning in (Member.CODE, Member.EITHER):
        if isinstance(inner, int):
            found.add_code(inner, where or name.lower())
    else:
        _take_limit(meaning, inner, found)


def _take_limit(meaning: Member, inner: str | float, found: Findings) -> None:
    if meaning is Member.WAIT:
        found.add_wait(seconds_of(inner))
    elif meaning is Member.WAIT_MS:
        wait = seconds_of(inner)
        found.add_wait(None if wait is None else wait / 1000)
    elif meaning is Member.MOMENT:
        found.add_moment(moment_of(inner))
    elif meaning is Member.LIMIT_VALUE:
        if str(inner)[:2] == "0":
            found.marks.add("limit-zero")
    elif meaning is Member.REMAINING:
        if isinstance(inner, (int, float)) and inner > 0:
            found.marks.add("some-left")
    elif meaning is Member.QUOTA_ID:
        _note_quota_id(str(inner)[:200].lower(), found)


def _note_quota_id(quota_id: str, found: Findings) -> None:
    if "perday" in quota_id or "daily" in quota_id:
        found.marks.add("quota-id-day")
    if "permonth" in quota_id:
        found.marks.add("quota-id-month")
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
    """A complaint about one part of the request; its words may quote the request, so none is read."""
    found.marks.add("validation")
    location = item.get(MEMBERS_OF_LOCATION)
    if not isinstance(location, list) or len(location) < 2 or location[0] != "header":
        return
    header = str(location[1])[:64].lower()
    if any(name in header for name in _CREDENTIAL_NAMES):
        found.marks.add("credential-header-missing")


def fold_known(code: str) -> str:
    """Fold a code as written in a rule; the member in front of a bare number stays."""
    return code.lower() if "#" in code else fold(code)
