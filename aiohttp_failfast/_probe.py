"""Ask again now and then whether a dead endpoint lives: one request at a time, ever more seldom."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from ._checks import require_callable, require_seconds
from ._credential import Endpoint
from ._events import logger
from ._latch import Latch
from ._trip import Trip

_JITTER = 0.1
_GROWTH = 2


@dataclass(frozen=True)
class Probe:
    """Lets one request through to a tripped endpoint at growing intervals.

    If it is answered well the latch is reset for that endpoint; if not, the next interval is
    twice as long.

    Args:
        every: seconds from the trip to the first probe; jittered by a tenth.
        longest: seconds; the cap of the growing interval.
        request: asks the API in place of one of the session's own calls, and returns whether it
            was answered well; for instance a GET of a list that costs nothing. An exception
            counts as no.
        timeout: seconds that ``request`` may take; more counts as no.

    Raises:
        TypeError, ValueError: an argument makes no sense; the message names it.

    .. versionadded:: 0.1.0
    """

    every: float = 60.0
    longest: float = 3600.0
    request: Callable[[], Awaitable[object]] | None = None
    timeout: float = 30.0

    def __post_init__(self) -> None:
        require_seconds("every", self.every)
        require_seconds("longest", self.longest)
        require_seconds("timeout", self.timeout)
        if self.longest < self.every:
            raise ValueError(f"longest must be at least every, {self.every}, got {self.longest}")
        if self.request is not None:
            require_callable("request", self.request)


@dataclass
class _Schedule:
    trip: Trip
    interval: float
    due: float
    busy: bool = False


class Probes:
    """When each tripped endpoint may be asked again; one for all who share a latch."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._schedules: dict[Endpoint, _Schedule] = {}

    def take(self, probe: Probe, trip: Trip) -> bool:
        """Take the right to probe, if it is time and nobody else has it; `give_back` is owed."""
        with self._lock:
            schedule = self._schedule(probe, trip)
            if schedule.busy or self._clock() < schedule.due:
                return False
            schedule.busy = True
            return True

    def seconds_left(self, probe: Probe, trip: Trip) -> float:
        """Return the seconds until it is worth trying to take it."""
        with self._lock:
            schedule = self._schedule(probe, trip)
            return schedule.interval if schedule.busy else max(0, schedule.due - self._clock())

    def give_back(self, probe: Probe, trip: Trip, *, answered: bool) -> None:
        """Give the right back.

        Args:
            probe: the settings.
            trip: the trip that was probed.
            answered: whether the endpoint said that it is dead still; then the interval grows.
        """
        with self._lock:
            schedule = self._schedules.get(trip.endpoint)
            if schedule is None or schedule.trip is not trip:
                return
            schedule.busy = False
            if answered:
                schedule.interval = min(probe.longest, schedule.interval * _GROWTH)
            schedule.due = self._clock() + _jittered(schedule.interval)

    def _schedule(self, probe: Probe, trip: Trip) -> _Schedule:
        schedule = self._schedules.get(trip.endpoint)
        # Another trip of the same endpoint starts anew.
        if schedule is None or schedule.trip is not trip:
            due = self._clock() + _jittered(probe.every)
            schedule = self._schedules[trip.endpoint] = _Schedule(trip, probe.every, due)
        return schedule


def _jittered(seconds: float) -> float:
    return seconds * random.uniform(1, 1 + _JITTER)


_probes: WeakKeyDictionary[Latch, Probes] = WeakKeyDictionary()


def probes_of(latch: Latch) -> Probes:
    """Return the schedule that all sessions of a latch share."""
    return _probes.setdefault(latch, Probes())


async def ask(probe: Probe) -> bool:
    """Run the user's own request; whether it was answered well."""
    if probe.request is None:
        return False
    task = asyncio.ensure_future(probe.request())
    try:
        await asyncio.wait({task}, timeout=probe.timeout)
        if task.done():
            return bool(task.result())
        logger.warning("the request of the probe took too long; the endpoint stays tripped")
    except Exception:
        logger.exception("the request of the probe failed; the endpoint stays tripped")
    finally:
        task.cancel()
    return False
