"""Retry libraries around calls of a session: aiohttp_retry, tenacity and stamina.

The variant names the library; "tenacity-all" retries every exception, as tenacity does unless it
is told otherwise.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import stamina
import tenacity
from aiohttp_retry import ExponentialRetry, RetryClient
from driver import Ask, Job, main

from aiohttp_failfast import PermanentEndpointError

Post = Callable[[str], Awaitable[object]]
ATTEMPTS = 3


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Open the session, and wrap its calls."""
    async with job.session(headers={"Authorization": f"Bearer {job.key}"}) as session:
        client = session
        if job.variant == "aiohttp_retry":
            options = ExponentialRetry(ATTEMPTS, start_timeout=0.1, statuses={429})
            client = RetryClient(client_session=session, retry_options=options)

        async def post(prompt: str) -> object:
            document = {"messages": [{"role": "user", "content": prompt}]}
            url = f"{job.url}/v1/chat/completions"
            async with client.post(url, json=document, raise_for_status=True) as response:
                return (await response.json())["choices"][0]["message"]["content"]

        yield _WRAPPED[job.variant](post)


def _tenacity(post: Post) -> Ask:
    return tenacity.retry(
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        wait=tenacity.wait_exponential(0.1),
        retry=tenacity.retry_if_not_exception_type(PermanentEndpointError),
        reraise=True,
    )(post)


def _tenacity_all(post: Post) -> Ask:
    return tenacity.retry(
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        wait=tenacity.wait_exponential(0.1),
        reraise=True,
    )(post)


def _stamina(post: Post) -> Ask:
    def worth_it(error: Exception) -> bool:
        wanted = isinstance(error, aiohttp.ClientError)
        return wanted and not isinstance(error, PermanentEndpointError)

    return stamina.retry(on=worth_it, attempts=ATTEMPTS, wait_initial=0.1, wait_jitter=0.01)(post)


_WRAPPED: dict[str, Callable[[Post], Ask]] = {
    "aiohttp_retry": lambda post: post,
    "tenacity": _tenacity,
    "tenacity-all": _tenacity_all,
    "stamina": _stamina,
}


if __name__ == "__main__":
    main(opened)
