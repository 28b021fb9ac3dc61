"""The demo's job, once on plain aiohttp with a retry loop and once on ``FailFastSession``."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from aiohttp import ClientResponseError, ClientSession, TCPConnector

from ._credential import Endpoint
from ._demo_server import KEY, Server
from ._errors import PermanentEndpointError
from ._latch import Latch
from ._retry import RetryPolicy
from ._trip import Trip

# Both jobs wait alike: full jitter, doubling from the first to the last of these.
ATTEMPTS = 5
FIRST_WAIT = 0.25
LONGEST_WAIT = 4.0

_HEADERS = {"Authorization": f"Bearer {KEY}"}
_PAYLOAD = {"model": "demo", "messages": [{"role": "user", "content": "Say something."}]}


class Wait(NamedTuple):
    """One wait before a retry.

    Attributes:
        began: when, on the monotonic clock.
        ended: when.
        cut_short: whether it ended early because the key was known to be dead.
    """

    began: float
    ended: float
    cut_short: bool


@dataclass
class Tally:
    """What the clocks and the callers saw of one job.

    Attributes:
        started_at: when it began, on the monotonic clock.
        ended_at: when its last call ended.
        succeeded: calls that got their answer.
        errors: the others, by what they ended with.
        waits: the waits before a retry that ended.
        first_error: the first `PermanentEndpointError`.
    """

    started_at: float = 0.0
    ended_at: float = 0.0
    succeeded: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    waits: list[Wait] = field(default_factory=list)
    first_error: PermanentEndpointError | None = None

    @property
    def finished(self) -> int:
        """Calls that ended, well or not."""
        return self.succeeded + self.errors.total()

    def note_error(self, error: Exception) -> None:
        """Count what one call ended with."""
        name = type(error).__name__
        if isinstance(error, PermanentEndpointError):
            self.first_error = self.first_error or error
            name += f" (sent={error.sent})"
        elif isinstance(error, ClientResponseError):
            name += f" (status {error.status})"
        self.errors[name] += 1


Job = Callable[[Server, int, int, Tally], Awaitable[None]]


async def plain_job(server: Server, calls: int, concurrency: int, tally: Tally) -> None:
    """Make the calls with plain aiohttp and the retry loop that everybody writes."""
    async with ClientSession(headers=_HEADERS, connector=TCPConnector(limit=concurrency)) as s:
        await _all(calls, tally, lambda: _with_retries(s, server.url, tally))


async def failfast_job(server: Server, calls: int, concurrency: int, tally: Tally) -> None:
    """Make the calls with ``FailFastSession``, which needs no loop around it."""
    from .session import FailFastSession  # absent on aiohttp 4

    policy = RetryPolicy(ATTEMPTS, backoff_base=FIRST_WAIT, backoff_max=LONGEST_WAIT)
    async with FailFastSession(
        headers=_HEADERS,
        connector=TCPConnector(limit=concurrency),
        retry=policy,
        latch=_TimedLatch(tally),
    ) as s:
        await _all(calls, tally, lambda: _once(s, server.url))


async def _all(calls: int, tally: Tally, call: Callable[[], Awaitable[object]]) -> None:
    async def one() -> None:
        try:
            await call()
        except Exception as error:
            tally.note_error(error)
        else:
            tally.succeeded += 1

    tally.started_at = time.monotonic()
    try:
        await asyncio.gather(*(one() for _ in range(calls)))
    finally:
        tally.ended_at = time.monotonic()


async def _once(session: ClientSession, url: str) -> Any:
    async with session.post(url, json=_PAYLOAD) as response:
        response.raise_for_status()
        return await response.json()


async def _with_retries(session: ClientSession, url: str, tally: Tally) -> Any:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return await _once(session, url)
        except ClientResponseError as error:
            if attempt == ATTEMPTS or not (error.status == 429 or error.status >= 500):
                raise
        began = time.monotonic()
        await asyncio.sleep(random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1))))
        tally.waits.append(Wait(began, time.monotonic(), cut_short=False))
    raise AssertionError("the last attempt returns or raises")


class _TimedLatch(Latch):
    """A latch that takes the time of each wait before a retry."""

    def __init__(self, tally: Tally) -> None:
        super().__init__()
        self._tally = tally

    async def sleep(self, seconds: float, endpoint: Endpoint | None) -> Trip | None:
        began = time.monotonic()
        trip = await super().sleep(seconds, endpoint)
        self._tally.waits.append(Wait(began, time.monotonic(), cut_short=trip is not None))
        return trip
