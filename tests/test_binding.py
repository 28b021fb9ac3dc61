"""One answer binds all: the queue, the sleepers, the calls in flight, threads and loops."""

from __future__ import annotations

import asyncio
import gc
import queue
import ssl
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from loopback import OK, SPENT, Api, bearer, error, gather
from proxy import ConnectProxy
from tls import contexts
from ways import WAYS, SessionFactory

from aiohttp_failfast import (
    FailFastSession,
    Latch,
    PermanentEndpointError,
    RetryPolicy,
    Trip,
)

every_way = pytest.mark.parametrize("way", list(WAYS))
CROWD = 10_000
LIMIT = 100


async def fetch(session: ClientSession, url: object, key: str, **kwargs: Any) -> int:
    """Send one call."""
    async with session.post(url, headers=bearer(key), json={}, **kwargs) as response:  # type: ignore[arg-type]
        await response.read()
        return response.status


async def storm(session: ClientSession, url: object, count: int, **kwargs: Any) -> Counter[type]:
    """Send so many calls at once with a dead key; count what came of them by type."""
    results = await gather((fetch(session, url, "dead", **kwargs) for _ in range(count)), 60)
    return Counter(map(type, results))


class Clock:
    """When the trip was, and how long it took from there.

    It counts the seconds that this process had a processor, so that the claims hold on a machine
    that is busy with other things; on an idle one these are the seconds on the wall.
    """

    def __init__(self) -> None:
        self.tripped_at = time.process_time()

    def on_trip(self, trip: Trip) -> None:
        """Note the time."""
        self.tripped_at = time.process_time()

    def since(self) -> float:
        """Return the seconds since the trip, or since this clock was made."""
        return time.process_time() - self.tripped_at


@pytest.mark.parametrize(
    "pool",
    [
        "keep-alive",
        pytest.param("close", marks=pytest.mark.slow),
        pytest.param("per-host", marks=pytest.mark.slow),
    ],
)
@every_way
async def test_a_queue_of_10_000_ends_with_the_first_answer(
    api: Api, make_session: SessionFactory, way: str, pool: str
) -> None:
    """10,000 tasks, 100 connections: at most 100 requests are sent, all end within 2 s of the trip.

    No connection leaks, nobody hangs, and another key on the same connector works right after.
    """
    arguments: dict[str, Any] = {"per-host": {"limit": 0, "limit_per_host": LIMIT}}.get(
        pool, {"limit": LIMIT}
    )
    connector = aiohttp.TCPConnector(force_close=pool == "close", **arguments)
    clock = Clock()
    session = await make_session(way, options={"on_trip": clock.on_trip}, connector=connector)
    api.answers["dead"] = SPENT
    api.delay = 0.05

    results = await storm(session, api.url, CROWD)

    assert clock.since() < 2
    assert {PermanentEndpointError: CROWD} == results
    assert LIMIT >= api.total
    assert not connector._acquired
    assert not connector._waiters
    assert 200 == await fetch(session, api.url, "alive")


@pytest.fixture
async def tls_api() -> AsyncIterator[tuple[Api, ssl.SSLContext]]:
    """Serve the loopback API over TLS."""
    api = Api()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", api.handle)
    server = TestServer(app)
    for_server, for_client = contexts()
    await server.start_server(ssl=for_server)
    api.url = server.make_url("/v1").with_scheme("https")
    yield api, for_client
    await server.close()


@every_way
@pytest.mark.parametrize("proxied", [False, True], ids=["direct", "connect-proxy"])
async def test_the_queue_ends_over_tls_and_through_a_proxy(
    tls_api: tuple[Api, ssl.SSLContext], make_session: SessionFactory, way: str, proxied: bool
) -> None:
    """The same over TLS, also behind a CONNECT proxy: woken calls neither connect nor send."""
    api, context = tls_api
    connector = aiohttp.TCPConnector(limit=20, ssl=context)
    session = await make_session(way, connector=connector)
    api.answers["dead"] = SPENT
    api.delay = 0.2

    async with ConnectProxy() as proxy:
        kwargs: dict[str, Any] = {"proxy": proxy.url} if proxied else {}
        results = await storm(session, api.url, 1000, **kwargs)
        assert {PermanentEndpointError: 1000} == results
        assert 20 >= api.total
        assert not connector._acquired
        assert 200 == await fetch(session, api.url, "alive", **kwargs)
        assert (40 >= proxy.connects > 0) if proxied else (0 == proxy.connects)


