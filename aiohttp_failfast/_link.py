"""The thread that joins a latch to a store.

A latch may be made outside of any event loop and serve several, so none of the user's loops is
borrowed. The thread never keeps a latch alive, except while the latch has news to tell.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Protocol
from weakref import finalize, ref

from . import _processes
from ._credential import Endpoint
from ._news import News
from ._stores import open_store
from ._stores.protocol import Store
from ._talk import Talk
from ._trip import Trip, Witness


class Partner(Protocol):
    """The latch, as far as it matters here."""

    def join(self, news: News) -> tuple[Trip, ...]:
        """Take over news, and return the trips that came into force."""

    def news(self, max_age: float, me: Witness) -> News:
        """Return all news of its own."""

    def reset(self, endpoint: Endpoint | None = None) -> int:
        """Clear an endpoint, or all."""


def link_to(latch: Partner, store: str | Store | None) -> Link | None:
    """Return the running link of a latch to a store, or None where nothing is to be shared.

    Raises:
        TypeError, ValueError: that is no store, or no address of one.
        ImportError: a package for it is missing.
    """
    opened = open_store(store) if isinstance(store, str) else store
    if opened is None:
        return None
    if not isinstance(opened, Store):
        raise TypeError(f"store must be a URL or a Store, got {type(opened).__name__}")
    link = Link(latch, opened)
    finalize(latch, link.stop).atexit = False
    link.ensure()
    return link


class Link:
    """Tells a store what its latch learns, and the latch what the store holds.

    Args:
        latch: kept weakly.
        store: where to.
    """

    def __init__(self, latch: Partner, store: Store) -> None:
        self.store = store
        self._latch = ref(latch)
        self._early: dict[Endpoint | None, int] = {}
        self._is_new = True
        self._prepare()
        _processes.register(self)

    def _prepare(self) -> None:
        """Be as in a process where no thread was started yet."""
        self.touching = threading.Lock()
        """Held while the thread is inside the latch, so that nobody forks just then."""
        self._starting = threading.Lock()
        self._running = False
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._talk: Talk | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None
        # News that nobody has taken yet keep the latch alive: a job may end right after them.
        self._keeping: Partner | None = None
        self._told = self._seen = 0
        self._idle = threading.Event()
        self._idle.set()

    def forked(self) -> object:
        """Start over in a forked child, at first use.

        Returns:
            What must stay as it is, for ever: it belongs to the loop of the parent.
        """
        remains = (self._loop, self._talk, self._task, self._thread)
        self._prepare()
        return remains

    def ensure(self) -> None:
        """Start the thread, unless it runs."""
        if self._running or self._stopped:
            return
        with self._starting:
            if not self._running:
                _processes.flush_at_exit()
                self._thread = threading.Thread(
                    target=self._main, name="aiohttp_failfast-store", daemon=True
                )
                self._thread.start()
                self._running = True

    def nudge(self) -> None:
        """Have the latch's news told, soon; it waits for nothing."""
        latch = self._latch()
        if latch is None or self._stopped:
            return
        self.ensure()
        self._idle.clear()
        self._told += 1
        self._keeping = latch
        if self._loop is not None and self._talk is not None:
            # The thread may just have ended.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._talk.nudge)

    def was_reset(self, endpoint: Endpoint | None, generation: int) -> None:
        """Have a reset told; the first ones may need a higher number than we know of yet."""
        if self._is_new:
            self._early[endpoint] = generation
        self.nudge()

    def talk(self) -> Talk | None:
        """Return the conversation with the store, if there is one yet."""
        self.ensure()
        return self._talk

    def flush(self, seconds: float) -> None:
        """Wait until all is told, or the store fails, or so many seconds have passed."""
        if not (self._talk and self._talk.down):
            self._idle.wait(seconds)

    def stop(self, flush: float = 0.0) -> None:
        """End the thread.

        Args:
            flush: seconds to wait at most for what has not been told yet.
        """
        if flush and not self._stopped:
            self.flush(flush)
        self._stopped = True
        self._keeping = None
        loop, task, thread = self._loop, self._task, self._thread
        if loop is not None and task is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        # The latch may have been collected on that very thread.
        if flush and thread is not None and thread is not threading.current_thread():
            thread.join(flush)

    def _main(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._run())

    async def _run(self) -> None:
        self._talk = Talk(self.store, self)
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._told:
            self._talk.nudge()
        if not self._stopped:
            await self._talk.run()

    def learn(self, news: News) -> tuple[Trip, ...]:
        """Tell the latch what the store told."""
        latch = self._latch()
        if latch is None:
            return ()
        with self.touching:
            return latch.join(news)

    def first_learn(self, news: News) -> tuple[Trip, ...]:
        """Do the same for the first time in this process.

        Resets from before it were meant for what the store holds as well, but were numbered
        without knowing it: they are made once more, above it.
        """
        latch = self._latch()
        self._is_new = False
        too_low = [one for one, at in self._early.items() if at <= news.generation]
        self._early.clear()
        if latch is not None and too_low:
            self.learn(News(generation=news.generation))
            with self.touching:
                for endpoint in too_low:
                    latch.reset(endpoint)
        return self.learn(news)

    def tell(self, max_age: float, me: Witness) -> News:
        """Return what the latch knows."""
        self._seen = self._told
        latch = self._latch()
        if latch is None:
            return News()
        with self.touching:
            return latch.news(max_age, me)

    def told(self, failed: bool) -> None:
        """Let the latch go, unless it has learned more meanwhile."""
        if failed or self._seen == self._told:
            self._keeping = None
            self._idle.set()
