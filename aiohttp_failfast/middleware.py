"""``FailFastMiddleware``, for ``ClientSession(middlewares=[...])``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from ._attempt import Attempt
from ._errors import PermanentEndpointError
from ._guard import Guard
from ._hold import Hold
from ._latch import Latch
from ._raise import discard
from ._remembered import remember, responds
from ._replay import is_spent
from ._settings import Options, Settings

if TYPE_CHECKING:
    from typing_extensions import Unpack


class FailFastMiddleware:
    """A client middleware that judges, trips and refuses; it does not retry.

    Put it last in the list (innermost): there it sees every wire attempt and the key that is
    really sent. A middleware that fetches a new token on a 401 belongs after it, because the
    answer that trips is raised here. A request with its own ``middlewares=`` bypasses those of
    the session, this one included: that is aiohttp's rule; pass it along there.

    Args:
        options: those of `FailFastSession`, but for ``retry``, by keyword. ``"auto"`` knows a
            client library by its headers alone here; see `is_library_transport`.

    Raises:
        TypeError, ValueError: an argument makes no sense; the message names it.

    .. versionadded:: 0.1.0
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self._guard = Guard(Settings(**options))

    @property
    def latch(self) -> Latch:
        """The memory of dead endpoints."""
        return self._guard.latch

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Guard one request; called by aiohttp.

        Raises:
            PermanentEndpointError: the endpoint is dead, known before or from this answer.
        """
        guard = self._guard
        if guard.settings.when_tripped == "wait":
            return await self._hold(request, handler)
        try:
            return await self._exchange(Attempt(guard, request), handler)
        except PermanentEndpointError as error:
            if not responds(guard, request.headers):
                raise
            return remember(guard, error.trip, request, sent=error.sent)

    async def _hold(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Hold the request as long as its endpoint is tripped; its own timeout runs meanwhile."""
        hold = Hold(self._guard)
        sent = False
        try:
            while True:
                attempt = Attempt(self._guard, request, sent=sent, probing=hold.take_probing())
                try:
                    return await self._exchange(attempt, handler)
                except PermanentEndpointError as error:
                    if is_spent(request._body):
                        raise
                    trip = error.trip
                sent = attempt.sent
                await hold.until_clear(trip, sent=sent)
        finally:
            hold.end()

    async def _exchange(self, attempt: Attempt, handler: ClientHandlerType) -> ClientResponse:
        response, observation = await attempt.exchange(handler)
        if observation is None or observation.trip is None:
            return response
        discard(response)
        raise PermanentEndpointError.from_trip(observation.trip, sent=True)
