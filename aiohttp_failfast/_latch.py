"""The memory of verdicts: tripped or clear, per endpoint."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from typing import Protocol
from weakref import WeakSet

from ._canary import Canaries
from ._checks import require_callable
from ._credential import Endpoint
from ._errors import PermanentEndpointError
from ._generations import Generations
from ._stats import Counters, LatchStats
from ._trip import Trip
from ._waiters import Waiter, WaitingRoom, wake


class TripListener(Protocol):
    """Hears of trips, on the thread that trips; weakly held."""

    def tripped(self, trip: Trip) -> None:
        """Hear of one trip, after the latch is set."""


class Latch:
    """Remembers which endpoints are dead. It is tripped or clear, and stays so until `reset`.

    One latch can serve several sessions, also on several event loops and threads.

    Args:
        clock: returns seconds of a monotonic clock; for tests.

    .. versionadded:: 0.1.0
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        require_callable("clock", clock)
        self._clock = clock
        # Taken for every change. Reading one entry of a dictionary needs no lock.
        self._lock = threading.Lock()
        self._trips: dict[Endpoint, Trip] = {}
        self._ends: dict[Endpoint, float] = {}
        self._sightings: dict[Endpoint, int] = {}
        self._generations = Generations()
        self._sleepers = WaitingRoom()
        self._trip_waiters = WaitingRoom()
        self._clear_waiters = WaitingRoom()
        self.counters = Counters()
        self._listeners: WeakSet[TripListener] = WeakSet()
        self.canaries = Canaries()

    @property
    def tripped(self) -> bool:
        """Whether any endpoint is tripped."""
        if self._ends:
            self._drop_ended()
        return bool(self._trips)

    @property
    def trips(self) -> tuple[Trip, ...]:
        """The trips in force, oldest first."""
        self._drop_ended()
        with self._lock:
            return tuple(self._trips.values())

    @property
    def generation(self) -> int:
        """How often the latch was reset; a request belongs to the one in which it is sent."""
        return self._generations.current

    @property
    def stats(self) -> LatchStats:
        """What the latch did so far."""
        return self.counters.snapshot()

    def find(self, endpoint: Endpoint) -> Trip | None:
        """Return the trip that is in force for an endpoint, or None."""
        if endpoint in self._ends:
            self._drop_ended()
        return self._trips.get(endpoint)

    def check(self, endpoint: Endpoint) -> None:
        """Do nothing for a clear endpoint.

        Raises:
            PermanentEndpointError: the endpoint is tripped; a fresh object each time.
        """
        trip = self.find(endpoint)
        if trip is not None:
            self.counters.refusal()
            raise PermanentEndpointError.from_trip(trip, sent=False)

    def trip(self, trip: Trip, *, until: datetime | None = None) -> bool:
        """Trip an endpoint, and wake whoever sleeps on it.

        A trip is ignored where its endpoint was reset after the request was sent, and where the
        endpoint is tripped already (the first cause stays). It only counts as a sighting while
        fewer distinct requests than ``trip.verdict.sightings`` said so with no success between.

        Args:
            trip: the record.
            until: ends the trip by itself at that time (aware); never by default.

        Returns:
            Whether this call tripped it.

        Raises:
            ValueError: ``until`` is not aware.
        """
        if until is not None and until.tzinfo is None:
            raise ValueError("until must be an aware datetime")
        endpoint = trip.endpoint
        self._drop_ended()
        with self._lock:
            if self._generations.is_void(endpoint, trip.generation) or endpoint in self._trips:
                return False
            seen = self._sightings.pop(endpoint, 0) + 1
            if seen < trip.verdict.sightings:
                self._sightings[endpoint] = seen
                return False
            self._trips[endpoint] = trip
            if until is not None:
                left = (until - datetime.now(timezone.utc)).total_seconds()
                self._ends[endpoint] = self._clock() + left
            woken = [*self._sleepers.take(endpoint), *self._trip_waiters.take(None)]
            listeners = tuple(self._listeners)
        self.counters.trip()
        wake(woken)
        self.canaries.dismiss(endpoint)
        for listener in listeners:
            listener.tripped(trip)
        return True

    def subscribe(self, listener: TripListener) -> None:
        """Tell a listener of every trip, as long as it lives."""
        with self._lock:
            self._listeners.add(listener)

    @property
    def suspects(self) -> bool:
        """Whether a success could matter: some endpoint was sighted but is not tripped."""
        return bool(self._sightings)

    def succeed(self, endpoint: Endpoint, generation: int) -> None:
        """Note that an endpoint answered a request well: earlier sightings no longer count."""
        with self._lock:
            if self._generations.is_void(endpoint, generation):
                return
            self._sightings.pop(endpoint, None)
        self.canaries.settle(endpoint)

    def reset(self, endpoint: Endpoint | None = None) -> int:
        """Clear one endpoint, or all; a late answer to an older request cannot trip it again.

        Args:
            endpoint: the one to clear; all by default.

        Returns:
            How many trips were cleared.

        Raises:
            TypeError: ``endpoint`` is no `Endpoint`.
        """
        if endpoint is not None and not isinstance(endpoint, Endpoint):
            raise TypeError(f"endpoint must be an Endpoint or None, got {type(endpoint).__name__}")
        with self._lock:
            self._generations.advance(endpoint)
            for sighted in list(self._sightings) if endpoint is None else (endpoint,):
                self._sightings.pop(sighted, None)
            cleared = [one for one in self._trips if endpoint in (None, one)]
            woken = self._clear(cleared)
        self.canaries.forget(endpoint)
        wake(woken)
        return len(cleared)

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
            self._drop_ended()
            with self._lock:
                trip = None if endpoint is None else self._trips.get(endpoint)
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
            self._drop_ended()
            with self._lock:
                if self._trips:
                    return next(iter(self._trips.values()))
                self._trip_waiters.add(None, waiter)
            try:
                await waiter.wait(None)
            finally:
                with self._lock:
                    self._trip_waiters.discard(None, waiter)

    async def wait_cleared(self, endpoint: Endpoint | None = None) -> None:
        """Wait until an endpoint, or by default every endpoint, is clear."""
        while True:
            self._drop_ended()
            waiter = Waiter.here()
            with self._lock:
                if not (self._trips if endpoint is None else endpoint in self._trips):
                    return
                self._clear_waiters.add(endpoint, waiter)
                next_end = min(self._ends.values(), default=None)
            try:
                # Woken by a reset; a trip that ends by itself has nobody else to tell.
                await waiter.wait(None if next_end is None else max(0, next_end - self._clock()))
            finally:
                with self._lock:
                    self._clear_waiters.discard(endpoint, waiter)

    def __repr__(self) -> str:
        trips = len(self.trips)
        return f"<{type(self).__name__} {'tripped' if trips else 'clear'} trips={trips}>"

    def _drop_ended(self) -> None:
        if not self._ends:
            return
        now = self._clock()
        with self._lock:
            woken = self._clear([one for one, end in self._ends.items() if end <= now])
        wake(woken)

    def _clear(self, endpoints: Iterable[Endpoint]) -> list[Waiter]:
        """Forget trips, and return who waited for that; the caller holds the lock."""
        woken: list[Waiter] = []
        for endpoint in endpoints:
            self._trips.pop(endpoint, None)
            self._ends.pop(endpoint, None)
            woken += self._clear_waiters.take(endpoint)
            # Who waits for all looks again each time: what is left may end by itself.
            woken += self._clear_waiters.take(None)
        return woken
