"""google-genai on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

from google import genai
from google.genai.types import HttpOptions

from aiohttp_failfast import FailFastSession, PermanentEndpointError


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    async with FailFastSession() as session:
        options = HttpOptions(base_url=base_url, aiohttp_client=session)
        client = genai.Client(api_key=key, http_options=options)
        for word in ("one", "two", "three"):
            answer = await client.aio.models.generate_content(
                model="gemini-2.0-flash", contents=word
            )
            print(answer.text)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except PermanentEndpointError as error:
        sys.exit(f"{type(error).__name__}: {error}")
