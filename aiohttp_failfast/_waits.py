"""What is known of endpoints, and the tasks that wait for it to change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable

from ._credential import Endpoint
from ._ledger import Ledger
from ._link import Link
from ._stats import Counters
from ._trip import Trip
from ._waiters import Waiter, WaitingRoom, wake


class Waits:
    """The part of a latch that looks and waits; `Latch` is the part that changes it.

    Args:
        clock: returns seconds of a monotonic clock.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        # Taken for every change. Reading one entry of a dictionary needs no lock.
        self._lock = threading.Lock()
        self._ledger = Ledger()
        self._sleepers = WaitingRoom()
        self._trip_waiters = WaitingRoom()
        self._clear_waiters = WaitingRoom()
        self.counters = Counters()
        self._link: Link | None = None

    @property
    def tripped(self) -> bool:
        """Whether any endpoint is tripped."""
        self._look_up()
        return bool(self._ledger.trips)

    @property
    def trips(self) -> tuple[Trip, ...]:
        """The trips in force, oldest first."""
        self._look_up()
        with self._lock:
            return tuple(self._ledger.trips.values())

    def find(self, endpoint: Endpoint) -> Trip | None:
        """Return the trip that is in force for an endpoint, or None."""
        if endpoint in self._ledger.ends:
            self._look_up()
        return self._ledger.trips.get(endpoint)

    async def sleep(self, seconds: float, endpoint: Endpoint | None) -> Trip | None:
        """Sleep before a retry, but no longer than the endpoint stays clear.

        Args:
            seconds: how long.
            endpoint: the endpoint to watch; with None it just sleeps.

        Returns:
            None after a full sleep, or the trip that ended it.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while True:
            waiter = Waiter.here()
            self._look_up()
            with self._lock:
                trip = None if endpoint is None else self._ledger.trips.get(endpoint)
                if trip is None:
                    self._sleepers.add(endpoint, waiter)
            if trip is not None:
                self.counters.stopped_retry(deadline - clock())
                return trip
            try:
                # Woken by a trip that is cleared already, it sleeps on.
                if not await waiter.wait(deadline - clock()):
                    return None
            finally:
                with self._lock:
                    self._sleepers.discard(endpoint, waiter)

    async def wait_tripped(self) -> Trip:
        """Wait until an endpoint is tripped, and return the oldest trip in force."""
        while True:
            waiter = Waiter.here()
            self._look_up()
            with self._lock:
                if self._ledger.trips:
                    return next(iter(self._ledger.trips.values()))
                self._trip_waiters.add(None, waiter)
            try:
                await waiter.wait(None)
            finally:
                with self._lock:
                    self._trip_waiters.discard(None, waiter)

    async def wait_cleared(
        self, endpoint: Endpoint | None = None, timeout: float | None = None
    ) -> bool:
        """Wait until an endpoint, or by default every endpoint, is clear.

        Args:
            endpoint: the one to wait for; all by default.
            timeout: seconds to wait at most; None for no limit.

        Returns:
            Whether it is clear.
        """
        clock = asyncio.get_running_loop().time
        deadline = None if timeout is None else clock() + timeout
        while True:
            self._look_up()
            waiter = Waiter.here()
            with self._lock:
                trips = self._ledger.trips
                if not (trips if endpoint is None else endpoint in trips):
                    return True
                if deadline is not None and clock() >= deadline:
                    return False
                self._clear_waiters.add(endpoint, waiter)
                # Woken by a reset; a trip that ends by itself has nobody else to tell.
                waits = [end - self._clock() for end in self._ledger.ends.values()]
            if deadline is not None:
                waits.append(deadline - clock())
            try:
                await waiter.wait(max(0, min(waits)) if waits else None)
            finally:
                with self._lock:
                    self._clear_waiters.discard(endpoint, waiter)

    def _look_up(self) -> None:
        """Drop what has ended by itself; in a forked child, take up the store again."""
        if self._link is not None:
            self._link.ensure()
        if not self._ledger.ends:
            return
        now = self._clock()
        with self._lock:
            ended = self._ledger.ended(now)
            self._ledger.forget(ended)
            woken = self._take_clear_waiters(ended)
        wake(woken)

    def _on_trip(self, trip: Trip) -> list[Waiter]:
        """Return who sleeps on a trip's endpoint or waits for any trip; under the lock."""
        return [*self._sleepers.take(trip.endpoint), *self._trip_waiters.take(None)]

    def _take_clear_waiters(self, endpoints: Iterable[Endpoint]) -> list[Waiter]:
        """Return who waited for endpoints to clear; the caller holds the lock."""
        woken: list[Waiter] = []
        for endpoint in endpoints:
            woken += self._clear_waiters.take(endpoint)
            # Who waits for all looks again each time: what is left may end by itself.
            woken += self._clear_waiters.take(None)
        return woken
