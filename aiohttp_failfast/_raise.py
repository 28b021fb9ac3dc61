"""raise_for_status for answers whose body may have been read already."""

from __future__ import annotations

from aiohttp import ClientResponse
from multidict import CIMultiDict, CIMultiDictProxy

from ._answer import answer_of
from ._body import peek
from ._classify import classify
from ._credential import by_credential
from ._errors import ContentResponseError, PermanentEndpointError, request_info_of
from ._judge import FIRST_ERROR_STATUS, observation_of
from ._observation import Answer, record
from ._redact import Redactor
from ._remembered import RememberedResponse
from ._settings import DEFAULT_BODY_TIMEOUT, DEFAULT_MAX_BODY
from ._trip import Trip


async def raise_for_status(response: ClientResponse, content: bytes | None = None) -> None:
    """Raise the error of an error answer, with its body; do nothing for a good one.

    Usable as ``ClientSession(raise_for_status=raise_for_status)`` too.

    Args:
        response: the answer.
        content: its body, if it was read already; it is not read again. Without it the body is
            read here, up to 64 KiB and for at most 2 seconds.

    Raises:
        PermanentEndpointError: the answer says that the key is spent or dead.
        aiohttp.ClientResponseError: any other answer with a status of 400 or more. It is a
            `ContentResponseError`, which carries the body as ``response_content``.

    .. versionadded:: 0.1.0
    """
    if isinstance(response, RememberedResponse):
        response.raise_for_status()
    if response.status < FIRST_ERROR_STATUS:
        return
    observation = observation_of(response)
    if content is None:
        content = observation.answer.content if observation else await _look(response)
    answer = answer_of(response, content, 0)
    trip = observation.trip if observation else _trip_of(answer)
    discard(response)
    if trip is not None:
        raise PermanentEndpointError.from_trip(trip, sent=True)
    raise error_of(answer)


def error_of(answer: Answer) -> ContentResponseError:
    """Return the error of an answer that says nothing of the key."""
    redactor = Redactor(answer.url, answer.request_headers)
    info = request_info_of(
        answer.method, redactor.url(answer.url), redactor.headers(answer.request_headers.items())
    )
    return ContentResponseError.of(
        info,
        status=answer.status,
        message=redactor.text(answer.reason),
        headers=CIMultiDictProxy(CIMultiDict(redactor.headers(answer.headers.items()))),
        content=redactor.body(answer.content),
    )


def discard(response: ClientResponse) -> None:
    """Give the connection back, or close it where the body is still on its way."""
    if response.content.is_eof():
        response.release()
    else:
        response.close()


async def _look(response: ClientResponse) -> bytes:
    try:
        return await peek(response, DEFAULT_MAX_BODY, DEFAULT_BODY_TIMEOUT)
    except BaseException:
        # Up to aiohttp 3.14.3 nobody else closes it when its raise_for_status is cancelled.
        response.close()
        raise


def _trip_of(answer: Answer) -> Trip | None:
    """Return what an answer would trip on its own; one that needs company would not."""
    verdict = classify(answer.status, answer.headers, answer.content, url=str(answer.url))
    if not verdict.permanent or verdict.sightings > 1:
        return None
    return record(answer, verdict, by_credential(answer.url, answer.request_headers))
