"""One request on the wire: checked at the last moment, and ended there if it comes to that."""

from __future__ import annotations

from asyncio import Future
from typing import Any

from aiohttp import ClientRequest

from ._credential import Endpoint
from ._errors import PermanentEndpointError
from ._guard import Guard
from ._trip import Trip
from ._waiters import Waiter

SEND = "send" if hasattr(ClientRequest, "send") else "_send"
"""Name of the method that writes a request; aiohttp 4 makes it private."""


class Flight:
    """A request from its last check to the head of its answer.

    Args:
        guard: says whether it may go.
        request: the request.
        sent: whether an earlier attempt of the same call touched the wire.

    Attributes:
        generation: of the latch, when the request was sent.
        sent: whether this or an earlier attempt touched the wire.
    """

    __slots__ = ("_connection", "_endpoint", "_guard", "_request", "_watch", "generation", "sent")

    def __init__(self, guard: Guard, request: ClientRequest, *, sent: bool = False) -> None:
        self._guard = guard
        self._request = request
        self._connection: Any = None
        self._endpoint: Endpoint | None = None
        self._watch: Waiter | None = None
        self.generation = guard.latch.generation
        self.sent = sent

    def refusal(self) -> PermanentEndpointError | None:
        """Return the error of a request that must not go."""
        request = self._request
        return self._guard.refusal(request.url, request.headers, sent=self.sent)

    def depart(self, connection: Any) -> None:
        """Check a request that has its connection; where it must not go, give that back unused.

        No await lies between this and the first byte, so nothing passes once the latch is
        tripped. The connection is released rather than closed: it stays in the pool, and the
        next in the queue is woken.

        Raises:
            PermanentEndpointError: the endpoint is tripped.
        """
        error = self.refusal()
        if error is not None:
            connection.release()
            raise error
        self.generation = self._guard.latch.generation
        self.sent = True
        if self._guard.settings.cancel_in_flight:
            self._watch_trips(connection)

    def land(self) -> None:
        """Note that the head of the answer has arrived, or never will."""
        if self._watch is not None and self._endpoint is not None:
            self._guard.latch.unwatch(self._endpoint, self._watch)
            self._watch = self._connection = None

    def _watch_trips(self, connection: Any) -> None:
        endpoint = self._guard.endpoint(self._request.url, self._request.headers)
        if endpoint is not None:
            self._endpoint = endpoint
            self._connection = connection
            self._watch = self._guard.latch.watch(endpoint)
            self._watch.future.add_done_callback(self._end)

    def _end(self, future: Future[bool]) -> None:
        """End the wait for the head, as a connection ends it that breaks: no task is cancelled."""
        if future.cancelled() or self._connection is None or self._endpoint is None:
            return
        trip: Trip | None = self._guard.latch.find(self._endpoint)
        protocol = self._connection.protocol
        if trip is not None and protocol is not None:
            protocol.set_exception(PermanentEndpointError.from_trip(trip, sent=True))
