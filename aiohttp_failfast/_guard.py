"""Verdict meets latch: the one object that session, trace and middleware hold.

It knows no response and no request, only what they said.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone

from yarl import URL

from ._canary import Place
from ._credential import Endpoint, fingerprint, origin_of
from ._errors import PermanentEndpointError
from ._events import Refusal, Reset, logger, tell, tell_soon
from ._fleet_canary import claim_lead
from ._latch import Latch, TripListener
from ._observation import Answer, Observation, names_a_caller, record
from ._probe import ask, probes_of
from ._settings import Settings
from ._trip import Trip
from ._verdict import Verdict, VerdictKind

_FIRST_SERVER_ERROR = 500
_SHADOW = "[shadow: nothing is refused] "


class Guard:
    """Says before a request whether it may go, and learns from its answer."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.latch = Latch() if settings.latch is None else settings.latch
        self._name_endpoint = settings.name_endpoint(self.latch.secret)
        self._probes = probes_of(self.latch)
        self.flights: set[TripListener] = set()
        self.latch.subscribe(self)

    def endpoint(self, url: URL, headers: Mapping[str, str]) -> Endpoint | None:
        """Return the endpoint of a request, or None where the scope leaves it alone.

        Raises:
            TypeError: a user's scope returned something else than promised.
        """
        named: object = self._name_endpoint(url, headers)
        if named is None or isinstance(named, Endpoint):
            return named
        if isinstance(named, str):
            # The user's name for the caller may well be the key itself.
            return Endpoint(origin_of(url), fingerprint(named, secret=self.latch.secret))
        raise TypeError(f"scope must return an Endpoint, a str or None, got {type(named).__name__}")

    def refusal(
        self, url: URL, headers: Mapping[str, str], *, method: str, sent: bool
    ) -> PermanentEndpointError | None:
        """Return the error for a request whose endpoint is tripped, else None.

        Args:
            url: where the request goes.
            headers: its headers.
            method: its method.
            sent: whether an earlier attempt of the same call touched the wire.
        """
        trip = None if self.settings.shadow else self.trip_in_force(url, headers)
        if trip is None:
            return None
        self._count_refusal(trip, method, sent)
        return PermanentEndpointError.from_trip(trip, sent=sent)

    def count_shadow(
        self, url: URL, headers: Mapping[str, str], *, method: str, sent: bool
    ) -> None:
        """Count a request that would be refused, were it not for ``shadow=True``."""
        trip = self.trip_in_force(url, headers) if self.settings.shadow else None
        if trip is not None:
            self._count_refusal(trip, method, sent)

    async def take_probe(self, trip: Trip) -> bool:
        """Take the right to probe a tripped endpoint, if it is time.

        Returns:
            Whether the caller's own request is to be the probe; then `end_probe` is owed. A
            request of the user's has been sent by the time this returns.
        """
        probe = self.settings.probe
        if probe is None or not self._probes.take(probe, trip):
            return False
        if probe.request is None:
            return True
        alive = False
        try:
            alive = await ask(probe)
        finally:
            self.end_probe(trip, alive=alive, answered=True)
        return False

    def seconds_to_probe(self, trip: Trip) -> float | None:
        """Return the seconds until it is worth trying to take it; None for never."""
        probe = self.settings.probe
        return None if probe is None else self._probes.seconds_left(probe, trip)

    def end_probe(self, trip: Trip, *, alive: bool, answered: bool) -> None:
        """Learn what a probe has brought.

        Args:
            trip: the trip that was probed.
            alive: the endpoint lives again: the latch is reset for it.
            answered: it said at least something.
        """
        if self.settings.probe is not None:
            self._probes.give_back(self.settings.probe, trip, answered=answered)
        if alive and self.latch.find(trip.endpoint) is trip:
            logger.info("%s lives again; the latch is reset for it", trip.endpoint)
            self.latch.reset(trip.endpoint)

    def trip_in_force(self, url: URL, headers: Mapping[str, str]) -> Trip | None:
        """Return the trip that binds a request, if any."""
        if not self.latch.tripped:
            return None
        endpoint = self.endpoint(url, headers)
        return None if endpoint is None else self.latch.find(endpoint)

    def _count_refusal(self, trip: Trip, method: str, sent: bool) -> None:
        if self.settings.when_tripped == "wait":
            return  # it is held, not refused
        self.latch.counters.refusal()
        logger.debug("refused a request to %s", trip.endpoint)
        if self.settings.on_refuse is not None:
            details = Refusal(trip, method, sent, self.settings.shadow)
            tell_soon("on_refuse", self.settings.on_refuse, details)

    def tripped(self, trip: Trip) -> None:
        """Hear of a trip: tell the requests that are queued or under way."""
        # copy() is one step of the interpreter: another thread may be adding to the set.
        for flight in self.flights.copy():
            flight.tripped(trip)

    async def sleep(self, seconds: float, endpoint: Endpoint | None) -> Trip | None:
        """Sleep before a retry; return the trip that ended it.

        With shadow it is slept to the end, and counted what a trip would have saved.
        """
        if endpoint is None or not self.settings.shadow:
            return await self.latch.sleep(seconds, endpoint)
        clear_before = self.latch.find(endpoint) is None
        await self.latch.sleep(seconds, None)
        trip = self.latch.find(endpoint)
        if trip is not None and clear_before:
            late = (datetime.now(timezone.utc) - trip.tripped_at).total_seconds()
            self.latch.counters.stopped_retry(min(seconds, late))
        return None

    def was_reset(self, reset: Reset) -> None:
        """Hear of a reset of the latch."""
        tell_soon("on_reset", self.settings.on_reset, reset)

    async def claim(self, url: URL, headers: Mapping[str, str]) -> Place | None:
        """Wait for the canary of an unknown endpoint, if there is to be one.

        Returns:
            The place of the canary, for the request that must go ahead; else None. After a wait
            the latch must be asked again.
        """
        if not self.settings.canary:
            return None
        endpoint = self.endpoint(url, headers)
        if endpoint is None:
            return None
        patience = self.settings.canary_timeout
        waiter = await self.latch.canaries.claim(endpoint, patience)
        if waiter is None:
            return None
        if self.settings.canary == "fleet":
            return await claim_lead(self.latch, endpoint, waiter, patience)
        return Place(self.latch.canaries, endpoint, waiter)

    @property
    def is_curious(self) -> bool:
        """Whether it matters that a request was answered well."""
        return bool(self.settings.canary) or self.latch.suspects

    def succeeded(self, url: URL, headers: Mapping[str, str], generation: int) -> None:
        """Learn that a request was answered well."""
        endpoint = self.endpoint(url, headers)
        if endpoint is not None:
            self.latch.succeed(endpoint, generation)

    async def observe(self, answer: Answer) -> Observation:
        """Judge an answer, and trip the latch where it is permanent."""
        observation, news = self.learn(answer)
        if news is not None:
            await tell("on_trip", self.settings.on_trip, news)
        return observation

    def learn(self, answer: Answer) -> tuple[Observation, Trip | None]:
        """Judge an answer and set the latch, without telling anybody.

        Returns:
            What came of it, and the trip if it is new: then ``on_trip`` is to be told.
        """
        verdict = self._judge(answer)
        endpoint = self.endpoint(answer.url, answer.request_headers)
        if endpoint is None:
            return Observation(answer, verdict, None, None), None
        until = self._window_end(verdict)
        if (verdict.permanent or until is not None) and names_a_caller(answer):
            return self._trip(answer, verdict, endpoint, until=until)
        if verdict.kind is VerdictKind.OK:
            self.latch.succeed(endpoint, answer.generation)
        elif not verdict.permanent and answer.status < _FIRST_SERVER_ERROR:
            # An answer of another kind, but an answer: the key was not turned away.
            self.latch.settle(endpoint, answer.generation)
        return Observation(answer, verdict, endpoint, None), None

    def _window_end(self, verdict: Verdict) -> datetime | None:
        """Return until when a used-up window trips, where that is asked for and told."""
        if verdict.kind is not VerdictKind.WINDOWED or self.settings.windowed != "trip":
            return None
        if verdict.resets_at is None and verdict.retry_after is not None:
            return datetime.now(timezone.utc) + timedelta(seconds=verdict.retry_after)
        return verdict.resets_at

    def _trip(
        self, answer: Answer, verdict: Verdict, endpoint: Endpoint, *, until: datetime | None
    ) -> tuple[Observation, Trip | None]:
        trip = record(answer, verdict, endpoint)
        is_new = self.latch.trip(trip, until=until)
        if is_new:
            logger.warning("%s%s", _SHADOW if self.settings.shadow else "", trip.explain())
        in_force = None if self.settings.shadow else self.latch.find(endpoint)
        return Observation(answer, verdict, endpoint, in_force), trip if is_new else None

    def _judge(self, answer: Answer) -> Verdict:
        try:
            verdict: object = self.settings.classify(
                answer.status, answer.headers, answer.content, url=str(answer.url)
            )
            if isinstance(verdict, Verdict):
                return verdict
            logger.error("classify returned %s, not a Verdict", type(verdict).__name__)
        except Exception:
            logger.exception("classify failed; the answer is handed on as it is")
        return Verdict(VerdictKind.OTHER, rule="classify-failed")
