"""The canary: one request goes ahead while nothing is known of an endpoint."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession, web
from loopback import BUSY, FORBIDDEN, INVALID, OK, SLOW_DOWN, SPENT, Api, Reply, bearer, gather
from ways import WAYS, SessionFactory

from aiohttp_failfast import Endpoint, Latch, PermanentEndpointError
from aiohttp_failfast._canary import MAX_KNOWN, Canaries

every_way = pytest.mark.parametrize("way", list(WAYS))
CANARY = {"canary": True}


async def fetch(session: ClientSession, api: Api, key: str, **kwargs: Any) -> int:
    """Send one call."""
    async with session.post(api.url, headers=bearer(key), json={}, **kwargs) as response:
        await response.read()
        return response.status


@every_way
@pytest.mark.parametrize("answer", [SPENT, INVALID], ids=["spent", "invalid"])
async def test_a_dead_key_costs_one_request(
    api: Api, make_session: SessionFactory, way: str, answer: Reply
) -> None:
    """However many calls start together, exactly one reaches the server."""
    session = await make_session(way, options=CANARY)
    api.answers["dead"] = answer
    api.delay = 0.05

    results = await gather(fetch(session, api, "dead") for _ in range(1000))

    assert {PermanentEndpointError: 1000} == Counter(map(type, results))
    assert 1 == api.total
    assert [True] == [error.sent for error in results if error.sent]


@every_way
@pytest.mark.parametrize("answer", [OK, FORBIDDEN, SLOW_DOWN], ids=["ok", "other", "rate-limit"])
async def test_a_living_key_costs_one_round_trip_once(
    api: Api, make_session: SessionFactory, way: str, answer: Reply
) -> None:
    """An answer below 500 that does not condemn the key lets all others go, at once."""
    options = {**CANARY, **({"retry": None} if way == "session" else {})}
    session = await make_session(way, options=options)
    together = 0
    most = 0

    async def slow(request: web.Request) -> Reply:
        nonlocal together, most
        together += 1
        most = max(most, together)
        await asyncio.sleep(0.1)
        together -= 1
        return answer

    api.answers["k"] = slow

    results = await gather(fetch(session, api, "k") for _ in range(50))
    again = await gather(fetch(session, api, "k") for _ in range(50))

    assert [answer.status] * 100 == results + again
    assert 50 == most


@every_way
async def test_a_canary_that_fails_is_followed_by_the_next(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A 503, a broken connection and a cancellation tell nothing: the next takes the place."""
    options = {**CANARY, **({"retry": None} if way == "session" else {})}
    latch = Latch()
    session = await make_session(way, latch=latch, options=options)
    gate = asyncio.Event()

    async def break_off(request: web.Request) -> Reply:
        assert request.transport is not None
        request.transport.abort()
        return OK

    async def wait(request: web.Request) -> Reply:
        await gate.wait()
        return OK

    api.answers["k"] = [BUSY, break_off, wait, SPENT]
    calls = [asyncio.create_task(fetch(session, api, "k")) for _ in range(20)]
    await api.wait_for(3)
    await asyncio.sleep(0.05)
    assert 3 == api.total
    third = next(task for task in calls[2:] if not task.done())
    third.cancel()
    results = await gather(calls, 5)
    gate.set()

    kinds = Counter(type(result) for result in results)
    assert 1 == kinds[int]
    assert 1 == kinds[asyncio.CancelledError]
    assert 1 == sum(isinstance(result, aiohttp.ServerDisconnectedError) for result in results)
    assert 17 == kinds[PermanentEndpointError]
    assert 4 == api.total
    assert 0 == len(latch.canaries)


