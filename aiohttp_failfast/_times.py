"""Waits and reset times as providers write them. Hostile values give None."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

MAX_WAIT = 400 * 86400.0
"""Longest believable wait in seconds. A yearly plan fits in; anything longer is a broken value."""

_LONGEST_NUMBER = 32
_LONGEST_DATE = 64
_FIRST_YEAR = 2000
_LAST_YEAR = 2100
# An epoch above this is written in milliseconds: as seconds it would lie beyond the year 2100.
_MILLISECONDS_FROM = 4_102_444_800.0

BEIJING = timezone(timedelta(hours=8))
"""The zone that Chinese providers mean when they name none."""

_ZONES = {"utc": timezone.utc, "gmt": timezone.utc, "z": timezone.utc, "cst": BEIJING}

_UNIT_SECONDS = {
    "ms": 0.001,
    "msec": 0.001,
    "millisecond": 0.001,
    "毫秒": 0.001,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "秒": 1.0,
    "秒钟": 1.0,
    "m": 60.0,
    "min": 60.0,
    "minute": 60.0,
    "分": 60.0,
    "分钟": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "hour": 3600.0,
    "小时": 3600.0,
    "个小时": 3600.0,
    "d": 86400.0,
    "day": 86400.0,
    "天": 86400.0,
    "w": 604800.0,
    "week": 604800.0,
}

_UNIT = (
    r"(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w"
    r"|毫秒|秒钟?|分钟?|个?小时|天)(?![a-z])"
)
_PIECE = rf"\d{{1,9}}(?:\.\d{{1,12}})?[ -]?{_UNIT}"
_DURATION = rf"{_PIECE}(?:,? ?(?:and )?{_PIECE}){{0,3}}"
_CLOCK = r"(?:\d{1,3}\.)?\d{1,2}:\d{2}:\d{2}"

_PIECES = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,12}})?)[ -]?({_UNIT})")
_WHOLE_DURATION = re.compile(rf"{_DURATION}\Z")
_WHOLE_CLOCK = re.compile(rf"{_CLOCK}\Z")

# The gap holds no digit, so that the first number after the cue is the one that is read.
_WAIT_IN_TEXT = re.compile(
    r"(?:again|retry|retrying|wait|waiting|resets?|replenished|refresh(?:es|ed)?|available|back"
    rf"|retry-after|renews?)\b[^\d;]{{0,40}}?({_CLOCK}(?!\d)|{_DURATION})"
)
_WAIT_IN_CHINESE = re.compile(rf"({_DURATION}) ?(?:之?后|以后)")

_DAY = r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})"
_HOUR = r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?"
_ZONE = r"(?: ?(z\b|utc\b|gmt\b|[+-]\d{2}:?\d{2}\b|cst\b))?"
_MOMENT_IN_TEXT = re.compile(
    r"(?:again|retry|wait|resets?|renews?|refresh(?:es|ed)?|access|available|until|将在|将于|于|在)"
    rf"[^\d;]{{0,24}}?{_DAY}(?:(?:t| at |,? ){_HOUR}{_ZONE})?"
)


def seconds_of(value: object) -> float | None:
    """Read a wait in any form providers use: `12`, `"1.5"`, `"7m12s"`, `"22.14:18:12"`.

    Args:
        value: a number of seconds, or text.

    Returns:
        Seconds from 0 to MAX_WAIT, or None where the value is no believable wait.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _bounded(value)
    if not isinstance(value, str) or len(value) > _LONGEST_DATE:
        return None
    text = value.strip().lower()
    number = _number(text)
    if number is not None:
        return _bounded(number)
    return _duration(text)


def moment_of(value: object) -> datetime | None:
    """Read a point in time: ISO 8601, HTTP-date, epoch seconds or epoch milliseconds.

    Args:
        value: a number, or text. A time without a zone is taken as UTC.

    Returns:
        An aware time in UTC between the years 2000 and 2100, or None.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _from_epoch(value)
    if not isinstance(value, str) or len(value) > _LONGEST_DATE:
        return None
    text = value.strip()
    number = _number(text)
    if number is not None:
        return _from_epoch(number)
    return _from_iso(text) or _from_http_date(text)


def wait_in(text: str) -> float | None:
    """Find a stated wait in lower-cased prose, such as `try again in 7m12s`."""
    found = _WAIT_IN_TEXT.search(text) or (
        None if text.isascii() else _WAIT_IN_CHINESE.search(text)
    )
    return _duration(found.group(1)) if found else None


def moment_in(text: str, zone: timezone = timezone.utc) -> datetime | None:
    """Find a stated reset time in lower-cased prose, such as `regain access on 2025-07-01`.

    Args:
        text: the prose.
        zone: the zone meant where the prose names none.
    """
    found = _MOMENT_IN_TEXT.search(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, named = found.groups()
    try:
        moment = datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            tzinfo=_zone(named, zone),
        )
    except ValueError:
        return None
    return _plausible(moment)


def seconds_until(moment: datetime, start: datetime) -> float | None:
    """Seconds from `start` to `moment`; 0 where it has passed, None where it is far off."""
    return _bounded(max(0.0, (moment - start).total_seconds()))


def _bounded(number: float) -> float | None:
    # NaN fails both comparisons; a huge int is compared without a conversion that overflows.
    return float(number) if 0 <= number <= MAX_WAIT else None


def _number(text: str) -> float | None:
    if not text or len(text) > _LONGEST_NUMBER or text[-1] not in "0123456789.":
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _duration(text: str) -> float | None:
    if _WHOLE_CLOCK.match(text):
        return _clock(text)
    if not _WHOLE_DURATION.match(text):
        return None
    total = 0.0
    for number, unit in _PIECES.findall(text):
        total += float(number) * _unit_seconds(unit)
    return _bounded(total)


def _unit_seconds(unit: str) -> float:
    seconds = _UNIT_SECONDS.get(unit)
    return _UNIT_SECONDS[unit[:-1]] if seconds is None else seconds


def _clock(text: str) -> float | None:
    days, _, rest = text.rpartition(".")
    hours, minutes, seconds = rest.split(":")
    total = int(days or 0) * 86400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return _bounded(total)


def _from_epoch(number: float) -> datetime | None:
    if not 0 < number < _MILLISECONDS_FROM * 1000:
        return None
    seconds = number / 1000 if number >= _MILLISECONDS_FROM else number
    return _plausible(datetime.fromtimestamp(seconds, timezone.utc))


_ISO = re.compile(rf"{_DAY}(?:[tT ]{_HOUR}{_ZONE})?\Z", re.IGNORECASE)


def _from_iso(text: str) -> datetime | None:
    found = _ISO.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, named = found.groups()
    clock = (int(hour or 0), int(minute or 0), int(second or 0))
    try:
        moment = datetime(int(year), int(month), int(day), *clock, tzinfo=_zone(named, None))
    except ValueError:
        return None
    return _plausible(moment)


def _from_http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return _plausible(moment)


def _zone(named: str | None, default: timezone | None) -> timezone:
    if not named:
        return default or timezone.utc
    known = _ZONES.get(named.lower())
    if known is not None:
        return known
    hours, minutes = int(named[1:3]), int(named[-2:])
    offset = timedelta(hours=min(hours, 23), minutes=minutes)
    return timezone(-offset if named[0] == "-" else offset)


def _plausible(moment: datetime) -> datetime | None:
    try:
        moment = moment.astimezone(timezone.utc)
    except (OverflowError, ValueError):
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None
