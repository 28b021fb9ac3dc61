"""One request goes ahead of the others while nothing is known of an endpoint."""

from __future__ import annotations

import threading

from ._credential import Endpoint
from ._waiters import Waiter, wake

# An endpoint beyond these is forgotten, and costs one canary again.
MAX_KNOWN = 10_000


class Canaries:
    """Hands out the one place per unknown endpoint; thread-safe.

    A place is left by `settle` (the endpoint is known now: all may go), by `dismiss` (it is
    tripped: all look at the latch) or by `vacate` (nothing was learned: the next takes it).
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Endpoint, None] = {}
        self._holders: dict[Endpoint, Waiter] = {}
        self._queues: dict[Endpoint, dict[Waiter, None]] = {}

    async def claim(self, endpoint: Endpoint, seconds: float) -> Waiter | None:
        """Wait until the endpoint is known, or for so many seconds.

        Returns:
            The place, for whoever must go ahead of the others and leave it at the end; None for
            whoever may go without one.
        """
        if endpoint in self._known:
            return None
        waiter = Waiter.here()
        with self._lock:
            if endpoint in self._known:
                return None
            if endpoint not in self._holders:
                self._holders[endpoint] = waiter
                return waiter
            self._queues.setdefault(endpoint, {})[waiter] = None
        try:
            await waiter.wait(seconds)
        except BaseException:
            self.vacate(endpoint, waiter)
            raise
        finally:
            self._leave_queue(endpoint, waiter)
        return waiter if self._holders.get(endpoint) is waiter else None

    def settle(self, endpoint: Endpoint) -> None:
        """Note that an endpoint answered as a living one does; all who wait may go."""
        if endpoint in self._known:
            return
        with self._lock:
            self._known[endpoint] = None
            if len(self._known) > MAX_KNOWN:
                del self._known[next(iter(self._known))]
        self.dismiss(endpoint)

    def dismiss(self, endpoint: Endpoint) -> None:
        """Send everybody who waits for an endpoint on their way."""
        with self._lock:
            self._holders.pop(endpoint, None)
            woken = self._queues.pop(endpoint, ())
        wake(woken)

    def vacate(self, endpoint: Endpoint, place: Waiter) -> None:
        """Leave a place without having learned anything; the next in the queue takes it."""
        with self._lock:
            if self._holders.get(endpoint) is not place:
                return
            del self._holders[endpoint]
            # One who was cancelled or whose time is up does not take it.
            queue = self._queues.get(endpoint, {})
            successor = next((waiter for waiter in queue if not waiter.future.done()), None)
            if successor is None:
                return
            del queue[successor]
            self._holders[endpoint] = successor
        wake((successor,))

    def knows(self, endpoint: Endpoint) -> bool:
        """Tell whether an endpoint is known to live."""
        return endpoint in self._known

    def holds(self, endpoint: Endpoint, place: Waiter) -> bool:
        """Tell whether a place is still taken."""
        return self._holders.get(endpoint) is place

    def forget(self, endpoint: Endpoint | None) -> None:
        """Know nothing any more of an endpoint, or of all."""
        with self._lock:
            if endpoint is None:
                self._known.clear()
            else:
                self._known.pop(endpoint, None)

    def __len__(self) -> int:
        """Places taken, and waiters."""
        return len(self._holders) + sum(map(len, self._queues.values()))

    def _leave_queue(self, endpoint: Endpoint, waiter: Waiter) -> None:
        with self._lock:
            queue = self._queues.get(endpoint)
            if queue is not None:
                queue.pop(waiter, None)
                if not queue:
                    del self._queues[endpoint]


class Place:
    """The place of the canary; leaving it lets the next one take it, or all go."""

    __slots__ = ("_canaries", "_endpoint", "_waiter")

    def __init__(self, canaries: Canaries, endpoint: Endpoint, waiter: Waiter) -> None:
        self._canaries = canaries
        self._endpoint = endpoint
        self._waiter = waiter

    def leave(self) -> None:
        """Leave it; without effect where the answer has settled the matter."""
        self._canaries.vacate(self._endpoint, self._waiter)
