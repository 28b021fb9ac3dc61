"""The demo: its figures, its command line, and how it behaves while it runs."""

from __future__ import annotations

import asyncio
import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aiohttp_failfast import VerdictKind, classify
from aiohttp_failfast import __main__ as command_line
from aiohttp_failfast._demo_answers import DEAD, OVERLOADED, Sample
from aiohttp_failfast._demo_job import Tally
from aiohttp_failfast._demo_progress import progress
from aiohttp_failfast._demo_server import KEY, Witness

CALLS = 200
CONCURRENCY = 20
DIES_AFTER = 60
DEMO = (sys.executable, "-W", "error", "-m", "aiohttp_failfast", "demo")
SMALL = (f"--calls={CALLS}", f"--concurrency={CONCURRENCY}", f"--dies-after={DIES_AFTER}")
RETRIED = {name for name, sample in DEAD.items() if sample.status == 429}


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the demo, away from the checkout, so that the installed package runs."""
    return subprocess.Popen(
        (*DEMO, *arguments),
        cwd=folder,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, dict[str, Any], str]]:
    """Exit status, figures and progress of a small demo per answer; all run side by side."""
    folder = tmp_path_factory.mktemp("demo")
    running = {name: start(folder, *SMALL, "--json", f"--answer={name}") for name in DEAD}
    done = {}
    for name, process in running.items():
        out, err = process.communicate(timeout=60)
        done[name] = (process.returncode, json.loads(out), err)
    return done


@pytest.mark.parametrize("name", DEAD)
def test_only_calls_on_the_wire_reach_a_dead_key(
    demos: dict[str, tuple[int, dict[str, Any], str]], name: str
) -> None:
    """With FailFastSession no more calls reach a dead key than can be on the wire at once."""
    status, figures, _ = demos[name]
    plain, failfast = figures["plain"], figures["failfast"]

    assert 0 == status
    assert 1 <= failfast["hits_after_death"] <= CONCURRENCY
    # Plain aiohttp sends all that are left, and several times where the status is retried.
    left = CALLS - DIES_AFTER
    assert plain["hits_after_death"] >= (3 * left if name in RETRIED else left)


@pytest.mark.parametrize("name", DEAD)
def test_every_call_is_accounted_for(
    demos: dict[str, tuple[int, dict[str, Any], str]], name: str
) -> None:
    """Both jobs get what the key was good for, and every other call ends with a named error."""
    _, figures, _ = demos[name]
    status = DEAD[name].status
    for job in (figures["plain"], figures["failfast"]):
        assert DIES_AFTER == job["succeeded"]
        assert CALLS - DIES_AFTER == job["failed"] == sum(job["errors"].values())
        assert job["hits"] > job["hits_after_death"]
    assert {f"ClientResponseError (status {status})"} == set(figures["plain"]["errors"])
    assert {"PermanentEndpointError (sent=True)", "PermanentEndpointError (sent=False)"} == set(
        figures["failfast"]["errors"]
    )


@pytest.mark.parametrize("name", sorted(RETRIED))
def test_time_and_retries_are_saved(
    demos: dict[str, tuple[int, dict[str, Any], str]], name: str
) -> None:
    """A retry loop sleeps through a dead key's answers; FailFastSession does not."""
    _, figures, _ = demos[name]
    plain, failfast = figures["plain"], figures["failfast"]
    assert plain["retries_slept"] > CALLS - DIES_AFTER > failfast["retries_slept"]
    assert plain["seconds_slept"] > failfast["seconds_slept"]
    assert plain["seconds_after_death"] > failfast["seconds_after_death"]


def test_the_error_says_what_the_provider_said(
    demos: dict[str, tuple[int, dict[str, Any], str]],
) -> None:
    """The shown error carries the provider's code, and the key is shown nowhere."""
    _, figures, err = demos["spent"]
    assert "insufficient_quota" in figures["error"]
    assert KEY not in json.dumps(figures) + err


def test_json_leaves_stdout_to_the_figures(
    demos: dict[str, tuple[int, dict[str, Any], str]],
) -> None:
    """With --json the progress of both jobs is on stderr, as lines where that is no terminal."""
    _, _, err = demos["spent"]
    assert "plain aiohttp   200 of 200 calls ended" in err
    assert "FailFastSession 200 of 200 calls ended" in err
    assert "\r" not in err


