"""What a store has to be able to do; small enough to write another one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from .._news import News

DEFAULT_MAX_AGE = 24 * 3600.0
"""Seconds that a trip is kept which nobody resets."""


class Connection(Protocol):
    """One connection to a store, used by one task or two on one event loop.

    Any exception of `read` and `put` means "not now": it is logged once, and tried again later.

    .. versionadded:: 0.1.0
    """

    async def read(self) -> News:
        """Return all that is stored and has not expired.

        What cannot be understood is left out, with a warning in the log.
        """

    async def put(self, news: News) -> None:
        """Join news into what is stored: all of it or nothing is seen by others of each trip.

        The same as ``stored = stored.join(news)``, atomically. What is new is told to everybody
        who is connected; it does no harm to tell it to the sender as well, or twice.

        Args:
            news: trips and resets; only a part of what the sender knows.
        """

    def changes(self) -> AsyncIterator[News]:
        """Yield what others put in, from the moment on at which the connection was made.

        It raises when the connection is lost, and ends where something was lost from the store
        itself: then the connection is made anew, and what is missing is put in again. Parts, the
        whole or the same twice may be yielded. It is called once.
        """


@runtime_checkable
class Marks(Protocol):
    """What a connection may offer as well, for ``canary="fleet"``: one process goes first.

    Without it each process sends a canary of its own.

    .. versionadded:: 0.1.0
    """

    async def mark(self, name: str, value: str, seconds: float, *, over: str = "") -> str:
        """Set a mark, unless there is another one; in one step.

        Args:
            name: of the mark.
            value: to set.
            seconds: after which it is gone; 0 removes it at once.
            over: the only value that may be replaced.

        Returns:
            The value that holds now.
        """


@runtime_checkable
class Store(Protocol):
    """A place that carries trips and resets from latch to latch.

    It is a description, such as an address: what is open belongs to a connection. So one store
    may serve several threads and, after a fork, several processes. ``str()`` of it stands in the
    log and must show no password.

    Attributes:
        max_age: seconds after which a trip is forgotten that nobody reset.

    .. versionadded:: 0.1.0
    """

    @property
    def max_age(self) -> float:
        """Seconds after which a trip is forgotten that nobody reset."""

    def connect(self) -> AbstractAsyncContextManager[Connection]:
        """Return a connection, open inside ``async with``.

        Once it is entered, `Connection.changes` will miss nothing that is put in from then on.
        """
