"""A lock between processes that ends with the process that holds it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

_SHORTEST_WAIT, _LONGEST_WAIT = 0.001, 0.02

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """Hold the lock of a file that exists for nothing else.

    It is never removed: whoever waits for it has it open, and would lock another one than the
    next to come.

    Args:
        path: the file; made, for its owner only, if it is not there.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        while True:
            try:
                _try_lock(descriptor)
                break
            except (BlockingIOError, PermissionError):
                # Asked again and not waited for: a holder that is stopped must not stop us.
                await asyncio.sleep(random.uniform(_SHORTEST_WAIT, _LONGEST_WAIT))
        yield
    finally:
        os.close(descriptor)
