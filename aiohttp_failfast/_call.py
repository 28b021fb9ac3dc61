"""One call of the session: its attempts, the waits between them, and its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from ._attempt import Attempt
from ._errors import PermanentEndpointError
from ._events import Retry, tell
from ._guard import Guard
from ._hold import Hold
from ._observation import Observation
from ._raise import discard, raise_for_status
from ._remembered import RememberedResponse, remember, responds
from ._replay import Replay, is_spent
from ._retry import RetryPolicy
from ._trip import Trip

RaiseForStatus = bool | Callable[[ClientResponse], Awaitable[None]]
"""What aiohttp takes as ``raise_for_status``."""

Send = Callable[[], Awaitable[ClientResponse]]


class Call:
    """The state of one call; also the innermost middleware of its requests.

    As innermost middleware it sees every wire attempt, whatever stands outside of it: another
    retry loop, a middleware that puts the key in, ``raise_for_status``. It judges the answer and
    trips the latch, but hands the answer on: a middleware that fetches a new token on a 401 must
    get that 401. Only what reaches the caller is raised.

    Args:
        guard: judges and refuses.
        policy: when to try again.
        raise_for_status: what the caller wants of error answers.
        data: the body as the caller gave it.
        headers: the headers as the caller gave them.
    """

    __slots__ = (
        "_answered",
        "_attempt",
        "_delay",
        "_guard",
        "_headers",
        "_hold",
        "_observation",
        "_policy",
        "_raise",
        "_replay",
        "_request",
        "_sent",
    )

    def __init__(
        self,
        guard: Guard,
        policy: RetryPolicy,
        raise_for_status: RaiseForStatus,
        *,
        data: Any,
        headers: Any,
    ) -> None:
        self._guard = guard
        self._policy = policy
        self._raise = raise_for_status
        self._headers = headers
        self._replay = None if data is None else Replay(data)
        self._hold: Hold | None = None
        self._request: ClientRequest | None = None
        self._attempt = 1
        self._sent = False
        self._answered: ClientResponse | None = None
        self._observation: Observation | None = None
        self._delay: float | None = None

    @property
    def is_done(self) -> bool:
        """Whether the answer was healthy, so that there is nothing to follow up."""
        return self._observation is None

    async def run_held(self, send: Send) -> ClientResponse:
        """Do what `follow_up` does, and hold the call for as long as its endpoint is tripped.

        Raises:
            PermanentEndpointError: the call's patience is up, or its body cannot be sent again.
        """
        hold = self._hold = Hold(self._guard)
        try:
            while True:
                try:
                    return await self.follow_up(await send(), send)
                except PermanentEndpointError as error:
                    if error.sent and not self._is_repeatable():
                        raise
                    trip = error.trip
                await hold.until_clear(trip, sent=self._sent)
        finally:
            hold.end()

    async def follow_up(self, response: ClientResponse, send: Send) -> ClientResponse:
        """Send again as long as the answer and the policy ask for it; return the last answer.

        Raises:
            PermanentEndpointError: the endpoint is dead, known before or from this answer.
        """
        while True:
            observation = self._observation_of(response)
            if observation is None:
                return response
            if observation.trip is not None:
                discard(response)
                raise PermanentEndpointError.from_trip(observation.trip, sent=True)
            if self._hold is not None and self._is_outdated(observation):
                discard(response)
                response = await send()
                continue
            if self._delay is None:
                return response
            discard(response)
            trip = await self._pause(self._delay, observation)
            if trip is not None:
                return self._end(trip)
            self._attempt += 1
            response = await send()

    def _is_outdated(self, observation: Observation) -> bool:
        """Tell of a call to be held whether a reset has overtaken the answer that says dead."""
        is_old = observation.answer.generation < self._guard.latch.generation
        return observation.verdict.permanent and is_old and self._is_repeatable()

    def _is_repeatable(self) -> bool:
        if self._request is not None and is_spent(self._request._body):
            return False
        return self._replay is None or self._replay.rewind()

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Guard one request on the wire; called by aiohttp as the innermost middleware."""
        self._request = request
        probing = None if self._hold is None else self._hold.take_probing()
        attempt = Attempt(self._guard, request, sent=self._sent, probing=probing)
        try:
            response, observation = await attempt.exchange(handler)
        except PermanentEndpointError as error:
            if not self._responds:
                raise
            return self._remember(error.trip, request, sent=error.sent)
        finally:
            self._sent = attempt.sent
        if observation is not None and observation.trip is not None and self._responds:
            discard(response)
            return self._remember(observation.trip, request, sent=True)
        self._answered = response
        self._observation = observation
        self._delay = None if observation is None else self._plan(observation)
        return response

    @property
    def _responds(self) -> bool:
        return responds(self._guard, self._headers)

    async def raise_for_status(self, response: ClientResponse) -> None:
        """Do what the caller's own ``raise_for_status`` asks for, with the body in the error."""
        observation = self._observation_of(response)
        if observation is not None and observation.trip is None and self._delay is not None:
            return  # another attempt follows
        if (observation is not None and observation.trip is not None) or not callable(self._raise):
            await raise_for_status(response)
        else:
            await self._raise(response)

    def _observation_of(self, response: ClientResponse) -> Observation | None:
        # Another middleware may have put an answer of its own in place of ours.
        return self._observation if response is self._answered else None

    def _plan(self, observation: Observation) -> float | None:
        answer = observation.answer
        delay = self._policy.delay_after(
            self._attempt, answer.method, answer.status, observation.verdict, answer.headers
        )
        return delay if delay is not None and self._is_repeatable() else None

    async def _pause(self, seconds: float, observation: Observation) -> Trip | None:
        """Wait before the next attempt; return the trip that ends the call, if one does."""
        settings, answer = self._guard.settings, observation.answer
        if settings.on_retry is not None:
            details = Retry(
                endpoint=observation.endpoint,
                method=answer.method,
                attempt=self._attempt,
                delay=seconds,
                status=answer.status,
                verdict=observation.verdict,
            )
            await tell("on_retry", settings.on_retry, details)
        return await self._guard.sleep(seconds, observation.endpoint)

    def _end(self, trip: Trip) -> ClientResponse:
        """End a call that slept when its endpoint was tripped."""
        if self._responds and not self._raise and self._request is not None:
            return self._remember(trip, self._request, sent=True)
        raise PermanentEndpointError.from_trip(trip, sent=True)

    def _remember(self, trip: Trip, request: ClientRequest, *, sent: bool) -> RememberedResponse:
        self._answered = None
        return remember(self._guard, trip, request, sent=sent)
