"""Futures that one call wakes on whatever event loops they wait."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(eq=False, frozen=True)
class Waiter:
    """One task that waits on one loop."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[bool]

    @classmethod
    def here(cls) -> Waiter:
        """Return a waiter of the running loop."""
        loop = asyncio.get_running_loop()
        return cls(loop, loop.create_future())

    async def wait(self, seconds: float | None) -> bool:
        """Wait until woken (True) or for at most so many seconds (False)."""
        timer = None if seconds is None else self.loop.call_later(seconds, _expire, self.future)
        try:
            return await self.future
        finally:
            if timer is not None:
                timer.cancel()


class WaitingRoom:
    """Waiters by what they wait for; its owner's lock guards it."""

    __slots__ = ("_groups",)

    def __init__(self) -> None:
        self._groups: dict[Hashable, set[Waiter]] = {}

    def add(self, key: Hashable, waiter: Waiter) -> None:
        """Let a waiter in."""
        self._groups.setdefault(key, set()).add(waiter)

    def discard(self, key: Hashable, waiter: Waiter) -> None:
        """Let one out that waits no more; one that was taken already is no error."""
        group = self._groups.get(key)
        if group is not None:
            group.discard(waiter)
            if not group:
                del self._groups[key]

    def take(self, key: Hashable) -> Iterable[Waiter]:
        """Return all who wait for a key, and forget them."""
        return self._groups.pop(key, ())

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))


def wake(waiters: Iterable[Waiter]) -> None:
    """Wake them all; callable from any thread, with or without a running loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[bool]]] = {}
    for waiter in waiters:
        by_loop.setdefault(waiter.loop, []).append(waiter.future)
    try:
        here = asyncio.get_running_loop()
    except RuntimeError:
        here = None
    for loop, futures in by_loop.items():
        if loop is here:
            _settle(futures)
        else:
            # A loop that was closed meanwhile has nobody left to wake.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, futures)


def _settle(futures: list[asyncio.Future[bool]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(True)


def _expire(future: asyncio.Future[bool]) -> None:
    if not future.done():
        future.set_result(False)
