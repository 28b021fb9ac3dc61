"""Pause instead of die: held calls, probes, and an injected clock."""

from __future__ import annotations

import asyncio
import io
from collections import Counter
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession
from loopback import BUSY, OK, SPENT, Api, bearer, error, gather
from ways import SessionFactory

from aiohttp_failfast import (
    FailFastMiddleware,
    FailFastSession,
    Latch,
    PermanentEndpointError,
    Probe,
    failfast_trace_config,
)
from aiohttp_failfast._probe import Probes, probes_of

both = pytest.mark.parametrize("way", ["session", "middleware"])
WAIT = {"when_tripped": "wait"}


async def fetch(session: ClientSession, api: Api, key: str, **kwargs: Any) -> int:
    """Send one call."""
    kwargs.setdefault("json", {})
    async with session.post(api.url, headers=bearer(key), **kwargs) as response:
        await response.read()
        return response.status


@both
@pytest.mark.parametrize("raises", [False, True])
async def test_held_calls_survive_a_top_up(
    api: Api, make_session: SessionFactory, way: str, raises: bool
) -> None:
    """With "wait" the call that trips and all others are held, and sent when the latch is reset."""
    latch = Latch()
    connector = aiohttp.TCPConnector(limit=10)
    session = await make_session(
        way, latch=latch, options=WAIT, raise_for_status=raises, connector=connector
    )
    api.answers["k"] = SPENT
    calls = [asyncio.create_task(fetch(session, api, "k")) for _ in range(100)]
    await latch.wait_tripped()
    await asyncio.sleep(0.2)
    assert not any(task.done() for task in calls)
    sent = api.total
    assert 10 >= sent
    assert not connector._acquired

    api.answers["k"] = OK
    latch.reset()

    assert [200] * 100 == await gather(calls, 10)
    assert 100 + sent == api.total
    assert 0 == latch.stats.refused


@both
async def test_patience_has_a_limit(api: Api, make_session: SessionFactory, way: str) -> None:
    """After wait_timeout seconds a held call raises the error after all."""
    session = await make_session(way, options={**WAIT, "wait_timeout": 0.2})
    api.answers["k"] = SPENT

    results = await gather((fetch(session, api, "k") for _ in range(3)), 5)

    assert {PermanentEndpointError: 3} == Counter(map(type, results))
    assert 3 >= api.total


async def test_a_sleeper_is_held_too(api: Api, make_session: SessionFactory) -> None:
    """A call that slept before a retry when the key died is held, and then goes on."""
    session = await make_session(options=WAIT)
    api.answers["k"] = [error(503, "wait", headers={"Retry-After": "30"}), SPENT, OK]
    sleeper = asyncio.create_task(fetch(session, api, "k"))
    await api.wait_for(1)
    await asyncio.sleep(0.05)
    other = asyncio.create_task(fetch(session, api, "k"))
    await session.latch.wait_tripped()  # type: ignore[attr-defined]
    await asyncio.sleep(0.05)

    session.latch.reset()  # type: ignore[attr-defined]

    assert [200, 200] == await gather([sleeper, other], 5)


async def test_holding_is_no_part_of_the_timeout(api: Api, make_session: SessionFactory) -> None:
    """A call of FailFastSession may be held longer than its ClientTimeout allows an attempt."""
    session = await make_session(options=WAIT, timeout=aiohttp.ClientTimeout(total=0.3))
    api.answers["k"] = [SPENT, OK]
    call = asyncio.create_task(fetch(session, api, "k"))
    await session.latch.wait_tripped()  # type: ignore[attr-defined]
    await asyncio.sleep(0.6)

    session.latch.reset()  # type: ignore[attr-defined]

    assert 200 == await asyncio.wait_for(call, 5)


