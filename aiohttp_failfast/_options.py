"""The options that all three ways in share, checked before anything is installed."""

from __future__ import annotations

from typing import Literal, TypedDict

from ._checks import require_callable, require_int, require_seconds
from ._classify import classify as default_classify
from ._credential import Scope, by_credential, by_origin, by_session
from ._guard import Classifier, Guard, OnTrip
from ._latch import Latch

ScopeName = Literal["credential", "origin", "session"]
WhenTripped = Literal["auto", "raise"]

DEFAULT_MAX_BODY = 64 * 1024
"""Bytes of an error body that are read to judge it."""
DEFAULT_BODY_TIMEOUT = 2.0
"""Seconds that an error body may take to arrive before it is judged as far as it came."""

_SCOPES: dict[str, Scope] = {
    "credential": by_credential,
    "origin": by_origin,
    "session": by_session,
}


class Options(TypedDict, total=False):
    """Keyword arguments of all three ways in; `FailFastSession` describes them."""

    latch: Latch | None
    scope: ScopeName | Scope
    classify: Classifier
    when_tripped: WhenTripped
    on_trip: OnTrip | None
    max_body: int
    body_timeout: float


def make_guard(
    *,
    latch: Latch | None = None,
    scope: ScopeName | Scope = "credential",
    classify: Classifier = default_classify,
    when_tripped: WhenTripped = "auto",
    on_trip: OnTrip | None = None,
    max_body: int = DEFAULT_MAX_BODY,
    body_timeout: float = DEFAULT_BODY_TIMEOUT,
) -> Guard:
    """Return the guard that the options describe.

    Raises:
        TypeError, ValueError: an option makes no sense; the message names it.
    """
    if latch is not None and not isinstance(latch, Latch):
        raise TypeError(f"latch must be a Latch or None, got {type(latch).__name__}")
    if when_tripped not in {"auto", "raise"}:
        raise ValueError(f"when_tripped must be 'auto' or 'raise', got {when_tripped!r}")
    require_callable("classify", classify)
    if on_trip is not None:
        require_callable("on_trip", on_trip)
    require_int("max_body", max_body, at_least=1)
    require_seconds("body_timeout", body_timeout)
    return Guard(
        latch=Latch() if latch is None else latch,
        scope=_scope(scope),
        classify=classify,
        on_trip=on_trip,
        max_body=max_body,
        body_timeout=body_timeout,
    )


def _scope(scope: object) -> Scope:
    if isinstance(scope, str):
        if scope in _SCOPES:
            return _SCOPES[scope]
        names = ", ".join(map(repr, _SCOPES))
        raise ValueError(f"scope must be one of {names} or a callable, got {scope!r}")
    require_callable("scope", scope)
    return scope  # type: ignore[return-value]
