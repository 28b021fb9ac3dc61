"""aiohttp_retry on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

from aiohttp_retry import ExponentialRetry, RetryClient

from aiohttp_failfast import FailFastSession, PermanentEndpointError


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    headers = {"Authorization": f"Bearer {key}"}
    async with FailFastSession(headers=headers, retry=None) as session:
        options = ExponentialRetry(attempts=5, statuses={429})
        client = RetryClient(client_session=session, retry_options=options)
        for word in ("one", "two", "three"):
            document = {"messages": [{"role": "user", "content": word}]}
            url = f"{base_url}/v1/chat/completions"
            async with client.post(url, json=document, raise_for_status=True) as response:
                print((await response.json())["choices"][0]["message"]["content"])


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except PermanentEndpointError as error:
        sys.exit(f"{type(error).__name__}: {error}")
