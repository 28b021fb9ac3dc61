"""huggingface_hub before 1.0 with a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys
from types import SimpleNamespace

import aiohttp
from huggingface_hub import AsyncInferenceClient
from huggingface_hub.inference._generated import _async_client

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    # A session for each call; those of one class share one latch. It must respond: what a
    # session raises makes this library crash, and leave the session open.
    session_class = FailFastSession.with_defaults(when_tripped="respond")
    stand_in = SimpleNamespace(**{**vars(aiohttp), "ClientSession": session_class})
    _async_client._import_aiohttp = lambda: stand_in
    async with AsyncInferenceClient(base_url=f"{base_url}/v1", api_key=key) as client:
        for word in ("one", "two", "three"):
            messages = [{"role": "user", "content": word}]
            answer = await client.chat_completion(messages, model="meta-llama/Llama-3.1-8B")
            print(answer.choices[0].message.content)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except aiohttp.ClientResponseError as error:
        sys.exit(f"{type(error).__name__}: {error}")
