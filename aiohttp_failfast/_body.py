"""Look at an error body within bounds, and put back what was taken."""

from __future__ import annotations

import asyncio
import json
import threading
import warnings

from aiohttp import ClientResponse, StreamReader

from ._decode import decode

# warnings.catch_warnings swaps the filters of the whole process.
_filters = threading.Lock()


async def peek(response: ClientResponse, max_body: int, timeout: float) -> bytes:
    """Return the start of a body, decoded; the caller can still read all of it in every way.

    A body that stalls, breaks, or never ends is looked at as far as it came. Nothing is raised
    for it: the caller meets the fault at his own read, as without this look. When the whole body
    has arrived the connection goes back to the pool.

    Args:
        response: a started response.
        max_body: bytes to look at, at most (one chunk of the network more may be buffered).
        timeout: seconds to wait for them.
    """
    content = await _raw(response, max_body, timeout)
    encoding = response.headers.get("Content-Encoding", "")
    return decode(content, encoding, max_body) if encoding and content else content


async def _raw(response: ClientResponse, max_body: int, timeout: float) -> bytes:
    already_read = response._body
    if already_read is not None:
        return already_read[:max_body]
    stream = response.content
    chunks: list[bytes] = []
    try:
        if stream.is_eof() and stream.exception() is None:
            chunks.append(stream.read_nowait())
        else:
            await _collect_for(stream, chunks, max_body, timeout)
    finally:
        taken = b"".join(chunks)
        _put_back(stream, taken)
    return taken[:max_body]


async def _collect_for(
    stream: StreamReader, chunks: list[bytes], max_body: int, timeout: float
) -> None:
    # A task of its own, and no wait_for: what it took is in chunks whenever it is stopped.
    task = asyncio.ensure_future(_collect(stream, chunks, max_body))
    task.add_done_callback(_forget_fault)
    try:
        await asyncio.wait({task}, timeout=timeout)
    finally:
        task.cancel()
        # Takes one turn of the loop. A cancellation of the caller in that turn must go through.
        await asyncio.wait({task})


def _forget_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()  # the stream's own: seen here, raised at the caller's read


async def _collect(stream: StreamReader, chunks: list[bytes], max_body: int) -> None:
    left = max_body
    while left > 0 and not stream.at_eof():
        chunk = await stream.readany()
        chunks.append(chunk)
        left -= len(chunk)
        if _is_whole_json(chunks):
            return  # whatever a wrong length or a missing last chunk still promise


def _is_whole_json(chunks: list[bytes]) -> bool:
    if not chunks[-1].rstrip().endswith((b"}", b"]")):
        return False
    try:
        json.loads(b"".join(chunks))
    except (ValueError, RecursionError):
        return False
    return True


def _put_back(stream: StreamReader, data: bytes) -> None:
    if not data:
        return  # never touch the shared stream of answers without a body
    with _filters, warnings.catch_warnings():
        # Deprecated since aiohttp 3.5 in favour of nothing (aiohttp issue 3260).
        warnings.simplefilter("ignore", DeprecationWarning)
        stream.unread_data(data)
