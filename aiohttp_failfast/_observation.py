"""One answer as plain data, what came of it, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from yarl import URL

from ._credential import Endpoint
from ._redact import Redactor
from ._trip import Trip
from ._verdict import MAX_MESSAGE, Verdict

_PROXY_AUTHENTICATION = 407


@dataclass(frozen=True)
class Answer:
    """One answer and the request it was for, as plain data.

    Attributes:
        request_headers: as they were really sent.
        content: the decoded body, as far as it was read.
        generation: of the latch, when the request was sent.
        key_was_dropped: by a redirect to another origin, so that it was sent without a key.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    content: bytes
    method: str
    url: URL
    request_headers: Mapping[str, str]
    generation: int
    key_was_dropped: bool = False


@dataclass(frozen=True)
class Observation:
    """What came of an answer.

    Attributes:
        endpoint: None where the scope leaves the request alone.
        trip: the trip in force for the endpoint, if the answer asks for one.
    """

    answer: Answer
    verdict: Verdict
    endpoint: Endpoint | None
    trip: Trip | None


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


def names_a_caller(answer: Answer) -> bool:
    """Tell whether an answer can be about the caller that its endpoint stands for.

    Not where aiohttp dropped the key on the way: what the second host says is to a request
    without one. Nor a 407, which is the proxy's own.
    """
    return not answer.key_was_dropped and answer.status != _PROXY_AUTHENTICATION
