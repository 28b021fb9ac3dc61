"""Windows that trip, shadow mode, and what the callbacks and the log are told."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from aiohttp import ClientSession
from loopback import BUSY, OK, SPENT, Api, Reply, bearer, error, gather
from ways import WAYS, SessionFactory

from aiohttp_failfast import (
    FailFastSession,
    Latch,
    PermanentEndpointError,
    Refusal,
    Reset,
    Retry,
    RetryPolicy,
    VerdictKind,
)

every_way = pytest.mark.parametrize("way", list(WAYS))


async def fetch(session: ClientSession, api: Api, key: str, **kwargs: Any) -> int:
    """Send one call."""
    async with session.post(api.url, headers=bearer(key), json={}, **kwargs) as response:
        await response.read()
        return response.status


def used_up(seconds: float) -> Reply:
    """Return a real form of a used-up window: GitHub's hourly limit, which tells its end."""
    reset = int((datetime.now(timezone.utc) + timedelta(seconds=seconds)).timestamp())
    body = json.dumps({"message": "API rate limit exceeded for user ID 1.", "status": "403"})
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": str(reset),
    }
    return Reply(403, body.encode(), headers)


@every_way
async def test_a_used_up_window_is_handed_over(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """By default the answer that a window is used up is returned once, and trips nothing."""
    latch = Latch()
    session = await make_session(way, latch=latch)
    api.answers["k"] = used_up(7200)

    assert 403 == await fetch(session, api, "k")
    assert not latch.tripped
    assert 1 == api.total


@every_way
async def test_a_used_up_window_can_trip_until_it_ends(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """With windowed="trip" it trips until the time that the answer tells, and clears by itself."""
    now = 0.0
    latch = Latch(clock=lambda: now)
    session = await make_session(way, latch=latch, options={"windowed": "trip"})
    api.answers["k"] = [used_up(7200), OK]

    for _ in range(3):
        with pytest.raises(PermanentEndpointError) as caught:
            await fetch(session, api, "k")
    assert VerdictKind.WINDOWED is caught.value.verdict.kind
    assert caught.value.resets_at is not None
    assert 1 == api.total
    now = 7100.0
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")
    now = 7300.0

    assert 200 == await fetch(session, api, "k")
    assert not latch.tripped


@every_way
async def test_shadow_refuses_and_raises_nothing(
    api: Api, make_session: SessionFactory, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """shadow=True counts what would have been refused; every call is answered by the server."""
    latch = Latch()
    told: list[Refusal] = []
    options = {"shadow": True, "on_refuse": told.append, "cancel_in_flight": True}
    session = await make_session(way, latch=latch, options=options)
    api.answers["k"] = SPENT

    assert [429] * 5 == [await fetch(session, api, "k") for _ in range(5)]

    assert 5 == api.total
    assert 1 == len(latch.trips)
    assert (1, 4) == (latch.stats.trips, latch.stats.refused)
    assert [(True, "POST")] * 4 == [(one.shadow, one.method) for one in told]
    assert "[shadow" in caplog.text


async def test_shadow_counts_the_sleep_that_a_trip_would_save(
    api: Api, make_session: SessionFactory
) -> None:
    """A call asleep when the key dies sleeps on, and what it sleeps in vain is counted."""
    session = await make_session(options={"shadow": True})
    api.answers["k"] = [error(503, "wait", headers={"Retry-After": "0.4"}), SPENT, OK]
    sleeper = asyncio.create_task(fetch(session, api, "k"))
    await api.wait_for(1)
    await asyncio.sleep(0.1)

    assert 429 == await fetch(session, api, "k")
    assert 200 == await sleeper

    stats = session.latch.stats  # type: ignore[attr-defined]
    assert 1 == stats.retries_stopped
    assert 0.1 < stats.seconds_saved < 0.5


@every_way
@pytest.mark.parametrize("is_async", [False, True])
async def test_on_refuse_is_told_of_each_refused_call(
    api: Api, make_session: SessionFactory, way: str, is_async: bool
) -> None:
    """Each refused call is told once, with the trip; a failing callback changes nothing."""
    told: list[Refusal] = []

    def on_refuse(refusal: Refusal) -> None:
        told.append(refusal)
        raise RuntimeError("broken")

    async def on_refuse_later(refusal: Refusal) -> None:
        await asyncio.sleep(0)
        on_refuse(refusal)

    latch = Latch()
    options = {"on_refuse": on_refuse_later if is_async else on_refuse}
    session = await make_session(way, latch=latch, options=options)
    api.answers["k"] = SPENT

    results = [await gather([fetch(session, api, "k")]) for _ in range(4)]
    await asyncio.sleep(0.01)

    assert {PermanentEndpointError: 4} == Counter(type(one) for (one,) in results)
    assert [(latch.trips[0], False)] * 3 == [(one.trip, one.sent) for one in told]
    assert 3 == latch.stats.refused


async def test_on_retry_is_told_before_each_wait(api: Api, make_session: SessionFactory) -> None:
    """Each retry is told before its wait, with the number of the attempt and the delay."""
    told: list[Retry] = []
    options = {"retry": RetryPolicy(backoff_base=0.01), "on_retry": told.append}
    session = await make_session(options=options)
    api.answers["k"] = [BUSY, BUSY, OK]

    assert 200 == await fetch(session, api, "k")

    assert [(1, 503, "POST"), (2, 503, "POST")] == [
        (one.attempt, one.status, one.method) for one in told
    ]
    assert all(0 <= one.delay <= 0.02 for one in told)
    assert {VerdictKind.TRANSIENT} == {one.verdict.kind for one in told}


async def test_a_closing_session_sums_up(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    """On closing, one line says how many calls were refused; after a quiet job there is none."""
    caplog.set_level(logging.INFO, "aiohttp_failfast")
    async with FailFastSession() as session:
        await fetch(session, api, "alive")
    assert "" == caplog.text
    api.answers["k"] = SPENT
    async with FailFastSession() as session:
        await gather(fetch(session, api, "k") for _ in range(3))
        with pytest.raises(PermanentEndpointError):
            await fetch(session, api, "k")
    (line,) = [one.getMessage() for one in caplog.records if one.levelno == logging.INFO]
    assert "1 calls refused" in line


@pytest.mark.parametrize(
    ("options", "error_type"),
    [
        ({"windowed": "later"}, ValueError),
        ({"shadow": 1}, TypeError),
        ({"on_refuse": 1}, TypeError),
        ({"on_retry": "x"}, TypeError),
        ({"on_reset": 0}, TypeError),
        ({"canary": "yes"}, TypeError),
        ({"canary_timeout": -1}, ValueError),
    ],
    ids=str,
)
async def test_a_wrong_option_is_named(
    options: dict[str, Any], error_type: type[Exception]
) -> None:
    """Each of these options is checked when the session is made."""
    (name,) = options
    with pytest.raises(error_type, match=name):
        FailFastSession(**options)


@every_way
async def test_on_reset_is_told(api: Api, make_session: SessionFactory, way: str) -> None:
    """Each reset is told once, with what it cleared; also one that is made outside of any loop."""
    told: list[Reset] = []

    async def on_reset(reset: Reset) -> None:
        await asyncio.sleep(0)
        told.append(reset)

    latch = Latch()
    session = await make_session(way, latch=latch, options={"on_reset": on_reset})
    api.answers["k"] = SPENT
    with pytest.raises(PermanentEndpointError) as caught:
        await fetch(session, api, "k")

    latch.reset(caught.value.endpoint)
    await asyncio.sleep(0.01)
    await asyncio.to_thread(latch.reset)

    assert [Reset(caught.value.endpoint, 1, 1), Reset(None, 0, 2)] == told
