"""anthropic 0 to 2, on the transport for aiohttp that each version takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anthropic
from driver import Ask, Job, main

try:
    from anthropic._vendor.httpx_aiohttp import AiohttpTransport  # anthropic 2
except ImportError:
    from httpx_aiohttp import AiohttpTransport


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open the SDK on the session."""
    async with (
        job.session() as session,
        anthropic.AsyncAnthropic(
            base_url=job.url,
            api_key=job.key,
            http_client=anthropic.DefaultAioHttpClient(transport=AiohttpTransport(client=session)),
        ) as client,
    ):

        async def ask(prompt: str) -> object:
            answer = await client.messages.create(
                model="claude-3-5-haiku-latest",
                max_tokens=16,
                messages=[{"role": "user", "content": prompt}],
            )
            return answer.content[0].text

        yield ask


if __name__ == "__main__":
    main(opened)
