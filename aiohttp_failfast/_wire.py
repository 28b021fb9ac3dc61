"""One request on the wire: checked at the last moment, and ended there if it comes to that."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, NamedTuple

from aiohttp import ClientRequest, ClientResponse, TraceConfig
from aiohttp.tracing import Trace
from yarl import URL

from ._credential import NO_CREDENTIAL, Endpoint, credential_of
from ._errors import PermanentEndpointError
from ._guard import Guard
from ._trip import Trip

SEND = "send" if hasattr(ClientRequest, "send") else "_send"
"""Name of the method that writes a request; aiohttp 4 makes it private."""


class Flight:
    """A request from the queue for a connection to the head of its answer.

    The guard is told of it, and tells it of a trip.

    Args:
        guard: says whether it may go.
        request: the request.
        weak: do not keep the request alive, and land when it goes: for a request that nobody
            sees fail to connect.
        sent: whether an earlier attempt of the same call touched the wire.

    Attributes:
        generation: of the latch, when the request was sent.
        sent: whether this or an earlier attempt touched the wire.
        probing: the trip that the request may ignore, to see if the endpoint lives again.
    """

    __slots__ = (
        "_connection",
        "_first_hop",
        "_guard",
        "_loop",
        "_request",
        "generation",
        "probing",
        "sent",
    )

    def __init__(
        self, guard: Guard, request: ClientRequest, *, sent: bool = False, weak: bool = False
    ) -> None:
        self._guard = guard
        self._request: ClientRequest = weakref.proxy(request, self.land) if weak else request
        self._connection: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.generation = guard.latch.generation
        self.sent = sent
        self.probing: Trip | None = None
        self._first_hop: _Hop | None = None

    def key_was_dropped(self) -> bool:
        """Tell whether a redirect to another origin has cost the request its key."""
        first, request = self._first_hop, self._request
        if first is None or first.url is request.url or first.url.origin() == request.url.origin():
            return False
        return (
            credential_of(request.url, request.headers) == NO_CREDENTIAL
            and credential_of(first.url, first.headers) != NO_CREDENTIAL
        )

    def trip(self) -> Trip | None:
        """Return the trip that binds the request, if any."""
        if not self._guard.latch.tripped:
            return None
        return self._guard.trip_in_force(self._request.url, self._request.headers)

    def admit(self) -> PermanentEndpointError | None:
        """Return the error of a request that must not set out; with shadow it is only counted."""
        if self._guard.settings.shadow and self._guard.latch.tripped:
            request = self._request
            self._guard.count_shadow(
                request.url, request.headers, method=request.method, sent=self.sent
            )
        return self.refusal()

    def enter(self) -> None:
        """Note that the request queues for a connection."""
        self._guard.flights.add(self)

    def refusal(self) -> PermanentEndpointError | None:
        """Return the error of a request that must not go."""
        if self.probing is not None or not self._guard.latch.tripped:
            return None
        request = self._request
        return self._guard.refusal(
            request.url, request.headers, method=request.method, sent=self.sent
        )

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
        self._first_hop = _first_hop_of(self._request)
        if self._guard.settings.cancel_in_flight:
            self._loop = asyncio.get_running_loop()
        self._connection = connection

    def land(self, _: object = None) -> None:
        """Note that the head of the answer has arrived, or never will."""
        self._guard.flights.discard(self)
        self._connection = None

    def tripped(self, trip: Trip) -> None:
        """Hear of a trip; callable from any thread."""
        if self._guard.settings.shadow or self._endpoint() != trip.endpoint:
            return
        if self._connection is None:
            # Still queued: raise when it is woken, before it connects. Nothing is cancelled,
            # because a waiter that is cancelled just when it is woken strands those behind it.
            self._request._traces.append(_Stop(self))
        elif self._guard.settings.cancel_in_flight and self._loop is not None:
            self._loop.call_soon_threadsafe(self._break_off, trip)

    def _endpoint(self) -> Endpoint | None:
        try:
            return self._guard.endpoint(self._request.url, self._request.headers)
        except ReferenceError:  # the request is gone
            return None

    def _break_off(self, trip: Trip) -> None:
        """End the wait for the head as a broken connection ends it: no task is cancelled."""
        protocol = None if self._connection is None else self._connection.protocol
        if protocol is not None:
            protocol.set_exception(PermanentEndpointError.from_trip(trip, sent=True))


class _Hop(NamedTuple):
    """The first request of a call, as far as its redirects need it."""

    traces: Any
    url: URL
    headers: Mapping[str, str]


# Set only while a call is on the wire or follows a redirect: it would keep a session alive.
_first_hop: ContextVar[_Hop | None] = ContextVar("first_hop", default=None)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def forget_hops(response: ClientResponse | None) -> None:
    """Forget the first request of a call, unless its answer is a redirect that may be followed."""
    if response is None or response.status not in _REDIRECTS:
        _first_hop.set(None)


def _first_hop_of(request: ClientRequest) -> _Hop | None:
    # All requests of one call share its list of traces; nothing else ties them together.
    traces = getattr(request, "_traces", None)
    hop = _first_hop.get()
    if hop is not None and hop.traces is traces:
        return hop
    try:
        hop = _Hop(traces, request.url, request.headers)
    except (AttributeError, ValueError):  # a stand-in for a request
        return None
    _first_hop.set(hop)
    return hop


class _Stop(Trace):
    """A trace that ends one request at the one moment in the pool where that is clean.

    An exception from ``on_connection_create_start`` gives the slot back and wakes the next in
    the queue; one from ``on_connection_queued_end`` would strand all who wait.
    """

    def __init__(self, flight: Flight) -> None:
        super().__init__(None, _NO_HOOKS, SimpleNamespace())  # type: ignore[arg-type]
        self._flight = flight

    async def send_connection_create_start(self) -> None:
        """Raise, if the endpoint is still tripped."""
        error = self._flight.refusal()
        if error is not None:
            raise error


_NO_HOOKS = TraceConfig()
_NO_HOOKS.freeze()
