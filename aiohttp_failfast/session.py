"""``FailFastSession``, the drop-in ``aiohttp.ClientSession``."""

from __future__ import annotations

from functools import partial
from typing import Any

from aiohttp import ClientResponse, ClientSession
from aiohttp.typedefs import StrOrURL

from ._call import Call
from ._classify import classify as default_classify
from ._credential import Scope
from ._events import OnRefuse, OnReset, OnRetry, OnTrip, logger
from ._guard import Guard
from ._latch import Latch
from ._probe import Probe
from ._retry import RetryPolicy
from ._settings import (
    DEFAULT_BODY_TIMEOUT,
    DEFAULT_CANARY_TIMEOUT,
    DEFAULT_MAX_BODY,
    Canary,
    Classifier,
    Options,
    ScopeName,
    Settings,
    WhenTripped,
    Windowed,
)

_DEFAULT_RETRY = RetryPolicy()


class _Subclassable:
    """Lets ClientSession be subclassed, and users subclass the result, without warnings.

    aiohttp warns at each subclass, and in debug mode at each attribute it does not know; as a
    class that stands before ClientSession, this one keeps both from being reached.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Stop here: aiohttp's own hook would warn."""

    def __setattr__(self, name: str, value: Any) -> None:
        if type(self) is FailFastSession:
            super().__setattr__(name, value)
        else:
            object.__setattr__(self, name, value)


class FailFastSession(_Subclassable, ClientSession):
    """An ``aiohttp.ClientSession`` that stops at once when its key is dead.

    It takes every argument of ``ClientSession``, and these by keyword. Every answer on the wire
    is judged. A decisive one trips the latch; from then on every call to that endpoint raises
    `PermanentEndpointError` at once: new ones, those asleep before a retry, those queued for a
    connection. Transient trouble is retried as ``retry`` says.

    Args:
        latch: the memory of dead endpoints; share one between sessions. Default: a new one.
        retry: when to try again; None for never. Default: `RetryPolicy()`.
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
        TypeError, ValueError: an argument makes no sense; the message names it.

    .. versionadded:: 0.1.0
    """

    ATTRS = frozenset({*ClientSession.ATTRS, "_failfast_guard", "_failfast_retry"})

    def __init__(
        self,
        *args: Any,
        latch: Latch | None = None,
        retry: RetryPolicy | None = _DEFAULT_RETRY,
        scope: ScopeName | Scope = "credential",
        classify: Classifier = default_classify,
        when_tripped: WhenTripped = "auto",
        spent_status: int | None = None,
        wait_timeout: float | None = None,
        probe: Probe | None = None,
        windowed: Windowed = "return",
        shadow: bool = False,
        on_trip: OnTrip | None = None,
        on_refuse: OnRefuse | None = None,
        on_retry: OnRetry | None = None,
        on_reset: OnReset | None = None,
        canary: Canary = False,
        canary_timeout: float = DEFAULT_CANARY_TIMEOUT,
        cancel_in_flight: bool = False,
        watch_streams: bool = False,
        watch_ok_bodies: bool = False,
        max_body: int = DEFAULT_MAX_BODY,
        body_timeout: float = DEFAULT_BODY_TIMEOUT,
        **kwargs: Any,
    ) -> None:
        if retry is not None and not isinstance(retry, RetryPolicy):
            raise TypeError(f"retry must be a RetryPolicy or None, got {type(retry).__name__}")
        settings = Settings(
            latch=latch,
            scope=scope,
            classify=classify,
            when_tripped=when_tripped,
            spent_status=spent_status,
            wait_timeout=wait_timeout,
            probe=probe,
            windowed=windowed,
            shadow=shadow,
            on_trip=on_trip,
            on_refuse=on_refuse,
            on_retry=on_retry,
            on_reset=on_reset,
            canary=canary,
            canary_timeout=canary_timeout,
            cancel_in_flight=cancel_in_flight,
            watch_streams=watch_streams,
            watch_ok_bodies=watch_ok_bodies,
            max_body=max_body,
            body_timeout=body_timeout,
        )
        super().__init__(*args, **kwargs)
        self._failfast_guard = Guard(settings)
        self._failfast_retry = retry or RetryPolicy(max_http_attempts=1)

    @classmethod
    def with_defaults(cls, **defaults: Any) -> type[FailFastSession]:
        """Return a class whose sessions have other defaults, and share one latch.

        For programs that make a session per call or per batch, and let one put another class in
        place of ``aiohttp.ClientSession``.

        Args:
            defaults: keyword arguments of the session; what a session is given goes before them.
                Without ``latch`` a new one is made, and shared by all sessions of the class.

        Returns:
            A subclass; its latch is ``session.latch`` of any of its sessions.

        Raises:
            TypeError, ValueError: an option makes no sense; the message names it.
        """
        defaults.setdefault("latch", Latch())
        Settings(**{name: defaults[name] for name in Options.__annotations__ if name in defaults})

        class Configured(cls):  # type: ignore[valid-type, misc]
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **{**defaults, **kwargs})

        Configured.__name__ = cls.__name__
        Configured.__qualname__ = cls.__qualname__
        Configured.__doc__ = cls.__doc__
        return Configured

    @property
    def latch(self) -> Latch:
        """The memory of dead endpoints."""
        return self._failfast_guard.latch

    async def close(self) -> None:
        """Close the session, and say in the log what the latch has spared the job."""
        if not self.closed and self.latch.tripped:
            stats = self.latch.stats
            logger.info(
                "session closed: %d calls refused, %d retries stopped, %.0f s of backoff saved",
                stats.refused,
                stats.retries_stopped,
                stats.seconds_saved,
            )
        await super().close()

    async def _request(self, method: str, str_or_url: StrOrURL, **kwargs: Any) -> ClientResponse:
        get = kwargs.get
        raises = get("raise_for_status")
        if raises is None:
            raises = self._raise_for_status
        guard = self._failfast_guard
        call = Call(guard, self._failfast_retry, raises, data=get("data"), headers=get("headers"))
        kwargs["raise_for_status"] = call.raise_for_status if raises else False
        middlewares = get("middlewares")
        if middlewares is None:
            middlewares = self._middlewares
        kwargs["middlewares"] = (*middlewares, call) if middlewares else (call,)
        send = partial(super()._request, method, str_or_url, **kwargs)
        if guard.settings.when_tripped == "wait":
            return await call.run_held(send)
        response = await send()
        return response if call.is_done else await call.follow_up(response, send)
