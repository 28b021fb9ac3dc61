"""How a latch and a store come to agree, and stay so. Runs on a loop of its own; see `_link`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import socket
import time
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from typing import Protocol, TypeVar

from ._news import News
from ._stores.protocol import Connection, Marks, Store
from ._trip import Trip, Witness

OPERATION_TIMEOUT = 5.0
"""Seconds for one operation of a store; nobody but the loop of the link waits for it."""
# What publish and subscribe lost, and servers that were emptied unseen, are found by looking.
RESYNC = 15.0
# A store that is told to stop may still close what is open.
_LAST_WORDS = 1.0
_FIRST_DELAY, _LONGEST_DELAY = 0.1, 10.0

logger = logging.getLogger("aiohttp_failfast")

Result = TypeVar("Result")


class Side(Protocol):
    """The latch, as far as it matters here; it may be gone."""

    def learn(self, news: News) -> tuple[Trip, ...]:
        """Take over what a store told."""

    def first_learn(self, news: News) -> tuple[Trip, ...]:
        """Do the same for the first time in this process."""

    def tell(self, max_age: float, me: Witness) -> News:
        """Return what the latch knows."""

    def told(self, failed: bool) -> None:
        """Hear that the store has what `tell` returned last, or that it could not take it."""


class Talk:
    """Keeps one latch and one store in step, until it is cancelled.

    Args:
        store: where to.
        side: the latch.
    """

    def __init__(self, store: Store, side: Side) -> None:
        self._store = store
        self._side = side
        self._wake = asyncio.Event()
        # What the store holds, as far as we know; what it lacks of ours must be put in.
        self._stored = News()
        self._learn = side.first_learn
        self._failures = 0
        self._marking: set[asyncio.Task[None]] = set()
        self.down = False
        self.loop = asyncio.get_running_loop()
        self.connection: Connection | None = None

    def nudge(self) -> None:
        """Look for something to tell; only on the loop that `run` is on."""
        self._wake.set()

    def mark(self, name: str, value: str, seconds: float, over: str) -> None:
        """Set a mark in the store, if it can; only on the loop that `run` is on."""
        task = asyncio.ensure_future(self._mark(name, value, seconds, over))
        self._marking.add(task)
        task.add_done_callback(self._marking.discard)

    async def run(self) -> None:
        """Connect, and connect again, for ever."""
        while True:
            await self._meet()

    async def _meet(self) -> None:
        """Connect and talk, until something goes wrong."""
        try:
            async with AsyncExitStack() as stack:
                connection = await _in_time(stack.enter_async_context(self._store.connect()))
                await self._agree(connection)
                self._is_up()
                self.connection = connection
                await self._converse(connection)
            await asyncio.sleep(_jittered(_FIRST_DELAY))
        except Exception as error:
            self._is_down(error)
            await asyncio.sleep(self._delay())
        finally:
            self.connection = None

    async def _converse(self, connection: Connection) -> None:
        """Hear and tell, until the connection should be made anew."""
        tasks = [
            asyncio.ensure_future(self._hear(connection)),
            asyncio.ensure_future(self._speak(connection)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _hear(self, connection: Connection) -> None:
        async for news in connection.changes():
            self._stored = self._stored.join(news)
            self._take(news)

    async def _speak(self, connection: Connection) -> None:
        """Tell what is new here; after a failure, until it goes well once."""
        while True:
            nudged = await self._pause(self._delay() if self._failures else _jittered(RESYNC))
            try:
                if nudged and not self._failures:
                    await self._put(connection)
                else:
                    await self._agree(connection)
            except Exception as error:
                # Whoever hears on may do so: a full store still passes news on.
                self._is_down(error)
            else:
                if self._failures:
                    # Nobody knows what the other half of the connection missed meanwhile.
                    return

    async def _agree(self, connection: Connection) -> None:
        """Take over all that is stored, and put in what it lacks."""
        self._stored = await _in_time(connection.read())
        self._take(self._stored)
        await self._put(connection)

    async def _put(self, connection: Connection) -> None:
        known = self._stored.unexpired(time.time())
        news = self._side.tell(self._store.max_age, _me()).unexpired(time.time()).beyond(known)
        if news:
            await _in_time(connection.put(news))
            self._stored = known.join(news)
        self._side.told(failed=False)

    def _take(self, news: News) -> None:
        learn, self._learn = self._learn, self._side.learn
        for trip in learn(news):
            logger.warning("%s", trip.explain())

    async def _mark(self, name: str, value: str, seconds: float, over: str) -> None:
        connection: object = self.connection
        if isinstance(connection, Marks):
            # A mark that cannot be set ends by itself; a store that fails is found by the others.
            with contextlib.suppress(Exception):
                await _in_time(connection.mark(name, value, seconds, over=over))

    async def _pause(self, seconds: float) -> bool:
        """Wait so long, or until there is something to tell (True)."""
        try:
            await _in_time(self._wake.wait(), seconds)
        except asyncio.TimeoutError:
            return False
        self._wake.clear()
        return True

    def _delay(self) -> float:
        return _jittered(min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** min(self._failures - 1, 20)))

    def _is_up(self) -> None:
        self._failures = 0
        if self.down:
            logger.info("store %s is back; trips are shared again", self._store)
        self.down = False

    def _is_down(self, error: Exception) -> None:
        self._failures += 1
        if not self.down:
            logger.warning(
                "store %s fails (%s: %s); this latch goes on alone and keeps trying",
                self._store,
                type(error).__name__,
                error,
            )
        self.down = True
        self._side.told(failed=True)


async def _in_time(operation: Awaitable[Result], seconds: float | None = None) -> Result:
    """Await an operation for a time; unlike wait_for before 3.12 it never misses its own end."""
    task = asyncio.ensure_future(operation)
    try:
        await asyncio.wait({task}, timeout=OPERATION_TIMEOUT if seconds is None else seconds)
        if task.done():
            return task.result()
        raise asyncio.TimeoutError(f"no answer within {OPERATION_TIMEOUT} s")
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_LAST_WORDS)


def _jittered(seconds: float) -> float:
    """Return a time between half of it and all, so that a fleet does not move in step."""
    return seconds * random.uniform(0.5, 1)


def _me() -> Witness:
    return Witness(socket.gethostname(), os.getpid())
