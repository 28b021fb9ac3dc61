"""Whether a request body can be sent a second time.

``ClientSession`` called again with the same arguments sends a ``BytesIO`` or an async generator
*empty*, without a word. So a body is sent again only where it is known to come out the same.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from aiohttp import FormData, MultipartWriter
from aiohttp.payload import BytesIOPayload, BytesPayload

_FIXED = (bytes, bytearray, memoryview, str, int, float, bool, type(None))


class Replay:
    """Brings the body of a request back to where its first attempt began.

    Args:
        data: the ``data`` argument of the request; a ``json`` argument needs no replay.
    """

    __slots__ = ("_repeatable", "_starts")

    def __init__(self, data: Any) -> None:
        # Now, because a form forgets its fields when it is sent.
        self._repeatable = _is_repeatable(data)
        self._starts: list[tuple[io.BytesIO | io.StringIO, int]] = []
        if not isinstance(data, _FIXED):
            self._starts = [(stream, stream.tell()) for stream in _streams(data)]

    def rewind(self) -> bool:
        """Make the body ready for another attempt; False where it cannot be sent again."""
        if not self._repeatable or any(stream.closed for stream, _ in self._starts):
            return False
        for stream, start in self._starts:
            stream.seek(start)
        return True


def is_spent(body: Any) -> bool:
    """Tell whether a body, as aiohttp made it for one request, is used up."""
    if isinstance(body, MultipartWriter):
        # The writer calls itself consumed as soon as it was sent once; its parts know better.
        return any(is_spent(part) for part, _, _ in body._parts)
    return bool(getattr(body, "consumed", False))


def _parts(data: Any) -> list[Any] | None:
    """Return the values inside a form, or None for what is no form."""
    if isinstance(data, FormData):
        return [data._writer, *(value for _, _, value in data._fields)]
    if isinstance(data, MultipartWriter):
        return [part for part, _, _ in data._parts]
    if isinstance(data, Mapping):
        return [
            part
            for value in data.values()
            for part in (value if isinstance(value, (list, tuple)) else (value,))
        ]
    if isinstance(data, (list, tuple)):
        # Pairs of a form, or its bare files.
        return [
            part for item in data for part in (item[1:] if isinstance(item, tuple) else (item,))
        ]
    return None


def _streams(data: Any) -> list[io.BytesIO | io.StringIO]:
    if isinstance(data, (io.BytesIO, io.StringIO)):
        return [] if data.closed else [data]
    if isinstance(data, BytesIOPayload):
        return _streams(data._value)
    return [stream for part in _parts(data) or () for stream in _streams(part)]


def _is_repeatable(data: Any) -> bool:
    if isinstance(data, (*_FIXED, io.BytesIO, io.StringIO)):
        return True
    # Only what is known to come out the same: an open file is closed once it was sent, and a
    # payload of somebody else's may give its bytes once without saying so.
    if isinstance(data, (BytesPayload, BytesIOPayload)):
        return True
    parts = _parts(data)
    return parts is not None and all(_is_repeatable(part) for part in parts)
