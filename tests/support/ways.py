"""The ways in, as functions that make a session of each kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import ClientSession

from aiohttp_failfast import (
    FailFastMiddleware,
    FailFastSession,
    Latch,
    attach,
    failfast_trace_config,
)

SessionFactory = Callable[..., Awaitable[ClientSession]]


def _session(latch: Latch, options: dict[str, Any], kwargs: dict[str, Any]) -> ClientSession:
    return FailFastSession(latch=latch, **options, **kwargs)


def _middleware(latch: Latch, options: dict[str, Any], kwargs: dict[str, Any]) -> ClientSession:
    own = kwargs.pop("middlewares", ())
    return ClientSession(middlewares=(*own, FailFastMiddleware(latch=latch, **options)), **kwargs)


def _trace(latch: Latch, options: dict[str, Any], kwargs: dict[str, Any]) -> ClientSession:
    own = kwargs.pop("trace_configs", ())
    return ClientSession(
        trace_configs=[*own, failfast_trace_config(latch=latch, **options)], **kwargs
    )


def _attach(latch: Latch, options: dict[str, Any], kwargs: dict[str, Any]) -> ClientSession:
    session = ClientSession(**kwargs)
    attach(session, latch=latch, **options)
    return session


WAYS = {"session": _session, "middleware": _middleware, "trace": _trace, "attach": _attach}
