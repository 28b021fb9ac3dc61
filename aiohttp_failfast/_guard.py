"""Verdict meets latch: the one object that session, trace and middleware hold.

It knows no response and no request, only what they said.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Protocol

from yarl import URL

from ._credential import Endpoint, Redactor, Scope, fingerprint
from ._errors import PermanentEndpointError
from ._latch import Latch
from ._trip import Trip
from ._verdict import MAX_MESSAGE, Verdict, VerdictKind

logger = logging.getLogger("aiohttp_failfast")

OnTrip = Callable[[Trip], "Awaitable[object] | None"]
"""Called once per trip, after the latch is set; sync or async."""


class Classifier(Protocol):
    """Anything that judges an answer as `classify` does.

    .. versionadded:: 0.1.0
    """

    def __call__(
        self, status: int, headers: Mapping[str, str], body: bytes, *, url: str | None
    ) -> Verdict:
        """Return what an answer says; see `classify`."""


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

    __slots__ = ("_classify", "_on_trip", "_scope", "body_timeout", "latch", "max_body")

    def __init__(
        self,
        *,
        latch: Latch,
        scope: Scope,
        classify: Classifier,
        on_trip: OnTrip | None,
        max_body: int,
        body_timeout: float,
    ) -> None:
        self.latch = latch
        self.max_body = max_body
        self.body_timeout = body_timeout
        self._scope = scope
        self._classify = classify
        self._on_trip = on_trip

    def endpoint(self, url: URL, headers: Mapping[str, str]) -> Endpoint | None:
        """Return the endpoint of a request, or None where the scope leaves it alone.

        Raises:
            TypeError: a user's scope returned something else than promised.
        """
        named: object = self._scope(url, headers)
        if named is None or isinstance(named, Endpoint):
            return named
        if isinstance(named, str):
            # The user's name for the caller may well be the key itself.
            return Endpoint(f"{url.scheme}://{url.host}", fingerprint(named))
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
        self.latch.count_refusal()
        logger.debug("refused a request to %s", endpoint)
        return PermanentEndpointError.from_trip(trip, sent=sent)

    def succeeded(self, url: URL, headers: Mapping[str, str], generation: int) -> None:
        """Learn that a request was answered well."""
        if self.latch.suspects:
            endpoint = self.endpoint(url, headers)
            if endpoint is not None:
                self.latch.succeed(endpoint, generation)

    async def observe(self, answer: Answer) -> Observation:
        """Judge an error answer, and trip the latch where it is permanent."""
        verdict = self._judge(answer)
        endpoint = self.endpoint(answer.url, answer.request_headers)
        if endpoint is None or not verdict.permanent:
            return Observation(answer, verdict, endpoint, None)
        trip = record(answer, verdict, endpoint)
        if self.latch.trip(trip):
            logger.warning("%s", trip.explain())
            await self._tell(trip)
        return Observation(answer, verdict, endpoint, self.latch.find(endpoint))

    def _judge(self, answer: Answer) -> Verdict:
        try:
            verdict: object = self._classify(
                answer.status, answer.headers, answer.content, url=str(answer.url)
            )
            if isinstance(verdict, Verdict):
                return verdict
            logger.error("classify returned %s, not a Verdict", type(verdict).__name__)
        except Exception:
            logger.exception("classify failed; the answer is handed on as it is")
        return Verdict(VerdictKind.OTHER, rule="classify-failed")

    async def _tell(self, trip: Trip) -> None:
        if self._on_trip is None:
            return
        try:
            result = self._on_trip(trip)
            if inspect.isawaitable(result):
                await result
        except Exception:
            logger.exception("on_trip failed; the latch stays tripped")


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
