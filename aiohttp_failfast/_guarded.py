"""Request and response classes that guard the wire of a session that has no middleware of ours.

Unlike a middleware they cannot be bypassed by a request's own ``middlewares=``, and unlike the
hooks of a TraceConfig they see the body of an answer that ``raise_for_status`` is about to raise.
"""

from __future__ import annotations

from typing import Any

from aiohttp import ClientRequest, ClientResponse, ClientSession

from ._canary import Place
from ._errors import PermanentEndpointError
from ._guard import Guard
from ._judge import is_healthy, judge, observation_of
from ._raise import error_of
from ._wire import SEND, Flight, forget_hops


def guard_session(session: ClientSession, guard: Guard) -> None:
    """Make a session create guarded requests and responses; twice is once."""
    if getattr(session._request_class, "_failfast_guard", None) is guard:
        return
    # A stand-in that a test or another library gave as request_class cannot be subclassed.
    if isinstance(session._request_class, type) and isinstance(session._response_class, type):
        session._request_class = _request_class(session._request_class, guard)
        session._response_class = _response_class(session._response_class, guard)


class _Journey:
    """What a guarded request tells the response to it."""

    __slots__ = ("_place", "flight")

    def __init__(self, flight: Flight, place: Place | None) -> None:
        self.flight = flight
        self._place = place

    def end(self) -> None:
        """Give up the canary's place; the answer has come, or never will."""
        if self._place is not None:
            self._place.leave()


def _request_class(base: type[ClientRequest], guard: Guard) -> type[ClientRequest]:
    class GuardedRequest(base):  # type: ignore[valid-type, misc]
        """A request that is checked before it queues, and before its first byte."""

        _failfast_guard = guard

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            flight = self._failfast_flight = Flight(guard, self, weak=True)
            session = kwargs.get("session")
            # A middleware may still put another key in; then only the last check is exact.
            if session is not None and not session._middlewares:
                error = flight.admit()
                if error is not None:
                    raise error
            flight.enter()

    async def send(self: Any, connection: Any) -> ClientResponse:
        flight = self._failfast_flight
        place = await guard.claim(self.url, self.headers)
        try:
            flight.depart(connection)
            response = await getattr(super(GuardedRequest, self), SEND)(connection)
        except BaseException:
            flight.land()
            forget_hops(None)
            if place is not None:
                place.leave()
            raise
        response._failfast_journey = _Journey(flight, place)
        return response  # type: ignore[no-any-return]

    setattr(GuardedRequest, SEND, send)
    return GuardedRequest


def _response_class(base: type[ClientResponse], guard: Guard) -> type[ClientResponse]:
    class GuardedResponse(base):  # type: ignore[valid-type, misc]
        """A response that is judged as soon as its head has arrived."""

        _failfast_journey: _Journey

        async def start(self, connection: Any) -> ClientResponse:
            journey = self._failfast_journey
            try:
                answered = None
                try:
                    await super().start(connection)
                    answered = self
                finally:
                    journey.flight.land()
                    forget_hops(answered)
                flight = journey.flight
                if not is_healthy(guard, self, flight.generation):
                    await judge(
                        guard, self, flight.generation, key_was_dropped=flight.key_was_dropped()
                    )
            finally:
                journey.end()
            return self

        def raise_for_status(self) -> None:
            observation = observation_of(self)
            if observation is None:
                super().raise_for_status()
                return
            # As aiohttp does: inside `async with` the exit releases.
            if not self._in_context:
                self.release()
            if observation.trip is not None:
                raise PermanentEndpointError.from_trip(observation.trip, sent=True)
            raise error_of(observation.answer)

    return GuardedResponse
