"""huggingface_hub before 1.0, which makes a session for each call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from driver import Ask, Job, main
from huggingface_hub import AsyncInferenceClient
from huggingface_hub.inference._generated import _async_client
from stand_in import aiohttp_with


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open the client; the key is among the headers of each of its sessions."""
    stand_in = aiohttp_with(job.session_class())
    _async_client._import_aiohttp = lambda: stand_in
    async with AsyncInferenceClient(base_url=f"{job.url}/v1", api_key=job.key) as client:

        async def ask(prompt: str) -> object:
            messages = [{"role": "user", "content": prompt}]
            answer = await client.chat_completion(messages=messages, model="loopback")
            return answer.choices[0].message.content

        yield ask


if __name__ == "__main__":
    main(opened)
