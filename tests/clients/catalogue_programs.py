"""Programs and libraries that talk to aiohttp themselves."""

from __future__ import annotations

from client import Client

CLIENTS: tuple[Client, ...] = ()
