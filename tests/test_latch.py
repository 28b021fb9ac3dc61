"""The memory of verdicts: what it refuses, for whom, since when and until when."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta, timezone
from typing import Any
from weakref import ref

import pytest
from rawserver import soon, until
from trips import DEAD, OTHER, trip_of

from aiohttp_failfast import Latch, LatchStats, PermanentEndpointError, Trip

THIRD = OTHER._replace(origin="https://third.example.com")


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def in_seconds(seconds: float) -> datetime:
    """Return a time from now."""
    return datetime.now(timezone.utc) + timedelta(seconds=seconds)


def waiters(latch: Latch) -> int:
    """Return how many tasks the latch keeps."""
    rooms = latch._sleepers, latch._trip_waiters, latch._clear_waiters
    return sum(map(len, rooms)) + len(latch.canaries)


def passes(latch: Latch, endpoint: Any) -> bool:
    """Tell whether a request to an endpoint may go."""
    try:
        latch.check(endpoint)
    except PermanentEndpointError:
        return False
    return True


def test_a_new_latch_is_clear() -> None:
    """Nothing is refused before something was seen."""
    latch = Latch()

    assert not latch.tripped
    assert latch.trips == ()
    assert latch.find(DEAD) is None
    assert passes(latch, DEAD)
    assert latch.stats == LatchStats()
    assert repr(latch) == "<Latch clear trips=0>"


def test_a_trip_refuses_its_endpoint_and_no_other() -> None:
    """Each refusal is an error of its own, and is counted."""
    latch = Latch()
    assert latch.trip(trip_of())

    for _ in range(3):
        with pytest.raises(PermanentEndpointError) as caught:
            latch.check(DEAD)
        assert caught.value.endpoint == DEAD
        assert not caught.value.sent
    latch.check(OTHER)
    assert latch.tripped
    assert latch.stats == LatchStats(trips=1, refused=3)
    assert repr(latch) == "<Latch tripped trips=1>"


def test_the_first_cause_stays() -> None:
    """What trips later is a consequence."""
    latch = Latch()
    first, second = trip_of(status=429), trip_of(status=401)

    assert latch.trip(first)
    assert not latch.trip(second)
    assert latch.find(DEAD) is first
    assert latch.stats.trips == 1


def test_trips_stand_in_the_order_they_came() -> None:
    """The oldest one is the first to look at."""
    latch = Latch()
    made = [trip_of(endpoint) for endpoint in (OTHER, DEAD, THIRD)]
    for trip in made:
        latch.trip(trip)

    assert latch.trips == tuple(made)


def test_reset_of_one_endpoint_leaves_the_others() -> None:
    """It tells how many it cleared."""
    latch = Latch()
    latch.trip(trip_of(DEAD))
    latch.trip(trip_of(OTHER))

    assert latch.reset(DEAD) == 1
    assert passes(latch, DEAD)
    assert not passes(latch, OTHER)
    assert latch.reset(DEAD) == 0
    assert latch.reset() == 1
    assert not latch.tripped


@pytest.mark.parametrize("wrong", ["https://api.example.com", 0, ("a", "b"), object()])
def test_reset_of_what_is_no_endpoint_is_refused(wrong: Any) -> None:
    """The error names the argument, and nothing is cleared."""
    latch = Latch()
    latch.trip(trip_of())

    with pytest.raises(TypeError, match="endpoint"):
        latch.reset(wrong)
    assert not passes(latch, DEAD)
    assert latch.generation == 0


def test_a_clock_that_cannot_be_called_is_refused() -> None:
    """The error names the argument."""
    wrong: Any = 12.5
    with pytest.raises(TypeError, match="clock"):
        Latch(clock=wrong)


@pytest.mark.parametrize("endpoint", [None, DEAD], ids=["of all", "of one"])
def test_a_late_answer_of_an_older_generation_trips_nothing(endpoint: Any) -> None:
    """A reset after a change of the key must not be undone by an answer to the old one."""
    latch = Latch()
    latch.trip(trip_of(generation=0))
    latch.reset(endpoint)

    assert latch.generation == 1
    assert not latch.trip(trip_of(generation=0))
    assert passes(latch, DEAD)
    assert latch.trip(trip_of(generation=1))
    assert not passes(latch, DEAD)
    assert latch.stats.trips == 2


def test_a_reset_of_one_endpoint_does_not_void_answers_about_others() -> None:
    """They were sent under the same key as before."""
    latch = Latch()
    latch.reset(OTHER)

    assert latch.trip(trip_of(DEAD, generation=0))
    latch.reset(DEAD)
    latch.reset()
    assert not latch.trip(trip_of(OTHER, generation=2))
    assert latch.trip(trip_of(OTHER, generation=3))


def test_several_sightings_are_counted_before_it_trips() -> None:
    """An answer that is not decisive needs others that say the same."""
    latch = Latch()
    for expected in (False, False, True):
        assert latch.trip(trip_of(sightings=3)) is expected
        assert latch.tripped is expected
        assert latch.suspects is not expected
    assert latch.stats.trips == 1


def test_a_decisive_answer_trips_whatever_was_sighted() -> None:
    """One sighting that is enough is enough."""
    latch = Latch()
    latch.trip(trip_of(sightings=3))

    assert latch.trip(trip_of(sightings=1))
    assert not latch.suspects


def test_a_success_in_between_makes_the_sightings_void() -> None:
    """Of the endpoint that answered well, in the generation of today."""
    latch = Latch()
    latch.trip(trip_of(sightings=2))
    latch.succeed(OTHER, 0)
    assert latch.suspects
    latch.succeed(DEAD, 0)
    assert not latch.suspects
    assert not latch.trip(trip_of(sightings=2))
    assert latch.trip(trip_of(sightings=2))


def test_a_late_success_of_an_older_generation_says_nothing() -> None:
    """It was the old key that it spoke for."""
    latch = Latch()
    latch.reset(DEAD)
    latch.trip(trip_of(generation=1, sightings=2))
    latch.succeed(DEAD, 0)

    assert latch.trip(trip_of(generation=1, sightings=2))


@pytest.mark.parametrize("endpoint", [None, DEAD], ids=["all", "one"])
def test_a_reset_forgets_sightings(endpoint: Any) -> None:
    """They were about the old key."""
    latch = Latch()
    latch.trip(trip_of(sightings=2))
    latch.trip(trip_of(OTHER, sightings=2))
    latch.reset(endpoint)

    assert latch.suspects is (endpoint is not None)
    assert not latch.trip(trip_of(generation=1, sightings=2))


def test_until_ends_a_trip_by_itself() -> None:
    """At its time, by the latch's own clock, and not before."""
    clock = Clock()
    latch = Latch(clock=clock)
    latch.trip(trip_of(DEAD), until=in_seconds(60))
    latch.trip(trip_of(OTHER))

    clock.now += 59
    assert not passes(latch, DEAD)
    clock.now += 2
    assert passes(latch, DEAD)
    assert latch.find(DEAD) is None
    assert [trip.endpoint for trip in latch.trips] == [OTHER]
    assert latch.reset() == 1


