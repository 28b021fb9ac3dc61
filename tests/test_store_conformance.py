"""Every store passes the checks that third parties are offered for theirs."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet import Server

from aiohttp_failfast import testing_store
from aiohttp_failfast.stores import FileStore, MemoryStore, News, RedisStore, Store
from aiohttp_failfast.testing_store import CHECKS, MakeStore, a_trip

Check = Callable[[MakeStore], Awaitable[None]]

by_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
prefixes = (f"check-{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run one server for all checks; each has a prefix of its own."""
    server = Server(tmp_path_factory.mktemp("server")).start()
    yield server
    server.close()


@by_check
async def test_memory(check: Check) -> None:
    """The store that is the example of one."""
    store = MemoryStore()
    await check(lambda: store)


@by_check
async def test_file(check: Check, tmp_path: Path) -> None:
    """The file does not exist at first."""
    await check(lambda: FileStore(tmp_path / "trips", poll=0.02))


@by_check
async def test_redis(check: Check, server: Server) -> None:
    """A real server, on which other fleets have left things."""
    prefix = next(prefixes)
    await check(lambda: RedisStore(server.url, prefix=prefix))


class Forgetful(MemoryStore):
    """Keeps only what was put in last."""

    def put(self, news: News) -> None:
        """Do it wrong."""
        self._stored = News()
        super().put(news)


class Obedient(MemoryStore):
    """Believes whoever spoke last, resets or not."""

    def put(self, news: News) -> None:
        """Do it wrong."""
        stored = self._stored
        super().put(news)
        self._stored = News(
            max(stored.generation, news.generation), 0, {}, {**stored.trips, **news.trips}
        )


class Silent(MemoryStore):
    """Tells nobody."""

    def put(self, news: News) -> None:
        """Do it wrong."""
        self._connections, connections = set(), self._connections
        super().put(news)
        self._connections = connections


@pytest.mark.slow
@pytest.mark.parametrize("broken", [Forgetful, Obedient, Silent])
async def test_the_checks_find_broken_stores(
    broken: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise to pass them would mean nothing."""
    monkeypatch.setattr(testing_store, "PATIENCE", 0.3)
    failed = []
    for check in CHECKS:
        store = broken()
        try:
            await check(lambda store=store: store)  # type: ignore[misc]
        except (AssertionError, KeyError, asyncio.TimeoutError):
            failed.append(check)

    assert failed
    assert len(failed) < len(CHECKS)


def test_the_stores_have_the_form_of_one(tmp_path: Path) -> None:
    """And what has not, is refused by name of the argument."""
    stores: list[Any] = [MemoryStore(), FileStore(tmp_path / "x"), RedisStore("redis://h")]

    assert all(isinstance(store, Store) for store in stores)
    assert not isinstance(a_trip(), Store)
