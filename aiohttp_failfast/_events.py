"""What the callbacks are told, and how they are called."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from ._credential import Endpoint
from ._trip import Trip
from ._verdict import Verdict

logger = logging.getLogger("aiohttp_failfast")


@dataclass(frozen=True)
class Refusal:
    """One call that was refused; what ``on_refuse`` gets.

    Attributes:
        trip: why.
        method: method of the call.
        sent: whether an earlier attempt of the call touched the wire.
        shadow: whether the call was let through all the same, because of ``shadow=True``.

    .. versionadded:: 0.1.0
    """

    trip: Trip
    method: str
    sent: bool
    shadow: bool


@dataclass(frozen=True)
class Retry:
    """One more attempt to come; what ``on_retry`` gets, before the wait.

    Attributes:
        endpoint: origin and fingerprint of the key; None where the scope leaves it alone.
        method: method of the call.
        attempt: number of the attempt that was answered, from 1.
        delay: seconds until the next one.
        status: status of the answer.
        verdict: what it says.

    .. versionadded:: 0.1.0
    """

    endpoint: Endpoint | None
    method: str
    attempt: int
    delay: float
    status: int
    verdict: Verdict


@dataclass(frozen=True)
class Reset:
    """One call of `Latch.reset`; what ``on_reset`` gets.

    Attributes:
        endpoint: what was reset; None for all.
        cleared: how many trips that has cleared.
        generation: number of the reset; requests sent from now on belong to it.

    .. versionadded:: 0.1.0
    """

    endpoint: Endpoint | None
    cleared: int
    generation: int


OnTrip = Callable[[Trip], "Awaitable[object] | None"]
OnRefuse = Callable[[Refusal], "Awaitable[object] | None"]
OnRetry = Callable[[Retry], "Awaitable[object] | None"]
OnReset = Callable[[Reset], "Awaitable[object] | None"]

_running: set[asyncio.Future[None]] = set()


async def tell(name: str, callback: Callable[[Any], Any] | None, details: object) -> None:
    """Call a callback to its end; whatever goes wrong in it is logged and changes nothing."""
    rest = _call(name, callback, details)
    if rest is not None:
        await rest


def tell_soon(name: str, callback: Callable[[Any], Any] | None, details: object) -> None:
    """Do the same from where nothing can be awaited.

    An async callback runs in a task, or, where no loop runs in this thread, to its end in one of
    its own.
    """
    rest = _call(name, callback, details)
    if rest is None:
        return
    try:
        task = asyncio.get_running_loop().create_task(rest)
    except RuntimeError:
        asyncio.run(rest)
        return
    _running.add(task)
    task.add_done_callback(_running.discard)


def _call(
    name: str, callback: Callable[[Any], Any] | None, details: object
) -> Coroutine[Any, Any, None] | None:
    """Call a callback; return what is left to await of an async one."""
    if callback is None:
        return None
    try:
        result = callback(details)
    except Exception:
        logger.exception("%s failed; nothing else changes", name)
        return None
    return _finish(name, result) if inspect.isawaitable(result) else None


async def _finish(name: str, result: Awaitable[object]) -> None:
    try:
        await result
    except Exception:
        logger.exception("%s failed; nothing else changes", name)
