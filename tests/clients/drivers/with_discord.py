"""discord.py, which makes its session itself when it logs in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
from driver import Ask, Job, main
from stand_in import aiohttp_with


@asynccontextmanager
async def opened(job: Job) -> AsyncIterator[Ask]:
    """Make the client ready to send messages, each to a channel of its own."""
    discord.http.aiohttp = aiohttp_with(job.session_class())
    discord.http.Route.BASE = job.url
    async with discord.Client(intents=discord.Intents.none()) as client:
        _log_in(client.http, job.key)

        async def ask(prompt: str) -> object:
            channel = client.get_partial_messageable(1000 + int(prompt.rpartition("-")[2]))
            return (await channel.send(prompt)).content

        yield ask


def _log_in(http: discord.http.HTTPClient, token: str) -> None:
    """Do what ``static_login`` does, but for its request: here it is messages that are refused."""
    http.connector = discord.http.aiohttp.TCPConnector(limit=0)
    http._HTTPClient__session = discord.http.aiohttp.ClientSession(connector=http.connector)
    http._global_over = asyncio.Event()
    http._global_over.set()
    http.token = token


if __name__ == "__main__":
    main(opened)
