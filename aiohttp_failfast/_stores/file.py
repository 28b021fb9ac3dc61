"""A store in one file: the processes of one machine, and no server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

from .._news import News
from .._news_json import UnknownFormatError, decode_news, encode_news
from ._lock import locked
from .protocol import DEFAULT_MAX_AGE

DEFAULT_POLL = 0.2
"""Seconds between two looks at the file; each is one call of stat."""
_MAX_SIZE = 64 * 2**20

logger = logging.getLogger("aiohttp_failfast")

Stamp = tuple[int, int, int]


class FileStore:
    """Joins latches through a file.

    It is replaced as a whole, so readers see the old or the new content and need no lock; writers
    take one that ends with their process, in a second file beside it. Both are readable by their
    owner alone. The file must be on a file system whose locks all processes see.

    Args:
        path: the file; its folder must exist.
        poll: seconds between two looks at it.
        max_age: seconds after which a trip is forgotten that nobody reset.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        poll: float = DEFAULT_POLL,
        max_age: float = DEFAULT_MAX_AGE,
    ) -> None:
        self.path = Path(path).absolute()
        self.poll = poll
        self.max_age = max_age

    def __str__(self) -> str:
        return self.path.as_uri()

    @contextlib.asynccontextmanager
    async def connect(self) -> AsyncIterator[_FileConnection]:
        """Return a connection, open inside ``async with``."""
        yield _FileConnection(self.path, self.poll)


class _FileConnection:
    """One latch's view of the file. It blocks, on a thread that has nothing else to do."""

    def __init__(self, path: Path, poll: float) -> None:
        # Through a symbolic link the file is replaced that it leads to, not the link.
        self._path = path.resolve()
        self._poll = poll
        self._stamp = self._look()
        self._last = News()
        self._complained: Stamp | None = None

    async def read(self) -> News:
        return self._load()

    async def put(self, news: News) -> None:
        if not self._lacks(news):
            return
        async with locked(self._beside("lock")):
            if self._lacks(news):
                self._save(self._path, encode_news(self._load().join(news)))

    async def mark(self, name: str, value: str, seconds: float, *, over: str = "") -> str:
        async with locked(self._beside("lock")):
            marks = self._marks()
            if name in marks and marks[name][0] != over:
                return marks[name][0]
            marks[name] = value, time.time() + seconds
            self._save(self._beside("marks"), json.dumps(marks))
            return value

    async def changes(self) -> AsyncIterator[News]:
        while True:
            await asyncio.sleep(self._poll)
            stamp = self._look()
            if stamp == self._stamp:
                continue
            self._stamp = stamp
            last, news = self._last, self._load()
            if last.unexpired(time.time()).beyond(news):
                return  # somebody has removed or spoilt it
            yield news

    def _marks(self) -> dict[str, tuple[str, float]]:
        """Return the marks that hold; garbage counts as none."""
        try:
            found = json.loads(self._beside("marks").read_text("utf-8"))
            marks = {str(name): (str(value), float(end)) for name, (value, end) in found.items()}
        except (FileNotFoundError, ValueError, TypeError, AttributeError, RecursionError):
            return {}
        return {name: (value, end) for name, (value, end) in marks.items() if end > time.time()}

    def _beside(self, ending: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{ending}")

    def _lacks(self, news: News) -> bool:
        stored = self._load()
        # Joined with nothing, a trip that is void by its own news falls out.
        return bool(news.join(News()).beyond(stored))

    def _look(self) -> Stamp | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _load(self) -> News:
        """Return what the file says; garbage is a warning, and as good as nothing.

        Raises:
            UnknownFormatError: a later version of this package wrote it: it is left alone.
        """
        try:
            with self._path.open("rb") as file:
                text = file.read(_MAX_SIZE)
        except FileNotFoundError:
            return News()
        if not text:
            return News()
        try:
            self._last = decode_news(text).unexpired(time.time())
            return self._last
        except UnknownFormatError:
            raise
        except ValueError as error:
            self._complain(error)
            return News()

    def _complain(self, error: ValueError) -> None:
        stamp = self._look()
        if stamp != self._complained:
            self._complained = stamp
            logger.warning("store %s makes no sense (%s); it counts as empty", self._path, error)

    def _save(self, path: Path, text: str) -> None:
        """Replace a file; the caller holds the lock, so one name serves for all writers."""
        # Not synced to the disk: after a crash of the machine all jobs are gone, too.
        draft = self._beside("new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        draft.unlink(missing_ok=True)  # a writer was killed over it
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            file.write(text.encode("utf-8"))
        draft.replace(path)
