"""OpenTelemetry metrics of what the latch does; needs the extra ``aiohttp-failfast[otel]``.

Only the API of OpenTelemetry is used; where the numbers go is for the program's SDK to say. Names
and attributes follow OpenTelemetry's rules: attributes of HTTP where they exist, a namespace of
our own for the rest, units in UCUM's form, no ``total`` in a name.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary, ref

from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation, get_meter
from yarl import URL

from . import Endpoint, Latch, Refusal, Retry, Trip, Verdict, __version__
from ._settings import Options
from ._stats import Counters

Attributes = dict[str, "str | int | bool"]

PREFIX = "aiohttp_failfast.client"
_VERDICT = "aiohttp_failfast.verdict"
_SHADOW = "aiohttp_failfast.shadow"
_CREDENTIAL = "aiohttp_failfast.credential"

_METHODS = frozenset(
    ("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY")
)


class Metrics:
    """Counts what one latch does, and shows what it remembers.

    Its methods are the callbacks of the session; ``FailFastSession(**Metrics().options)`` passes
    them and the latch. To do more in a callback, call the method from your own.

    Args:
        latch: the latch to watch; give the same to the session. Default: a new one.
        meter_provider: where the numbers go. Default: the global one, also if it is set later.
        credentials: add the fingerprint of the key to the attributes. Each key makes a time
            series of its own, so do that only where there are few.

    Raises:
        TypeError: the latch is not one.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        latch: Latch | None = None,
        *,
        meter_provider: MeterProvider | None = None,
        credentials: bool = False,
    ) -> None:
        if latch is not None and not isinstance(latch, Latch):
            raise TypeError(f"latch must be a Latch or None, got {type(latch).__name__}")
        self.latch = Latch() if latch is None else latch
        self._instruments = _instruments_of(meter_provider)
        self._credentials = credentials
        self._instruments.watch(self.latch, credentials)

    @property
    def options(self) -> Options:
        """The keyword arguments for a session, a middleware, `attach` or a trace config."""
        return {
            "latch": self.latch,
            "on_trip": self.on_trip,
            "on_refuse": self.on_refuse,
            "on_retry": self.on_retry,
        }

    def on_trip(self, trip: Trip) -> None:
        """Count a trip."""
        attributes = self._of(trip.endpoint, trip.verdict)
        attributes["http.response.status_code"] = trip.status
        self._instruments.trips.add(1, attributes)

    def on_refuse(self, refusal: Refusal) -> None:
        """Count a call that is refused, or would be with ``shadow=True``."""
        attributes = self._of(refusal.trip.endpoint, refusal.trip.verdict)
        attributes["http.request.method"] = _method(refusal.method)
        attributes[_SHADOW] = refusal.shadow
        self._instruments.refused.add(1, attributes)

    def on_retry(self, retry: Retry) -> None:
        """Count another attempt to come."""
        attributes = self._of(retry.endpoint, retry.verdict)
        attributes["http.request.method"] = _method(retry.method)
        attributes["http.response.status_code"] = retry.status
        self._instruments.retries.add(1, attributes)

    def _of(self, endpoint: Endpoint | None, verdict: Verdict) -> Attributes:
        return _attributes(endpoint, verdict, credentials=self._credentials)


def instrument(
    latch: Latch | None = None,
    *,
    meter_provider: MeterProvider | None = None,
    credentials: bool = False,
) -> Options:
    """Return the keyword arguments that make a session report to OpenTelemetry.

    Args:
        latch: the latch of the session. Default: a new one, which is among the arguments.
        meter_provider: where the numbers go. Default: the global one, also if it is set later.
        credentials: add the fingerprint of the key to the attributes; see `Metrics`.

    Raises:
        TypeError: the latch is not one.

    .. versionadded:: 0.1.0
    """
    return Metrics(latch, meter_provider=meter_provider, credentials=credentials).options


@dataclass
class _Watched:
    """One latch; its counters outlive it, so that nothing it counted is lost."""

    latch: ref[Latch]
    counters: Counters
    credentials: bool


