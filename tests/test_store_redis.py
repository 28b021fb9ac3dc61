"""The store in Redis or Valkey, against a real server in every state that one can be in."""

from __future__ import annotations

import asyncio
import logging
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import trustme
from fleet import Fleet, Server, closing_fleet, comes_true, connected, fresh, lost, network_to
from fleet import wait_for as until
from trips import DEAD, OTHER

from aiohttp_failfast import Latch, _talk
from aiohttp_failfast.stores import RedisStore

# Servers are started and waited for.
pytestmark = pytest.mark.slow

THIRD = OTHER._replace(origin="https://third.example.com")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Run a server."""
    server = Server(tmp_path).start()
    yield server
    server.close()


@pytest.fixture
def fleet(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    """Make latches, which give up an operation and look again sooner than usual."""
    monkeypatch.setattr(_talk, "OPERATION_TIMEOUT", 1.0)
    monkeypatch.setattr(_talk, "RESYNC", 1.0)
    with closing_fleet() as fleet:
        yield fleet


def told(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    """Return what the log says of the store, at one level."""
    return [
        one.getMessage()
        for one in caplog.records
        if one.levelno == level and one.getMessage().startswith("store ")
    ]


def trips_at_once(latch: Latch, **more: object) -> bool:
    """Trip a latch, and tell whether that took no time worth speaking of."""
    started = time.monotonic()
    tripped = latch.trip(fresh(**more))  # type: ignore[arg-type]
    return tripped and latch.tripped and time.monotonic() - started < 0.5


def test_a_trip_and_a_reset_reach_another_latch_within_100_ms(fleet: Fleet, server: Server) -> None:
    """On one machine; the best of some tries, since other people use it, too."""
    one, other = fleet.pair(server.url)
    trips, resets = [], []
    for _ in range(10):
        one.trip(fresh(generation=one.generation))
        trips.append(until(lambda: other.tripped))
        other.reset()
        resets.append(until(lambda: not one.tripped))

    assert min(trips) < 0.1
    assert min(resets) < 0.1
    assert one.generation == other.generation == 10


def test_a_late_starter_reads_what_is_stored(fleet: Fleet, server: Server) -> None:
    """Also when all who saw it are gone."""
    first = fleet(server.url)
    first.trip(fresh(DEAD))
    first.trip(fresh(OTHER))
    first.reset(OTHER)
    first.close()
    late = fleet(server.url)
    until(lambda: late.tripped)

    assert [trip.endpoint for trip in late.trips] == [DEAD]
    assert late.generation == 1


def test_databases_and_prefixes_keep_fleets_apart(fleet: Fleet, server: Server) -> None:
    """Though channels of Redis know no databases."""
    base = server.url.removesuffix("/0")
    urls = [f"{base}/0", f"{base}/1", f"{base}/1?prefix=mine", f"{base}?db=2"]
    latches = [fleet(url) for url in urls]
    until(lambda: all(map(connected, latches)))
    latches[1].trip(fresh())
    same = fleet(f"{base}/1")
    until(lambda: same.tripped)
    time.sleep(0.2)

    assert [latch.tripped for latch in latches] == [False, True, False, False]


def test_a_trip_expires_on_the_server(fleet: Fleet, server: Server) -> None:
    """A windowed one at its end, another one at the maximum age."""
    latch = fleet(f"{server.url}?max_age=3600")
    latch.trip(fresh(DEAD), until=datetime.now(timezone.utc) + timedelta(seconds=60))
    latch.trip(fresh(OTHER))
    latch.close()
    left = {
        key.decode().rpartition("#")[2]: server.command("PTTL", key.decode())
        for key in server.command("KEYS", "*:trip:*")
    }

    assert 50_000 < left[DEAD.credential] <= 60_000
    assert 3_590_000 < left[OTHER.credential] <= 3_600_000


def test_a_windowed_trip_ends_everywhere(fleet: Fleet, server: Server) -> None:
    """Nobody has to reset it."""
    one, other = fleet.pair(server.url)
    one.trip(fresh(), until=datetime.now(timezone.utc) + timedelta(seconds=1))
    until(lambda: other.tripped)
    until(lambda: not other.tripped)
    until(lambda: not server.command("KEYS", "*:trip:*"))


def test_down_at_the_start(fleet: Fleet, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One warning; what was learned alone is shared as soon as there is a server."""
    caplog.set_level(logging.INFO)
    server = Server(tmp_path)
    one, other = fleet(server.url), fleet(server.url)
    until(lambda: lost(one) and lost(other))
    assert trips_at_once(one)
    time.sleep(0.5)
    assert len(told(caplog, logging.WARNING)) == 2
    try:
        server.start()
        until(lambda: other.tripped)
        until(lambda: connected(one) and connected(other))
        assert len(told(caplog, logging.WARNING)) == 2
        assert len(told(caplog, logging.INFO)) == 2
    finally:
        server.close()


