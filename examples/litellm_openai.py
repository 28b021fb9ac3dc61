"""litellm, an OpenAI-like provider, on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

import litellm

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    async with FailFastSession(retry=None) as session:  # the openai SDK under it retries
        for word in ("one", "two", "three"):
            answer = await litellm.acompletion(
                model="openai/gpt-4o-mini",
                api_base=f"{base_url}/v1",
                api_key=key,
                messages=[{"role": "user", "content": word}],
                shared_session=session,
            )
            print(answer.choices[0].message.content)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except (litellm.RateLimitError, litellm.AuthenticationError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
