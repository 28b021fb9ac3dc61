"""tenacity around calls of a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

import tenacity

from aiohttp_failfast import FailFastSession, PermanentEndpointError


# [inject
@tenacity.retry(
    retry=tenacity.retry_if_not_exception_type(PermanentEndpointError),
    stop=tenacity.stop_after_attempt(5),
    wait=tenacity.wait_random_exponential(max=60),
    reraise=True,
)
async def ask(session: FailFastSession, url: str, word: str) -> str:
    """Ask one thing."""
    document = {"messages": [{"role": "user", "content": word}]}
    async with session.post(url, json=document, raise_for_status=True) as response:
        return str((await response.json())["choices"][0]["message"]["content"])


async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    headers = {"Authorization": f"Bearer {key}"}
    async with FailFastSession(headers=headers, retry=None) as session:
        for word in ("one", "two", "three"):
            print(await ask(session, f"{base_url}/v1/chat/completions", word))


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except PermanentEndpointError as error:
        sys.exit(f"{type(error).__name__}: {error}")
