"""The store in a file: what one machine's processes share without a server."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet import Fleet, closing_fleet, connected, fresh, lost, wait_for
from trips import DEAD, OTHER

from aiohttp_failfast import Latch, _talk
from aiohttp_failfast.stores import FileStore, decode_news

# Holds the lock until it is killed.
HOLDER = """
import asyncio, sys
from pathlib import Path
from aiohttp_failfast._stores._lock import locked
async def main():
    async with locked(Path(sys.argv[1])):
        print("held", flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    """Make latches."""
    with closing_fleet() as fleet:
        yield fleet


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file that does not exist yet."""
    return tmp_path / "trips"


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the log warns of, besides trips."""
    return [
        one.getMessage()
        for one in caplog.records
        if one.levelno >= logging.WARNING and " says that " not in one.getMessage()
    ]


def test_a_trip_and_a_reset_reach_another_latch_within_a_second(fleet: Fleet, path: Path) -> None:
    """With the default interval of looking."""
    one, other = fleet.pair(f"file://{path}")
    one.trip(fresh())
    assert wait_for(lambda: other.tripped) < 1
    trip = other.trips[0]
    assert (trip.endpoint, trip.status, trip.content) == (DEAD, 429, b'{"error": "spent"}')
    assert trip.seen_by is not None
    assert trip.seen_by.pid == os.getpid()
    assert one.trips[0].seen_by is None
    assert (one.stats.trips, one.stats.told) == (1, 0)
    assert (other.stats.trips, other.stats.told) == (0, 1)

    other.reset()
    assert wait_for(lambda: not one.tripped) < 1
    assert one.generation == other.generation == 1


def test_only_the_owner_can_read_it(fleet: Fleet, path: Path) -> None:
    """Also with a generous umask, and where the file was readable by all before."""
    path.write_text("{}")
    path.chmod(0o644)
    before = os.umask(0)
    try:
        latch = fleet(f"file://{path}")
        latch.trip(fresh())
        latch.close()
    finally:
        os.umask(before)

    assert sorted(one.name for one in path.parent.iterdir()) == ["trips", "trips.lock"]
    for one in path.parent.iterdir():
        assert stat.S_IMODE(one.stat().st_mode) == 0o600


def test_what_is_stored_holds_no_request_and_no_path(fleet: Fleet, path: Path) -> None:
    """Neither headers nor the address beyond the origin; of the answer what others need."""
    latch = fleet(f"file://{path}")
    latch.trip(fresh(url=f"{DEAD.origin}/v1/tenants/SECRET", headers=(("X-Odd", "SECRET"),)))
    latch.close()

    text = path.read_text()
    assert "SECRET" not in text
    assert "Authorization" not in text
    assert "insufficient_quota" in text


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\x00" * 4096,
        b"not json",
        b"[]",
        b'{"v":1}',
        b'{"v":1,"generation":"x","floor":0,"floors":[],"trips":[]}',
        b'{"v":1,"generation":1e300,"floor":0,"floors":[],"trips":[]}',
        b"[" * 100_000,
        b"\xff\xfe\xfa",
    ],
)
def test_garbage_is_a_warning_and_counts_as_empty(
    fleet: Fleet, path: Path, garbage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """The next trip replaces it."""
    path.write_bytes(garbage)
    one, other = fleet.pair(f"file://{path}?poll=0.02")
    assert not one.tripped
    one.trip(fresh())
    wait_for(lambda: other.tripped)

    told = warnings_of(caplog)
    assert all("makes no sense" in message for message in told)
    assert bool(told) is bool(garbage)


def test_a_file_that_is_removed_is_written_again(fleet: Fleet, path: Path) -> None:
    """By whoever knows what stood in it."""
    one, other = fleet.pair(f"file://{path}?poll=0.02")
    one.trip(fresh())
    wait_for(lambda: other.tripped)
    one.close()
    path.unlink()

    wait_for(lambda: path.exists() and decode_news(path.read_bytes()).trips)


def test_half_a_file_loses_nothing_that_a_latch_still_knows(fleet: Fleet, path: Path) -> None:
    """Who knows the trip writes it again as soon as it looks."""
    one, other = fleet.pair(f"file://{path}?poll=0.02")
    one.trip(fresh())
    wait_for(lambda: other.tripped)
    path.write_bytes(path.read_bytes()[:100])
    other.trip(fresh(OTHER))
    wait_for(lambda: one.find(OTHER))
    wait_for(lambda: len(decode_news(path.read_bytes()).trips) == 2)
    late = fleet(f"file://{path}?poll=0.02")

    wait_for(lambda: len(late.trips) == 2)


def test_a_trip_that_makes_no_sense_does_not_hide_the_others(
    fleet: Fleet, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is left out with a warning."""
    latch = fleet(f"file://{path}")
    latch.trip(fresh(DEAD))
    latch.trip(fresh(OTHER))
    latch.close()
    document = json.loads(path.read_text())
    document["trips"][0]["kind"] = "unheard of"
    path.write_text(json.dumps(document))
    late = fleet(f"file://{path}")
    wait_for(lambda: late.tripped)

    assert [trip.endpoint for trip in late.trips] == [OTHER]
    assert any("makes no sense" in message for message in warnings_of(caplog))


def test_a_file_of_a_later_version_is_left_alone(
    fleet: Fleet, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning; the latch goes on alone."""
    path.write_text('{"v":2,"news":[]}')
    latch = fleet(f"file://{path}")
    wait_for(lambda: lost(latch))
    latch.trip(fresh())
    time.sleep(0.3)

    assert latch.tripped
    assert path.read_text() == '{"v":2,"news":[]}'
    assert len(warnings_of(caplog)) == 1


@pytest.mark.parametrize("held", ["folder", "folder that is missing", "lock"])
def test_a_file_that_cannot_be_used_is_one_warning(
    fleet: Fleet, path: Path, held: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever is in the way; requests do not notice, and the latch goes on alone."""
    if held == "folder":
        path.mkdir()
    elif held == "lock":
        path.with_name("trips.lock").mkdir()
    else:
        path = path / "missing" / "trips"
    latch = fleet(f"file://{path}")
    latch.trip(fresh())
    wait_for(lambda: lost(latch))
    time.sleep(0.3)

    assert latch.tripped
    assert len(warnings_of(caplog)) == 1


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lock_outlives_neither_its_killed_holder_nor_the_patience_with_a_stopped_one(
    fleet: Fleet, path: Path, how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed, its lock is free at once; stopped, the others go on alone and read on."""
    monkeypatch.setattr(_talk, "OPERATION_TIMEOUT", 1.0)
    lock = path.with_name("trips.lock")
    command = [sys.executable, "-c", HOLDER, str(lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        latch, other = fleet.pair(f"file://{path}?poll=0.02")
        process.send_signal(how)
        started = time.monotonic()
        latch.trip(fresh())
        assert time.monotonic() - started < 1
        try:
            if how == signal.SIGKILL:
                assert wait_for(lambda: other.tripped) < 3
            else:
                wait_for(lambda: lost(latch))
                assert not other.tripped
                process.kill()
                wait_for(lambda: other.tripped)
                wait_for(lambda: connected(latch))
        finally:
            process.kill()


def test_a_draft_that_a_killed_writer_left_is_no_obstacle(fleet: Fleet, path: Path) -> None:
    """It is thrown away."""
    path.with_name("trips.new").write_text("half a")
    latch = fleet(f"file://{path}")
    latch.trip(fresh())
    latch.close()

    assert set(decode_news(path.read_bytes()).trips) == {DEAD}
    assert not path.with_name("trips.new").exists()


def test_through_a_symbolic_link_the_file_is_written_that_it_leads_to(
    fleet: Fleet, path: Path
) -> None:
    """The link stays a link."""
    link = path.with_name("link")
    link.symlink_to(path)
    latch = fleet(f"file://{link}")
    latch.trip(fresh())
    latch.close()

    assert link.is_symlink()
    assert decode_news(path.read_bytes()).trips


def test_a_windowed_trip_ends_everywhere(fleet: Fleet, path: Path) -> None:
    """At the time that the first latch was told; the file forgets it, too."""
    from datetime import datetime, timedelta, timezone

    one, other = fleet.pair(f"file://{path}?poll=0.02")
    one.trip(fresh(), until=datetime.now(timezone.utc) + timedelta(seconds=1))
    wait_for(lambda: other.tripped)
    wait_for(lambda: not other.tripped)
    one.trip(fresh(OTHER))
    wait_for(lambda: other.tripped)

    assert set(decode_news(path.read_bytes()).trips) == {OTHER}


def test_the_maximum_age_ends_trips_that_others_saw(fleet: Fleet, path: Path) -> None:
    """Who saw one keeps it until a reset, as without a store."""
    one, other = fleet.pair(f"file://{path}?poll=0.02&max_age=1")
    one.trip(fresh())
    wait_for(lambda: other.tripped)
    wait_for(lambda: not other.tripped)
    late = fleet(f"file://{path}?poll=0.02&max_age=1")
    wait_for(lambda: connected(late))

    assert not late.tripped
    assert one.tripped


def test_a_store_can_be_given_as_an_object(fleet: Fleet, path: Path) -> None:
    """What the URL says stands in its arguments."""
    one, other = fleet.pair(FileStore(path, poll=0.02))
    one.trip(fresh())

    wait_for(lambda: other.tripped)


def test_a_closed_latch_goes_on_alone(fleet: Fleet, path: Path) -> None:
    """It neither hears nor tells any more, and its thread has ended."""
    one, other = fleet.pair(f"file://{path}?poll=0.02")
    one.close()
    one.close()
    other.trip(fresh())
    time.sleep(0.2)
    one.trip(fresh(OTHER))

    assert [trip.endpoint for trip in one.trips] == [OTHER]
    assert other.find(OTHER) is None


def test_a_latch_that_is_gone_takes_its_thread_along(path: Path) -> None:
    """But not before its last news is stored: jobs end right after it."""
    latch = Latch(store=f"file://{path}")
    latch.trip(fresh())
    assert latch._link is not None
    thread = latch._link._thread
    assert thread is not None
    del latch
    gc.collect()
    wait_for(lambda: not thread.is_alive())

    assert set(decode_news(path.read_bytes()).trips) == {DEAD}
