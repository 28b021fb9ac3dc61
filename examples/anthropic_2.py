"""anthropic 2 on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

import anthropic
from anthropic._vendor.httpx_aiohttp import AiohttpTransport

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    async with FailFastSession(retry=None) as session:  # anthropic retries by itself
        transport = AiohttpTransport(client=session)
        http_client = anthropic.DefaultAioHttpClient(transport=transport)
        async with anthropic.AsyncAnthropic(
            base_url=base_url, api_key=key, http_client=http_client
        ) as client:
            for word in ("one", "two", "three"):
                answer = await client.messages.create(
                    model="claude-3-5-haiku-latest",
                    max_tokens=100,
                    messages=[{"role": "user", "content": word}],
                )
                print(answer.content[0].text)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except anthropic.APIStatusError as error:
        sys.exit(f"{type(error).__name__}: {error}")
