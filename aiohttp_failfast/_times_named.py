"""Dates with the name of a month, as prose writes them: `Oct 8th, 2026 4:13 PM`."""

from __future__ import annotations

import re
from datetime import datetime, timezone

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_LONG = "january february march april may june july august september october november december"
MONTH_WORDS = frozenset([*_MONTHS, *_LONG.split(), "sept"])
"""Names of months, lower case; a text without one of them holds no such date."""

_NAME = r"(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
_NUMBER = r"(\d{1,2})(?:st|nd|rd|th)?"
_CLOCK = r"(?:,? (?:at )?(\d{1,2}):(\d{2})(?::\d{2})? ?([ap]\.?m)?)?"
_CUE = (
    r"(?:again|retry|wait|resets?|renews?|refresh(?:es|ed)?|access|available|until|back)\b"
    r"[^\d;|]{0,30}?"
)
_MONTH_FIRST = re.compile(rf"{_CUE}\b{_NAME} {_NUMBER},? (\d{{4}}){_CLOCK}")
_DAY_FIRST = re.compile(rf"{_CUE}\b{_NUMBER} {_NAME},? (\d{{4}}){_CLOCK}")


def named_moment_in(text: str) -> datetime | None:
    """Find a stated reset time with a named month in lower-cased prose, taken as UTC.

    Args:
        text: the prose.

    Returns:
        The moment, or None where there is none that a calendar knows.
    """
    found = _MONTH_FIRST.search(text)
    if found is not None:
        month, day, *rest = found.groups()
    else:
        found = _DAY_FIRST.search(text)
        if found is None:
            return None
        day, month, *rest = found.groups()
    return _moment(month, int(day), *rest)


def _moment(
    month: str, day: int, year: str, hour: str | None, minute: str | None, half: str | None
) -> datetime | None:
    hours = int(hour or 0)
    if half is not None:
        hours = hours % 12 + (12 if half[0] == "p" else 0)
    number = _MONTHS.index(month[:3]) + 1
    try:
        moment = datetime(int(year), number, day, hours, int(minute or 0), tzinfo=timezone.utc)
    except ValueError:
        return None
    return moment if 2000 <= moment.year <= 2100 else None
