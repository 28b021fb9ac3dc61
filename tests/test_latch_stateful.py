"""The latch against a model of it that is too simple to be wrong."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from trips import DEAD, OTHER, trip_of

from aiohttp_failfast import Endpoint, Latch, LatchStats, PermanentEndpointError, Trip

ENDPOINTS = [DEAD, OTHER]
endpoints = st.sampled_from(ENDPOINTS)
ages = st.integers(0, 1)


class LatchMachine(RuleBasedStateMachine):
    """Trips, late answers, sightings, successes, resets, sleepers and the clock, in any order."""

    @initialize()
    def begin(self) -> None:
        """Start with a clear latch."""
        self.now = 1000.0
        self.latch = Latch(clock=lambda: self.now)
        self.loop = asyncio.new_event_loop()
        self.trips: dict[Endpoint, Trip] = {}
        self.ends: dict[Endpoint, float] = {}
        self.sighted: dict[Endpoint, int] = {}
        self.valid_from = dict.fromkeys(ENDPOINTS, 0)
        self.generation = 0
        self.count = {"trips": 0, "refused": 0, "stopped": 0}
        self.sleepers: list[tuple[Endpoint, asyncio.Task[Trip | None]]] = []

    @rule(
        endpoint=endpoints,
        age=ages,
        sightings=st.sampled_from([1, 2, 3, 3]),
        minutes=st.none() | st.sampled_from([-1, 1, 2, 5]),
    )
    def trip(self, endpoint: Endpoint, age: int, sightings: int, minutes: int | None) -> None:
        """Let an answer say that a key is dead: late, unsure, or for a while only, as it may be."""
        generation = max(0, self.generation - age)
        made = trip_of(endpoint, generation=generation, sightings=sightings)
        until = None
        if minutes is not None:
            until = datetime.now(timezone.utc) + timedelta(minutes=minutes)
        trips = False
        if generation >= self.valid_from[endpoint] and endpoint not in self.trips:
            self.sighted[endpoint] = self.sighted.get(endpoint, 0) + 1
            trips = self.sighted[endpoint] >= sightings
        if trips:
            del self.sighted[endpoint]
            self.trips[endpoint] = made
            self.count["trips"] += 1
            if minutes is not None:
                self.ends[endpoint] = self.now + minutes * 60

        assert self.latch.trip(made, until=until) is trips
        # The trip wakes its sleepers, who see it unless its time was over before it began.
        self._let_run()
        for sleeper in [one for one in self.sleepers if trips and one[0] == endpoint]:
            if minutes == -1:
                assert not sleeper[1].done()
                continue
            assert sleeper[1].result() is made
            self.count["stopped"] += 1
            self.sleepers.remove(sleeper)
        self._forget_ended()

    @rule(endpoint=endpoints, age=ages)
    def succeed(self, endpoint: Endpoint, age: int) -> None:
        """Let an answer be good; it may be late."""
        generation = max(0, self.generation - age)
        self.latch.succeed(endpoint, generation)
        if generation >= self.valid_from[endpoint]:
            self.sighted.pop(endpoint, None)

    @rule(endpoint=st.none() | endpoints)
    def reset(self, endpoint: Endpoint | None) -> None:
        """Let a person put in a new key."""
        chosen = ENDPOINTS if endpoint is None else [endpoint]
        cleared = [one for one in chosen if one in self.trips]
        self.generation += 1
        for one in chosen:
            self.valid_from[one] = self.generation
            self.sighted.pop(one, None)
            self.trips.pop(one, None)
            self.ends.pop(one, None)

        assert self.latch.reset(endpoint) == len(cleared)

    @rule(minutes=st.integers(0, 4))
    def wait(self, minutes: int) -> None:
        """Let time go by."""
        self.now += minutes * 60 + 30
        self._forget_ended()

    @rule(endpoint=endpoints)
    def check(self, endpoint: Endpoint) -> None:
        """Ask for leave to go: once tripped nothing passes until a reset, or the trip's end."""
        try:
            self.latch.check(endpoint)
        except PermanentEndpointError as error:
            self.count["refused"] += 1
            refused: Trip | None = error._trip
        else:
            refused = None

        assert refused is self.trips.get(endpoint)

    @rule(endpoint=endpoints)
    def sleep(self, endpoint: Endpoint) -> None:
        """Let a call wait before its next attempt."""
        task = self.loop.create_task(self.latch.sleep(3600, endpoint))
        self._let_run()
        if endpoint in self.trips:
            assert task.result() is self.trips[endpoint]
            self.count["stopped"] += 1
        else:
            assert not task.done()
            self.sleepers.append((endpoint, task))

    @invariant()
    def looks_as_the_model(self) -> None:
        """Every way of looking at it shows the same, and no counter is ever wrong."""
        if not hasattr(self, "latch"):
            return
        stats = self.latch.stats
        assert self.latch.trips == tuple(self.trips.values())
        assert self.latch.tripped is bool(self.trips)
        assert self.latch.suspects is bool(self.sighted)
        assert self.latch.generation == self.generation
        assert stats == LatchStats(
            self.count["trips"], self.count["refused"], self.count["stopped"], stats.seconds_saved
        )
        assert 3500 * stats.retries_stopped <= stats.seconds_saved <= 3600 * stats.retries_stopped
        assert len(self.latch._sleepers) == len(self.sleepers)
        assert all(not task.done() for _, task in self.sleepers)

    def teardown(self) -> None:
        """Nobody is left behind when the calls are given up."""
        if not hasattr(self, "latch"):
            return
        for _, task in self.sleepers:
            task.cancel()
        self._let_run()
        self.loop.close()
        assert len(self.latch._sleepers) == 0

    def _let_run(self) -> None:
        for _ in range(4):
            self.loop.run_until_complete(asyncio.sleep(0))

    def _forget_ended(self) -> None:
        for endpoint in [one for one, end in self.ends.items() if end <= self.now]:
            del self.trips[endpoint], self.ends[endpoint]


TestLatch = LatchMachine.TestCase
TestLatch.settings = settings(
    derandomize=True, deadline=None, max_examples=120, stateful_step_count=40
)
