"""Verdict meets latch: the one object that session, trace and middleware hold.

It knows no response and no request, only what they said.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from yarl import URL

from ._credential import Endpoint, fingerprint, origin_of
from ._errors import PermanentEndpointError
from ._latch import Latch, TripListener
from ._redact import Redactor
from ._settings import Settings
from ._trip import Trip
from ._verdict import MAX_MESSAGE, Verdict, VerdictKind
from ._waiters import Waiter

_FIRST_SERVER_ERROR = 500

logger = logging.getLogger("aiohttp_failfast")


@dataclass(frozen=True)
class Answer:
    """One error answer and the request it was for, as plain data.

    Attributes:
        request_headers: as they were really sent.
        content: the decoded body, as far as it was read.
        generation: of the latch, when the request was sent.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    content: bytes
    method: str
    url: URL
    request_headers: Mapping[str, str]
    generation: int


@dataclass(frozen=True)
class Observation:
    """What came of an answer.

    Attributes:
        endpoint: None where the scope leaves the request alone.
        trip: the trip in force for the endpoint, if the answer is permanent.
    """

    answer: Answer
    verdict: Verdict
    endpoint: Endpoint | None
    trip: Trip | None


class Guard:
    """Says before a request whether it may go, and learns from its answer."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.latch = Latch() if settings.latch is None else settings.latch
        self._name_endpoint = settings.name_endpoint
        self.flights: set[TripListener] = set()
        self.latch.subscribe(self)

    def endpoint(self, url: URL, headers: Mapping[str, str]) -> Endpoint | None:
        """Return the endpoint of a request, or None where the scope leaves it alone.

        Raises:
            TypeError: a user's scope returned something else than promised.
        """
        named: object = self._name_endpoint(url, headers)
        if named is None or isinstance(named, Endpoint):
            return named
        if isinstance(named, str):
            # The user's name for the caller may well be the key itself.
            return Endpoint(origin_of(url), fingerprint(named))
        raise TypeError(f"scope must return an Endpoint, a str or None, got {type(named).__name__}")

    def refusal(
        self, url: URL, headers: Mapping[str, str], *, sent: bool = False
    ) -> PermanentEndpointError | None:
        """Return the error for a request whose endpoint is tripped, else None.

        Args:
            url: where the request goes.
            headers: its headers.
            sent: whether an earlier attempt of the same call touched the wire.
        """
        if not self.latch.tripped:
            return None
        endpoint = self.endpoint(url, headers)
        trip = None if endpoint is None else self.latch.find(endpoint)
        if trip is None:
            return None
        self.latch.counters.refusal()
        logger.debug("refused a request to %s", endpoint)
        return PermanentEndpointError.from_trip(trip, sent=sent)

    def tripped(self, trip: Trip) -> None:
        """Hear of a trip: tell the requests that are queued or under way."""
        # copy() is one step of the interpreter: another thread may be adding to the set.
        for flight in self.flights.copy():
            flight.tripped(trip)

    async def claim(self, url: URL, headers: Mapping[str, str]) -> Place | None:
        """Wait for the canary of an unknown endpoint, if there is to be one.

        Returns:
            The place of the canary, for the request that must go ahead; else None. After a wait
            the latch must be asked again.
        """
        if not self.settings.canary:
            return None
        endpoint = self.endpoint(url, headers)
        if endpoint is None:
            return None
        waiter = await self.latch.canaries.claim(endpoint, self.settings.canary_timeout)
        return None if waiter is None else Place(self.latch, endpoint, waiter)

    def succeeded(self, url: URL, headers: Mapping[str, str], generation: int) -> None:
        """Learn that a request was answered well."""
        if self.settings.canary or self.latch.suspects:
            endpoint = self.endpoint(url, headers)
            if endpoint is not None:
                self.latch.succeed(endpoint, generation)

    async def observe(self, answer: Answer) -> Observation:
        """Judge an answer, and trip the latch where it is permanent."""
        observation, news = self.learn(answer)
        if news is not None:
            await self.tell(news)
        return observation

    def learn(self, answer: Answer) -> tuple[Observation, Trip | None]:
        """Judge an answer and set the latch, without telling anybody.

        Returns:
            What came of it, and the trip if it is new: then `tell` is owed.
        """
        verdict = self._judge(answer)
        endpoint = self.endpoint(answer.url, answer.request_headers)
        if endpoint is None:
            return Observation(answer, verdict, None, None), None
        if not verdict.permanent:
            if verdict.kind is VerdictKind.OK:
                self.latch.succeed(endpoint, answer.generation)
            elif answer.status < _FIRST_SERVER_ERROR:
                # An answer of another kind, but an answer: the key was not turned away.
                self.latch.canaries.settle(endpoint)
            return Observation(answer, verdict, endpoint, None), None
        trip = record(answer, verdict, endpoint)
        is_new = self.latch.trip(trip)
        if is_new:
            logger.warning("%s", trip.explain())
        in_force = self.latch.find(endpoint)
        return Observation(answer, verdict, endpoint, in_force), trip if is_new else None

    async def tell(self, trip: Trip) -> None:
        """Call ``on_trip``; whatever it does, the latch stays as it is."""
        on_trip = self.settings.on_trip
        if on_trip is None:
            return
        try:
            result = on_trip(trip)
            if inspect.isawaitable(result):
                await result
        except Exception:
            logger.exception("on_trip failed; the latch stays tripped")

    def _judge(self, answer: Answer) -> Verdict:
        try:
            verdict: object = self.settings.classify(
                answer.status, answer.headers, answer.content, url=str(answer.url)
            )
            if isinstance(verdict, Verdict):
                return verdict
            logger.error("classify returned %s, not a Verdict", type(verdict).__name__)
        except Exception:
            logger.exception("classify failed; the answer is handed on as it is")
        return Verdict(VerdictKind.OTHER, rule="classify-failed")


class Place:
    """The place of the canary; leaving it lets the next one take it, or all go."""

    __slots__ = ("_endpoint", "_latch", "_waiter")

    def __init__(self, latch: Latch, endpoint: Endpoint, waiter: Waiter) -> None:
        self._latch = latch
        self._endpoint = endpoint
        self._waiter = waiter

    def leave(self) -> None:
        """Leave it; without effect where the answer has settled the matter."""
        self._latch.canaries.vacate(self._endpoint, self._waiter)


def record(answer: Answer, verdict: Verdict, endpoint: Endpoint) -> Trip:
    """Return what the latch keeps of an answer: plain facts, no secret."""
    redactor = Redactor(answer.url, answer.request_headers)
    kept = replace(
        verdict,
        message=redactor.text(verdict.message)[:MAX_MESSAGE],
        code=None if verdict.code is None else redactor.text(verdict.code),
    )
    return Trip(
        endpoint=endpoint,
        verdict=kept,
        status=answer.status,
        reason=redactor.text(answer.reason),
        method=answer.method,
        url=redactor.url(answer.url),
        request_headers=redactor.headers(answer.request_headers.items()),
        headers=redactor.headers(answer.headers.items()),
        content=redactor.body(answer.content),
        tripped_at=datetime.now(timezone.utc),
        generation=answer.generation,
    )
