"""Waits and reset times in every form that providers use."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from aiohttp_failfast._times import (
    BEIJING,
    MAX_WAIT,
    moment_in,
    moment_of,
    seconds_of,
    seconds_until,
    wait_in,
)
from aiohttp_failfast._times_named import named_moment_in

UTC = timezone.utc


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (0, 0.0),
        (12, 12.0),
        ("12", 12.0),
        (" 1.5 ", 1.5),
        ("7m12s", 432.0),
        ("644ms", 0.644),
        ("8h44m7s", 31447.0),
        ("33740.910400305s", 33740.910400305),
        ("22.14:18:12", 1952292.0),
        ("00:06:46", 406.0),
        ("2 hours", 7200.0),
        ("15 hours 23 minutes", 55380.0),
        ("1 day, 2 hours and 3 minutes", 93780.0),
        ("20 秒", 20.0),
        ("3小时", 10800.0),
    ],
)
def test_a_wait_is_read_in_every_form(value: object, seconds: float) -> None:
    """Numbers, texts of numbers, durations and clocks mean seconds."""
    assert seconds == seconds_of(value)


@pytest.mark.parametrize(
    "value",
    [
        -1,
        "-1",
        float("nan"),
        float("inf"),
        "nan",
        "inf",
        "1e400",
        10**400,
        "9" * 1_000_000,
        MAX_WAIT + 1,
        "99999999 days",
        True,
        None,
        [],
        "soon",
        "",
        "s",
        "1x",
        "１２",
    ],
)
def test_a_hostile_wait_is_none(value: object) -> None:
    """Nothing negative, endless or absurd becomes a wait."""
    assert seconds_of(value) is None


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (1377013266, datetime(2013, 8, 20, 15, 41, 6, tzinfo=UTC)),
        ("1377013266", datetime(2013, 8, 20, 15, 41, 6, tzinfo=UTC)),
        ("1786320000000", datetime(2026, 8, 10, tzinfo=UTC)),
        ("2026-09-20T21:03:14Z", datetime(2026, 9, 20, 21, 3, 14, tzinfo=UTC)),
        ("2026-09-20T21:03:14.123+02:00", datetime(2026, 9, 20, 19, 3, 14, tzinfo=UTC)),
        ("2026-09-20", datetime(2026, 9, 20, tzinfo=UTC)),
        ("Wed, 21 Oct 2015 07:28:00 GMT", datetime(2015, 10, 21, 7, 28, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read_in_every_form(value: object, moment: datetime) -> None:
    """Epochs in seconds and milliseconds, ISO 8601 and HTTP-dates mean a moment in UTC."""
    assert moment == moment_of(value)


@pytest.mark.parametrize(
    "value",
    [
        0,
        -5,
        float("nan"),
        float("inf"),
        10**400,
        "9" * 1_000_000,
        "9999-12-31T23:59:59-14:00",
        "2026-02-30",
        "0001-01-01T00:00:00+14:00",
        "Wed, 99 Oct 2015 07:28:00 GMT",
        "tomorrow",
        True,
        None,
        {},
    ],
)
def test_a_hostile_moment_is_none(value: object) -> None:
    """No impossible date, and nothing before 2000 or after 2100, becomes a moment."""
    assert moment_of(value) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("please try again in 7m12s. visit us", 432.0),
        ("please wait 5631 seconds before retrying", 5631.0),
        ("please retry after 3 seconds", 3.0),
        ("your quota will reset after 8h44m7s.", 31447.0),
        ("try again in 15 hours 23 minutes. please review", 55380.0),
        ("quota will be replenished in 20.09:58:55.", 1763935.0),
        ("quota will be replenished in 2 days.", 172800.0),
        ("请在 20 秒后重试", 20.0),
        ("you will regain access on 2025-07-01 at 00:00 utc", None),
        ("wait and see", None),
        ("limit 5 hours", None),
    ],
)
def test_a_wait_is_found_in_prose(text: str, seconds: float | None) -> None:
    """A number with a unit is a wait only after a word that says so."""
    assert seconds == wait_in(text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("you will regain access on 2025-07-01 at 00:00 utc.", datetime(2025, 7, 1, tzinfo=UTC)),
        (
            "it will reset at 2026-08-29 23:59:59 +0800 cst. we recommend",
            datetime(2026, 8, 29, 15, 59, 59, tzinfo=UTC),
        ),
        ("resets at 2026-05-15t15:00:00z (2056)", datetime(2026, 5, 15, 15, tzinfo=UTC)),
        ("released on 2026-05-15", None),
        ("resets at 2026-13-45 99:99", None),
    ],
)
def test_a_moment_is_found_in_prose(text: str, moment: datetime | None) -> None:
    """A date is a reset only after a word that says so."""
    assert moment == moment_in(text)


def test_a_time_without_a_zone_is_taken_in_the_zone_that_is_meant() -> None:
    """Chinese providers mean Beijing time."""
    text = "您的限额将在 2026-08-25 07:41:44 重置"
    assert datetime(2026, 8, 24, 23, 41, 44, tzinfo=UTC) == moment_in(text, BEIJING)


def test_seconds_until_a_moment_are_never_negative() -> None:
    """A moment that has passed is no wait; one that is too far off is none at all."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    hour = timedelta(hours=1)
    results: list[Any] = [seconds_until(start + step, start) for step in (hour, -hour)]
    assert [3600.0, 0.0] == results
    assert seconds_until(start + timedelta(days=4000), start) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("try again at oct 8th, 2026 4:13 pm.", "2026-10-08 16:13"),
        ("limit to reset on october 7, 2026 at 3:47 pm. learn more", "2026-10-07 15:47"),
        ("or try again at 20 oct 2026, 16:29.", "2026-10-20 16:29"),
        ("you regain access on july 1st, 2026", "2026-07-01 00:00"),
        ("resets on sept 3 2026 12:05 am", "2026-09-03 00:05"),
        ("resets on feb 31, 2026", None),
        ("your key expired on jan 1, 2026", None),
    ],
)
def test_named_months(text: str, moment: str | None) -> None:
    """As codex and Copilot write them."""
    told = named_moment_in(text)
    assert moment == (None if told is None else f"{told:%Y-%m-%d %H:%M}")
