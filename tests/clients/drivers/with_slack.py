"""slack_sdk, which takes a session as it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from driver import Ask, Job, main
from slack_sdk.web.async_client import AsyncWebClient


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open the client on the session."""
    async with job.session() as session:
        client = AsyncWebClient(token=job.key, base_url=f"{job.url}/api/", session=session)

        async def ask(prompt: str) -> object:
            answer = await client.chat_postMessage(channel="C0LOOPBACK", text=prompt)
            return answer["message"]["text"]

        yield ask


if __name__ == "__main__":
    main(opened)
