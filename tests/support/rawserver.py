"""A server that says on the wire exactly what a test tells it to, and keeps what it was told."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import importlib
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import brotli
from aiohttp import ClientSession
from yarl import URL

JSON_TYPE = "application/json"
WAYS = ("session", "middleware", "trace", "attach")
"""The ways in, as the fixture `make_session` names them."""

SessionFactory = Callable[..., Awaitable[ClientSession]]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Seen:
    """One request as it came in."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


Script = Callable[[Seen, asyncio.StreamWriter], Awaitable[None]]
"""Writes an answer by hand; the connection is closed after it."""
Answer = bytes | Script


@dataclass
class RawServer:
    """Gives its answers in turn, the last one for ever; every request is counted."""

    answers: Sequence[Answer]
    read_bodies: bool = True
    url: URL = field(default_factory=URL)
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0

    @property
    def hits(self) -> int:
        """Requests that reached the server."""
        return len(self.seen)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.connections += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._serve_one(reader, writer):
                pass
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await _body(reader, headers) if self.read_bodies else b""
        self.seen.append(Seen(method, target, headers, body))
        answer = self.answers[min(self.hits, len(self.answers)) - 1]
        if not isinstance(answer, bytes):
            await answer(self.seen[-1], writer)
            return False
        head, _, rest = answer.partition(b"\r\n\r\n")
        writer.write(head + b"\r\n\r\n" if method == "HEAD" else answer)
        await writer.drain()
        lowered = head.lower()
        ends_by_itself = b"content-length" in lowered or b"transfer-encoding" in lowered
        return (ends_by_itself or not rest) and b"connection: close" not in lowered


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "chunked" not in headers.get("transfer-encoding", ""):
        return await reader.readexactly(int(headers.get("content-length", "0")))
    chunks = []
    while True:
        size = int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16)
        chunk = await reader.readexactly(size + 2)
        if not size:
            return b"".join(chunks)
        chunks.append(chunk[:-2])


@contextlib.asynccontextmanager
async def serving(*answers: Answer, read_bodies: bool = True) -> AsyncIterator[RawServer]:
    """Serve on a loopback socket."""
    raw = RawServer(answers, read_bodies)
    tasks: set[asyncio.Task[Any]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await raw.handle(reader, writer)
        except asyncio.CancelledError:
            pass  # the end of the test; asyncio would log it
        finally:
            tasks.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    raw.url = URL(f"http://{host}:{port}/v1/chat")
    try:
        yield raw
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def head(status: int, *lines: str, reason: str = "Error") -> bytes:
    """Return the head of an answer."""
    first = f"HTTP/1.1 {status} {reason}"
    return "\r\n".join([first, *lines, "", ""]).encode()


def chunked(body: bytes, parts: int = 3) -> bytes:
    """Return a body in chunks, with its end."""
    size = max(1, -(-len(body) // parts))
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""])


def zstd() -> Any:
    """Return the module of zstd."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return importlib.import_module("backports.zstd")


def raw_deflate(body: bytes) -> bytes:
    """Return deflate without a header of zlib, as old servers send it."""
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(body) + compressor.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": lambda body: zstd().compress(body),
}


def zeros(encoding: str, size: int) -> bytes:
    """Return so many zeros, encoded: a thousandth of that or less."""
    if encoding == "br":
        return brotli.compress(bytes(size), quality=1)
    return ENCODERS[encoding](bytes(size))


FRAMINGS: dict[str, tuple[str, str]] = {
    "plain": ("", "length"),
    "chunked": ("", "chunked"),
    "gzip": ("gzip", "length"),
    "gzip+chunked": ("gzip", "chunked"),
    "br": ("br", "length"),
    "deflate+chunked": ("deflate", "chunked"),
    "zstd": ("zstd", "length"),
    "connection: close": ("", "length, close"),
    "no length": ("", "until close"),
}
"""Content-Encoding, and how the end of the body is told, by name."""


def framed(framing: str, status: int, body: bytes, *lines: str, reason: str = "Error") -> bytes:
    """Return an answer in one of the framings."""
    encoding, end = FRAMINGS[framing]
    lines = (f"Content-Type: {JSON_TYPE}", *lines)
    if encoding:
        body = ENCODERS[encoding](body)
        lines += (f"Content-Encoding: {encoding}",)
    if end == "chunked":
        return head(status, *lines, "Transfer-Encoding: chunked", reason=reason) + chunked(body)
    if "length" in end:
        lines += (f"Content-Length: {len(body)}",)
    if end != "length":
        lines += ("Connection: close",)
    return head(status, *lines, reason=reason) + body


def plain(status: int, body: bytes, *lines: str, reason: str = "Error") -> bytes:
    """Return an answer with a length."""
    return framed("plain", status, body, *lines, reason=reason)


async def soon(awaitable: Awaitable[Result], seconds: float = 5) -> Result:
    """Await what must not take long."""
    return await asyncio.wait_for(awaitable, seconds)


async def until(condition: Callable[[], object], seconds: float = 5) -> None:
    """Let the loop run until something is so that tells nobody."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never became so"
        await asyncio.sleep(0)


def idle(session: ClientSession) -> bool:
    """Tell whether the session gave every connection back."""
    assert session.connector is not None
    return not session.connector._acquired