@every_way
async def test_waiting_for_the_canary_has_a_limit(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """When the canary does not answer in time the others go out too."""
    session = await make_session(way, options={**CANARY, "canary_timeout": 0.2})
    api.gate = asyncio.Event()

    calls = [asyncio.create_task(fetch(session, api, "k")) for _ in range(10)]
    await api.wait_for(1)
    await asyncio.sleep(0.1)
    assert 1 == api.total
    await api.wait_for(10)
    api.gate.set()

    assert [200] * 10 == await gather(calls)


@every_way
async def test_endpoints_do_not_wait_for_each_other(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """Each key has a canary of its own."""
    session = await make_session(way, options=CANARY)
    api.gate = asyncio.Event()

    calls = [asyncio.create_task(fetch(session, api, key)) for key in "abc" * 5]
    await api.wait_for(3)
    await asyncio.sleep(0.05)
    assert Counter("abc") == api.hits
    api.gate.set()

    assert [200] * 15 == await gather(calls)


@every_way
async def test_after_a_reset_a_canary_goes_first_again(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """reset() forgets what was known: a key that is still dead costs one request more."""
    latch = Latch()
    session = await make_session(way, latch=latch, options=CANARY)
    api.answers["k"] = [OK, SPENT]
    assert 200 == await fetch(session, api, "k")
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")
    latch.reset()
    api.delay = 0.02

    results = await gather(fetch(session, api, "k") for _ in range(50))

    assert {PermanentEndpointError: 50} == Counter(map(type, results))
    assert 3 == api.total


async def test_what_is_known_is_bounded() -> None:
    """Endpoints beyond the bound are forgotten; they cost a canary again, and no memory."""
    canaries = Canaries()
    for number in range(MAX_KNOWN + 10):
        canaries.settle(Endpoint("http://x", str(number)))

    assert MAX_KNOWN == len(canaries._known)
    assert await canaries.claim(Endpoint("http://x", "0"), 1) is not None
    assert await canaries.claim(Endpoint("http://x", str(MAX_KNOWN)), 1) is None


async def test_a_place_that_falls_to_a_cancelled_waiter_goes_on() -> None:
    """A waiter cancelled in the very turn in which it gets the place hands it on."""
    canaries = Canaries()
    endpoint = Endpoint("http://x", "k")
    place = await canaries.claim(endpoint, 5)
    assert place is not None
    waiters = [asyncio.create_task(canaries.claim(endpoint, 5)) for _ in range(3)]
    await asyncio.sleep(0)

    canaries.vacate(endpoint, place)
    waiters[0].cancel()
    got = await asyncio.wait_for(waiters[1], 1)

    assert got is not None
    assert waiters[0].cancelled()
    canaries.settle(endpoint)
    assert await asyncio.wait_for(waiters[2], 1) is None
    assert 0 == len(canaries)


async def test_an_answer_from_before_a_reset_settles_nothing(
    api: Api, make_session: SessionFactory
) -> None:
    """A late 404 to an older request does not make an endpoint known again."""
    session = await make_session(options=CANARY)
    gate = asyncio.Event()

    async def late(request: web.Request) -> Reply:
        await gate.wait()
        return Reply(404, b"{}")

    api.answers["k"] = [late, SPENT]
    old = asyncio.create_task(fetch(session, api, "k"))
    await api.wait_for(1)
    session.latch.reset()  # type: ignore[attr-defined]
    gate.set()
    assert 404 == await old

    results = await gather(fetch(session, api, "k") for _ in range(20))

    assert {PermanentEndpointError: 20} == Counter(map(type, results))
    assert 2 == api.total


@pytest.mark.parametrize("way", ["session", "middleware"])
async def test_closing_the_session_ends_the_wait_for_the_canary(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """Who waits for the canary when the session is closed is told that it is closed."""
    session = await make_session(way, options=CANARY)
    api.gate = asyncio.Event()
    calls = [asyncio.create_task(fetch(session, api, "k")) for _ in range(10)]
    await api.wait_for(1)

    await session.close()
    results = await gather(calls, 5)

    assert Counter({RuntimeError: 9, aiohttp.ClientConnectionError: 1}) == Counter(
        aiohttp.ClientConnectionError if isinstance(one, aiohttp.ClientError) else type(one)
        for one in results
    )
    assert 1 == api.total