@pytest.mark.parametrize(
    "look",
    [
        lambda latch: latch.tripped,
        lambda latch: latch.trips,
        lambda latch: latch.find(DEAD),
        lambda latch: "tripped" in repr(latch),
        lambda latch: not passes(latch, DEAD),
    ],
    ids=["tripped", "trips", "find", "repr", "check"],
)
def test_a_trip_that_ended_is_nowhere_to_be_seen(look: Callable[[Latch], Any]) -> None:
    """Whichever way one looks first."""
    clock = Clock()
    latch = Latch(clock=clock)
    latch.trip(trip_of(), until=in_seconds(60))
    assert look(latch)
    clock.now += 61
    assert not look(latch)


def test_a_trip_that_ended_leaves_room_for_the_next() -> None:
    """Also where nobody looked at the latch in between."""
    clock = Clock()
    latch = Latch(clock=clock)
    latch.trip(trip_of(), until=in_seconds(60))
    clock.now += 61

    assert latch.trip(trip_of(status=401))
    assert not passes(latch, DEAD)
    assert latch.stats.trips == 2


def test_a_trip_until_the_past_binds_nobody() -> None:
    """A window that is over is over."""
    latch = Latch()
    latch.trip(trip_of(), until=in_seconds(-1))

    assert passes(latch, DEAD)


