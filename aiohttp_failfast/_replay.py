"""Whether a request body can be sent a second time.

``ClientSession`` called again with the same arguments sends a ``BytesIO`` or an async generator
*empty*, without a word. So a body is sent again only where it is known to come out the same.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from aiohttp import FormData, MultipartWriter, Payload
from aiohttp.payload import IOBasePayload

_FIXED = (bytes, bytearray, memoryview, str, int, float, bool, type(None))


class Replay:
    """Brings the body of a request back to where its first attempt began.

    Args:
        data: the ``data`` argument of the request; a ``json`` argument needs no replay.
    """

    __slots__ = ("_data", "_starts")

    def __init__(self, data: Any) -> None:
        self._data = data
        self._starts: list[tuple[io.BytesIO | io.StringIO, int]] = []
        if not isinstance(data, _FIXED):
            self._starts = [(stream, stream.tell()) for stream in _streams(data)]

    def rewind(self) -> bool:
        """Make the body ready for another attempt; False where it cannot be sent again."""
        if not _is_repeatable(self._data) or any(stream.closed for stream, _ in self._starts):
            return False
        for stream, start in self._starts:
            stream.seek(start)
        return True


def _parts(data: Any) -> list[Any] | None:
    """Return the values inside a form, or None for what is no form."""
    if isinstance(data, FormData):
        return [value for _, _, value in data._fields]
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
    return [stream for part in _parts(data) or () for stream in _streams(part)]


def _is_repeatable(data: Any) -> bool:
    if isinstance(data, (*_FIXED, io.BytesIO, io.StringIO)):
        return True
    if isinstance(data, MultipartWriter):
        return all(_is_repeatable(part) for part, _, _ in data._parts)
    if isinstance(data, Payload):
        return _is_repeatable_payload(data)
    parts = _parts(data)
    return parts is not None and all(_is_repeatable(part) for part in parts)


def _is_repeatable_payload(payload: Payload) -> bool:
    if isinstance(payload, IOBasePayload):
        # aiohttp closes an open file once it was sent; these two it leaves open and rewinds.
        return isinstance(payload._value, (io.BytesIO, io.StringIO))
    return not payload.consumed
