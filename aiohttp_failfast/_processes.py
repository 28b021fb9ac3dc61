"""Forks and ends of processes, for all links at once."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import Any, Protocol
from weakref import WeakSet

# Seconds in all that the end of a process waits for news to be stored.
EXIT_TIMEOUT = 1.0
_FORK_TIMEOUT = 1.0


class Linked(Protocol):
    """A link, as far as it matters here."""

    touching: threading.Lock

    def forked(self) -> object:
        """Start over in a child, and return what must be left alone."""

    def flush(self, seconds: float) -> None:
        """Wait until all is told."""


_links: WeakSet[Linked] = WeakSet()
_held: list[threading.Lock] = []
# Loops of a parent's threads: closing them, or letting them go, would touch what they share.
_remains: list[object] = []
_prepared: list[int] = []


def register(link: Linked) -> None:
    """Take care of a link as long as it lives."""
    if not _links and not _prepared:
        _prepared.append(0)
        atexit.register(_flush_all)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child
            )
    _links.add(link)


def flush_at_exit() -> None:
    """Have news told before this process ends, also where it is a child of multiprocessing."""
    # Those leave by os._exit, after finalizers of their own.
    util: Any = sys.modules.get("multiprocessing.util")
    process: Any = sys.modules.get("multiprocessing.process")
    if util is None or process is None or process.parent_process() is None:
        return
    if os.getpid() not in _prepared:
        _prepared.append(os.getpid())
        util.Finalize(None, _flush_all, exitpriority=100)


def _flush_all() -> None:
    for link in list(_links):
        link.flush(EXIT_TIMEOUT)


def _before_fork() -> None:
    for link in list(_links):
        lock = link.touching
        # With a limit: a fork that hangs would be worse than a child that starts out wrong.
        if lock.acquire(timeout=_FORK_TIMEOUT):
            _held.append(lock)


def _after_fork() -> None:
    while _held:
        _held.pop().release()


def _in_child() -> None:
    _held.clear()
    _remains.extend(link.forked() for link in list(_links))
