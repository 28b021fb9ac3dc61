"""A server that resets, truncates, stalls, answers garbage and half-closes, under load."""

from __future__ import annotations

import asyncio
import gc
import random
import time
from collections import Counter
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientResponse, ClientSession, ClientTimeout
from chaos import FAULTS, ChaosServer
from loopback import bearer
from ways import WAYS

from aiohttp_failfast import Endpoint, Latch, PermanentEndpointError, RetryPolicy

TASKS = 200
ALIVE = [f"alive-{number}" for number in range(10)]
DEAD = [f"dead-{number}-{kind}" for number in range(10) for kind in ("spent", "invalid")]
FAST = RetryPolicy(backoff_base=0.01, backoff_max=0.05)


async def work(session: ClientSession, url: Any, until: float, draw: random.Random) -> Counter[str]:
    """Call with random keys until the time is up; count what came of it."""
    seen: Counter[str] = Counter()
    while time.monotonic() < until:
        key = draw.choice(ALIVE if draw.random() < 0.8 else DEAD)
        try:
            async with session.post(url, headers=bearer(key), json={}) as response:
                await response.read()
            seen[f"{key[:4]} {response.status}"] += 1
        except PermanentEndpointError:
            seen[f"{key[:4]} refused"] += 1
            await asyncio.sleep(0.01)
        except (aiohttp.ClientError, asyncio.TimeoutError) as fault:
            seen[type(fault).__name__] += 1
    return seen


@pytest.mark.parametrize(
    ("way", "seconds"),
    [
        pytest.param("session", 1.5, id="short-session"),
        pytest.param("trace", 1.5, id="short-trace"),
        *(pytest.param(way, 30, id=f"long-{way}", marks=pytest.mark.slow) for way in WAYS),
    ],
)
async def test_chaos(way: str, seconds: float) -> None:
    """200 tasks: no hang, no leak, no wrong trip, and every dead key is found."""
    server = ChaosServer(seed=20261130)
    await server.start()
    latch = Latch()
    before = len(asyncio.all_tasks())
    responses = _responses()
    connector = aiohttp.TCPConnector(limit=100)
    options = {"retry": FAST} if way == "session" else {}
    options |= {"body_timeout": 0.2, "watch_streams": True, "watch_ok_bodies": True}
    session = WAYS[way](latch, options, {"connector": connector, "timeout": ClientTimeout(total=2)})
    until = time.monotonic() + seconds

    async with session:
        results = await asyncio.wait_for(
            asyncio.gather(
                *(work(session, server.url, until, random.Random(n)) for n in range(TASKS))
            ),
            seconds + 20,
        )
        assert not connector._acquired
        assert not connector._waiters
    total = sum(results, Counter[str]())
    await asyncio.sleep(0.1)
    gc.collect()

    assert set(FAULTS) == set(server.faults)
    assert total["aliv 200"] > 100
    assert 0 == total["aliv refused"]
    assert {_endpoint(server, key) for key in DEAD} == {trip.endpoint for trip in latch.trips}
    assert 0 == len(latch._sleepers)
    assert all(not guard.flights for guard in latch._listeners)  # type: ignore[attr-defined]
    await server.stop()
    gc.collect()
    assert responses == _responses()
    assert len(asyncio.all_tasks()) <= before
    loop = asyncio.get_running_loop()
    assert not [timer for timer in loop._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]


def _responses() -> int:
    gc.collect()
    return sum(issubclass(type(thing), ClientResponse) for thing in gc.get_objects())


def _endpoint(server: ChaosServer, key: str) -> Endpoint:
    from aiohttp_failfast._credential import by_credential

    return by_credential(server.url, bearer(key))
