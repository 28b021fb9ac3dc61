"""pydantic-ai, which takes an openai client of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import openai
from driver import Ask, Job, main
from openai._vendor.httpx_aiohttp import AiohttpTransport
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open an agent on the session."""
    async with (
        job.session() as session,
        openai.AsyncOpenAI(
            base_url=f"{job.url}/v1",
            api_key=job.key,
            http_client=openai.DefaultAioHttpClient(transport=AiohttpTransport(client=session)),
        ) as client,
    ):
        provider = OpenAIProvider(openai_client=client)
        agent = Agent(OpenAIChatModel("gpt-4o-mini", provider=provider))

        async def ask(prompt: str) -> object:
            return (await agent.run(prompt)).output

        yield ask


if __name__ == "__main__":
    main(opened)
