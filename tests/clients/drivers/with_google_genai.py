"""google-genai, which takes a session as it is; the variant "retries" turns on its retries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from driver import Ask, Job, main
from google import genai
from google.genai.types import HttpOptions, HttpRetryOptions


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open the SDK on the session."""
    async with job.session() as session:
        # Three attempts and short waits: the defaults, five and 1 to 60 s, take too long here.
        retries = HttpRetryOptions(attempts=3, initial_delay=0.3, max_delay=0.6)
        options = HttpOptions(
            base_url=job.url,
            aiohttp_client=session,
            retry_options=retries if job.variant == "retries" else None,
        )
        client = genai.Client(api_key=job.key, http_options=options)

        async def ask(prompt: str) -> object:
            answer = await client.aio.models.generate_content(
                model="gemini-2.0-flash", contents=prompt
            )
            return answer.text

        yield ask


if __name__ == "__main__":
    main(opened)
