"""A job that repeats every exception, cancelled at a trip."""

from __future__ import annotations

import asyncio
import os
import sys

import tenacity

from aiohttp_failfast import FailFastSession, Latch, PermanentEndpointError, Trip


# [inject
@tenacity.retry(stop=tenacity.stop_after_attempt(5), wait=tenacity.wait_exponential(1))
async def ask(session: FailFastSession, url: str, word: str) -> str:
    """Ask one thing, five times, whatever goes wrong."""
    document = {"messages": [{"role": "user", "content": word}]}
    async with session.post(url, json=document, raise_for_status=True) as response:
        return str((await response.json())["choices"][0]["message"]["content"])


async def main(base_url: str, key: str) -> None:
    """Ask three things at once."""
    latch = Latch()

    def on_trip(trip: Trip) -> None:
        job.cancel()

    headers = {"Authorization": f"Bearer {key}"}
    async with FailFastSession(
        headers=headers, latch=latch, on_trip=on_trip, retry=None
    ) as session:
        url = f"{base_url}/v1/chat/completions"
        job = asyncio.gather(*(ask(session, url, word) for word in ("one", "two", "three")))
        try:
            print(*await job, sep="\n")
        except asyncio.CancelledError:
            for trip in latch.trips:
                latch.check(trip.endpoint)  # raises: whose key is dead, and why
            raise  # somebody else cancelled us


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except PermanentEndpointError as error:
        sys.exit(f"{type(error).__name__}: {error}")
