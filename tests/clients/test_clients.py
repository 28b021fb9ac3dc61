"""Real clients stop at once, with the error their users already catch.

Each test looks at the runs of one client, made once (runs.py); catalogue.py tells how.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from client import PROMISED_QUICK, Client
from fake_api import GOOD_CALLS
from runs import Record, Records, is_slow

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the pinned versions need Python 3.11"),
]

Measured = Callable[[str], Records]
DEAD = ("spent", "invalid", "dies")
FINE = ("healthy", "transient")


def ours(client: Client, measured: Measured, *scenarios: str) -> list[tuple[Record, Record]]:
    """Return the runs with this package, each with that of plain aiohttp."""
    records = measured(client.name)
    return [
        (records[scenario, kind], records[scenario, "plain"])
        for scenario, kind in client.plan()
        if scenario in scenarios and kind != "plain"
    ]


def test_healthy_and_transient_runs_give_the_same(client: Client, measured: Measured) -> None:
    """As many answers as on plain aiohttp, the same ones, the same errors."""
    for run, plain in ours(client, measured, "healthy"):
        assert (plain.results, {}, plain.hits) == (run.results, run.errors, run.hits), run
        assert len(run.results) == client.calls
    for run, plain in ours(client, measured, "transient"):
        if run.kind == "default" and not client.own_retries:
            assert len(run.results) == client.calls, run  # the session's own retries
        else:
            assert (plain.results, plain.errors) == (run.results, run.errors), run


def test_plain_aiohttp_is_what_it_is_said_to_be(client: Client, measured: Measured) -> None:
    """The runs that all others are compared with end as the catalogue says."""
    records = measured(client.name)
    for scenario in DEAD:
        plain = records[scenario, "plain"]
        expected = client.sees(scenario, "plain")
        assert all(seen.startswith(expected) for seen in plain.errors), (expected, plain)
    assert bool(records["transient", "plain"].results) == client.own_retries


def test_what_reaches_the_server(client: Client, measured: Measured) -> None:
    """Of a dead key: the calls in flight when the answer lands that settles it, and no more."""
    for run, _ in ours(client, measured, *DEAD):
        good = GOOD_CALLS if run.scenario == "dies" else 0
        assert 1 <= run.hits - good < client.concurrency + client.sightings, run


def test_what_the_user_sees(client: Client, measured: Measured) -> None:
    """The error of a dead key is the one that the catalogue names, from every call."""
    for run, _ in ours(client, measured, *DEAD):
        assert run.errors, run
        expected = client.sees(run.scenario, run.kind)
        assert all(seen.startswith(expected) for seen in run.errors), (expected, run)
        if run.scenario == "dies":
            assert len(run.results) in {GOOD_CALLS, 0}, run  # 0: one call's end ends the program


def test_seconds(client: Client, measured: Measured) -> None:
    """Nothing is slower than on plain aiohttp; every dead key ends."""
    for run, plain in ours(client, measured, *FINE, *DEAD):
        if run.kind in PROMISED_QUICK and run.kind not in client.slow:
            assert not is_slow(run, plain), (run, plain)


def test_nothing_leaks(client: Client, measured: Measured) -> None:
    """Connections, sessions, tasks, sockets: no more is left than plain aiohttp leaves."""
    records = measured(client.name)
    for run, plain in ours(client, measured, *FINE, *DEAD):
        if run.ended and run.kind not in client.slow:
            usual = records["healthy", "plain"].leaks
            worst = tuple(map(max, usual, plain.leaks if plain.ended else usual))
            assert all(a <= b for a, b in zip(run.leaks, worst, strict=True)), (run, plain)


def test_what_auto_decides(client: Client, measured: Measured) -> None:
    """The headers that the client passes, and what ``when_tripped="auto"`` makes of them."""
    seen = measured(client.name)["healthy", "spy"].headers
    assert {kind: (session, middleware) for kind, session, middleware in seen} == client.headers


def test_retry_layers_multiply(client: Client, measured: Measured) -> None:
    """A session with retries under a client with retries: each of its attempts is three.

    With ``retry=None`` there are as many requests as on plain aiohttp.
    """
    if ("busy", "plain") not in client.plan():
        pytest.skip("no retries of its own, or none that can be counted")
    runs = measured(client.name)
    plain, alone, both = (runs["busy", kind].hits for kind in ("plain", "session", "default"))
    if runs["busy", "plain"].ended and runs["busy", "default"].ended:
        assert (alone, both) == (plain, 3 * plain)
