"""The kinds of session that a driver can be asked for, each as a class to make sessions of."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import aiohttp

from aiohttp_failfast import FailFastMiddleware, FailFastSession, Latch, failfast_trace_config
from aiohttp_failfast._remembered import is_library_transport

Options = dict[str, Any]


def _plain(_: Options) -> Callable[..., Any]:
    return aiohttp.ClientSession


def _session(options: Options, **more: Any) -> Callable[..., Any]:
    return FailFastSession.with_defaults(latch=Latch(), **{**more, **options})


def _without_402(options: Options) -> Callable[..., Any]:
    return _session({**options, "spent_status": None}, retry=None)


def _subclass(**ours: list[Any]) -> Callable[..., Any]:
    """Return a class of sessions with these besides their own: programs test with isinstance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)

        class Configured(aiohttp.ClientSession):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                for name, more in ours.items():
                    kwargs[name] = [*(kwargs.get(name) or ()), *more]
                super().__init__(*args, **kwargs)

    return Configured


def _middleware(options: Options) -> Callable[..., Any]:
    return _subclass(middlewares=[FailFastMiddleware(latch=Latch(), **options)])


def _trace(options: Options) -> Callable[..., Any]:
    respond = {"when_tripped", "spent_status"}  # all that it can do is raise
    options = {name: one for name, one in options.items() if name not in respond}
    return _subclass(trace_configs=[failfast_trace_config(latch=Latch(), **options)])


class Spy:
    """Notes with what headers a session is called, and what ``when_tripped="auto"`` decides."""

    _seen: set[tuple[str, bool, bool]] = set()  # noqa: RUF012 - one per process

    @classmethod
    def taken(cls) -> list[list[Any]]:
        """Return what was noted: type of the headers, answer for the session, the middleware."""
        noted = sorted(cls._seen)
        cls._seen.clear()
        return [list(one) for one in noted]

    @classmethod
    def session_class(cls, _: Options) -> Callable[..., Any]:
        """Return a plain session that notes its calls."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)

            class Noting(aiohttp.ClientSession):
                async def _request(self, *args: Any, **kwargs: Any) -> Any:
                    headers = kwargs.get("headers")
                    kind = f"{type(headers).__module__}.{type(headers).__qualname__}"

                    async def note(request: Any, handler: Any) -> Any:
                        cls._seen.add(
                            (
                                kind.removeprefix("builtins."),
                                is_library_transport(headers),
                                is_library_transport(request.headers),
                            )
                        )
                        return await handler(request)

                    return await super()._request(*args, **{**kwargs, "middlewares": (note,)})

        return Noting


# Programs with retries of their own get a session without; "default" has both.
KINDS: dict[str, Callable[[Options], Callable[..., Any]]] = {
    "plain": _plain,
    "session": functools.partial(_session, retry=None),
    "default": _session,
    "spent_402": functools.partial(_session, retry=None, spent_status=402),
    "without_402": _without_402,
    "respond": functools.partial(_session, retry=None, when_tripped="respond"),
    "respond_402": functools.partial(
        _session, retry=None, when_tripped="respond", spent_status=402
    ),
    "raise": functools.partial(_session, retry=None, when_tripped="raise"),
    "middleware": _middleware,
    "trace": _trace,
    "spy": Spy.session_class,
}
