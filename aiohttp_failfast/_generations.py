"""Which answers still count: those to requests sent after the last reset of their endpoint.

It is a Lamport clock. Processes that share a store never compare times: a reset takes a number
above all that it has heard of, and an answer carries the number that held when its request left.
"""

from __future__ import annotations

from ._credential import Endpoint


class Generations:
    """Numbers the resets; a request belongs to the generation in which it is sent.

    Its owner's lock guards it.

    Attributes:
        current: the highest number heard of.
        floor: answers about any endpoint from before it are void.
        floors: the same for single endpoints, where that is higher.
    """

    __slots__ = ("current", "floor", "floors")

    def __init__(self) -> None:
        self.current = 0
        self.floor = 0
        self.floors: dict[Endpoint, int] = {}

    def advance(self, endpoint: Endpoint | None) -> None:
        """Start a new generation, after which older answers about an endpoint (or all) are void."""
        self.current += 1
        self.lift(endpoint, self.current)

    def observe(self, generation: int) -> None:
        """Hear of a number that somebody else has reached."""
        self.current = max(self.current, generation)

    def lift(self, endpoint: Endpoint | None, generation: int) -> bool:
        """Make older answers about an endpoint (or all) void.

        Returns:
            Whether that was news.
        """
        self.observe(generation)
        if endpoint is None:
            if generation <= self.floor:
                return False
            self.floor = generation
            self.floors = {one: at for one, at in self.floors.items() if at > generation}
            return True
        if generation <= self.floor_of(endpoint):
            return False
        self.floors[endpoint] = generation
        return True

    def floor_of(self, endpoint: Endpoint) -> int:
        """Return the generation before which answers about an endpoint are void."""
        return max(self.floor, self.floors.get(endpoint, 0))

    def is_void(self, endpoint: Endpoint, generation: int) -> bool:
        """Tell whether an answer comes from before the last reset of its endpoint."""
        return generation < self.floor_of(endpoint)
