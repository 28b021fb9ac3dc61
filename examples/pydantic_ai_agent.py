"""pydantic-ai on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

import openai
from openai._vendor.httpx_aiohttp import AiohttpTransport
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

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
            provider = OpenAIProvider(openai_client=client)
            agent = Agent(OpenAIChatModel("gpt-4o-mini", provider=provider))
            for word in ("one", "two", "three"):
                print((await agent.run(word)).output)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except ModelHTTPError as error:
        sys.exit(f"{type(error).__name__}: {error}")