def test_a_naive_until_is_refused_before_anything_is_set() -> None:
    """Nothing is half installed."""
    latch = Latch()

    with pytest.raises(ValueError, match="until"):
        latch.trip(trip_of(), until=datetime(2027, 1, 1))  # noqa: DTZ001
    assert not latch.tripped
    assert latch.stats.trips == 0
    assert latch.trip(trip_of())


async def test_a_sleeper_is_woken_by_the_trip_of_its_endpoint() -> None:
    """And only of that one; what it did not sleep is counted as saved."""
    latch = Latch()
    sleepers = [asyncio.ensure_future(latch.sleep(60, DEAD)) for _ in range(3)]
    other = asyncio.ensure_future(latch.sleep(60, OTHER))
    bound_to_none = asyncio.ensure_future(latch.sleep(60, None))
    await until(lambda: waiters(latch) == 5)
    trip = trip_of()
    latch.trip(trip)

    assert await soon(asyncio.gather(*sleepers)) == [trip] * 3
    assert not other.done()
    assert not bound_to_none.done()
    assert latch.stats.retries_stopped == 3
    assert 150 < latch.stats.seconds_saved <= 180
    other.cancel()
    bound_to_none.cancel()
    await asyncio.gather(other, bound_to_none, return_exceptions=True)
    assert waiters(latch) == 0


async def test_nobody_goes_to_sleep_on_a_tripped_endpoint() -> None:
    """All of the wait is saved."""
    latch = Latch()
    trip = trip_of()
    latch.trip(trip)

    assert await soon(latch.sleep(60, DEAD)) is trip
    assert latch.stats.retries_stopped == 1
    assert 59 < latch.stats.seconds_saved <= 60
    assert await latch.sleep(0.01, OTHER) is None


async def test_a_full_sleep_is_none_and_counts_nothing() -> None:
    """There was nothing to stop it."""
    latch = Latch()
    loop = asyncio.get_running_loop()
    started = loop.time()

    assert await latch.sleep(0.05, DEAD) is None
    assert loop.time() - started >= 0.045
    assert latch.stats == LatchStats()
    assert waiters(latch) == 0


async def test_a_sleeper_whose_trip_is_cleared_at_once_sleeps_on() -> None:
    """A wait that a server asked for is not cut short by a trip that is none any more."""
    latch = Latch()
    loop = asyncio.get_running_loop()
    started = loop.time()
    sleeper = asyncio.ensure_future(latch.sleep(0.1, DEAD))
    await until(lambda: waiters(latch))
    latch.trip(trip_of())
    latch.reset()

    assert await soon(sleeper) is None
    assert loop.time() - started >= 0.095
    assert latch.stats.retries_stopped == 0


async def test_a_sleeper_looks_past_a_trip_that_ended() -> None:
    """It is no reason to stop any more."""
    clock = Clock()
    latch = Latch(clock=clock)
    latch.trip(trip_of(), until=in_seconds(60))
    clock.now += 61

    assert await latch.sleep(0.01, DEAD) is None


