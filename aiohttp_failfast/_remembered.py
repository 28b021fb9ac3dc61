"""The answer that tripped the latch, handed back as a real response.

For SDKs that map answers to errors of their own: an exception from the session they would wrap
and retry, this answer they understand.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

from aiohttp import ClientRequest, ClientResponse, HttpVersion11, StreamReader
from aiohttp.client_proto import ResponseHandler
from multidict import CIMultiDict, CIMultiDictProxy

from ._errors import PermanentEndpointError
from ._guard import Guard
from ._trip import Trip
from ._verdict import VerdictKind

# They described how the body came over the wire; it is decoded and whole now.
_WIRE_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})

_LIBRARY_AGENTS = ("python-httpx", "litellm/")

# aiohttp 3.14 needs it, earlier ones do not know it; it is asked for its output_size only.
_STREAM_WRITER: dict[str, Any] = (
    {"stream_writer": SimpleNamespace(output_size=0)}
    if "stream_writer" in inspect.signature(ClientResponse.__init__).parameters
    else {}
)


class RememberedResponse(ClientResponse):
    """A `ClientResponse` made from a trip; it holds no connection and needs no release.

    Args:
        trip: the answer to hand back.
        request: the request of this call.
        spent_status: status in place of the remembered one where the key is spent.
        sent: whether this call touched the wire.
    """

    def __init__(
        self,
        trip: Trip,
        request: ClientRequest,
        *,
        spent_status: int | None,
        sent: bool,
    ) -> None:
        loop = request.loop
        super().__init__(
            request.method,
            request.original_url,
            writer=cast(Any, None),
            continue100=None,
            timer=cast(Any, None),
            request_info=request.request_info,
            traces=[],
            loop=loop,
            session=cast(Any, getattr(request, "_session", None)),
            **_STREAM_WRITER,
        )
        self._trip = trip
        self._sent = sent
        is_spent = trip.verdict.kind is VerdictKind.QUOTA
        self.version = HttpVersion11
        self.status = spent_status if spent_status is not None and is_spent else trip.status
        self.reason = trip.reason
        body = b"" if request.method == "HEAD" else trip.content
        headers = _headers(trip, len(body))
        self._headers = CIMultiDictProxy(headers)
        self._raw_headers = tuple(
            (name.encode("latin-1", "replace"), value.encode("utf-8", "surrogateescape"))
            for name, value in headers.items()
        )
        self.content = StreamReader(
            ResponseHandler(loop=loop), limit=max(2**16, len(body)), loop=loop
        )
        if body:
            self.content.feed_data(body, len(body))
        self.content.feed_eof()

    def raise_for_status(self) -> None:
        """Raise the permanent error, whatever the status.

        Raises:
            PermanentEndpointError: always.
        """
        raise PermanentEndpointError.from_trip(self._trip, sent=self._sent)

    def release(self) -> Any:
        """Do nothing: there is no connection, and the body stays readable."""
        return _Noop()

    def close(self) -> None:
        """Do nothing, for the same reason."""


class _Noop:
    """What aiohttp's own release returns: it may be awaited."""

    def __await__(self) -> Any:
        return
        yield


def remember(guard: Guard, trip: Trip, request: ClientRequest, *, sent: bool) -> RememberedResponse:
    """Return the answer that tripped, as the answer to this request."""
    status = guard.settings.spent_status
    return RememberedResponse(trip, request, spent_status=status, sent=sent)


def responds(guard: Guard, headers: object) -> bool:
    """Tell whether a call with these headers gets the remembered answer instead of an error."""
    way = guard.settings.when_tripped
    return way == "respond" or (way == "auto" and is_library_transport(headers))


def is_library_transport(headers: object) -> bool:
    """Tell whether a call comes from the transport of an HTTP client library.

    Such a library maps answers to errors of its own, so with ``when_tripped="auto"`` it gets the
    remembered answer. It is known by the headers that it passes: an object of httpx or of its
    successor httpx2, also vendored ones (openai, anthropic, litellm, httpx-aiohttp). A middleware
    sees aiohttp's own copy of them; there it is known by the ``x-stainless-lang`` of the SDKs
    made by Stainless, or by the ``User-Agent`` of httpx or litellm.
    """
    if any(part.startswith("httpx") for part in type(headers).__module__.split(".")):
        return True
    if not isinstance(headers, Mapping):
        return False
    if "x-stainless-lang" in headers:
        return True
    agent = headers.get("User-Agent")
    return isinstance(agent, str) and agent.startswith(_LIBRARY_AGENTS)


def _headers(trip: Trip, length: int) -> CIMultiDict[str]:
    headers = CIMultiDict(
        (name, value) for name, value in trip.headers if name.lower() not in _WIRE_HEADERS
    )
    headers["Content-Length"] = str(length)
    headers["x-should-retry"] = "false"
    return headers
