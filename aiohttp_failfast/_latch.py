"""The memory of verdicts: tripped or clear, per endpoint."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Protocol
from weakref import WeakSet

from ._canary import Canaries
from ._checks import require_callable, require_secret
from ._credential import Endpoint
from ._errors import PermanentEndpointError
from ._events import Reset
from ._link import link_to
from ._news import News
from ._stats import LatchStats
from ._stores.protocol import Store
from ._trip import Trip, Witness
from ._waiters import Waiter, wake
from ._waits import Waits


class TripListener(Protocol):
    """Hears of trips, on the thread that trips; weakly held."""

    def tripped(self, trip: Trip) -> None:
        """Hear of one trip, after the latch is set."""


class LatchListener(TripListener, Protocol):
    """Hears of trips and of resets."""

    def was_reset(self, reset: Reset) -> None:
        """Hear of one reset of this latch, after it is done."""


class Latch(Waits):
    """Remembers which endpoints are dead. It is tripped or clear, and stays so until `reset`.

    One latch can serve several sessions, also on several event loops and threads. With a store it
    shares its trips and resets with the latches of other processes; the check before a request
    stays in memory, and the store is kept up to date on a thread of its own.

    Args:
        store: ``"memory:"`` (the default: nothing is shared), ``"file:///path"``,
            ``"redis://..."``, ``"rediss://..."``, ``"unix://..."``, ``"valkey://..."``, or any
            object of the form of `aiohttp_failfast.stores.Store`.
        secret: keys the fingerprints of credentials, up to 64 bytes. Latches that share a store
            need the same one; without it a reader of the store can test guesses of a key.
        clock: returns seconds of a monotonic clock; for tests.

    Raises:
        ValueError: the URL of the store makes no sense, or the secret is too long.
        ImportError: the store needs a package that is not installed; the message names the extra.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        *,
        store: str | Store | None = None,
        secret: bytes = b"",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        require_callable("clock", clock)
        require_secret("secret", secret)
        super().__init__(clock)
        self.secret = secret
        self._listeners: WeakSet[LatchListener] = WeakSet()
        self.canaries = Canaries()
        self._link = link_to(self, store)

    @property
    def generation(self) -> int:
        """The number of the last reset heard of; a request belongs to the one it is sent in."""
        return self._ledger.generations.current

    @property
    def stats(self) -> LatchStats:
        """What the latch did so far."""
        return self.counters.snapshot()

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
        self._look_up()
        now, today = self._clock(), time.time()
        with self._lock:
            if not self._ledger.sight(trip):
                return False
            left = None if until is None else until.timestamp() - today
            self._ledger.enter(trip, left=left, now=now, today=today)
            woken = self._on_trip(trip)
        self.counters.trip()
        self._spread(trip, woken)
        if self._link is not None:
            self._link.nudge()
        return True

    def join(self, news: News) -> tuple[Trip, ...]:
        """Take over what other latches know, as stores do it.

        A reset wins over trips of older generations. Whoever sleeps or waits is woken as by an
        own trip or reset.

        Args:
            news: trips and resets.

        Returns:
            The trips that came into force.
        """
        now, today = self._clock(), time.time()
        with self._lock:
            change = self._ledger.join(news, now=now, today=today)
            woken = self._take_clear_waiters(change.cleared)
            heard = [(trip, self._on_trip(trip)) for trip in change.tripped]
        for endpoint in change.reset:
            self.canaries.forget(endpoint)
        wake(woken)
        for trip, sleepers in heard:
            self.counters.tell()
            self._spread(trip, sleepers)
        return tuple(change.tripped)

    def news(self, max_age: float, me: Witness) -> News:
        """Return what other latches should know.

        Args:
            max_age: seconds after which a trip is no news any more.
            me: this process.
        """
        with self._lock:
            return self._ledger.news(max_age, me)

    def close(self, timeout: float = 1.0) -> None:
        """Part from the store; the latch itself goes on. Without a store it does nothing.

        Args:
            timeout: seconds to wait at most for the store to take what it has not got yet.
        """
        link, self._link = self._link, None
        if link is not None:
            link.stop(timeout)

    def subscribe(self, listener: LatchListener) -> None:
        """Tell a listener of every trip and reset, as long as it lives."""
        with self._lock:
            self._listeners.add(listener)

    @property
    def suspects(self) -> bool:
        """Whether a success could matter: some endpoint was sighted but is not tripped."""
        return bool(self._ledger.sightings)

    def succeed(self, endpoint: Endpoint, generation: int) -> None:
        """Note that an endpoint answered a request well: earlier sightings no longer count."""
        with self._lock:
            if self._ledger.generations.is_void(endpoint, generation):
                return
            self._ledger.sightings.pop(endpoint, None)
        self.canaries.settle(endpoint)

    def settle(self, endpoint: Endpoint, generation: int) -> None:
        """Note that an endpoint answered as one does whose key is not turned away."""
        with self._lock:
            if self._ledger.generations.is_void(endpoint, generation):
                return
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
            cleared = self._ledger.reset(endpoint)
            generation = self.generation
            woken = self._take_clear_waiters(cleared)
        self.canaries.forget(endpoint)
        wake(woken)
        if self._link is not None:
            self._link.was_reset(endpoint, generation)
        for listener in self._all_listeners():
            listener.was_reset(Reset(endpoint, len(cleared), generation))
        return len(cleared)

    def __repr__(self) -> str:
        trips = len(self.trips)
        return f"<{type(self).__name__} {'tripped' if trips else 'clear'} trips={trips}>"

    def _all_listeners(self) -> tuple[LatchListener, ...]:
        with self._lock:
            return tuple(self._listeners)

    def _spread(self, trip: Trip, woken: Iterable[Waiter]) -> None:
        wake(woken)
        self.canaries.dismiss(trip.endpoint)
        for listener in self._all_listeners():
            # On a store's thread it may be one whose loop was closed meanwhile.
            with contextlib.suppress(RuntimeError):
                listener.tripped(trip)
