"""A store inside this process: for tests, and as the example of a store."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator

from .._news import News
from .protocol import DEFAULT_MAX_AGE


class MemoryStore:
    """Joins latches of one process that must not be the same object.

    Args:
        max_age: seconds after which a trip is forgotten that nobody reset.

    .. versionadded:: 0.1.0
    """

    def __init__(self, *, max_age: float = DEFAULT_MAX_AGE) -> None:
        self.max_age = max_age
        self._lock = threading.Lock()
        self._stored = News()
        self._marks: dict[str, tuple[str, float]] = {}
        self._connections: set[_MemoryConnection] = set()

    def __str__(self) -> str:
        return "memory:"

    @contextlib.asynccontextmanager
    async def connect(self) -> AsyncIterator[_MemoryConnection]:
        """Return a connection, open inside ``async with``."""
        connection = _MemoryConnection(self)
        with self._lock:
            self._connections.add(connection)
        try:
            yield connection
        finally:
            with self._lock:
                self._connections.discard(connection)

    def read(self) -> News:
        """Return what is stored."""
        with self._lock:
            self._stored = self._stored.unexpired(time.time())
            return self._stored

    def mark(self, name: str, value: str, seconds: float, over: str) -> str:
        """Set a mark, unless there is another one."""
        now = time.monotonic()
        with self._lock:
            held, end = self._marks.get(name, ("", 0.0))
            if held and held != over and end > now:
                return held
            self._marks[name] = value, now + seconds
            return value

    def put(self, news: News) -> None:
        """Join news into it, and tell everybody."""
        with self._lock:
            self._stored = self._stored.unexpired(time.time()).join(news)
            listeners = tuple(self._connections)
        for listener in listeners:
            listener.hear(news)


class _MemoryConnection:
    """One latch's connection; the others may live on other threads and loops."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[News] = asyncio.Queue()

    async def read(self) -> News:
        return self._store.read()

    async def put(self, news: News) -> None:
        self._store.put(news)

    async def mark(self, name: str, value: str, seconds: float, *, over: str = "") -> str:
        return self._store.mark(name, value, seconds, over)

    async def changes(self) -> AsyncIterator[News]:
        while True:
            yield await self._queue.get()

    def hear(self, news: News) -> None:
        # Its loop may have been closed meanwhile.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._queue.put_nowait, news)
