"""A server that misbehaves by a seeded plan."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from loopback import BUSY, FORBIDDEN, INVALID, OK, SLOW_DOWN, SPENT, Reply
from yarl import URL

Fault = Callable[["ChaosServer", asyncio.StreamWriter, bytes], Awaitable[None]]


class ChaosServer:
    """Answers keys ``dead-*`` as dead and ``alive-*`` as alive, when it answers at all.

    What becomes of the n-th request with a key is drawn from a generator that is seeded with
    (seed, key, n), so that a run can be repeated.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.hits: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.url = URL()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Listen on loopback."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = URL(f"http://127.0.0.1:{port}/v1")

    async def stop(self) -> None:
        """Close everything."""
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def open_connections(self) -> int:
        """Connections that a client still holds."""
        return len(self._tasks)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while not writer.is_closing():
                    await self._answer(await read_key(reader), writer)
        except asyncio.CancelledError:
            pass  # the end of the test; asyncio would log it
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _answer(self, key: str, writer: asyncio.StreamWriter) -> None:
        self.hits[key] += 1
        draw = random.Random(f"{self.seed} {key} {self.hits[key]}")
        reply = _reply(key, draw)
        fault = draw.choices(list(FAULTS), [weight for weight, _ in FAULTS.values()])[0]
        self.faults[fault] += 1
        await FAULTS[fault][1](self, writer, _encode(reply, chunked=draw.random() < 0.3))


async def read_key(reader: asyncio.StreamReader) -> str:
    """Read one request, and return its key."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
    await reader.readexactly(int(headers.get("Content-Length", 0)))
    return headers.get("Authorization", "").removeprefix("Bearer ")


def _reply(key: str, draw: random.Random) -> Reply:
    if draw.random() < 0.2:
        return draw.choice([BUSY, SLOW_DOWN, FORBIDDEN])
    if key.startswith("dead"):
        return SPENT if key.endswith("spent") else INVALID
    return OK


def _encode(reply: Reply, *, chunked: bool) -> bytes:
    head = f"HTTP/1.1 {reply.status} Reason\r\nContent-Type: application/json\r\n"
    if not chunked:
        return f"{head}Content-Length: {len(reply.body)}\r\n\r\n".encode() + reply.body
    middle = len(reply.body) // 2
    pieces = (reply.body[:middle], reply.body[middle:])
    coded = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece)
    return f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + coded + b"0\r\n\r\n"


async def _whole(server: ChaosServer, writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(answer)
    await writer.drain()


async def _piecemeal(server: ChaosServer, writer: asyncio.StreamWriter, answer: bytes) -> None:
    for start in range(0, len(answer), 50):
        writer.write(answer[start : start + 50])
        await writer.drain()
        await asyncio.sleep(0.001)


async def _reset(server: ChaosServer, writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.transport.abort()


async def _truncate(server: ChaosServer, writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(answer[: -len(answer) // 4])
    await writer.drain()
    writer.close()


async def _stall(server: ChaosServer, writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(answer[: -len(answer) // 4])
    await writer.drain()
    await asyncio.sleep(60)


async def _garbage(server: ChaosServer, writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(b"\x00\xffHTTP/9 what?\r\n\r\n" + bytes(range(256)))
    await writer.drain()


async def _half_close(server: ChaosServer, writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(answer)
    await writer.drain()
    writer.write_eof()


FAULTS: dict[str, tuple[int, Fault]] = {
    "none": (60, _whole),
    "piecemeal": (10, _piecemeal),
    "reset": (6, _reset),
    "truncate": (6, _truncate),
    "stall": (3, _stall),
    "garbage": (5, _garbage),
    "half-close": (10, _half_close),
}
