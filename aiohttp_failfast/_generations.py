"""Which answers still count: those to requests sent after the last reset of their endpoint."""

from __future__ import annotations

from ._credential import Endpoint


class Generations:
    """Counts resets; a request belongs to the generation in which it is sent.

    Its owner's lock guards it.
    """

    __slots__ = ("_oldest_valid", "_oldest_valid_for", "current")

    def __init__(self) -> None:
        self.current = 0
        self._oldest_valid = 0
        self._oldest_valid_for: dict[Endpoint, int] = {}

    def advance(self, endpoint: Endpoint | None) -> None:
        """Start a new generation, after which older answers about an endpoint (or all) are void."""
        self.current += 1
        if endpoint is None:
            self._oldest_valid = self.current
            self._oldest_valid_for.clear()
        else:
            self._oldest_valid_for[endpoint] = self.current

    def is_void(self, endpoint: Endpoint, generation: int) -> bool:
        """Tell whether an answer comes from before the last reset of its endpoint."""
        return generation < max(self._oldest_valid, self._oldest_valid_for.get(endpoint, 0))
