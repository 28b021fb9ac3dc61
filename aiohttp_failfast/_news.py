"""What latches tell each other: trips and resets, as one value that can be joined with another.

It matters neither in which order news arrive nor how often: whoever has heard the same refuses
the same. (Only which of several answers of one generation is remembered as the cause may differ.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ._credential import Endpoint
from ._shared_trip import SharedTrip

MAX_FLOORS = 10_000
"""Resets of single endpoints that are remembered; beyond it the oldest are forgotten."""


@dataclass(frozen=True)
class News:
    """Trips and resets: all that a latch or a store knows, or a part of it.

    Attributes:
        generation: the highest number of a reset that was heard of.
        floor: trips of any endpoint whose generation is lower are void.
        floors: the same for single endpoints.
        trips: by endpoint; none of them is void.

    .. versionadded:: 0.1.0
    """

    generation: int = 0
    floor: int = 0
    floors: Mapping[Endpoint, int] = field(default_factory=dict)
    trips: Mapping[Endpoint, SharedTrip] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.generation or self.floor or self.floors or self.trips)

    def floor_of(self, endpoint: Endpoint) -> int:
        """Return the generation below which trips of an endpoint are void."""
        return max(self.floor, self.floors.get(endpoint, 0))

    def join(self, other: News) -> News:
        """Return what both say together.

        A reset wins over trips of older generations. Of two trips of one endpoint that of the
        higher generation stays; of the same generation the first one, which is ``self``'s.

        Args:
            other: the other news.
        """
        floor = max(self.floor, other.floor)
        floors = {
            endpoint: max(self.floors.get(endpoint, 0), other.floors.get(endpoint, 0))
            for endpoint in (*self.floors, *other.floors)
        }
        floors = _bounded({one: at for one, at in floors.items() if at > floor})
        trips = {**self.trips}
        for endpoint, told in other.trips.items():
            held = trips.get(endpoint)
            if held is None or held.trip.generation < told.trip.generation:
                trips[endpoint] = told
        together = News(max(self.generation, other.generation), floor, floors)
        valid = {
            endpoint: told
            for endpoint, told in trips.items()
            if told.trip.generation >= together.floor_of(endpoint)
        }
        highest = max((told.trip.generation for told in valid.values()), default=0)
        generation = max(together.generation, floor, highest, *floors.values(), 0)
        return News(generation, floor, floors, valid)

    def beyond(self, other: News) -> News:
        """Return the part of it that is news to somebody who knows ``other``.

        Args:
            other: what is known already.
        """
        floors = {one: at for one, at in self.floors.items() if at > other.floor_of(one)}
        trips = {}
        for endpoint, told in self.trips.items():
            held = other.trips.get(endpoint)
            known = -1 if held is None else held.trip.generation
            if told.trip.generation > known and told.trip.generation >= other.floor_of(endpoint):
                trips[endpoint] = told
        return News(
            self.generation if self.generation > other.generation else 0,
            self.floor if self.floor > other.floor else 0,
            floors,
            trips,
        )

    def unexpired(self, now: float) -> News:
        """Return it without the trips that have ended by themselves.

        Args:
            now: seconds since the epoch.
        """
        trips = {one: told for one, told in self.trips.items() if told.expires_at > now}
        return News(self.generation, self.floor, self.floors, trips)


def _bounded(floors: dict[Endpoint, int]) -> dict[Endpoint, int]:
    if len(floors) <= MAX_FLOORS:
        return floors
    latest = sorted(floors.items(), key=lambda item: item[1], reverse=True)
    return dict(latest[:MAX_FLOORS])
