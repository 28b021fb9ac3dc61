"""openai 1 to 3, on the transport for aiohttp that each version takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import openai
from driver import Ask, Job, main

try:
    from openai._vendor.httpx_aiohttp import AiohttpTransport  # openai 3
except ImportError:
    from httpx_aiohttp import AiohttpTransport


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open the SDK on the session; the variant "stream" streams the answers."""
    async with (
        job.session() as session,
        openai.AsyncOpenAI(
            base_url=f"{job.url}/v1",
            api_key=job.key,
            http_client=openai.DefaultAioHttpClient(transport=AiohttpTransport(client=session)),
        ) as client,
    ):

        async def ask(prompt: str) -> object:
            messages = [{"role": "user", "content": prompt}]
            answer = await client.chat.completions.create(model="gpt-4o-mini", messages=messages)
            return answer.choices[0].message.content

        async def ask_for_a_stream(prompt: str) -> object:
            messages = [{"role": "user", "content": prompt}]
            stream = await client.chat.completions.create(
                model="gpt-4o-mini", messages=messages, stream=True
            )
            return "".join([event.choices[0].delta.content or "" async for event in stream])

        yield ask_for_a_stream if job.variant == "stream" else ask


if __name__ == "__main__":
    main(opened)
