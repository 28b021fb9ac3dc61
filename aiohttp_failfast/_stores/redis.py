"""A store in Redis or Valkey: a fleet of machines.

Under a prefix it keeps one key per trip (``P:trip:ORIGIN#FINGERPRINT``, expiring with the trip),
the names of those (``P:trips``) and the numbers of the resets (``P:floors``), and it publishes
what is new on a channel (``P:DB:news``; channels know no databases).
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .._news import News
from .._news_json import decode_news, encode_news
from ._names import ALL, endpoint_of, name_of
from ._scripts import MARK, PUT_FLOOR, PUT_TRIP, READ
from .protocol import DEFAULT_MAX_AGE

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.client import PubSub

DEFAULT_PREFIX = "aiohttp_failfast"
# Bounds on the client: a stopped server must not keep an operation for longer.
_SOCKET_TIMEOUT = 2.0
# Seconds without a message after which the subscription is asked whether it lives.
_PULSE = 10.0
_GENERATION = "generation"
# Numbers of resets outlive the trips that they make void.
_FLOORS_LIFE = 7 * 24 * 3600.0
_FULL = "OutOfMemory"

logger = logging.getLogger("aiohttp_failfast")


class RedisStore:
    """Joins latches through a server of Redis or Valkey (no cluster).

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``, as the client of Redis takes it.
        prefix: begins the names of all keys, and of the channel.
        max_age: seconds after which a trip is forgotten that nobody reset.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self, url: str, *, prefix: str = DEFAULT_PREFIX, max_age: float = DEFAULT_MAX_AGE
    ) -> None:
        self._url = url
        self.prefix = prefix
        self.max_age = max_age

    def __str__(self) -> str:
        parts = urlsplit(self._url)
        # Neither user nor password; a query may hold one as well.
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r}, prefix={self.prefix!r})"

    @contextlib.asynccontextmanager
    async def connect(self) -> AsyncIterator[_RedisConnection]:
        """Return a connection, open inside ``async with``.

        Raises:
            ImportError: the redis package is not installed.
        """
        client = self._client()
        pubsub = client.pubsub()
        try:
            database = client.connection_pool.connection_kwargs.get("db") or 0
            channel = f"{self.prefix}:{database}:news"
            await pubsub.subscribe(channel)
            # The server's answer; what is published from now on will come.
            await pubsub.get_message(timeout=_SOCKET_TIMEOUT)
            yield _RedisConnection(client, pubsub, self.prefix, channel, self.max_age)
        finally:
            # Whatever became of the connection, it is closed; a server that is gone cannot mind.
            for close in (pubsub.aclose, client.aclose):
                with contextlib.suppress(Exception):
                    await close()  # type: ignore[no-untyped-call, unused-ignore]

    def _client(self) -> Redis:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        # Trying again is the link's own business, which knows when to warn.
        return Redis.from_url(
            self._url,
            socket_timeout=_SOCKET_TIMEOUT,
            socket_connect_timeout=_SOCKET_TIMEOUT,
            health_check_interval=_PULSE,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            decode_responses=False,
        )


class _RedisConnection:
    """A client for commands and another connection that listens."""

    def __init__(
        self, client: Redis, pubsub: PubSub, prefix: str, channel: str, max_age: float
    ) -> None:
        self._client = client
        self._pubsub = pubsub
        self._channel = channel
        self._floors_life = int(1000 * max(_FLOORS_LIFE, 2 * max_age))
        self._floors, self._names = f"{prefix}:floors", f"{prefix}:trips"
        self._trip = f"{prefix}:trip:"
        self._canary = f"{prefix}:canary:"

    async def read(self) -> News:
        floors, trips = await self._eval(READ, [self._floors, self._names], [self._trip])
        numbers = {_str(name): int(at) for name, at in zip(floors[::2], floors[1::2], strict=True)}
        generation = numbers.pop(_GENERATION, 0)
        news = News(
            generation,
            numbers.pop(ALL, 0),
            {endpoint_of(name): at for name, at in numbers.items()},
        )
        for stored in trips:
            # "GENERATION JSON", so that scripts need not understand the latter.
            news = news.join(_decoded(stored.partition(b" ")[2]))
        return news.unexpired(time.time())

    async def put(self, news: News) -> None:
        try:
            await self._store(news)
        except Exception as error:
            # A full server still passes on what it cannot keep.
            if _FULL in f"{type(error).__name__} {error}":
                await self._client.publish(self._channel, encode_news(news))
            raise

    async def mark(self, name: str, value: str, seconds: float, *, over: str = "") -> str:
        life = int(1000 * seconds)
        return _str(await self._eval(MARK, [self._canary + name], [value, over, life]))

    async def changes(self) -> AsyncIterator[News]:
        while True:
            message = await self._pubsub.get_message(ignore_subscribe_messages=True, timeout=_PULSE)
            if message is not None:
                yield _decoded(message["data"])

    async def _store(self, news: News) -> None:
        floors = {name_of(endpoint): (at, endpoint) for endpoint, at in news.floors.items()}
        if news.floor:
            await self._put_floor(ALL, news.floor, News(news.floor, news.floor))
        for name, (at, endpoint) in floors.items():
            await self._put_floor(name, at, News(at, 0, {endpoint: at}))
        if news.generation:
            await self._put_floor(_GENERATION, news.generation, News(news.generation))
        for endpoint, told in news.trips.items():
            life = int(1000 * (told.expires_at - time.time()))
            if life > 0:
                one = News(told.trip.generation, trips={endpoint: told})
                name = name_of(endpoint)
                await self._eval(
                    PUT_TRIP,
                    [self._floors, self._names, self._trip + name],
                    [name, told.trip.generation, life, self._channel, encode_news(one)],
                )

    async def _put_floor(self, name: str, at: int, news: News) -> None:
        await self._eval(
            PUT_FLOOR,
            [self._floors, self._names],
            [name, at, self._floors_life, self._channel, encode_news(news), self._trip],
        )

    async def _eval(self, script: str, keys: list[str], arguments: list[Any]) -> Any:
        return await self._client.eval(script, len(keys), *keys, *arguments)


def _decoded(text: bytes) -> News:
    try:
        return decode_news(text)
    except ValueError as error:
        logger.warning("news in the store make no sense: %s", error)
        return News()


def _str(name: bytes) -> str:
    return name.decode("utf-8", "replace")
