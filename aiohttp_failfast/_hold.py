"""``when_tripped="wait"``: hold a call until its endpoint is clear, or its patience is up."""

from __future__ import annotations

import asyncio

from ._errors import PermanentEndpointError
from ._guard import Guard
from ._trip import Trip


class Hold:
    """The patience of one call.

    Args:
        guard: has the latch and the limit.
    """

    __slots__ = ("_deadline", "_guard", "_probing")

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._deadline: float | None = None
        self._probing: Trip | None = None

    def take_probing(self) -> Trip | None:
        """Return the trip that this call has the right to probe, if it does; only once."""
        trip, self._probing = self._probing, None
        return trip

    def end(self) -> None:
        """Give back a right that was not made use of."""
        trip = self.take_probing()
        if trip is not None:
            self._guard.end_probe(trip, alive=False, answered=False)

    async def until_clear(self, trip: Trip, *, sent: bool) -> None:
        """Wait until the endpoint is clear, or until it is this call's turn to probe.

        Raises:
            PermanentEndpointError: ``wait_timeout`` seconds of this call are over.
        """
        loop = asyncio.get_running_loop()
        patience = self._guard.settings.wait_timeout
        if self._deadline is None and patience is not None:
            self._deadline = loop.time() + patience
        while self._guard.latch.find(trip.endpoint) is not None:
            left = None if self._deadline is None else self._deadline - loop.time()
            if left is not None and left <= 0:
                raise PermanentEndpointError.from_trip(trip, sent=sent)
            if await self._guard.take_probe(trip):
                self._probing = trip
                return
            if self._guard.latch.find(trip.endpoint) is not None:
                await self._wait(trip, left)

    async def _wait(self, trip: Trip, left: float | None) -> None:
        until_probe = self._guard.seconds_to_probe(trip)
        waits = [seconds for seconds in (left, until_probe) if seconds is not None]
        # No wait_for: before Python 3.12 it loses a cancellation in the turn of the wake-up.
        await self._guard.latch.wait_cleared(trip.endpoint, min(waits, default=None))
