"""``canary="fleet"``: one process asks for all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet import Fleet, Server, closing_fleet, comes_true, connected, lost
from loopback import BUSY, OK, SPENT, Api, bearer, gather

from aiohttp_failfast import FailFastSession, Latch, PermanentEndpointError, RetryPolicy
from aiohttp_failfast.stores import MemoryStore

# Processes and servers are started and waited for.
pytestmark = pytest.mark.slow


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    """Make latches."""
    with closing_fleet() as fleet:
        yield fleet


@pytest.fixture(params=["memory", pytest.param("file", marks=pytest.mark.slow), "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Return a store of each kind."""
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "file":
        yield f"file://{tmp_path}/trips?poll=0.02"
    else:
        server = Server(tmp_path).start()
        yield server.url
        server.close()


async def get(session: FailFastSession, api: Api, key: str = "key") -> int:
    """Call, and return the status."""
    async with session.get(api.url, headers=bearer(key)) as response:
        return response.status


def sessions(latches: list[Latch], **options: Any) -> list[FailFastSession]:
    """Return a session for each of some latches, as if in processes of their own."""
    given = {"canary": "fleet", "retry": RetryPolicy(max_http_attempts=1), **options}
    return [FailFastSession(latch=latch, **given) for latch in latches]


async def test_one_request_of_all_processes_finds_a_dead_key(
    api: Api, fleet: Fleet, store: Any
) -> None:
    """Five of them, twenty calls each."""
    api.answers["key"] = SPENT
    api.delay = 0.1
    made = sessions([fleet(store) for _ in range(5)])
    results = await gather(get(session, api) for session in made for _ in range(20))
    for session in made:
        await session.close()

    assert all(isinstance(one, PermanentEndpointError) for one in results)
    assert api.total == 1


async def test_a_living_key_lets_all_go(api: Api, fleet: Fleet, store: Any) -> None:
    """As soon as the first answer is there; who comes later does not wait."""
    api.gate = asyncio.Event()
    made = sessions([fleet(store) for _ in range(3)])
    calls = [asyncio.ensure_future(get(session, api)) for session in made for _ in range(3)]
    await api.wait_for(1)
    await asyncio.sleep(0.3)
    assert api.total == 1
    api.gate.set()
    assert await gather(calls) == [200] * 9
    made += sessions([fleet(store)])
    assert await get(made[-1], api) == 200
    for session in made:
        await session.close()

    assert api.total == 10


async def test_a_canary_that_learns_nothing_hands_over(api: Api, fleet: Fleet, store: Any) -> None:
    """An overloaded server says nothing of the key: the next process asks."""
    api.answers["key"] = [BUSY, SPENT]
    api.delay = 0.05
    made = sessions([fleet(store) for _ in range(3)])
    results = await gather(get(session, api) for session in made)
    for session in made:
        await session.close()

    assert sorted(map(str, map(type, results))).count(str(PermanentEndpointError)) == 2
    assert api.total == 2


async def test_a_canary_that_hangs_or_is_cancelled_holds_nobody_up(
    api: Api, fleet: Fleet, store: Any
) -> None:
    """The others wait for canary_timeout at most; a cancelled one makes room at once."""
    api.gate = asyncio.Event()
    first, second = sessions([fleet(store), fleet(store)], canary_timeout=30)
    (third,) = sessions([fleet(store)], canary_timeout=0.5)
    canary = asyncio.ensure_future(get(first, api))
    await api.wait_for(1)
    impatient = asyncio.ensure_future(get(third, api))
    await api.wait_for(2)
    waiting = asyncio.ensure_future(get(second, api))
    await asyncio.sleep(0.2)
    assert api.total == 2
    canary.cancel()
    await api.wait_for(3)
    api.gate.set()

    assert await gather([impatient, waiting]) == [200, 200]
    for session in (first, second, third):
        await session.close()


async def test_after_a_reset_one_asks_again(api: Api, fleet: Fleet, store: Any) -> None:
    """Nothing is known of the endpoint any more, in no process."""
    api.answers["key"] = [SPENT, OK]
    latches = [fleet(store) for _ in range(3)]
    made = sessions(latches)
    await gather(get(session, api) for session in made)
    assert api.total == 1
    await comes_true(lambda: all(latch.tripped for latch in latches))
    latches[0].reset()
    await comes_true(lambda: not any(latch.tripped for latch in latches))
    api.gate = asyncio.Event()
    calls = [asyncio.ensure_future(get(session, api)) for session in made]
    await api.wait_for(2)
    await asyncio.sleep(0.2)
    assert api.total == 2
    api.gate.set()

    assert await gather(calls) == [200] * 3
    for session in made:
        await session.close()


@pytest.mark.parametrize("state", ["down", "stopped"])
async def test_without_a_server_each_process_sends_its_own(
    api: Api, fleet: Fleet, tmp_path: Path, state: str
) -> None:
    """A store that fails costs no more than canary_timeout."""
    server = Server(tmp_path)
    if state == "stopped":
        server.start()
    latches = [fleet(server.url) for _ in range(2)]
    if state == "stopped":
        await comes_true(lambda: all(map(connected, latches)))
        server.stop()
    else:
        await comes_true(lambda: all(map(lost, latches)))
    made = sessions(latches, canary_timeout=1.0)
    started = time.monotonic()
    try:
        assert await gather(get(session, api) for session in made for _ in range(3)) == [200] * 6
        assert time.monotonic() - started < 6
    finally:
        server.close()
        for session in made:
            await session.close()


async def test_without_a_store_it_is_a_canary_of_the_process(api: Api) -> None:
    """Nobody else could be asked."""
    api.answers["key"] = SPENT
    (session,) = sessions([Latch()])
    await gather(get(session, api) for _ in range(10))
    await session.close()

    assert api.total == 1
