"""A job of calls that tenacity repeats whatever they raise, cancelled where the latch trips."""

from __future__ import annotations

import asyncio

import aiohttp
import tenacity
from driver import Job, main_program
from jobs import cancel_all, told


def program(job: Job) -> list[str]:
    """Make all calls, a few at a time."""
    cancel_all(job)
    try:
        return asyncio.run(_all(job))
    except asyncio.CancelledError:
        raise told(job) from None


async def _all(job: Job) -> list[str]:
    async with job.session(headers={"Authorization": f"Bearer {job.key}"}) as session:
        few = asyncio.Semaphore(job.concurrency)
        calls = [_ask(session, job.url, prompt, few) for prompt in job.prompts]
        return await asyncio.gather(*calls)


@tenacity.retry(
    stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_exponential(0.1), reraise=True
)
async def _ask(
    session: aiohttp.ClientSession, url: str, prompt: str, few: asyncio.Semaphore
) -> str:
    document = {"messages": [{"role": "user", "content": prompt}]}
    url = f"{url}/v1/chat/completions"
    async with few, session.post(url, json=document, raise_for_status=True) as response:
        return str((await response.json())["choices"][0]["message"]["content"])


if __name__ == "__main__":
    main_program(program)
