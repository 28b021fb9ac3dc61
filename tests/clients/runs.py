"""Runs a client's driver through its plan, and keeps what came of it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from client import PROMISED_QUICK, Client
from environments import CLIENTS, driver_environment, python_of
from fake_api import serve

GRACE = 60.0  # seconds above its limit that a run may take before its driver is killed
TRIES = 3  # of a pair of runs that looks slow: the machine may have been busy with other things


@dataclass(frozen=True)
class Record:
    """One run, as the driver and the server saw it; `driver.Outcome` describes the fields."""

    scenario: str
    kind: str
    hits: int
    open_connections: int
    results: list[str]
    errors: dict[str, int]
    seconds: float
    ended: bool
    held: int
    unclosed: int
    tasks: int
    headers: list[list[Any]]

    @property
    def leaks(self) -> tuple[int, int, int, int]:
        """What was left over: connections taken, sessions, tasks, sockets."""
        return (self.held, self.unclosed, self.tasks, self.open_connections)


Records = dict[tuple[str, str], Record]


def is_slow(ours: Record, plain: Record) -> bool:
    """Tell whether a run took longer than plain aiohttp, beyond what a shared machine explains."""
    return ours.seconds > 1.2 * plain.seconds + 0.5 or not ours.ended


async def measure(client: Client) -> Records:
    """Run all of a client's plan in one process of its driver."""
    async with _driver(client) as process:
        records: Records = {}
        await _run(client, process, "healthy", "plain")  # imports and pools, not measured
        records["healthy", "spy"] = await _run(client, process, "healthy", "spy")
        for scenario, kind in client.plan():
            records[scenario, kind] = await _run(client, process, scenario, kind)
        for scenario, kind in client.plan():
            await _measure_again(client, process, records, scenario, kind)
        return records


async def _measure_again(
    client: Client, process: asyncio.subprocess.Process, records: Records, scenario: str, kind: str
) -> None:
    """Run a pair again that looks slow; what is kept is the pair that looks best."""
    if kind not in PROMISED_QUICK or kind in client.slow:
        return
    plain, ours = records[scenario, "plain"], records[scenario, kind]
    for _ in range(TRIES - 1):
        if not is_slow(ours, plain):
            break
        plain = await _run(client, process, scenario, "plain")
        ours = await _run(client, process, scenario, kind)
    records[scenario, "plain"], records[scenario, kind] = plain, ours


@asynccontextmanager
async def _driver(client: Client) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        str(python_of(client.environment)),
        str(CLIENTS / "drivers" / f"with_{client.driver}.py"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=sys.stderr,
        env=driver_environment(client.environment),
        limit=2**24,
    )
    try:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), GRACE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _run(
    client: Client, process: asyncio.subprocess.Process, scenario: str, kind: str
) -> Record:
    assert process.stdin is not None
    assert process.stdout is not None
    async with serve(client.dialect, scenario) as served:
        job = {
            "url": served.url,
            "calls": client.calls,
            "concurrency": client.concurrency,
            "kind": kind,
            "session_options": dict(client.session_options),
            "variant": client.variant,
            "limit": client.limit,
        }
        process.stdin.write(json.dumps(job).encode() + b"\n")
        line = await asyncio.wait_for(process.stdout.readline(), client.limit + GRACE)
        if not line:
            raise RuntimeError(f"the driver of {client.name} died at {scenario}, {kind}")
    return Record(
        scenario,
        kind,
        hits=served.hits,
        open_connections=served.open_connections,
        **json.loads(line),
    )
