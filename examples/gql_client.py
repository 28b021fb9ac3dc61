"""gql with a FailFastMiddleware."""

from __future__ import annotations

import asyncio
import os
import sys

from gql import Client, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.exceptions import TransportError

from aiohttp_failfast import FailFastMiddleware


# [inject
async def main(base_url: str, key: str) -> None:
    """Send three queries."""
    # Many servers answer a dead token with 200 and "errors".
    guard = FailFastMiddleware(watch_ok_bodies=True, when_tripped="respond")
    transport = AIOHTTPTransport(
        url=f"{base_url}/graphql",
        headers={"Authorization": f"Bearer {key}"},
        client_session_args={"middlewares": [guard]},
    )
    async with Client(transport=transport) as session:
        for word in ("one", "two", "three"):
            query = gql("query ($text: String) { echo(text: $text) }")
            query.variable_values = {"text": word}
            print((await session.execute(query))["echo"])


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except TransportError as error:
        sys.exit(f"{type(error).__name__}: {error}")
