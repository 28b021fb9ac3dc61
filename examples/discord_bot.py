"""discord.py with a FailFastSession."""

from __future__ import annotations

import asyncio
import os
import sys
from types import SimpleNamespace

import aiohttp
import discord

from aiohttp_failfast import FailFastSession


# [inject
async def main(base_url: str, key: str) -> None:
    """Send three messages."""
    # discord.py makes its session itself, when it logs in.
    session_class = FailFastSession.with_defaults(when_tripped="respond", retry=None)
    discord.http.aiohttp = SimpleNamespace(**{**vars(aiohttp), "ClientSession": session_class})
    discord.http.Route.BASE = base_url  # leave it out for the real Discord
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(key)
        print(client.user, client.application.name)
        channel = client.get_partial_messageable(1234)
        for word in ("one", "two", "three"):
            print((await channel.send(word)).content)


# inject]
if __name__ == "__main__":
    try:
        asyncio.run(main(os.environ["API_BASE_URL"], os.environ["API_KEY"]))
    except discord.LoginFailure as error:
        sys.exit(f"{type(error).__name__}: {error.__cause__!r}")
