"""gql, which makes its session itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import gql.transport.aiohttp
from driver import Ask, Job, main
from gql.transport.aiohttp import AIOHTTPTransport
from stand_in import aiohttp_with


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Connect once; all queries go through one session."""
    gql.transport.aiohttp.aiohttp = aiohttp_with(job.session_class())
    headers = {"Authorization": f"Bearer {job.key}"}
    transport = AIOHTTPTransport(url=f"{job.url}/graphql", headers=headers, ssl=False)
    async with gql.Client(transport=transport) as session:

        async def ask(prompt: str) -> object:
            query = gql.gql("query ($text: String) { echo(text: $text) }")
            query.variable_values = {"text": prompt}
            return (await session.execute(query))["echo"]

        yield ask


if __name__ == "__main__":
    main(opened)
