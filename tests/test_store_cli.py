"""The command `latch`: what a fleet shares, seen and cleared by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet import Fleet, closing_fleet, free_port, fresh, wait_for
from trips import DEAD, OTHER

from aiohttp_failfast.__main__ import main


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    """Make latches."""
    with closing_fleet() as fleet:
        yield fleet


def url_of(folder: Path) -> str:
    """Return the address of a file store."""
    return f"file://{folder}/trips?poll=0.02"


def name(endpoint: Any) -> str:
    """Return an endpoint as the command line names it."""
    return "#".join(endpoint)


def test_list_shows_the_trips_in_force(
    fleet: Fleet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For people and, with --json, for programs; the exit status tells whether there are any."""
    url = url_of(tmp_path)
    assert main(["latch", "--store", url, "list"]) == 0
    assert capsys.readouterr().out == ""
    latch = fleet(url)
    latch.trip(fresh())
    latch.close()

    assert main(["latch", "--store", url, "list"]) == 3
    assert name(DEAD) in (out := capsys.readouterr().out)
    assert "insufficient_quota" in out
    assert "seen by process" in out
    assert main(["latch", "--store", url, "list", "--json"]) == 3
    shown = json.loads(capsys.readouterr().out)
    assert shown["endpoint"] == name(DEAD)
    assert shown["kind"] == "quota"
    assert shown["seen_by"]["pid"] > 0


def test_reset_clears_one_endpoint_or_all_everywhere(fleet: Fleet, tmp_path: Path) -> None:
    """Latches that run hear of it, and their later trips count."""
    url = url_of(tmp_path)
    latch = fleet(url)
    latch.trip(fresh(DEAD))
    latch.trip(fresh(OTHER))
    latch._link.flush(5)  # type: ignore[union-attr]

    assert main(["latch", "--store", url, "reset", "--endpoint", name(DEAD)]) == 0
    wait_for(lambda: latch.find(DEAD) is None)
    assert latch.find(OTHER) is not None
    assert main(["latch", "--store", url, "reset", "--all", "--json"]) == 0
    wait_for(lambda: not latch.tripped)
    assert latch.generation == 2
    latch.trip(fresh(DEAD, generation=2))
    latch._link.flush(5)  # type: ignore[union-attr]
    assert main(["latch", "--store", url, "list"]) == 3


def test_watch_tells_what_happens_as_it_happens(fleet: Fleet, tmp_path: Path) -> None:
    """A line for each trip and reset, until it is interrupted."""
    url = url_of(tmp_path)
    command = [sys.executable, "-m", "aiohttp_failfast", "latch", "--store", url, "watch", "--json"]
    latch = fleet(url)
    latch.trip(fresh(OTHER))
    latch._link.flush(5)  # type: ignore[union-attr]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            first = json.loads(process.stdout.readline())
            latch.trip(fresh(DEAD))
            second = json.loads(process.stdout.readline())
            latch.reset(DEAD)
            third = json.loads(process.stdout.readline())
        finally:
            process.terminate()

    assert [one["event"] for one in (first, second, third)] == ["trip", "trip", "reset"]
    assert [one["endpoint"] for one in (first, second, third)] == [name(OTHER), *[name(DEAD)] * 2]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("memory:", "inside one process"),
        ("ftp://user:hunter2@x", "redis://"),
        ("file:relative", "file:///path"),
        ("file:///x?poll=never", "poll"),
        ("file:///no/such/folder/x", "No such file"),
    ],
)
def test_what_is_no_store_is_said(url: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With exit status 2, and without the password."""
    assert main(["latch", "--store", url, "reset", "--all"]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "hunter2" not in told


def test_a_server_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Within the timeout, and without the password."""
    url = f"redis://:hunter2@127.0.0.1:{free_port()}/0"

    assert main(["latch", "--store", url, "--timeout", "3", "list"]) == 2
    told = capsys.readouterr().err
    assert "127.0.0.1" in told
    assert "hunter2" not in told


@pytest.mark.parametrize("endpoint", ["", "https://x", "#", "https://x#"])
def test_what_is_no_endpoint_is_refused(
    endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is reset by mistake."""
    arguments = ["latch", "--store", url_of(tmp_path), "reset", "--endpoint", endpoint]

    assert main(arguments) == 2
    assert "ORIGIN#FINGERPRINT" in capsys.readouterr().err
    assert not (tmp_path / "trips").exists()
