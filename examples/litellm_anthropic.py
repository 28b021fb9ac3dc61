"""litellm, a provider that it calls by sessions of its own, on FailFastSessions."""

from __future__ import annotations

import asyncio
import os
import sys

import litellm
from litellm.llms.custom_httpx import http_handler

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    # Here litellm ignores shared_session, and makes sessions itself: of this class from now on.
    http_handler.ClientSession = FailFastSession.with_defaults()
    for word in ("one", "two", "three"):
        answer = await litellm.acompletion(
            model="anthropic/claude-3-5-haiku-latest",
            api_base=base_url,
            api_key=key,
            messages=[{"role": "user", "content": word}],
        )
        print(answer.choices[0].message.content)
    await litellm.close_litellm_async_clients()


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except (litellm.BadRequestError, litellm.AuthenticationError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