@every_way
async def test_the_queue_ends_through_a_plain_proxy(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """The same through a proxy that forwards plain http."""
    connector = aiohttp.TCPConnector(limit=20)
    session = await make_session(way, connector=connector)
    api.answers["dead"] = SPENT
    api.delay = 0.05
    # To a plain-http proxy the request line carries the whole address: the API answers it itself.
    target = "http://api.example/v1"

    results = await storm(session, target, 1000, proxy=api.url.origin())

    assert {PermanentEndpointError: 1000} == results
    assert 20 >= api.total
    assert 200 == await fetch(session, target, "alive", proxy=api.url.origin())


async def test_10_000_sleepers_end_within_a_second(api: Api, make_session: SessionFactory) -> None:
    """Calls asleep for 30 s wake when the key dies, all of them within a second."""
    latch = Latch()
    session = await make_session(latch=latch)
    api.answers["k"] = SPENT

    async def sleeper() -> Trip | None:
        return await latch.sleep(30, endpoint)

    with pytest.raises(PermanentEndpointError) as caught:
        await fetch(session, api.url, "k")
    endpoint = caught.value.endpoint
    latch.reset()
    tasks = [asyncio.create_task(sleeper()) for _ in range(CROWD)]
    await asyncio.sleep(0.1)

    clock = Clock()
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api.url, "k")
    results = await gather(tasks, 10)

    assert clock.since() < 1
    assert set(latch.trips) == set(results)
    assert CROWD == latch.stats.retries_stopped
    assert 0 == len(latch._sleepers)


async def test_calls_asleep_in_their_backoff_end_together(
    api: Api, make_session: SessionFactory
) -> None:
    """1,000 whole calls that were told to come back in 30 s end within a second of the trip."""
    session = await make_session(connector=aiohttp.TCPConnector(limit=100))
    slow = error(429, "Rate limit reached: requests per minute", headers={"Retry-After": "30"})
    api.answers["k"] = [slow] * 1000 + [SPENT]  # type: ignore[list-item]
    sleepers = [asyncio.create_task(fetch(session, api.url, "k")) for _ in range(1000)]
    await api.wait_for(1000)
    while len(session.latch._sleepers) < 1000:  # type: ignore[attr-defined]  # noqa: ASYNC110
        await asyncio.sleep(0.01)

    clock = Clock()
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api.url, "k")
    results = await gather(sleepers, 10)

    assert clock.since() < 1
    assert {PermanentEndpointError: 1000} == Counter(map(type, results))
    assert 1001 == api.total


@every_way
@pytest.mark.parametrize("cancel", [False, True])
async def test_calls_in_flight(
    api: Api, make_session: SessionFactory, way: str, cancel: bool
) -> None:
    """On the wire already, a call ends as the server answers; with cancel_in_flight at the trip."""
    latch = Latch()
    connector = aiohttp.TCPConnector()
    session = await make_session(
        way, latch=latch, options={"cancel_in_flight": cancel}, connector=connector
    )
    gate = asyncio.Event()

    async def answer(request: web.Request) -> Any:
        if "slow" in request.query:
            await gate.wait()
            return OK
        return SPENT

    api.answers.update(dead=answer, alive=answer)
    slow = api.url.with_query("slow")
    stuck = [asyncio.create_task(fetch(session, slow, "dead")) for _ in range(5)]
    other = asyncio.create_task(fetch(session, slow, "alive"))
    await api.wait_for(6)

    with pytest.raises(PermanentEndpointError):
        await fetch(session, api.url, "dead")

    if cancel:
        results = await gather(stuck, 2)
        assert {PermanentEndpointError: 5} == Counter(map(type, results))
        assert all(result.sent for result in results)
    else:
        assert not any(task.done() for task in stuck)
    gate.set()
    if not cancel:
        assert [200] * 5 == await gather(stuck, 5)
    assert 200 == await asyncio.wait_for(other, 5)
    assert not connector._acquired


