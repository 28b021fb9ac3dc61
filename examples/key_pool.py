"""A pool of keys: when one turns out to be dead, its calls go on with the next."""

from __future__ import annotations

import asyncio
import os
import sys

from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

from aiohttp_failfast import FailFastMiddleware, PermanentEndpointError


# [pool
class KeyPool:
    """Puts the first key that lives into each request; a middleware for `ClientSession`."""

    def __init__(self, *keys: str) -> None:
        self._keys = keys

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Send a request with one key after the other, until one is not dead."""
        dead = None
        for key in self._keys:
            request.headers["Authorization"] = f"Bearer {key}"
            try:
                return await handler(request)
            except PermanentEndpointError as error:  # a key known to be dead costs no call
                if error.sent and getattr(request.body, "consumed", False):
                    raise  # a stream that is gone cannot be sent again
                dead = error
        raise dead or ValueError("the pool has no keys")


# pool]
async def main(url: str, *keys: str) -> None:
    """Ask three things."""
    # The guard stands after the pool, so that it sees the key.
    middlewares = [KeyPool(*keys), FailFastMiddleware(when_tripped="raise")]
    async with ClientSession(middlewares=middlewares) as session:
        for word in ("one", "two", "three"):
            async with session.post(f"{url}/v1/chat/completions", json={"input": word}) as response:
                print(response.status, await response.text())


if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], *os.environ["API_KEYS"].split(",")))
    except PermanentEndpointError as error:
        sys.exit(f"{type(error).__name__}: {error}")
