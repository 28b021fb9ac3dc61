"""Fixtures that many tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import multidict
import pytest
import yarl
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from loopback import Api
from ways import WAYS, SessionFactory

from aiohttp_failfast import Latch


def pytest_report_header() -> str:
    """Show what the tests ran against."""
    versions = (f"{module.__name__} {module.__version__}" for module in (aiohttp, multidict, yarl))
    return ", ".join(versions)


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Serve a loopback API on a real socket."""
    api = Api()
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_route("*", "/{path:.*}", api.handle)
    server = TestServer(app)
    await server.start_server()
    api.url = server.make_url("/v1")
    yield api
    if api.gate is not None:
        api.gate.set()
    await server.close()


@pytest.fixture
async def make_session(request: pytest.FixtureRequest) -> AsyncIterator[SessionFactory]:
    """Make sessions in a way that ``way`` names; all are closed at the end.

    Arguments of the factory: ``way``, ``latch``, ``options`` (ours), and those of ClientSession.
    """
    made: list[ClientSession] = []

    async def make(
        way: str = "session",
        *,
        latch: Latch | None = None,
        options: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> ClientSession:
        session = WAYS[way](latch or Latch(), dict(options or {}), kwargs)
        made.append(session)
        return session

    yield make
    for session in made:
        await session.close()
