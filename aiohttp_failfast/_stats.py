"""What a latch did so far, in numbers."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class LatchStats:
    """What a latch did so far.

    Attributes:
        trips: times an endpoint was tripped.
        refused: calls that were refused without touching the wire.
        retries_stopped: calls whose wait before the next attempt ended because of a trip.
        seconds_saved: what was left of those waits, in seconds.
        told: times a store told of a trip that was news; they are not in ``trips``.

    .. versionadded:: 0.1.0
    """

    trips: int = 0
    refused: int = 0
    retries_stopped: int = 0
    seconds_saved: float = 0.0
    told: int = 0


class Counters:
    """Counts for `LatchStats`; thread-safe."""

    __slots__ = ("_lock", "_refused", "_seconds_saved", "_stopped", "_told", "_trips")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trips = 0
        self._refused = 0
        self._stopped = 0
        self._seconds_saved = 0.0
        self._told = 0

    def trip(self) -> None:
        """Count one trip."""
        with self._lock:
            self._trips += 1

    def tell(self) -> None:
        """Count one trip that somebody else saw."""
        with self._lock:
            self._told += 1

    def refusal(self) -> None:
        """Count one call that was refused."""
        with self._lock:
            self._refused += 1

    def stopped_retry(self, seconds: float) -> None:
        """Count one call whose wait ended so many seconds early."""
        with self._lock:
            self._stopped += 1
            self._seconds_saved += max(0.0, seconds)

    def snapshot(self) -> LatchStats:
        """Return the numbers as they are now."""
        with self._lock:
            return LatchStats(
                self._trips, self._refused, self._stopped, self._seconds_saved, self._told
            )
