"""A call may be cancelled at any await: no counter is wrong, nobody is stranded."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession
from loopback import OK, SPENT, Answer, Api, bearer, error
from ways import WAYS, SessionFactory

from aiohttp_failfast import Latch, PermanentEndpointError

every_way = pytest.mark.parametrize("way", list(WAYS))

BRIEFLY_BUSY = error(503, "busy", headers={"Retry-After": "0.01"})
SCENARIOS: dict[str, tuple[dict[str, Any], list[Answer]]] = {
    "healthy": ({}, [OK]),
    "spent": ({}, [SPENT]),
    "retried": ({}, [BRIEFLY_BUSY, OK]),
    "canary": ({"canary": True}, [OK]),
    "dead-canary": ({"canary": True}, [SPENT]),
    "in-flight": ({"cancel_in_flight": True}, [SPENT]),
}


class CancelledAt:
    """Awaits a coroutine and cancels its task at the n-th time that it is suspended.

    Args:
        coroutine: what to run.
        number: of the suspension, from 0.
        late: not while it waits but in the very turn in which what it waits for is done.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, Any], number: int, *, late: bool) -> None:
        self._coroutine = coroutine
        self._number = number
        self._late = late
        self.reached = False

    def __await__(self) -> Generator[Any, Any, Any]:
        """Step through the coroutine, as a task does."""
        task = asyncio.current_task()
        assert task is not None
        count = 0
        step: Callable[[], Any] = lambda: self._coroutine.send(None)  # noqa: E731
        while True:
            try:
                waited_for = step()
            except StopIteration as stop:
                return stop.value
            if count == self._number:
                self.reached = True
                if self._late and waited_for is not None:
                    waited_for.add_done_callback(lambda _: task.cancel())
                else:
                    task.get_loop().call_soon(task.cancel)
            count += 1
            try:
                yield waited_for
                step = lambda: self._coroutine.send(None)  # noqa: E731
            except BaseException as thrown:
                step = lambda thrown=thrown: self._coroutine.throw(thrown)  # type: ignore[misc]  # noqa: E731


async def fetch(session: ClientSession, api: Api, key: str) -> int:
    """Send one call."""
    async with session.post(api.url, headers=bearer(key), json={}) as response:
        await response.read()
        return response.status


async def settle(tasks: list[asyncio.Task[Any]]) -> None:
    """Let everything end; nobody may hang."""
    await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)


def assert_nothing_left(latch: Latch, connector: aiohttp.TCPConnector) -> None:
    """Check every place in which a call could leave something behind."""
    gc.collect()
    assert not connector._acquired
    assert not connector._waiters
    assert 0 == len(latch._sleepers)
    assert 0 == len(latch.canaries)
    assert all(not guard.flights for guard in latch._listeners)  # type: ignore[attr-defined]


@every_way
@pytest.mark.parametrize("late", [False, True], ids=["waiting", "just-woken"])
@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_cancelled_at_every_await(
    api: Api, make_session: SessionFactory, way: str, scenario: str, late: bool
) -> None:
    """Whichever await is cancelled, the calls beside and after it go their way.

    Two connections only, so that a slot that is not given back would be missed; three calls wait
    beside the one that is cancelled, in the queue of the pool or for the canary.
    """
    options, answers = SCENARIOS[scenario]
    number = 0
    while True:
        latch = Latch()
        connector = aiohttp.TCPConnector(limit=2)
        session = await make_session(way, latch=latch, options=options, connector=connector)
        api.hits.clear()
        api.answers["k"] = list(answers)
        victim = CancelledAt(fetch(session, api, "k"), number, late=late)
        cancelled = asyncio.create_task(_run(victim))
        beside = [asyncio.create_task(fetch(session, api, "k")) for _ in range(3)]
        await settle([cancelled, *beside])

        for task in beside:
            assert isinstance(_outcome(task), (int, PermanentEndpointError))
        assert 200 == await asyncio.wait_for(fetch(session, api, "alive"), 5)
        await session.close()
        reached = victim.reached
        del victim, cancelled, beside, task  # their tracebacks hold requests
        assert_nothing_left(latch, connector)
        stats = latch.stats
        assert (1 if answers == [SPENT] else 0) == stats.trips
        assert stats.refused <= 4
        if not reached:
            break
        number += 1
    assert number > 2


async def _run(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _outcome(task: asyncio.Task[Any]) -> object:
    with contextlib.suppress(asyncio.CancelledError):
        return task.exception() or task.result()
    return None
