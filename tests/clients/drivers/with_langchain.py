"""langchain-openai, which hands openai an HTTP client of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import openai
from driver import Ask, Job, main
from langchain_openai import ChatOpenAI
from openai._vendor.httpx_aiohttp import AiohttpTransport


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open the chat model on the session."""
    async with (
        job.session() as session,
        openai.DefaultAioHttpClient(transport=AiohttpTransport(client=session)) as http_client,
    ):
        model = ChatOpenAI(
            model="gpt-4o-mini",
            base_url=f"{job.url}/v1",
            api_key=job.key,
            http_async_client=http_client,
        )

        async def ask(prompt: str) -> object:
            return (await model.ainvoke(prompt)).content

        yield ask


if __name__ == "__main__":
    main(opened)
