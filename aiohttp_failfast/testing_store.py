"""Checks that every store must pass; run them on your own.

Each of `CHECKS` is a coroutine function of one argument: a function that returns a store, of
which the first call finds an empty place and the others the same place again. With pytest::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check, tmp_path):
        asyncio.run(check(lambda: MyStore(tmp_path)))
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from ._credential import Endpoint
from ._example_news import ANY, ONE, OTHER, a_reset, a_trip
from ._news import News
from ._stores.protocol import Marks, Store

MakeStore = Callable[[], Store]
"""Returns a store; always of the same place."""

PATIENCE = 5.0
"""Seconds within which news must come through."""


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
    for news in (a_trip(), a_trip(OTHER), a_trip(), News()):
        await _put(make(), news)
    _equal(await _names(make()), {ONE, OTHER})


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
    _equal(await _names(store), {OTHER})
    await _put(store, a_reset(6))
    await _put(store, a_trip(OTHER, generation=5))
    _equal(await _names(store), set())
    stored = await _read(store)
    _equal((stored.generation, stored.floor), (6, 6))


async def a_trip_of_the_reset_s_generation_counts(make: MakeStore) -> None:
    """Keep it: its request was sent after the reset."""
    store = make()
    await _put(store, a_reset(5))
    await _put(store, a_trip(generation=5))
    await _put(store, a_reset(4))
    _equal(await _names(store), {ONE})


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
    _equal(await _names(store), {OTHER})


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
    _equal(await _names(make()), endpoints)


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
    _equal(await _names(store), {ONE})


async def marks_are_set_by_one(make: MakeStore) -> None:
    """Let one of many set a mark, replace what it may, and forget it in time."""
    async with make().connect() as one, make().connect() as other:
        if not isinstance(one, Marks) or not isinstance(other, Marks):
            return  # nobody has to offer them
        _equal(await one.mark("a", "one", 60.0), "one")
        _equal(await other.mark("a", "other", 60.0), "one")
        _equal(await other.mark("b", "other", 60.0), "other")
        _equal(await one.mark("a", "alive", 60.0, over="one"), "alive")
        _equal(await other.mark("a", "", 0.0, over="other"), "alive")
        await one.mark("a", "", 0.0, over="alive")
        _equal(await other.mark("a", "other", 0.2), "other")
        await asyncio.sleep(0.3)
        _equal(await one.mark("a", "one", 60.0), "one")


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
    marks_are_set_by_one,
)
"""All of them; a check that fails raises AssertionError."""


async def _put(store: Store, news: News) -> None:
    async with store.connect() as connection:
        await connection.put(news)


async def _read(store: Store) -> News:
    async with store.connect() as connection:
        return await connection.read()


async def _names(store: Store) -> set[Endpoint]:
    return set((await _read(store)).trips)


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


def _equal(found: object, expected: object) -> None:
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")
