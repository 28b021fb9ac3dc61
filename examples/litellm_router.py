"""litellm's Router, whose own retries need spent_status=402, on a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys

import litellm

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Ask three things."""
    parameters = {
        "model": "openai/gpt-4o-mini",
        "api_base": f"{base_url}/v1",
        "api_key": key,
    }
    router = litellm.Router(model_list=[{"model_name": "mini", "litellm_params": parameters}])
    # The Router retries every 429; with 402 for a spent key it does not.
    async with FailFastSession(retry=None, spent_status=402) as session:
        for word in ("one", "two", "three"):
            answer = await router.acompletion(
                model="mini",
                messages=[{"role": "user", "content": word}],
                shared_session=session,  # per call: litellm_params are deep-copied
            )
            print(answer.choices[0].message.content)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except (litellm.APIError, litellm.AuthenticationError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
