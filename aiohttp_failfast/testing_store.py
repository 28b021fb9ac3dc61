"""Checks that every store must pass; run them on your own.

Each of `CHECKS` is a coroutine function of one argument: a function that returns a store, of
which the first call finds an empty place and the others the same place again. With pytest::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check, tmp_path):
        asyncio.run(check(lambda: MyStore(tmp_path)))
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timezone

from ._credential import Endpoint
from ._news import News
from ._shared_trip import SharedTrip
from ._stores.protocol import Store
from ._trip import Trip, Witness
from ._verdict import Verdict, VerdictKind

MakeStore = Callable[[], Store]
"""Returns a store; always of the same place."""

PATIENCE = 5.0
"""Seconds within which news must come through."""

ONE = Endpoint("https://api.example.com", "0123456789ab")
OTHER = Endpoint("https://[::1]:8443", "none")
ANY = Endpoint("*", "*")


def a_trip(
    endpoint: Endpoint = ONE, *, generation: int = 0, left: float = 60.0, message: str = "spent"
) -> News:
    """Return news of one trip.

    Args:
        endpoint: whose.
        generation: in which the request was sent.
        left: seconds until it expires.
        message: the provider's words.
    """
    verdict = Verdict(
        VerdictKind.QUOTA,
        code="insufficient_quota",
        message=message,
        rule="example",
        retry_after=1.5,
        resets_at=datetime(2030, 1, 1, tzinfo=timezone.utc),
    )
    trip = Trip(
        endpoint=endpoint,
        verdict=verdict,
        status=429,
        reason="Too Many Requests",
        method="POST",
        url="" if endpoint.origin == "*" else endpoint.origin,
        request_headers=(),
        headers=(("Content-Type", "application/json"), ("x-request-id", "ä")),
        content=b'{"error": "\xff"}',
        tripped_at=datetime(2026, 11, 30, 12, 0, 0, 250000, tzinfo=timezone.utc),
        generation=generation,
        seen_by=Witness("host.example", 4321),
    )
    expires_at = round(time.time() + left, 3)
    return News(generation, trips={endpoint: SharedTrip(trip, expires_at)})


def a_reset(generation: int, endpoint: Endpoint | None = None) -> News:
    """Return news of one reset.

    Args:
        generation: its number.
        endpoint: which one was reset; all by default.
    """
    if endpoint is None:
        return News(generation, generation)
    return News(generation, floors={endpoint: generation})


async def starts_empty(make: MakeStore) -> None:
    """Hold nothing in a place that nobody has used; that is no error."""
    async with make().connect() as connection:
        _same(await connection.read(), News())


async def keeps_every_word(make: MakeStore) -> None:
    """Let another connection, of another store, read what was put in to the last detail."""
    news = a_trip().join(a_trip(ANY, message="„leer\n\x00")).join(a_reset(3, OTHER))
    await _put(make(), news)
    async with make().connect() as connection:
        _same(await connection.read(), news)


async def puts_join_what_is_there(make: MakeStore) -> None:
    """Leave the rest alone where a part of it is put in; twice is once."""
    store = make()
    for news in (a_trip(), a_trip(OTHER), a_trip(), News()):
        await _put(store, news)
    _same_names(await _read(store), {ONE, OTHER})


async def the_first_cause_stays(make: MakeStore) -> None:
    """Keep the first of two trips, unless the other is of a later generation."""
    store = make()
    for generation, message in ((1, "first"), (1, "second"), (0, "older")):
        await _put(store, a_trip(generation=generation, message=message))
    _equal((await _read(store)).trips[ONE].trip.verdict.message, "first")
    await _put(store, a_trip(generation=2, message="later"))
    _equal((await _read(store)).trips[ONE].trip.verdict.message, "later")


async def a_reset_ends_older_trips(make: MakeStore) -> None:
    """End them whichever is put in first; those of one endpoint only, or of all."""
    store = make()
    await _put(store, a_trip(generation=4))
    await _put(store, a_trip(OTHER, generation=4))
    await _put(store, a_reset(5, ONE))
    await _put(store, a_trip(generation=4))
    _same_names(await _read(store), {OTHER})
    await _put(store, a_reset(6))
    await _put(store, a_trip(OTHER, generation=5))
    _same_names(await _read(store), set())
    stored = await _read(store)
    _equal((stored.generation, stored.floor), (6, 6))


async def a_trip_of_the_reset_s_generation_counts(make: MakeStore) -> None:
    """Keep it: its request was sent after the reset."""
    store = make()
    await _put(store, a_reset(5))
    await _put(store, a_trip(generation=5))
    await _put(store, a_reset(4))
    _same_names(await _read(store), {ONE})


async def the_highest_number_is_remembered(make: MakeStore) -> None:
    """Keep it also where nothing else is told: later resets must be above it."""
    store = make()
    await _put(store, News(generation=7))
    await _put(store, a_reset(2, ONE))
    _equal((await _read(store)).generation, 7)


async def trips_expire(make: MakeStore) -> None:
    """Forget what has ended, also before it is put in."""
    store = make()
    await _put(store, a_trip(left=0.3).join(a_trip(OTHER)))
    await _put(store, a_trip(ANY, left=-1.0))
    await asyncio.sleep(0.4)
    _same_names(await _read(store), {OTHER})


async def changes_are_told(make: MakeStore) -> None:
    """Tell whoever is connected of trips and resets, from the moment of connecting."""
    async with make().connect() as listener:
        await _put(make(), a_trip(OTHER))
        changes = listener.changes()
        await _hear(changes, lambda news: OTHER in news.trips)
        await _put(make(), a_trip(generation=1))
        await _hear(changes, lambda news: ONE in news.trips)
        await _put(make(), a_reset(2))
        news = await _hear(changes, lambda news: news.floor)
    _equal((news.generation, news.floor, dict(news.trips)), (2, 2, {}))


async def many_writers_lose_nothing(make: MakeStore) -> None:
    """Keep what twenty write at once, each for an endpoint of its own."""
    endpoints = {ONE._replace(credential=f"{number:012x}") for number in range(20)}
    await asyncio.gather(*(_put(make(), a_trip(endpoint)) for endpoint in endpoints))
    _same_names(await _read(make()), endpoints)


async def a_connection_can_be_given_up(make: MakeStore) -> None:
    """Close one that is cancelled while it listens; the store goes on."""
    store = make()

    async def listen() -> None:
        async with store.connect() as connection:
            async for _ in connection.changes():
                pass

    task = asyncio.ensure_future(listen())
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), PATIENCE)
    await _put(store, a_trip())
    _same_names(await _read(store), {ONE})


CHECKS: tuple[Callable[[MakeStore], Awaitable[None]], ...] = (
    starts_empty,
    keeps_every_word,
    puts_join_what_is_there,
    the_first_cause_stays,
    a_reset_ends_older_trips,
    a_trip_of_the_reset_s_generation_counts,
    the_highest_number_is_remembered,
    trips_expire,
    changes_are_told,
    many_writers_lose_nothing,
    a_connection_can_be_given_up,
)
"""All of them; a check that fails raises AssertionError."""


async def _put(store: Store, news: News) -> None:
    async with store.connect() as connection:
        await connection.put(news)


async def _read(store: Store) -> News:
    async with store.connect() as connection:
        return await connection.read()


async def _hear(changes: AsyncIterator[News], done: Callable[[News], object]) -> News:
    """Return the first news that say what they should."""

    async def wait() -> News:
        async for news in changes:
            if done(news):
                return news
        raise AssertionError("changes() ended by itself")

    return await asyncio.wait_for(wait(), PATIENCE)


def _same(found: News, expected: News) -> None:
    _equal(found.beyond(expected), News())
    _equal(expected.beyond(found), News())
    _equal(dict(found.trips), dict(expected.trips))


def _same_names(found: News, expected: set[Endpoint]) -> None:
    _equal(set(found.trips), expected)


def _equal(found: object, expected: object) -> None:
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")
