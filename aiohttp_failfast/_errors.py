"""The errors, all of them ``aiohttp.ClientResponseError``.

::

    aiohttp.ClientResponseError
    └── ContentResponseError        an error answer, with the body that came with it
        └── PermanentEndpointError  the key is spent or dead: no retry can help

They differ from aiohttp's own in three ways: they carry the body, they pickle (also with the
headers of a real answer), and no header in them holds a secret.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from aiohttp import ClientResponseError, RequestInfo
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from ._credential import Endpoint
from ._trip import Trip
from ._verdict import Verdict


class ContentResponseError(ClientResponseError):
    """An error answer together with its body.

    Attributes:
        response_content: the body, as far as it was read.

    .. versionadded:: 0.1.0
    """

    response_content: bytes = b""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as plain data; aiohttp's own error cannot be, because of its header proxies."""
        state = dict(self.__dict__)
        state.pop("history", None)  # live responses
        info = state.pop("request_info")
        state["headers"] = _items(self.headers)
        flat = (str(info.url), info.method, _items(info.headers), str(info.real_url))
        return _rebuild, (type(self), flat, state)

    @classmethod
    def of(
        cls, request_info: RequestInfo, *, status: int, message: str, headers: Any, content: bytes
    ) -> ContentResponseError:
        """Return the error of one answer; ``request_info`` and ``headers`` must be redacted."""
        error = cls(request_info, (), status=status, message=message, headers=headers)
        error.response_content = content
        return error


class PermanentEndpointError(ContentResponseError):
    """The key is spent or dead; every call with it fails at once until the latch is reset.

    ``status``, ``message``, ``headers`` and ``request_info`` are those of the answer that tripped
    the latch, so handlers of ``ClientResponseError`` keep working. ``history`` is empty.

    Attributes:
        verdict: what that answer says.
        endpoint: the origin and the fingerprint of the key.
        response_content: the body of that answer.
        sent: whether *this* call touched the wire.
        tripped_at: when the latch tripped; aware, in UTC.

    .. versionadded:: 0.1.0
    """

    verdict: Verdict
    endpoint: Endpoint
    sent: bool
    tripped_at: datetime
    _trip: Trip

    @classmethod
    def from_trip(cls, trip: Trip, *, sent: bool) -> PermanentEndpointError:
        """Return a fresh error that tells of a trip.

        Args:
            trip: the trip.
            sent: whether the failing call touched the wire.
        """
        info, headers = _live(trip)
        error = cls(info, (), status=trip.status, message=trip.reason, headers=headers)
        error.response_content = trip.content
        error.verdict = trip.verdict
        error.endpoint = trip.endpoint
        error.sent = sent
        error.tripped_at = trip.tripped_at
        error._trip = trip
        return error

    @property
    def trip(self) -> Trip:
        """The record of the latch that this error tells of."""
        return self._trip

    @property
    def resets_at(self) -> datetime | None:
        """When the provider says that the limit ends, if it does; aware, in UTC."""
        return self.verdict.resets_at

    def __str__(self) -> str:
        how = "This call was answered so" if self.sent else "This call was not sent"
        return f"{self._trip.explain()} {how}."

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.verdict.kind} status={self.status} "
            f"endpoint={str(self.endpoint)!r} sent={self.sent}>"
        )


def request_info_of(method: str, url: str, headers: Iterable[tuple[str, str]]) -> RequestInfo:
    """Return aiohttp's description of a request, from plain data."""
    address = URL(url)
    return RequestInfo(address, method, CIMultiDictProxy(CIMultiDict(headers)), address)


def _live(trip: Trip) -> tuple[RequestInfo, CIMultiDictProxy[str]]:
    """Return the immutable aiohttp objects of a trip, made once and shared by its errors."""
    made: tuple[RequestInfo, CIMultiDictProxy[str]] | None = trip.__dict__.get("_live")
    if made is None:
        info = request_info_of(trip.method, trip.url, trip.request_headers)
        made = (info, CIMultiDictProxy(CIMultiDict(trip.headers)))
        trip.__dict__["_live"] = made
    return made


def _items(headers: Any) -> list[tuple[str, str]] | None:
    return None if headers is None else [(str(name), str(text)) for name, text in headers.items()]


def _rebuild(
    cls: type[ContentResponseError],
    info: tuple[str, str, list[tuple[str, str]] | None, str],
    state: dict[str, Any],
) -> ContentResponseError:
    url, method, request_headers, real_url = info
    proxy = CIMultiDictProxy(CIMultiDict(request_headers or ()))
    error = cls.__new__(cls)
    ClientResponseError.__init__(
        error, RequestInfo(URL(url), method, proxy, URL(real_url)), (), status=state["status"]
    )
    headers = state.pop("headers")
    error.__dict__.update(state)
    error.headers = None if headers is None else CIMultiDictProxy(CIMultiDict(headers))
    return error
