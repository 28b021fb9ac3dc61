"""openai 1 or 2, with httpx-aiohttp, on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

import openai
from httpx_aiohttp import AiohttpTransport

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    async with FailFastSession(retry=None) as session:  # openai retries by itself
        transport = AiohttpTransport(client=session)
        http_client = openai.DefaultAioHttpClient(transport=transport)
        async with openai.AsyncOpenAI(
            base_url=f"{base_url}/v1", api_key=key, http_client=http_client
        ) as client:
            for word in ("one", "two", "three"):
                answer = await client.chat.completions.create(
                    model="gpt-4o-mini", messages=[{"role": "user", "content": word}]
                )
                print(answer.choices[0].message.content)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except openai.APIStatusError as error:
        sys.exit(f"{type(error).__name__}: {error}")
