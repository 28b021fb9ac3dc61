"""A response as plain data."""

from __future__ import annotations

from aiohttp import ClientResponse

from ._observation import Answer


def answer_of(
    response: ClientResponse, content: bytes, generation: int, *, key_was_dropped: bool = False
) -> Answer:
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
        key_was_dropped=key_was_dropped,
    )