def test_killed_and_restarted_empty(
    fleet: Fleet, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """No trip is lost: those who know fill the new server, for late starters, too."""
    caplog.set_level(logging.INFO)
    one, other = fleet.pair(server.url)
    one.trip(fresh(DEAD))
    until(lambda: other.tripped)
    server.kill()
    until(lambda: lost(one) and lost(other))
    assert trips_at_once(other, endpoint=OTHER)
    one.close()
    server.start()
    until(lambda: connected(other))
    late = fleet(server.url)
    until(lambda: len(late.trips) == 2)

    assert {trip.endpoint for trip in late.trips} == {DEAD, OTHER}
    assert 1 <= len(told(caplog, logging.WARNING)) <= 2


def test_emptied_unseen(fleet: Fleet, server: Server) -> None:
    """Without a connection breaking: found by looking from time to time."""
    one, _ = fleet.pair(server.url)
    one.trip(fresh())
    until(lambda: server.command("KEYS", "*:trip:*"))
    server.command("FLUSHALL")

    until(lambda: server.command("KEYS", "*:trip:*"))


def test_stopped_and_let_go_on(
    fleet: Fleet, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that takes and never answers: nobody waits for it, and afterwards all agree."""
    caplog.set_level(logging.INFO)
    one, other = fleet.pair(server.url)
    server.stop()
    assert trips_at_once(one)
    until(lambda: lost(one) and lost(other))
    assert trips_at_once(other, endpoint=OTHER)
    assert len(told(caplog, logging.WARNING)) == 2
    server.go_on()
    until(lambda: one.find(OTHER) and other.find(DEAD))
    until(lambda: connected(one) and connected(other))

    assert len(told(caplog, logging.WARNING)) == 2


def test_a_wrong_password(fleet: Fleet, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One warning without the password; it goes on trying, for it may be put right."""
    server = Server(tmp_path, "--requirepass", "right-one").start()
    try:
        wrong = fleet(f"redis://:hunter2@127.0.0.1:{server.port}/0")
        right = fleet(f"redis://:right-one@127.0.0.1:{server.port}/0")
        until(lambda: lost(wrong) and connected(right))
        assert trips_at_once(wrong)
        time.sleep(0.5)
        (warning,) = told(caplog, logging.WARNING)
        assert f"127.0.0.1:{server.port}" in warning
        assert "hunter2" not in caplog.text
        assert "right-one" not in caplog.text
        assert not right.tripped
        server.command("CONFIG", "SET", "requirepass", "hunter2", password="right-one")
        until(lambda: right.tripped)
    finally:
        server.close()


def test_full(fleet: Fleet, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """What it cannot keep it still passes on; one warning, and once there is room it is kept."""
    one, other = fleet.pair(server.url)
    server.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    server.command("CONFIG", "SET", "maxmemory", "1")
    assert trips_at_once(one)
    until(lambda: other.tripped)
    until(lambda: lost(one))
    time.sleep(0.5)
    assert not server.command("KEYS", "*:trip:*")
    assert 1 <= len(told(caplog, logging.WARNING)) <= 2
    one.reset()
    until(lambda: not other.tripped)
    one.trip(fresh(OTHER, generation=1))
    until(lambda: other.tripped)
    server.command("CONFIG", "SET", "maxmemory", "0")
    late = fleet(server.url)

    until(lambda: late.tripped)
    assert [trip.endpoint for trip in late.trips] == [OTHER]


async def test_a_network_cut_in_two(fleet: Fleet, server: Server) -> None:
    """Each side goes on alone; then they agree: no trip is lost, and resets win over older trips.

    The side that was cut off cannot see that its connection is dead: it hears nothing at all.
    """
    async with network_to(server.port) as network:
        far = fleet(network.url)
        near = fleet(server.url)
        await comes_true(lambda: connected(far) and connected(near))
        far.trip(fresh(DEAD))
        await comes_true(lambda: near.tripped)
        network.cut()
        assert trips_at_once(far, endpoint=OTHER)
        assert trips_at_once(near, endpoint=THIRD)
        near.reset(DEAD)
        await comes_true(lambda: lost(far))
        assert {trip.endpoint for trip in far.trips} == {DEAD, OTHER}
        assert {trip.endpoint for trip in near.trips} == {THIRD}
        network.mend()
        await comes_true(lambda: len(far.trips) == 2 and len(near.trips) == 2)
        await comes_true(lambda: connected(far))

        for latch in (far, near):
            assert {trip.endpoint for trip in latch.trips} == {OTHER, THIRD}
            assert latch.generation == 1
        near.trip(fresh(DEAD, generation=1))
        await comes_true(lambda: far.find(DEAD))


async def test_both_sides_of_a_cut_reset(fleet: Fleet, server: Server) -> None:
    """What was seen after a side's own reset stays; what is older than either reset goes."""
    async with network_to(server.port) as network:
        far, near = fleet(network.url), fleet(server.url)
        await comes_true(lambda: connected(far) and connected(near))
        far.trip(fresh(DEAD))
        await comes_true(lambda: near.tripped)
        network.cut()
        far.reset()
        near.reset()
        near.reset()
        far.trip(fresh(OTHER, generation=1))
        near.trip(fresh(THIRD, generation=2))
        await comes_true(lambda: lost(far))
        network.mend()
        await comes_true(lambda: far.find(THIRD))

        # Two resets here, one there: the trip of generation 1 is older than the second reset.
        assert {trip.endpoint for trip in far.trips} == {THIRD}
        assert {trip.endpoint for trip in near.trips} == {THIRD}


def test_a_reset_before_the_first_meeting_counts(fleet: Fleet, server: Server) -> None:
    """A script that makes a latch and resets it at once means what the store holds."""
    old = fleet(server.url)
    for _ in range(3):
        old.reset()
    old.trip(fresh(generation=3))
    until(lambda: server.command("KEYS", "*:trip:*"))
    script = fleet(server.url)
    script.reset()
    script.close()

    until(lambda: not old.tripped)
    assert old.generation == 4


def test_garbage_on_the_server_is_left_out(
    fleet: Fleet, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """On the channel and under the keys; it hides nothing else."""
    one, other = fleet.pair(server.url)
    one.trip(fresh(DEAD))
    until(lambda: server.command("KEYS", "*:trip:*"))
    server.command("SET", "aiohttp_failfast:trip:x#y", "12 {not json")
    server.command("SADD", "aiohttp_failfast:trips", "x#y")
    server.command("PUBLISH", "aiohttp_failfast:0:news", b"\xff\x00garbage")  # type: ignore[arg-type]
    late = fleet(server.url)
    until(lambda: late.tripped)
    one.trip(fresh(OTHER))
    until(lambda: other.find(OTHER) and late.find(OTHER))

    assert "make no sense" in caplog.text
    assert not lost(late)


def test_keys_of_another_kind_under_our_names_are_one_warning(
    fleet: Fleet, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody else uses the prefix."""
    server.command("SET", "aiohttp_failfast:trips", "a text")
    latch = fleet(server.url)
    until(lambda: lost(latch))
    assert trips_at_once(latch)
    time.sleep(0.4)

    assert len(told(caplog, logging.WARNING)) == 1


def test_over_a_unix_socket_and_under_the_other_name(fleet: Fleet, tmp_path: Path) -> None:
    """``unix://`` and ``valkey://`` lead to the same server."""
    path = tmp_path / "socket"
    server = Server(tmp_path, "--unixsocket", str(path)).start()
    try:
        one = fleet(f"unix://{path}?db=0")
        other = fleet(f"valkey://127.0.0.1:{server.port}/0")
        until(lambda: connected(one) and connected(other))
        one.trip(fresh())
        until(lambda: other.tripped)
    finally:
        server.close()


async def test_over_tls(fleet: Fleet, server: Server, tmp_path: Path) -> None:
    """``rediss://`` with an authority of one's own, and not without it."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    async with network_to(server.port, encrypted=context) as network:
        url = f"rediss://127.0.0.1:{network.port}/0"
        one = fleet(f"{url}?ssl_ca_certs={tmp_path / 'ca.pem'}")
        stranger = fleet(url)
        await comes_true(lambda: connected(one) and lost(stranger))
        near = fleet(server.url)
        one.trip(fresh())
        await comes_true(lambda: near.tripped)

    assert not stranger.tripped


def test_many_trips_and_resets_of_one_endpoint_end_in_agreement(
    fleet: Fleet, server: Server
) -> None:
    """Whatever order the news arrive in."""
    latches = [fleet(server.url) for _ in range(4)]
    until(lambda: all(map(connected, latches)))
    for number in range(40):
        latch = latches[number % 4]
        latch.trip(fresh(DEAD, generation=latch.generation))
        if number % 3 == 0:
            latches[(number + 1) % 4].reset(DEAD)
    last = latches[0]
    until(lambda: len({latch.generation for latch in latches}) == 1)
    last.trip(fresh(OTHER, generation=last.generation))
    until(lambda: all(latch.find(OTHER) for latch in latches))
    until(lambda: len({latch.find(DEAD) is None for latch in latches}) == 1)


def test_the_package_is_only_imported_for_its_addresses() -> None:
    """Where it is missing, the error names the extra."""
    code = """
import sys
sys.modules["redis"] = None
from importlib import util
real = util.find_spec
import aiohttp_failfast, aiohttp_failfast.stores
aiohttp_failfast.Latch(store="file:///tmp/never-used-by-anybody/x").close(0)
try:
    aiohttp_failfast.Latch(store="redis://localhost")
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )

    assert "pip install 'aiohttp-failfast[redis]'" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://user:hunter2@host:1/3?password=hunter2", "redis://host:1/3"),
        ("rediss://:hunter2@host/", "rediss://host/"),
        ("unix://:hunter2@/run/x.sock?db=1", "unix:///run/x.sock"),
    ],
)
def test_a_store_shows_no_password(url: str, shown: str) -> None:
    """Neither as a text nor in its repr."""
    store = RedisStore(url)

    assert str(store) == shown
    assert "hunter2" not in repr(store)


async def test_requests_pass_while_the_store_hangs(fleet: Fleet, server: Server) -> None:
    """The loop of the user does none of the store's work."""
    latch = fleet(server.url)
    await comes_true(lambda: connected(latch))
    server.stop()
    loop = asyncio.get_running_loop()
    latch.trip(fresh())
    slowest = 0.0
    for _ in range(40):
        started = loop.time()
        latch.find(DEAD)
        assert latch.tripped
        slowest = max(slowest, loop.time() - started)
        await asyncio.sleep(0.01)

    assert slowest < 0.2
