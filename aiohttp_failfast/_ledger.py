"""What a latch knows: trips, sightings, resets. It waits for nothing and tells nobody."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ._credential import Endpoint
from ._generations import Generations
from ._news import News
from ._shared_trip import SharedTrip, cut_down
from ._trip import Trip, Witness


class Change(NamedTuple):
    """What some news changed.

    Attributes:
        tripped: trips that are in force now and were not before.
        cleared: endpoints whose trip was void.
        reset: endpoints that were reset; None among them stands for all.
    """

    tripped: list[Trip]
    cleared: list[Endpoint]
    reset: list[Endpoint | None]


class Ledger:
    """The records of a latch; the latch's lock guards it, but for looking one entry up.

    Attributes:
        trips: those in force.
        ends: when some of them end by themselves, by the latch's clock.
        sightings: how many distinct requests said so of an endpoint that is not tripped yet.
    """

    __slots__ = ("_expiries", "ends", "generations", "sightings", "trips")

    def __init__(self) -> None:
        self.trips: dict[Endpoint, Trip] = {}
        self.ends: dict[Endpoint, float] = {}
        self.sightings: dict[Endpoint, int] = {}
        self.generations = Generations()
        # The same times by the calendar, which is what other processes understand.
        self._expiries: dict[Endpoint, float] = {}

    def sight(self, trip: Trip) -> bool:
        """Count a sighting.

        Returns:
            Whether it is the last one that the trip needs.
        """
        endpoint = trip.endpoint
        if self.generations.is_void(endpoint, trip.generation) or endpoint in self.trips:
            return False
        seen = self.sightings.pop(endpoint, 0) + 1
        if seen < trip.verdict.sightings:
            self.sightings[endpoint] = seen
            return False
        return True

    def enter(self, trip: Trip, *, left: float | None, now: float, today: float) -> None:
        """Put a trip into force.

        Args:
            trip: the record.
            left: seconds until it ends by itself; None for never.
            now: by the latch's clock, in seconds.
            today: seconds since the epoch.
        """
        self.generations.observe(trip.generation)
        self.trips[trip.endpoint] = trip
        if left is not None:
            self.ends[trip.endpoint] = now + left
            self._expiries[trip.endpoint] = today + left

    def forget(self, endpoints: Iterable[Endpoint]) -> None:
        """Let trips end."""
        for endpoint in endpoints:
            self.trips.pop(endpoint, None)
            self.ends.pop(endpoint, None)
            self._expiries.pop(endpoint, None)

    def reset(self, endpoint: Endpoint | None) -> list[Endpoint]:
        """Start a new generation of an endpoint, or of all.

        Returns:
            Whose trips have ended.
        """
        self.generations.advance(endpoint)
        return self._void(endpoint)

    def ended(self, now: float) -> list[Endpoint]:
        """Return whose trips have ended by themselves."""
        return [endpoint for endpoint, end in self.ends.items() if end <= now]

    def join(self, news: News, *, now: float, today: float) -> Change:
        """Take over what others know.

        A reset ends trips of older generations, whoever saw them; the record of a trip that is in
        force already stays, unless the new one is of a later generation.

        Args:
            news: what they tell.
            now: by the latch's clock, in seconds.
            today: seconds since the epoch.
        """
        self.generations.observe(news.generation)
        floors: list[tuple[Endpoint | None, int]] = [(None, news.floor), *news.floors.items()]
        reset = [endpoint for endpoint, at in floors if self.generations.lift(endpoint, at)]
        cleared = [one for endpoint in reset for one in self._void(endpoint)]
        tripped = []
        for endpoint, told in news.trips.items():
            held = self.trips.get(endpoint)
            if self._take(told, now, today) and held is None:
                tripped.append(told.trip)
        return Change(tripped, cleared, reset)

    def news(self, max_age: float, me: Witness) -> News:
        """Return what others should know.

        Args:
            max_age: seconds that a trip is shared at most.
            me: this process.
        """
        trips = {
            endpoint: SharedTrip(
                cut_down(trip, me), self._expiry(endpoint, trip.tripped_at, max_age)
            )
            for endpoint, trip in self.trips.items()
        }
        generations = self.generations
        return News(generations.current, generations.floor, dict(generations.floors), trips)

    def _take(self, told: SharedTrip, now: float, today: float) -> bool:
        trip, left = told.trip, told.expires_at - today
        self.generations.observe(trip.generation)
        held = self.trips.get(trip.endpoint)
        # Of a later generation, it outlives a reset that ends the one we have.
        known = held is not None and held.generation >= trip.generation
        if known or left <= 0 or self.generations.is_void(trip.endpoint, trip.generation):
            return False
        self.sightings.pop(trip.endpoint, None)
        self.enter(trip, left=left, now=now, today=today)
        return True

    def _expiry(self, endpoint: Endpoint, tripped_at: datetime, max_age: float) -> float:
        latest = tripped_at.timestamp() + max_age
        return min(latest, self._expiries.get(endpoint, latest))

    def _void(self, endpoint: Endpoint | None) -> list[Endpoint]:
        for one in list(self.sightings) if endpoint is None else (endpoint,):
            self.sightings.pop(one, None)
        void = [
            one
            for one, trip in self.trips.items()
            if endpoint in (None, one) and self.generations.is_void(one, trip.generation)
        ]
        self.forget(void)
        return void