@both
async def test_a_body_is_sent_again_whole_or_not_at_all(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A held call sends its body again; one that cannot be sent again raises."""

    async def generate() -> Any:
        yield b"piece"

    latch = Latch()
    session = await make_session(way, latch=latch, options=WAIT)
    api.answers["k"] = [SPENT, OK]
    call = asyncio.create_task(fetch(session, api, "k", json=None, data=io.BytesIO(b"whole")))
    await latch.wait_tripped()
    await asyncio.sleep(0.05)
    latch.reset()
    assert 200 == await asyncio.wait_for(call, 5)
    assert [b"whole"] * 2 == api.bodies

    api.answers["g"] = SPENT
    with pytest.raises(PermanentEndpointError):
        await asyncio.wait_for(fetch(session, api, "g", json=None, data=generate()), 5)


@both
async def test_a_held_call_can_be_cancelled(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """Cancelling ends it at once, and leaves nobody behind."""
    latch = Latch()
    session = await make_session(way, latch=latch, options={**WAIT, "probe": Probe(every=60)})
    api.answers["k"] = SPENT
    call = asyncio.create_task(fetch(session, api, "k"))
    await latch.wait_tripped()
    await asyncio.sleep(0.05)

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 1)
    assert 0 == len(latch._clear_waiters)


@both
@pytest.mark.parametrize("mode", ["wait", "raise"])
async def test_a_probe_finds_the_endpoint_alive(
    api: Api, make_session: SessionFactory, way: str, mode: str
) -> None:
    """Exactly one request goes through at each interval; a good answer resets the latch."""
    latch = Latch()
    options = {"when_tripped": mode, "probe": Probe(every=0.2, longest=10)}
    session = await make_session(way, latch=latch, options=options)
    api.answers["k"] = [SPENT, SPENT, OK]

    async def patient() -> int:
        while True:
            try:
                return await fetch(session, api, "k")
            except PermanentEndpointError:
                await asyncio.sleep(0.02)

    first = asyncio.create_task(patient())
    await latch.wait_tripped()
    calls = [first, *(asyncio.create_task(patient()) for _ in range(50))]
    assert 1 == api.total

    assert [200] * 51 == await gather(calls, 10)
    assert not latch.tripped
    # The spent one, the probe in vain, and 51 good answers, the good probe among them.
    assert 53 == api.total


@both
async def test_a_probe_of_ones_own(api: Api, make_session: SessionFactory, way: str) -> None:
    """A request of the user's asks in place of the session's calls; an exception counts as no."""
    latch = Latch()
    asked = 0

    async def ask() -> bool:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise OSError("no network")
        return asked == 3

    options = {**WAIT, "probe": Probe(every=0.1, longest=0.2, request=ask)}
    session = await make_session(way, latch=latch, options=options)
    api.answers["k"] = [SPENT, OK]

    assert [200] * 20 == await gather((fetch(session, api, "k") for _ in range(20)), 10)
    assert 3 == asked


async def test_a_probe_that_is_cancelled_gives_its_turn_back(
    api: Api, make_session: SessionFactory
) -> None:
    """The right to probe is never lost: the next call takes it."""
    session = await make_session(options={"probe": Probe(every=0, longest=1)})
    latch = session.latch  # type: ignore[attr-defined]
    api.answers["k"] = [SPENT, OK]
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")
    api.gate = asyncio.Event()
    probe = asyncio.create_task(fetch(session, api, "k"))
    await api.wait_for(2)
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")
    probe.cancel()
    await gather([probe])
    api.gate.set()

    assert 200 == await fetch(session, api, "k")
    assert not latch.tripped


async def test_intervals_grow(api: Api, make_session: SessionFactory) -> None:
    """After each probe in vain the next interval is twice as long, up to the longest."""
    now = 0.0
    session = await make_session()
    api.answers["k"] = SPENT
    with pytest.raises(PermanentEndpointError) as caught:
        await fetch(session, api, "k")
    probes = Probes(clock=lambda: now)
    probe = Probe(every=10, longest=35)

    waits = []
    for _ in range(4):
        left = probes.seconds_left(probe, caught.value.trip)
        waits.append(left)
        assert not probes.take(probe, caught.value.trip)
        now += left
        assert probes.take(probe, caught.value.trip)
        assert not probes.take(probe, caught.value.trip)
        probes.give_back(probe, caught.value.trip, answered=True)

    assert all(
        least <= wait <= least * 1.1 for least, wait in zip((10, 20, 35, 35), waits, strict=True)
    )


async def test_sessions_of_one_latch_share_the_schedule() -> None:
    """Two sessions never probe one endpoint at a time."""
    latch = Latch()
    assert probes_of(latch) is probes_of(latch)
    assert probes_of(latch) is not probes_of(Latch())


async def test_a_transient_answer_to_a_probe_changes_nothing(
    api: Api, make_session: SessionFactory
) -> None:
    """A 503 to the probe is handed over; the latch stays tripped, the interval does not grow."""
    session = await make_session(options={"probe": Probe(every=0, longest=9), "retry": None})
    api.answers["k"] = [SPENT, BUSY, OK]
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")

    assert 503 == await fetch(session, api, "k")
    assert session.latch.tripped  # type: ignore[attr-defined]
    assert 200 == await fetch(session, api, "k")
    assert not session.latch.tripped  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "options", [{"when_tripped": "wait"}, {"wait_timeout": 1.0}, {"probe": Probe()}], ids=str
)
def test_a_trace_config_cannot_hold(options: dict[str, Any]) -> None:
    """A hook cannot send a request again: the trace config says so."""
    with pytest.raises(ValueError, match=next(iter(options))):
        failfast_trace_config(**options)


@pytest.mark.parametrize(
    ("make", "name", "error_type"),
    [
        (lambda: Probe(every=-1), "every", ValueError),
        (lambda: Probe(every=10, longest=5), "longest", ValueError),
        (lambda: Probe(request=3), "request", TypeError),  # type: ignore[arg-type]
        (lambda: FailFastMiddleware(probe=3), "probe", TypeError),  # type: ignore[arg-type]
        (lambda: FailFastMiddleware(wait_timeout=-1), "wait_timeout", ValueError),
    ],
    ids=["every", "longest", "request", "probe", "wait_timeout"],
)
def test_a_wrong_argument_is_named(make: Any, name: str, error_type: type[Exception]) -> None:
    """Each argument is checked when it is given."""
    with pytest.raises(error_type, match=name):
        make()


async def test_it_is_a_session() -> None:
    """The options are those of FailFastSession too."""
    async with FailFastSession(when_tripped="wait", wait_timeout=1, probe=Probe()) as session:
        assert not session.latch.tripped


@both
async def test_a_cancellation_in_the_turn_of_the_reset_goes_through(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A held call that is cancelled just when the latch is reset sends nothing more."""
    latch = Latch()
    session = await make_session(way, latch=latch, options={**WAIT, "wait_timeout": 10})
    api.answers["k"] = SPENT
    calls = [asyncio.create_task(fetch(session, api, "k")) for _ in range(20)]
    await latch.wait_tripped()
    await asyncio.sleep(0.1)
    sent = api.total
    api.answers["k"] = OK

    latch.reset()
    await asyncio.sleep(0)
    for call in calls:
        call.cancel()
    results = await gather(calls, 5)

    assert {asyncio.CancelledError} == set(map(type, results))
    assert sent == api.total


async def test_a_probe_of_ones_own_has_a_limit(api: Api, make_session: SessionFactory) -> None:
    """A request of the user's that hangs does not hold the call that runs it."""

    async def hang() -> bool:
        await asyncio.sleep(60)
        return True

    probe = Probe(every=0, longest=1, request=hang, timeout=0.1)
    session = await make_session(options={"probe": probe})
    api.answers["k"] = SPENT
    for _ in range(2):
        with pytest.raises(PermanentEndpointError):
            await asyncio.wait_for(fetch(session, api, "k"), 5)
    assert 1 == api.total


async def test_an_answer_overtaken_by_a_reset_is_sent_again(
    api: Api, make_session: SessionFactory
) -> None:
    """With "wait", a late answer of before the reset is no answer to the caller either."""
    session = await make_session(options=WAIT)
    api.answers["k"] = [SPENT, OK]
    api.gate = asyncio.Event()
    call = asyncio.create_task(fetch(session, api, "k"))
    await api.wait_for(1)

    session.latch.reset()  # type: ignore[attr-defined]
    api.gate.set()

    assert 200 == await asyncio.wait_for(call, 5)
    assert 2 == api.total
