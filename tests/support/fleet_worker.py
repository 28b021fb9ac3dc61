"""A job of many processes, each with a latch of its own and many tasks; run as a program.

Arguments: JSON of url, store, processes, tasks, limit (connections per process), canary, stagger
(seconds between two starts). Prints one line per process: its pid, requests sent, trips.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import Any

from aiohttp import TCPConnector

from aiohttp_failfast import FailFastSession, Latch, PermanentEndpointError

PATIENCE = 120.0


async def job(url: str, store: str, tasks: int, limit: int, canary: Any, go: int) -> list[int]:
    """Run one process: connect, wait for the start, send, report."""
    latch = Latch(store=store, secret=b"of the fleet")
    link = latch._link
    assert link is not None
    deadline = time.monotonic() + PATIENCE
    while link._is_new and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await asyncio.to_thread(os.read, go, 1)
    sent = 0
    session = FailFastSession(
        latch=latch,
        canary=canary,
        connector=TCPConnector(limit=limit),
        headers={"Authorization": "Bearer sk-dead"},
    )

    async def call() -> None:
        nonlocal sent
        try:
            async with session.get(url) as response:
                await response.read()
        except PermanentEndpointError as error:
            sent += error.sent

    async with session:
        await asyncio.gather(*(call() for _ in range(tasks)))
    # The latch is not closed: the end of the process must not lose its news.
    return [os.getpid(), sent, latch.stats.trips, latch.stats.told]


def main() -> None:
    """Fork the processes and wait for their end."""
    given = json.loads(sys.argv[1])
    processes, stagger = given.pop("processes"), given.pop("stagger")
    out, report = os.pipe()
    go, start = os.pipe()
    children = []
    for _ in range(processes):
        pid = os.fork()
        if not pid:
            result = asyncio.run(job(go=go, **given))
            os.write(report, (json.dumps(result) + "\n").encode())
            # Through the regular end of the interpreter, which must not lose the last news.
            sys.exit(0)
        children.append(pid)
    os.close(report)
    # One byte releases one process, as soon as it has met the store.
    for number in range(processes):
        if number and stagger:
            time.sleep(stagger)
        os.write(start, b"g")
    with os.fdopen(out) as lines:
        for line in lines:
            sys.stdout.write(line)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    sys.exit(max(map(abs, codes)))


if __name__ == "__main__":
    main()
