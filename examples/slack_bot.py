"""slack_sdk on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Post three messages."""
    # Slack answers a dead token with 200 and {"ok": false}; slack_sdk makes its error of that.
    async with FailFastSession(watch_ok_bodies=True, when_tripped="respond") as session:
        client = AsyncWebClient(token=key, base_url=f"{base_url}/api/", session=session)
        for word in ("one", "two", "three"):
            answer = await client.chat_postMessage(channel="C0123456789", text=word)
            print(answer["message"]["text"])


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except SlackApiError as error:
        sys.exit(f"{type(error).__name__}: {error}")