@every_way
async def test_one_latch_on_many_loops_and_threads(api: Api, way: str) -> None:
    """A trip on one loop refuses and wakes the sessions of other threads, within a second."""
    latch = Latch()
    api.answers["dead"] = SPENT
    asleep = threading.Barrier(4)
    ends: list[float] = []
    errors: list[type] = []

    def elsewhere() -> None:
        async def job() -> None:
            session = WAYS[way](latch, {}, {})
            async with session:
                endpoint = (await asyncio.to_thread(found.get))[0]
                waiting = asyncio.create_task(latch.sleep(30, endpoint))
                await asyncio.sleep(0.05)
                asleep.wait(10)
                assert await waiting is not None
                ends.append(time.monotonic())
                try:
                    await fetch(session, api.url, "dead")
                except PermanentEndpointError as refused:
                    errors.append(type(refused))

        asyncio.run(job())

    found: queue.Queue[tuple[Any]] = queue.Queue()
    async with WAYS[way](latch, {}, {}) as session:
        with pytest.raises(PermanentEndpointError) as caught:
            await fetch(session, api.url, "dead")
        latch.reset()
        threads = [threading.Thread(target=elsewhere) for _ in range(3)]
        for thread in threads:
            thread.start()
            found.put((caught.value.endpoint,))
        await asyncio.to_thread(asleep.wait, 10)
        started = time.monotonic()
        with pytest.raises(PermanentEndpointError):
            await fetch(session, api.url, "dead")
        for thread in threads:
            await asyncio.to_thread(thread.join, 10)

    assert 3 == len(ends)
    assert max(ends) - started < 5  # threads share the processor with whatever else runs
    assert [PermanentEndpointError] * 3 == errors
    assert 2 == api.total


@every_way
async def test_several_sessions_share_the_news(api: Api, way: str) -> None:
    """A latch given to two sessions binds both."""
    latch = Latch()
    api.answers["dead"] = SPENT
    async with WAYS[way](latch, {}, {}) as one, WAYS[way](latch, {}, {}) as two:
        with pytest.raises(PermanentEndpointError):
            await fetch(one, api.url, "dead")
        with pytest.raises(PermanentEndpointError):
            await fetch(two, api.url, "dead")

    assert 1 == api.total


@every_way
async def test_sightings(api: Api, make_session: SessionFactory, way: str) -> None:
    """An answer seen on live keys trips at the second distinct request, if none succeeded between.

    OpenRouter's 401 "User not found." has been seen on keys that went on to work.
    """
    latch = Latch()
    session = await make_session(way, latch=latch)
    doubtful = error(401, "User not found.", code="401")
    api.answers["k"] = [doubtful, OK, doubtful, doubtful, OK]  # type: ignore[list-item]

    assert 401 == await fetch(session, api.url, "k")
    assert 200 == await fetch(session, api.url, "k")
    assert 401 == await fetch(session, api.url, "k")
    assert not latch.tripped
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api.url, "k")

    assert 4 == api.total


async def test_sessions_leave_nothing_behind(api: Api) -> None:
    """A latch that outlives its sessions keeps none of them alive."""
    latch = Latch()
    api.answers["dead"] = SPENT
    for way in WAYS:
        async with WAYS[way](latch, {}, {}) as session:
            with pytest.raises(PermanentEndpointError):
                await fetch(session, api.url, "dead")
        del session
    gc.collect()

    assert 0 == len(latch._listeners)


async def test_a_refusal_is_cheap_for_the_loop(api: Api, make_session: SessionFactory) -> None:
    """A loop over a dead key lets other tasks run: each refusal yields once."""
    session = await make_session(options={"retry": RetryPolicy()})
    api.answers["dead"] = SPENT
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticker = asyncio.create_task(tick())
    for _ in range(200):
        with pytest.raises(PermanentEndpointError):
            await fetch(session, api.url, "dead")
    ticker.cancel()

    assert 200 <= ticks
    assert isinstance(session, FailFastSession)