async def test_a_cancelled_waiter_leaves_nothing_behind() -> None:
    """Whatever it waited for."""
    latch = Latch()
    latch.trip(trip_of(OTHER))
    waits: list[Coroutine[Any, Any, Any]] = [
        latch.sleep(60, DEAD),
        latch.wait_cleared(),
        latch.wait_cleared(OTHER),
    ]
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await until(lambda: waiters(latch) == 3)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert waiters(latch) == 0
    assert all(task.cancelled() for task in tasks)

    clear = Latch()
    task = asyncio.ensure_future(clear.wait_tripped())
    await until(lambda: waiters(clear) == 1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert waiters(clear) == 0


async def test_a_sleeper_that_is_cancelled_as_it_is_woken_is_cancelled() -> None:
    """In either order, in one turn of the loop."""
    for first in ("trip", "cancel"):
        latch = Latch()
        sleeper = asyncio.ensure_future(latch.sleep(60, DEAD))
        await until(lambda latch=latch: waiters(latch))
        steps = [lambda latch=latch: latch.trip(trip_of()), sleeper.cancel]
        for step in steps if first == "trip" else reversed(steps):
            step()
        with pytest.raises(asyncio.CancelledError):
            await sleeper
        assert waiters(latch) == 0


async def test_wait_tripped_returns_the_oldest_trip() -> None:
    """At once where there is one, else as soon as there is."""
    latch = Latch()
    waiting = [asyncio.ensure_future(latch.wait_tripped()) for _ in range(2)]
    await until(lambda: waiters(latch) == 2)
    first = trip_of()
    latch.trip(first)
    latch.trip(trip_of(OTHER))

    assert await soon(asyncio.gather(*waiting)) == [first, first]
    assert await soon(latch.wait_tripped()) is first
    assert waiters(latch) == 0


async def test_wait_tripped_does_not_take_a_trip_that_is_cleared_or_ended() -> None:
    """It waits for one that is in force."""
    clock = Clock()
    latch = Latch(clock=clock)
    latch.trip(trip_of(), until=in_seconds(60))
    clock.now += 61
    waiting = asyncio.ensure_future(latch.wait_tripped())
    await until(lambda: waiters(latch) == 1)
    latch.trip(trip_of(OTHER))
    latch.reset()
    await asyncio.sleep(0.01)
    assert not waiting.done()
    last = trip_of(generation=1)
    latch.trip(last)
    assert await soon(waiting) is last


async def test_wait_cleared_waits_for_one_endpoint_or_for_all() -> None:
    """At once where all is clear already."""
    latch = Latch()
    await soon(latch.wait_cleared())
    latch.trip(trip_of(DEAD))
    latch.trip(trip_of(OTHER))
    await soon(latch.wait_cleared(THIRD))
    one = asyncio.ensure_future(latch.wait_cleared(DEAD))
    every = asyncio.ensure_future(latch.wait_cleared())
    await until(lambda: waiters(latch) == 2)
    latch.reset(DEAD)
    await soon(one)
    await asyncio.sleep(0.01)
    assert not every.done()
    latch.reset(OTHER)
    await soon(every)
    assert waiters(latch) == 0


async def test_wait_cleared_wakes_when_a_trip_ends_by_itself() -> None:
    """Nobody resets it, and nobody looks at it."""
    latch = Latch()
    latch.trip(trip_of(), until=in_seconds(0.05))
    await soon(asyncio.gather(latch.wait_cleared(), latch.wait_cleared(DEAD)))
    assert not latch.tripped


async def test_wait_cleared_learns_of_ends_that_were_set_while_it_waited() -> None:
    """The one that is left when the other is reset ends by itself: that must not be missed."""
    latch = Latch()
    latch.trip(trip_of(DEAD))
    waiting = asyncio.ensure_future(latch.wait_cleared())
    await until(lambda: waiters(latch) == 1)
    latch.trip(trip_of(OTHER), until=in_seconds(0.1))
    latch.reset(DEAD)

    await soon(waiting)


async def test_many_who_wait_for_all_to_clear_do_not_keep_each_other_awake() -> None:
    """While something is left to end by itself, waiting costs nothing."""
    latch = Latch()
    latch.trip(trip_of(), until=in_seconds(60))
    waiting = [asyncio.ensure_future(latch.wait_cleared()) for _ in range(5)]
    await until(lambda: waiters(latch) == 5)
    kept = set(latch._clear_waiters._groups[None])
    assert latch.tripped
    await asyncio.sleep(0.02)
    assert set(latch._clear_waiters._groups[None]) == kept
    latch.reset()
    await soon(asyncio.gather(*waiting))


async def test_ten_thousand_sleepers_wake_at_once() -> None:
    """Within a second of the trip."""
    latch = Latch()
    sleepers = [asyncio.ensure_future(latch.sleep(600, DEAD)) for _ in range(10_000)]
    await until(lambda: waiters(latch) == 10_000)
    loop = asyncio.get_running_loop()
    started = loop.time()
    trip = trip_of()
    latch.trip(trip)
    woken = await soon(asyncio.gather(*sleepers), 10)

    assert loop.time() - started < 1
    assert woken == [trip] * 10_000
    assert latch.stats.retries_stopped == 10_000
    assert waiters(latch) == 0


class Elsewhere:
    """A loop on a thread of its own, with tasks that sleep on a latch."""

    def __init__(self, latch: Latch, sleepers: int) -> None:
        self.woken: list[Trip | None] = []
        self.ready = threading.Event()
        self._latch = latch
        self._sleepers = sleepers
        self.thread = threading.Thread(target=lambda: asyncio.run(self._main()))
        self.thread.start()

    async def _main(self) -> None:
        tasks = [asyncio.ensure_future(self._latch.sleep(60, DEAD)) for _ in range(self._sleepers)]
        tasks.append(asyncio.ensure_future(self._latch.wait_tripped()))
        await asyncio.sleep(0)
        self.ready.set()
        self.woken = await asyncio.gather(*tasks)


def test_a_trip_on_one_thread_wakes_sleepers_on_others() -> None:
    """Two other loops, within a second; the thread that trips has no loop at all."""
    latch = Latch()
    places = [Elsewhere(latch, 50), Elsewhere(latch, 50)]
    assert all(place.ready.wait(5) for place in places)
    trip = trip_of()
    latch.trip(trip)
    for place in places:
        place.thread.join(1)

    assert [place.woken for place in places] == [[trip] * 51] * 2
    assert latch.stats.retries_stopped == 100
    assert waiters(latch) == 0


async def test_a_trip_on_one_loop_wakes_this_loop_and_another() -> None:
    """Both at once, whichever of them it came from."""
    latch = Latch()
    place = Elsewhere(latch, 10)
    here = asyncio.ensure_future(latch.sleep(60, DEAD))
    assert await asyncio.to_thread(place.ready.wait, 5)
    await until(lambda: waiters(latch) == 12)
    trip = trip_of()
    latch.trip(trip)

    assert await soon(here) is trip
    await asyncio.to_thread(place.thread.join, 1)
    assert place.woken == [trip] * 11


async def test_a_reset_on_another_thread_wakes_who_waits_for_it() -> None:
    """A person at a prompt has put in a new key."""
    latch = Latch()
    latch.trip(trip_of())
    waiting = asyncio.ensure_future(latch.wait_cleared())
    await until(lambda: waiters(latch) == 1)
    await asyncio.to_thread(latch.reset)

    await soon(waiting, 1)


def test_a_loop_that_is_gone_does_not_hinder_a_trip() -> None:
    """Its sleepers died with it."""
    latch = Latch()
    loop = asyncio.new_event_loop()
    task = loop.create_task(latch.sleep(60, DEAD))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()

    assert latch.trip(trip_of())
    assert not passes(latch, DEAD)
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    task.get_coro().close()  # type: ignore[union-attr]


def test_threads_that_trip_reset_and_check_lose_no_count() -> None:
    """Every change is taken under the lock."""
    latch = Latch()
    rounds, threads = 300, 4
    tripped: list[int] = []
    refused: list[int] = []

    def work(number: int) -> None:
        mine = DEAD._replace(credential=str(number))
        for _ in range(rounds):
            tripped.append(latch.trip(trip_of(mine, generation=latch.generation)))
            refused.append(not passes(latch, mine))
            latch.reset(mine)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)

    assert sum(tripped) == latch.stats.trips == rounds * threads
    assert sum(refused) == latch.stats.refused == rounds * threads
    assert latch.generation == rounds * threads
    assert not latch.tripped


class Listener:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Trip] = []

    def tripped(self, trip: Trip) -> None:
        """Hear of one trip."""
        self.heard.append(trip)


def test_a_listener_hears_of_each_trip_once_and_is_not_kept_alive() -> None:
    """A session that is gone must not live on in a shared latch."""
    latch = Latch()
    listener = Listener()
    latch.subscribe(listener)
    latch.subscribe(listener)
    trip = trip_of()
    latch.trip(trip)
    latch.trip(trip)
    assert listener.heard == [trip]

    gone = ref(listener)
    del listener
    gc.collect()
    assert gone() is None
    assert latch.trip(trip_of(OTHER))
