"""The options that all ways in share, checked before anything is installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypedDict, get_args

from ._checks import require_bool, require_callable, require_int, require_one_of, require_seconds
from ._classify import classify as default_classify
from ._credential import Scope, by_credential, by_origin, by_session
from ._events import OnRefuse, OnReset, OnRetry, OnTrip
from ._latch import Latch
from ._probe import Probe
from ._verdict import Verdict

ScopeName = Literal["credential", "origin", "session"]
Windowed = Literal["return", "trip"]
WhenTripped = Literal["auto", "raise", "respond", "wait"]
Canary = bool | Literal["fleet"]

DEFAULT_MAX_BODY = 64 * 1024
DEFAULT_BODY_TIMEOUT = 2.0
DEFAULT_CANARY_TIMEOUT = 30.0

_SCOPES: dict[str, Scope] = {
    "credential": by_credential,
    "origin": by_origin,
    "session": by_session,
}


class Classifier(Protocol):
    """Anything that judges an answer as `classify` does.

    .. versionadded:: 0.1.0
    """

    def __call__(
        self, status: int, headers: Mapping[str, str], body: bytes, *, url: str | None
    ) -> Verdict:
        """Return what an answer says; see `classify`."""


class Options(TypedDict, total=False):
    """Keyword arguments of all ways in; `Settings` describes them."""

    latch: Latch | None
    scope: ScopeName | Scope
    classify: Classifier
    when_tripped: WhenTripped
    spent_status: int | None
    wait_timeout: float | None
    probe: Probe | None
    windowed: Windowed
    shadow: bool
    on_trip: OnTrip | None
    on_refuse: OnRefuse | None
    on_retry: OnRetry | None
    on_reset: OnReset | None
    canary: Canary
    canary_timeout: float
    cancel_in_flight: bool
    watch_streams: bool
    watch_ok_bodies: bool
    max_body: int
    body_timeout: float


@dataclass(frozen=True)
class Settings:
    """What the options say.

    Args:
        latch: the memory of dead endpoints; share one between sessions. Default: a new one.
        scope: what a trip binds: ``"credential"`` (this key at this origin), ``"origin"``,
            ``"session"``, or a callable of (URL, headers) that returns an `Endpoint`, a string
            that stands for the caller, or None to leave a request alone.
        classify: judges answers; any callable of the form of `classify`.
        when_tripped: ``"raise"`` a `PermanentEndpointError`, for the answer that trips and for
            every later call; or ``"respond"``: hand back the answer that tripped, as a response
            whose ``raise_for_status()`` raises that error; or ``"wait"``: hold the call until the
            latch is clear, and send it again then. ``"auto"`` responds to the transports
            of HTTP client libraries, which map answers to errors of their own, and raises
            elsewhere.
        spent_status: where it responds, the status to hand back for a spent key in place of the
            remembered one; 402 ends retry layers that retry every 429.
        wait_timeout: seconds that a call is held at most before the error is raised after all;
            None for no limit.
        probe: lets one request through now and then, and resets the latch if it is answered
            well; None for never.
        windowed: ``"return"`` hands over the answer that says that a window of hours is used up;
            ``"trip"`` trips until the time that the answer tells, if it tells one.
        shadow: judge and count, but never refuse, raise or end anything.
        on_trip: called with the `Trip`, once per trip, after the latch is set; sync or async.
        on_refuse: called with a `Refusal` for each call that is refused; sync or async.
        on_retry: called with a `Retry` before each wait for another attempt; sync or async.
        on_reset: called with a `Reset` for each `Latch.reset`; sync or async.
        canary: while nothing is known of an endpoint, one request goes out and the others wait
            for its answer. With ``"fleet"`` it is one for all processes that share a store.
        canary_timeout: seconds that they wait at most; then they go out too.
        cancel_in_flight: a trip also ends calls that wait for the head of their answer.
        watch_streams: also judge error events inside ``text/event-stream`` answers.
        watch_ok_bodies: also judge JSON answers with a status below 400.
        max_body: bytes of a body that are looked at.
        body_timeout: seconds to wait for those of an error body.

    Raises:
        TypeError, ValueError: an option makes no sense; the message names it.
    """

    latch: Latch | None = None
    scope: ScopeName | Scope = "credential"
    classify: Classifier = default_classify
    when_tripped: WhenTripped = "auto"
    spent_status: int | None = None
    wait_timeout: float | None = None
    probe: Probe | None = None
    windowed: Windowed = "return"
    shadow: bool = False
    on_trip: OnTrip | None = None
    on_refuse: OnRefuse | None = None
    on_retry: OnRetry | None = None
    on_reset: OnReset | None = None
    canary: Canary = False
    canary_timeout: float = DEFAULT_CANARY_TIMEOUT
    cancel_in_flight: bool = False
    watch_streams: bool = False
    watch_ok_bodies: bool = False
    max_body: int = DEFAULT_MAX_BODY
    body_timeout: float = DEFAULT_BODY_TIMEOUT

    def __post_init__(self) -> None:
        if self.latch is not None and not isinstance(self.latch, Latch):
            raise TypeError(f"latch must be a Latch or None, got {type(self.latch).__name__}")
        require_one_of("when_tripped", self.when_tripped, get_args(WhenTripped))
        if self.spent_status is not None:
            require_int("spent_status", self.spent_status, at_least=400, at_most=599)
        if isinstance(self.scope, str):
            require_one_of("scope", self.scope, (*_SCOPES, "a callable"))
        else:
            require_callable("scope", self.scope)
        require_callable("classify", self.classify)
        if self.wait_timeout is not None:
            require_seconds("wait_timeout", self.wait_timeout)
        if self.probe is not None and not isinstance(self.probe, Probe):
            raise TypeError(f"probe must be a Probe or None, got {type(self.probe).__name__}")
        require_one_of("windowed", self.windowed, get_args(Windowed))
        for name in ("on_trip", "on_refuse", "on_retry", "on_reset"):
            if getattr(self, name) is not None:
                require_callable(name, getattr(self, name))
        if self.canary != "fleet":
            require_bool("canary", self.canary)
        for name in ("shadow", "cancel_in_flight", "watch_streams", "watch_ok_bodies"):
            require_bool(name, getattr(self, name))
        require_int("max_body", self.max_body, at_least=1)
        require_seconds("body_timeout", self.body_timeout)
        require_seconds("canary_timeout", self.canary_timeout)

    def name_endpoint(self, secret: bytes) -> Scope:
        """Return the function that names the endpoint of a request.

        Args:
            secret: of the latch; keys the fingerprints of credentials.
        """
        if callable(self.scope):
            return self.scope
        if self.scope == "credential" and secret:
            return partial(by_credential, secret=secret)
        return _SCOPES[self.scope]
