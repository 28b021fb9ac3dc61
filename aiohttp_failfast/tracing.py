"""``failfast_trace_config`` and ``attach``, for sessions that are plain ``ClientSession``s."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING

from aiohttp import (
    ClientSession,
    TraceConfig,
    TraceRequestEndParams,
    TraceRequestStartParams,
)

from ._errors import PermanentEndpointError
from ._guard import Guard
from ._guarded import guard_session
from ._judge import observation_of
from ._latch import Latch
from ._raise import discard
from ._settings import Options, Settings

if TYPE_CHECKING:
    from typing_extensions import Unpack


class FailFastTraceConfig(TraceConfig):
    """The ``TraceConfig`` that `failfast_trace_config` returns.

    .. versionadded:: 0.1.0
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self._guard = guard
        self.on_request_start.append(self._start)
        self.on_request_end.append(self._end)

    @property
    def latch(self) -> Latch:
        """The memory of dead endpoints."""
        return self._guard.latch

    async def _start(
        self, session: ClientSession, context: SimpleNamespace, params: TraceRequestStartParams
    ) -> None:
        guard_session(session, self._guard)
        if self._guard.latch.tripped:
            # A refusal has no await of its own: a loop over a dead key must let others run.
            await asyncio.sleep(0)

    async def _end(
        self, session: ClientSession, context: SimpleNamespace, params: TraceRequestEndParams
    ) -> None:
        observation = observation_of(params.response)
        if observation is not None and observation.trip is not None:
            discard(params.response)
            raise PermanentEndpointError.from_trip(observation.trip, sent=True)


def failfast_trace_config(**options: Unpack[Options]) -> FailFastTraceConfig:
    """Return a trace config for ``ClientSession(trace_configs=[...])``.

    The session's answers are judged and its latch trips and refuses as in `FailFastSession`;
    nothing is retried. The latch is ``config.latch``.

    Args:
        options: those of `FailFastSession`, but for ``retry``, ``spent_status``,
            ``wait_timeout`` and ``probe``, by keyword. ``when_tripped`` can only be ``"raise"``
            here: a hook can neither put an answer in place nor send a request again.

    Raises:
        TypeError, ValueError: an argument makes no sense; the message names it.

    .. versionadded:: 0.1.0
    """
    settings = Settings(**options)
    if settings.when_tripped not in {"auto", "raise"}:
        raise ValueError("when_tripped must be 'auto' or 'raise' for a trace config")
    for name in ("spent_status", "wait_timeout", "probe"):
        if getattr(settings, name) is not None:
            raise ValueError(f"{name} must be None for a trace config")
    return FailFastTraceConfig(Guard(settings))


def attach(session: ClientSession, **options: Unpack[Options]) -> Latch:
    """Make a session that exists stop at once when its key is dead.

    Nothing is retried. Attaching again changes nothing and returns the latch that is there.

    Args:
        session: an open ``aiohttp.ClientSession``; its list of trace configs is replaced, not
            changed, so that other sessions made with the same list are left alone.
        options: those of `FailFastSession`, but for ``retry``, ``spent_status``,
            ``wait_timeout`` and ``probe``, by keyword. ``when_tripped`` can only be ``"raise"``
            here: a hook can neither put an answer in place nor send a request again.

    Returns:
        The latch of the session.

    Raises:
        TypeError: ``session`` is no ClientSession, or an option has the wrong type.
        ValueError: ``session`` is closed or has another latch already, or an option makes no
            sense.

    .. versionadded:: 0.1.0
    """
    if not isinstance(session, ClientSession):
        raise TypeError(f"session must be an aiohttp.ClientSession, got {type(session).__name__}")
    if session.closed:
        raise ValueError("session is closed")
    config = failfast_trace_config(**options)
    present = _attached_latch(session)
    if present is None:
        config.freeze()
        # First: a trace that stands before it would see the end of a call that then fails.
        session._trace_configs = [config, *session.trace_configs]
        return config.latch
    if options.get("latch") not in (None, present):
        raise ValueError("session has another latch already; latch must be that one or None")
    return present


def _attached_latch(session: ClientSession) -> Latch | None:
    own = getattr(session, "latch", None)  # a FailFastSession needs no attachment
    if isinstance(own, Latch):
        return own
    for config in session.trace_configs:
        if isinstance(config, FailFastTraceConfig):
            return config.latch
    return None
