"""langchain-openai on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

import openai
from langchain_openai import ChatOpenAI
from openai._vendor.httpx_aiohttp import AiohttpTransport

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    async with FailFastSession(retry=None) as session:  # openai retries by itself
        transport = AiohttpTransport(client=session)
        async with openai.DefaultAioHttpClient(transport=transport) as http_client:
            model = ChatOpenAI(
                model="gpt-4o-mini",
                base_url=f"{base_url}/v1",
                api_key=key,
                http_async_client=http_client,
            )
            for word in ("one", "two", "three"):
                print((await model.ainvoke(word)).content)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except openai.APIStatusError as error:  # langchain-openai's errors are subclasses
        sys.exit(f"{type(error).__name__}: {error}")