class _Instruments:
    """The instruments of one meter provider, and the latches that they look at."""

    def __init__(self, meter_provider: MeterProvider | None) -> None:
        self._lock = threading.Lock()  # exporters ask on a thread of their own
        self._watched: list[_Watched] = []
        self._stopped_by_the_dead = 0
        self._saved_by_the_dead = 0.0
        self._shown: set[frozenset[tuple[str, str | int | bool]]] = set()
        meter = get_meter("aiohttp_failfast", __version__, meter_provider)
        self.trips = meter.create_counter(f"{PREFIX}.trips", "{trip}", "Endpoints found dead.")
        self.refused = meter.create_counter(
            f"{PREFIX}.refused_requests", "{request}", "Calls that were refused unsent."
        )
        self.retries = meter.create_counter(
            f"{PREFIX}.retries", "{retry}", "Attempts that followed a passing error."
        )
        meter.create_observable_counter(
            f"{PREFIX}.stopped_retries", [self._stopped], "{retry}", "Waits that a trip ended."
        )
        meter.create_observable_counter(
            f"{PREFIX}.saved_time", [self._saved], "s", "What was left of those waits."
        )
        meter.create_observable_gauge(
            f"{PREFIX}.tripped_endpoints", [self._tripped], "{endpoint}", "Endpoints refused now."
        )

    def watch(self, latch: Latch, credentials: bool) -> None:
        """Look at a latch from now on, for as long as it lives."""
        with self._lock:
            for watched in self._living():
                if watched.latch() is latch:
                    watched.credentials |= credentials
                    return
            self._watched.append(_Watched(ref(latch), latch.counters, credentials))

    def _living(self) -> list[_Watched]:
        """Return what is watched, and settle what is gone; the caller holds the lock."""
        living = []
        for watched in self._watched:
            if watched.latch() is not None:
                living.append(watched)
                continue
            stats = watched.counters.snapshot()
            self._stopped_by_the_dead += stats.retries_stopped
            self._saved_by_the_dead += stats.seconds_saved
        self._watched = living
        return living

    def _totals(self) -> tuple[int, float]:
        with self._lock:
            stats = [one.counters.snapshot() for one in self._living()]
            return (
                self._stopped_by_the_dead + sum(one.retries_stopped for one in stats),
                self._saved_by_the_dead + sum(one.seconds_saved for one in stats),
            )

    def _stopped(self, options: CallbackOptions) -> Iterator[Observation]:
        yield Observation(self._totals()[0])

    def _saved(self, options: CallbackOptions) -> Iterator[Observation]:
        yield Observation(self._totals()[1])

    def _tripped(self, options: CallbackOptions) -> Iterator[Observation]:
        with self._lock:
            living = [(one.latch(), one.credentials) for one in self._living()]
        now = Counter(
            frozenset(_attributes(trip.endpoint, trip.verdict, credentials=credentials).items())
            for latch, credentials in living
            if latch is not None
            for trip in latch.trips
        )
        self._shown |= now.keys()
        for attributes in self._shown:
            # What was shown once falls to 0; it would keep its last value otherwise.
            yield Observation(now[attributes], dict(attributes))


_of_providers: WeakKeyDictionary[MeterProvider, _Instruments] = WeakKeyDictionary()
_of_the_global_one: list[_Instruments] = []


def _instruments_of(meter_provider: MeterProvider | None) -> _Instruments:
    """Return the instruments of a provider, made once: callbacks can never be taken back."""
    if meter_provider is None:
        if not _of_the_global_one:
            _of_the_global_one.append(_Instruments(None))
        return _of_the_global_one[0]
    made = _of_providers.get(meter_provider)
    if made is None:
        made = _of_providers[meter_provider] = _Instruments(meter_provider)
    return made


def _attributes(endpoint: Endpoint | None, verdict: Verdict, *, credentials: bool) -> Attributes:
    attributes: Attributes = {_VERDICT: str(verdict.kind)}
    if endpoint is not None:
        attributes.update(_server(endpoint.origin))
        if credentials:
            attributes[_CREDENTIAL] = endpoint.credential
    return attributes


@lru_cache(maxsize=256)
def _server(origin: str) -> Attributes:
    """Return the attributes of an origin; none for the one that stands for all."""
    url = URL(origin)
    if not url.host:
        return {}
    server: Attributes = {"server.address": url.host, "url.scheme": url.scheme}
    if url.port is not None:
        server["server.port"] = url.port
    return server


def _method(method: str) -> str:
    """Return a method by its known name; any other would be a series of its own."""
    known = method.upper()
    return known if known in _METHODS else "_OTHER"
