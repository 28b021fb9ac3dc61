"""One request on its way through a middleware: admitted, sent, judged.

This is the path of every healthy call. Where a line looks longer than it need be, it is because a
context manager, a property or one more coroutine costs a measurable share of the whole request.
"""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from ._guard import Guard
from ._judge import is_healthy, judge
from ._observation import Observation
from ._trip import Trip
from ._wire import SEND, Flight, forget_hops

Judged = tuple[ClientResponse, Observation | None]
"""An answer and what was learned from it; None for a healthy one."""


class Attempt(Flight):
    """Takes one request through ``handler``, the rest of aiohttp.

    Args:
        guard: says whether it may go.
        request: the request.
        sent: whether an earlier attempt of the same call touched the wire.
        probing: a trip that this request has the right to probe already.
    """

    __slots__ = ("_send",)

    def __init__(
        self,
        guard: Guard,
        request: ClientRequest,
        *,
        sent: bool = False,
        probing: Trip | None = None,
    ) -> None:
        super().__init__(guard, request, sent=sent)
        self.probing = probing

    async def exchange(self, handler: ClientHandlerType) -> Judged:
        """Send the request if its endpoint is clear, and judge the answer.

        Raises:
            PermanentEndpointError: the endpoint is tripped, now or by the time that the request
                has its connection. (An answer that trips is returned.)
        """
        settings = self._guard.settings
        if settings.probe is not None and await self._is_probe():
            return await self._probe(handler)
        if self._guard.latch.tripped:
            await self._check()
        if settings.canary:
            return await self._wait_for_canary(handler)
        return await self._exchange(handler)

    async def _exchange(self, handler: ClientHandlerType) -> Judged:
        request = self._request
        # The last check is put in the way of the request's own send.
        self._send = send = getattr(request, SEND)
        setattr(request, SEND, self._check_and_send)
        self.enter()
        response = None
        try:
            response = await handler(request)
        finally:
            self.land()
            forget_hops(response)
            if getattr(send, "__self__", None) is request:
                delattr(request, SEND)
            else:  # another guard had done the same before
                setattr(request, SEND, send)
        if is_healthy(self._guard, response, self.generation):
            return response, None
        try:
            return response, await judge(
                self._guard,
                response,
                self.generation,
                key_was_dropped=self.key_was_dropped(),
            )
        except BaseException:
            # On every aiohttp, an exception out of a middleware leaks an unread response.
            response.close()
            raise

    async def _wait_for_canary(self, handler: ClientHandlerType) -> Judged:
        place = await self._guard.claim(self._request.url, self._request.headers)
        session = getattr(self._request, "_session", None)
        if session is not None and session.closed:
            if place is not None:
                place.leave()
            raise RuntimeError("Session is closed")
        if place is None:
            await self._check()
            return await self._exchange(handler)
        try:
            return await self._exchange(handler)
        finally:
            place.leave()

    async def _is_probe(self) -> bool:
        if self.probing is None:
            trip = self.trip()
            if trip is not None and await self._guard.take_probe(trip):
                self.probing = trip
        return self.probing is not None

    async def _probe(self, handler: ClientHandlerType) -> Judged:
        """Send the request although its endpoint is tripped, and tell what came of it."""
        trip = self.probing
        alive = answered = False
        try:
            response, observation = await self._exchange(handler)
            alive = observation is None
            answered = observation is not None and observation.verdict.permanent
            return response, observation
        finally:
            if trip is not None:
                self._guard.end_probe(trip, alive=alive, answered=answered)

    async def _check(self) -> None:
        error = self.admit()
        if error is not None:
            # Without this a loop over a dead key would never let another task run.
            await asyncio.sleep(0)
            raise error

    def _check_and_send(self, connection: Any) -> Any:
        self.depart(connection)
        return self._send(connection)
