"""Futures that one call wakes, on whatever loops they wait."""

from __future__ import annotations

import asyncio
import threading

import pytest
from rawserver import soon

from aiohttp_failfast._waiters import Waiter, WaitingRoom, wake


async def test_a_woken_waiter_tells_so_and_its_timer_is_gone() -> None:
    """True where it was woken, False where its time was up."""
    loop = asyncio.get_running_loop()
    waiter = Waiter.here()
    waiting = asyncio.ensure_future(waiter.wait(60))
    await asyncio.sleep(0)
    timer = [handle for handle in loop._scheduled if not handle.cancelled()]  # type: ignore[attr-defined]
    assert len(timer) == 1
    wake([waiter])

    assert await soon(waiting) is True
    assert timer[0].cancelled()
    assert await soon(Waiter.here().wait(0.01)) is False
    assert await soon(Waiter.here().wait(-1)) is False


async def test_a_cancelled_waiter_leaves_no_timer() -> None:
    """A thousand calls that are given up must not leave a thousand timers."""
    loop = asyncio.get_running_loop()
    tasks = [asyncio.ensure_future(Waiter.here().wait(600)) for _ in range(1000)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert not [handle for handle in loop._scheduled if not handle.cancelled()]  # type: ignore[attr-defined]


async def test_waking_twice_is_waking_once() -> None:
    """Also where the waiter has given up already."""
    waiter, gone = Waiter.here(), Waiter.here()
    gone.future.cancel()
    wake([waiter, gone])
    wake([waiter, gone])

    assert waiter.future.result() is True
    assert gone.future.cancelled()
    wake([])


async def test_waking_before_the_wait_is_not_lost() -> None:
    """Between letting it in and its await there is no gap."""
    waiter = Waiter.here()
    wake([waiter])

    assert await soon(waiter.wait(None)) is True


async def test_waking_from_a_thread_without_a_loop() -> None:
    """The futures are settled on their own loop."""
    waiter = Waiter.here()
    threads = []
    waiter.future.add_done_callback(lambda future: threads.append(threading.current_thread()))
    await asyncio.to_thread(wake, [waiter])

    assert await soon(waiter.wait(None)) is True
    await asyncio.sleep(0)
    assert threads == [threading.current_thread()]


def test_waking_on_a_closed_loop_is_no_error_and_hinders_nobody() -> None:
    """Whoever waits on other loops is woken all the same."""

    async def make() -> Waiter:
        return Waiter.here()

    gone = asyncio.new_event_loop()
    alive = asyncio.new_event_loop()
    try:
        waiters = [gone.run_until_complete(make()), alive.run_until_complete(make())]
        gone.close()
        wake(waiters)
        assert alive.run_until_complete(waiters[1].wait(5)) is True
    finally:
        alive.close()


async def test_a_room_forgets_whom_it_gave_out_and_who_left() -> None:
    """Nothing grows with the number of those who have waited."""
    room = WaitingRoom()
    one, two, three = Waiter.here(), Waiter.here(), Waiter.here()
    room.add("a", one)
    room.add("a", two)
    room.add("b", three)
    assert len(room) == 3

    assert set(room.take("a")) == {one, two}
    assert not list(room.take("a"))
    room.discard("a", one)
    room.discard("b", one)
    assert len(room) == 1
    room.discard("b", three)
    assert len(room) == 0
    assert room._groups == {}


def test_a_waiter_needs_a_loop() -> None:
    """There is nobody to wake without one."""
    with pytest.raises(RuntimeError):
        Waiter.here()
