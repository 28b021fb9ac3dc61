"""Many processes, one dead key: the first to learn it tells the others.

Run it as it is: it starts a server that says that the key is spent, and four processes that share
one latch through a file. With Redis, give its address:

    python examples/fleet_processes.py redis://localhost/0
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import tempfile
from pathlib import Path

from aiohttp import web

from aiohttp_failfast import FailFastSession, Latch, PermanentEndpointError

PROCESSES, CALLS = 4, 50
# The same for all processes of a job. A reader of the store cannot test guesses of the key.
SECRET = os.environb.get(b"FLEET_SECRET", b"for the example only")
SPENT = {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota."}}


async def job(url: str, store: str) -> int:
    """Make many calls, and return how many of them touched the wire."""
    latch = Latch(store=store, secret=SECRET)
    sent = 0
    async with FailFastSession(
        latch=latch, headers={"Authorization": "Bearer sk-spent"}
    ) as session:
        for _ in range(CALLS):
            try:
                async with session.get(url) as response:
                    await response.read()
            except PermanentEndpointError as error:
                sent += error.sent
            await asyncio.sleep(0.02)  # the work between two calls
    latch.close()
    return sent


def work(arguments: tuple[str, str]) -> int:
    """Be one process."""
    return asyncio.run(job(*arguments))


async def main(store: str) -> None:
    """Serve, run the processes, and count."""
    hits = 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal hits
        hits += 1
        return web.json_response(SPENT, status=429)

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]

    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(PROCESSES) as pool:
        given = [(f"http://127.0.0.1:{port}/", store)] * PROCESSES
        sent = await asyncio.to_thread(pool.map, work, given, 1)
    await runner.cleanup()
    print(f"{PROCESSES * CALLS} calls in {PROCESSES} processes, {hits} requests reached the server")
    assert hits == sum(sent)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        address = sys.argv[1] if len(sys.argv) > 1 else (Path(folder) / "trips").as_uri()
        asyncio.run(main(address))
