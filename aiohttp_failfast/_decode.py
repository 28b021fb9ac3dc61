"""Undo a Content-Encoding within bounds, for bodies that aiohttp was told to leave encoded."""

from __future__ import annotations

import contextlib
import importlib
import zlib
from collections.abc import Callable
from typing import Any

Decoder = Callable[[bytes, int], bytes]

# Enough to see whether bytes are text; a whole body would only take longer.
_SAMPLE = 256
_TEXT_CONTROLS = {9, 10, 12, 13}


def decode(content: bytes, encoding: str, limit: int) -> bytes:
    """Return the decoded body, or content itself where that cannot be done.

    A body that is cut off is decoded as far as it goes. Content that is text already (aiohttp
    decoded it, but left the header) is returned as it is.

    Args:
        content: bytes of the body.
        encoding: value of the ``Content-Encoding`` header.
        limit: bytes to return at most.
    """
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        decoder = _DECODERS.get(name)
        if decoder is None or not content or _looks_like_text(content):
            return content
        try:
            content = decoder(content, limit) or content
        except Exception:  # each library raises its own errors for broken data
            return content
    return content


def _looks_like_text(content: bytes) -> bool:
    sample = content[:_SAMPLE]
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 3:  # else only a character cut in two at the end
            return False
    return all(byte >= 0x20 or byte in _TEXT_CONTROLS for byte in sample)


def _gzip(content: bytes, limit: int) -> bytes:
    return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(content, limit)


def _deflate(content: bytes, limit: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(content, limit)
    except zlib.error:  # raw deflate, which old servers send under the same name
        return zlib.decompressobj(wbits=-zlib.MAX_WBITS).decompress(content, limit)


def _brotli(content: bytes, limit: int) -> bytes:
    decompressor: Any = _first_module("brotlicffi", "brotli").Decompressor()
    # Only releases with a bound on the output are used: 64 KiB of brotli can hold gigabytes.
    return bytes(decompressor.process(content, output_buffer_limit=limit))[:limit]


def _zstd(content: bytes, limit: int) -> bytes:
    zstd: Any = _first_module("compression.zstd", "backports.zstd")
    return bytes(zstd.ZstdDecompressor().decompress(content, limit))


def _first_module(*names: str) -> Any:
    for name in names:
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    raise ImportError(f"none of {', '.join(names)} is installed")


_DECODERS: dict[str, Decoder] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
