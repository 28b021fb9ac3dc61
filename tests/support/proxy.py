"""A CONNECT proxy on loopback that counts its tunnels."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from yarl import URL


class ConnectProxy:
    """Tunnels to where CONNECT asks; an async context manager."""

    def __init__(self) -> None:
        self.connects = 0
        self.url = URL()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> ConnectProxy:  # noqa: PYI034
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = URL(f"http://127.0.0.1:{port}")
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            self.connects += 1
            host, _, port = head.split()[1].decode().rpartition(":")
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        self._tasks.discard(task)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
