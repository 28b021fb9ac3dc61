"""One request on the wire: checked at the last moment before its first byte, judged after."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from ._body import peek
from ._guard import Answer, Guard, Observation

FIRST_ERROR_STATUS = 400

SEND = "send" if hasattr(ClientRequest, "send") else "_send"
"""Name of the method that writes a request; aiohttp 4 makes it private."""

_observations: WeakKeyDictionary[ClientResponse, Observation] = WeakKeyDictionary()


def observation_of(response: ClientResponse) -> Observation | None:
    """Return what was learned from a response, if it was judged."""
    return _observations.get(response)


def answer_of(response: ClientResponse, content: bytes, generation: int) -> Answer:
    """Return a response as plain data; its request headers are those that were really sent."""
    info = response.request_info
    return Answer(
        status=response.status,
        reason=response.reason or "",
        headers=response.headers,
        content=content,
        method=info.method,
        url=info.url,
        request_headers=info.headers,
        generation=generation,
    )


def check_connected(
    guard: Guard, request: ClientRequest, connection: Any, *, sent: bool = False
) -> None:
    """Check a request that has its connection; where it must not go, give that back unused.

    No await lies between this and the first byte, so nothing passes once the latch is tripped.
    The connection is released rather than closed: it stays in the pool, and the next in the
    queue is woken.

    Raises:
        PermanentEndpointError: the endpoint is tripped.
    """
    error = guard.refusal(request.url, request.headers, sent=sent)
    if error is not None:
        connection.release()
        raise error


async def judge(guard: Guard, response: ClientResponse, generation: int) -> Observation | None:
    """Learn from an answer; None for a healthy one, whose body is never touched."""
    info = response.request_info
    if response.status < FIRST_ERROR_STATUS:
        guard.succeeded(info.url, info.headers, generation)
        return None
    content = await peek(response, guard.max_body, guard.body_timeout)
    observation = await guard.observe(answer_of(response, content, generation))
    _observations[response] = observation
    return observation


class WireAttempt:
    """One request on its way through a middleware.

    Args:
        guard: says whether it may go.
        request: the request.
        sent: whether an earlier attempt of the same call touched the wire.

    Attributes:
        sent: whether this or an earlier attempt touched the wire.
    """

    __slots__ = ("_generation", "_guard", "_inner", "_request", "sent")

    def __init__(self, guard: Guard, request: ClientRequest, *, sent: bool = False) -> None:
        self._guard = guard
        self._request = request
        self._inner: Any = None
        self._generation = guard.latch.generation
        self.sent = sent

    async def exchange(
        self, handler: ClientHandlerType
    ) -> tuple[ClientResponse, Observation | None]:
        """Send the request if its endpoint is clear, and judge the answer.

        Raises:
            PermanentEndpointError: the endpoint is tripped, now or by the time that the request
                has its connection. (An answer that trips is returned.)
        """
        error = self._guard.refusal(self._request.url, self._request.headers, sent=self.sent)
        if error is not None:
            # Without this a loop over a dead key would never let another task run.
            await asyncio.sleep(0)
            raise error
        with self._armed():
            response = await handler(self._request)
        try:
            return response, await judge(self._guard, response, self._generation)
        except BaseException:
            # On every aiohttp, an exception out of a middleware leaks an unread response.
            response.close()
            raise

    @contextmanager
    def _armed(self) -> Iterator[None]:
        """Put the guard in the way of the request's own send."""
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
        check_connected(self._guard, self._request, connection, sent=self.sent)
        self._generation = self._guard.latch.generation
        self.sent = True
        return self._inner(connection)
