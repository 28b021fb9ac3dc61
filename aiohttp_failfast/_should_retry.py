"""What other people's retry loops ask: whether another attempt can help.

Answers of aiohttp are known by their classes. Those of httpx, and of the SDKs on top of it, are
known by their attributes, so that nothing has to be installed for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from aiohttp import (
    ClientConnectionError,
    ClientConnectorCertificateError,
    ClientPayloadError,
    ClientResponse,
    ClientResponseError,
    ServerFingerprintMismatch,
)

from ._classify import classify
from ._errors import ContentResponseError, PermanentEndpointError
from ._judge import FIRST_ERROR_STATUS, observation_of
from ._remembered import RememberedResponse
from ._retry import NO_EVIDENCE
from ._verdict import Verdict, VerdictKind

_PASSING = (ClientConnectionError, ClientPayloadError, asyncio.TimeoutError, TimeoutError)
# Another attempt meets the same certificate.
_LASTING = (ClientConnectorCertificateError, ServerFingerprintMismatch)
# What httpx-retries retries as well; looked for by name, because httpx need not be there.
_PASSING_OF_HTTPX = frozenset({"TimeoutException", "NetworkError", "RemoteProtocolError"})
# A chain of causes is short; one that is not was tied into a circle.
_MOST_CAUSES = 16


def should_retry(outcome: object) -> bool:
    """Tell whether another attempt can help, for the predicate of a retry library.

    It sees what the session has learned: a spent or dead key is never worth an attempt, nor is a
    window of hours. What an error was raised ``from`` is judged too, and one no is enough; so the
    errors of SDKs are understood.

    Args:
        outcome: an exception, or a response of aiohttp or httpx. Of a response that was not judged
            and not read, only status and headers are seen.

    Returns:
        True for passing trouble: a rate limit, overload, a 5xx, a lost connection, a timeout.
        False for all else: a `PermanentEndpointError`, an answer that says that the key is spent
        or dead or that a long window is used up, one that concerns the request itself, a good
        answer, an exception or a value that says nothing.

    Raises:
        Nothing.

    .. versionadded:: 0.1.0
    """
    if not isinstance(outcome, BaseException):
        return bool(_of_response(outcome))
    answers = [answer for error in _causes(outcome) if (answer := _of_error(error)) is not None]
    return bool(answers) and all(answers)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it was raised from, and so on."""
    for _ in range(_MOST_CAUSES):
        if error is None:
            return
        yield error
        error = error.__cause__


def _of_error(error: BaseException) -> bool | None:
    """Judge one error; None if it says nothing."""
    if isinstance(error, PermanentEndpointError) or not isinstance(error, Exception):
        return False  # the latter: somebody wants the program to stop
    if isinstance(error, ClientResponseError):
        content = error.response_content if isinstance(error, ContentResponseError) else b""
        url = str(error.request_info.real_url) if error.request_info is not None else None
        return _of_answer(error.status, error.headers or {}, content, url)
    if isinstance(error, _LASTING):
        return False
    if isinstance(error, _PASSING) or _is_passing_of_httpx(error):
        return True
    return _of_response(getattr(error, "response", None))


def _is_passing_of_httpx(error: Exception) -> bool:
    return any(
        one.__name__ in _PASSING_OF_HTTPX and one.__module__.partition(".")[0].startswith("httpx")
        for one in type(error).__mro__
    )


def _of_response(response: object) -> bool | None:
    """Judge a response; None for anything else."""
    if isinstance(response, RememberedResponse):
        return False
    if isinstance(response, ClientResponse):
        observation = observation_of(response)
        if observation is not None:
            return _is_passing(observation.verdict, response.status, response.headers)
        # Nobody else's body is read here, but what was read is looked at.
        content = response._body if isinstance(response._body, bytes) else b""
        return _of_answer(response.status, response.headers, content, str(response.url))
    status, headers = (getattr(response, name, None) for name in ("status_code", "headers"))
    if isinstance(status, int) and isinstance(headers, Mapping):
        return _of_answer(status, headers, _content_of(response), None)
    return None


def _content_of(response: object) -> bytes:
    try:
        content: object = getattr(response, "content", b"")
    except Exception:  # httpx: the body has not been read
        return b""
    return content if isinstance(content, bytes) else b""


def _of_answer(status: int, headers: Mapping[str, str], content: bytes, url: str | None) -> bool:
    if status < FIRST_ERROR_STATUS:
        return False
    return _is_passing(classify(status, headers, content, url=url), status, headers)


def _is_passing(verdict: Verdict, status: int, headers: Mapping[str, str]) -> bool:
    hint = headers.get("x-should-retry", "").strip().lower()
    if hint == "false":
        return False
    return verdict.kind is VerdictKind.TRANSIENT or (hint == "true" and verdict.rule == NO_EVIDENCE)