def test_table_fits_a_terminal(tmp_path: Path) -> None:
    """The words for people name both jobs and the source of the answer, within 80 columns."""
    process = start(tmp_path, *SMALL, "--answer=invalid")
    out, err = process.communicate(timeout=60)

    assert 0 == process.returncode
    assert "plain aiohttp   FailFastSession\n" in out
    assert DEAD["invalid"].source in out
    assert "One PermanentEndpointError, in full:" in out
    assert max(len(line) for line in (out + err).splitlines()) <= 80


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    """Ctrl-C ends the demo at once with status 130 and one word."""
    process = start(tmp_path, "--calls=2000", "--concurrency=10")
    assert process.stderr is not None
    process.stderr.readline()  # the first progress: it is at work
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)

    assert 130 == process.returncode
    assert err.endswith("interrupted\n")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--calls=0"], "--calls must be between 1"),
        (["--calls=-5"], "--calls must be between 1"),
        (["--calls=many"], "--calls: invalid int value: 'many'"),
        (["--concurrency=0"], "--concurrency must be at least 1"),
        (["--calls=10", "--dies-after=10"], "--dies-after must be at least 0 and less than"),
        (["--dies-after=-1"], "--dies-after must be at least 0"),
        (["--answer=tired"], "--answer: invalid choice: 'tired'"),
    ],
)
def test_bad_arguments(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bad value ends with status 2 and a message that names the option; nothing is run."""
    try:
        status: object = command_line.main(["demo", *arguments])
    except SystemExit as ended:
        status = ended.code
    out, err = capsys.readouterr()
    assert 2 == status
    assert named in err
    assert not out


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of open files there")
def test_too_many_connections_for_this_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """More connections than the process may open are refused with the number that it may."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (64, 264))
    assert 2 == command_line.main(["demo", "--concurrency=101"])
    assert "--concurrency can be at most 100 here" in capsys.readouterr().err


def test_aiohttp_4(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On aiohttp 4, which has no FailFastSession, the demo says so instead of a traceback."""
    monkeypatch.setattr("aiohttp.__version__", "4.0.0a2.dev0")
    assert 2 == command_line.main(["demo"])
    assert "needs aiohttp 3, this is aiohttp 4.0.0a2.dev0" in capsys.readouterr().err


def test_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a command the status is 2 and the commands are named."""
    with pytest.raises(SystemExit) as ended:
        command_line.main([])
    assert 2 == ended.value.code
    assert "COMMAND" in capsys.readouterr().err


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The help lists the four commands."""
    with pytest.raises(SystemExit) as ended:
        command_line.main(["--help"])
    assert 0 == ended.value.code
    out = capsys.readouterr().out
    assert ["demo", "classify", "check", "latch"] == re.findall(r"^    (\w+) ", out, re.MULTILINE)


def test_an_answer_that_is_not_recognised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the latch does not trip the demo says so, and its status is 1."""
    monkeypatch.setitem(DEAD, "spent", Sample("no such page", 404, "{}", "nowhere"))
    assert 1 == command_line.main(["demo", "--calls=4", "--dies-after=0"])
    assert "No PermanentEndpointError was raised." in capsys.readouterr().out


@pytest.mark.parametrize("name", DEAD)
def test_embedded_answers_are_permanent(name: str) -> None:
    """Each embedded answer for a dead key is judged permanent, and names where it was seen."""
    sample = DEAD[name]
    assert classify(sample.status, {}, sample.body.encode()).permanent
    assert sample.source.startswith("https://")
    json.loads(sample.body)


def test_embedded_trouble_is_transient() -> None:
    """The trouble that calls meet while the key lives is worth a retry."""
    verdict = classify(OVERLOADED.status, {}, OVERLOADED.body.encode())
    assert VerdictKind.TRANSIENT == verdict.kind


class Terminal(io.StringIO):
    """Text output that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.parametrize(
    ("make", "check"),
    [
        (Terminal, lambda text: text.count("\n") == 1 and text.count("\r") >= 4),
        (io.StringIO, lambda text: text.count("\n") == 1 and "\r" not in text),
    ],
    ids=["terminal", "file"],
)
async def test_progress(make: Callable[[], io.StringIO], check: Callable[[str], bool]) -> None:
    """A terminal gets one line that changes; a file gets few lines and no control characters."""
    out = make()
    async with progress("job", 10, Tally(), Witness(), out):
        await asyncio.sleep(0.15)
    assert check(out.getvalue()), out.getvalue()
