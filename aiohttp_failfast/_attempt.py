"""One request on its way through a middleware: admitted, sent, judged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from ._guard import Guard
from ._judge import judge
from ._observation import Observation
from ._trip import Trip
from ._wire import SEND, Flight


class Attempt:
    """Takes one request through ``handler``, the rest of aiohttp.

    Args:
        guard: says whether it may go.
        request: the request.
        sent: whether an earlier attempt of the same call touched the wire.
        probing: a trip that this request has the right to probe already.
    """

    __slots__ = ("_flight", "_guard", "_inner", "_request")

    def __init__(
        self,
        guard: Guard,
        request: ClientRequest,
        *,
        sent: bool = False,
        probing: Trip | None = None,
    ) -> None:
        self._guard = guard
        self._request = request
        self._flight = Flight(guard, request, sent=sent)
        self._flight.probing = probing
        self._inner: Any = None

    @property
    def sent(self) -> bool:
        """Whether this or an earlier attempt touched the wire."""
        return self._flight.sent

    async def exchange(
        self, handler: ClientHandlerType
    ) -> tuple[ClientResponse, Observation | None]:
        """Send the request if its endpoint is clear, and judge the answer.

        Raises:
            PermanentEndpointError: the endpoint is tripped, now or by the time that the request
                has its connection. (An answer that trips is returned.)
        """
        if self._guard.settings.probe is not None and await self._is_probe():
            return await self._probe(handler)
        await self._check()
        if not self._guard.settings.canary:
            return await self._send_and_judge(handler)
        place = await self._guard.claim(self._request.url, self._request.headers)
        if place is None:
            await self._check()
            return await self._send_and_judge(handler)
        try:
            return await self._send_and_judge(handler)
        finally:
            place.leave()

    async def _is_probe(self) -> bool:
        if self._flight.probing is None:
            trip = self._flight.trip()
            if trip is not None and await self._guard.take_probe(trip):
                self._flight.probing = trip
        return self._flight.probing is not None

    async def _probe(self, handler: ClientHandlerType) -> tuple[ClientResponse, Observation | None]:
        """Send the request although its endpoint is tripped, and tell what came of it."""
        trip = self._flight.probing
        alive = answered = False
        try:
            response, observation = await self._send_and_judge(handler)
            alive = observation is None
            answered = observation is not None and observation.verdict.permanent
            return response, observation
        finally:
            if trip is not None:
                self._guard.end_probe(trip, alive=alive, answered=answered)

    async def _check(self) -> None:
        error = self._flight.admit()
        if error is not None:
            # Without this a loop over a dead key would never let another task run.
            await asyncio.sleep(0)
            raise error

    async def _send_and_judge(
        self, handler: ClientHandlerType
    ) -> tuple[ClientResponse, Observation | None]:
        self._flight.enter()
        try:
            with self._armed():
                response = await handler(self._request)
        finally:
            self._flight.land()
        try:
            return response, await judge(self._guard, response, self._flight.generation)
        except BaseException:
            # On every aiohttp, an exception out of a middleware leaks an unread response.
            response.close()
            raise

    @contextmanager
    def _armed(self) -> Iterator[None]:
        """Put the last check in the way of the request's own send."""
        attributes = vars(self._request)
        shadowed = attributes.get(SEND)
        self._inner = getattr(self._request, SEND)
        attributes[SEND] = self._send
        try:
            yield
        finally:
            if shadowed is None:
                attributes.pop(SEND, None)
            else:
                attributes[SEND] = shadowed

    def _send(self, connection: Any) -> Any:
        self._flight.depart(connection)
        return self._inner(connection)
