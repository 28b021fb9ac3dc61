"""Pytest plugin that gives aiohttp's own tests another class for ``ClientSession``.

The class is named by an environment variable, because that reaches xdist's workers whatever way
they are started. Every name in aiohttp that means ``ClientSession`` is bound to the class before
the first test module is imported, so ``from aiohttp import ClientSession``, ``aiohttp.request()``
and the test client all use it. What happened is written to a file for ``run.py`` to judge.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

SESSION_ENV = "AIOHTTP_SUITE_SESSION"
RESULTS_ENV = "AIOHTTP_SUITE_RESULTS"
DEFAULT_SESSION = "aiohttp_failfast:FailFastSession"

# A test that uses one of these and still finds the old class would test nothing of ours.
REQUIRED = ("aiohttp", "aiohttp.client", "aiohttp.test_utils")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Put the class in place; test modules are not imported before this has run."""
    spec = os.environ.get(SESSION_ENV, DEFAULT_SESSION)
    session_class = load(spec)
    counts: Counter[str] = Counter()
    replaced = replace(session_class)
    count_calls(session_class, counts)
    allow_unclosed(config, session_class)
    config.pluginmanager.register(Recorder(spec, replaced, counts), "aiohttp-suite-recorder")


def load(spec: str) -> type[Any]:
    """Import ``module:Class``; anything but a ClientSession class ends the run."""
    module, _, name = spec.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise pytest.UsageError(f"no session class {spec!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, aiohttp.ClientSession)):
        raise pytest.UsageError(f"{spec!r} is no subclass of aiohttp.ClientSession")
    return found


def replace(session_class: type[Any]) -> list[str]:
    """Bind the class wherever aiohttp's modules hold ClientSession; return their names.

    Naming ``aiohttp:ClientSession`` itself is the control run: nothing is left to replace then.
    """
    for name in REQUIRED:
        importlib.import_module(name)
    original = aiohttp.ClientSession
    holders = [
        name
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "aiohttp" and vars(module).get("ClientSession") is original
    ]
    missing = set(REQUIRED).difference(holders)
    if missing:
        raise pytest.UsageError(f"found no ClientSession to replace in {sorted(missing)}")
    for name in holders:
        vars(sys.modules[name])["ClientSession"] = session_class
    return holders


def count_calls(session_class: type[Any], counts: Counter[str]) -> None:
    """Count constructions and requests, so that a harness that does nothing is seen."""
    init, request = session_class.__init__, session_class._request

    @functools.wraps(init)
    def counted_init(self: Any, *args: Any, **kwargs: Any) -> None:
        counts["sessions"] += 1
        init(self, *args, **kwargs)

    @functools.wraps(request)
    async def counted_request(self: Any, *args: Any, **kwargs: Any) -> Any:
        counts["requests"] += 1
        return await request(self, *args, **kwargs)

    session_class.__init__ = counted_init
    session_class._request = counted_request


def allow_unclosed(config: pytest.Config, session_class: type[Any]) -> None:
    """Grant the class what aiohttp's settings grant theirs by its full name.

    Its tests leave some sessions unclosed, and every warning is an error but that one.
    """
    name = f"{session_class.__module__}.{session_class.__qualname__}"
    line = f"ignore:Unclosed client session <{name} object at 0x:ResourceWarning"
    config.addinivalue_line("filterwarnings", line)


class Recorder:
    """Collects outcomes and counts; the process that owns the terminal writes them down."""

    def __init__(self, spec: str, replaced: list[str], counts: Counter[str]) -> None:
        self.spec = spec
        self.replaced = replaced
        self.counts = counts
        self.outcomes: dict[str, str] = {}
        self.messages: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Fold the phases of one test into one word; a failure in any of them stays."""
        outcome: str = report.outcome
        if outcome != "failed" and hasattr(report, "wasxfail"):
            outcome = "xfailed" if outcome == "skipped" else "xpassed"
        if self.outcomes.get(report.nodeid) == "failed":
            return
        if outcome != "passed" or report.when == "call":
            self.outcomes[report.nodeid] = outcome
        if outcome == "failed":
            self.messages[report.nodeid] = crash_line(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that cannot be imported as one failure."""
        if report.failed:
            self.outcomes[report.nodeid] = "failed"
            self.messages[report.nodeid] = crash_line(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Add what a finished xdist worker has counted."""
        self.counts.update(getattr(node, "workeroutput", {}).get("suite_counts", {}))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the counts to xdist in a worker, and write the results elsewhere."""
        workeroutput = getattr(session.config, "workeroutput", None)
        if workeroutput is not None:
            workeroutput["suite_counts"] = dict(self.counts)
        elif RESULTS_ENV in os.environ:
            Path(os.environ[RESULTS_ENV]).write_text(json.dumps(self.results()), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say at the end how much of the run went through the class."""
        sessions, requests = self.counts["sessions"], self.counts["requests"]
        terminalreporter.write_line(
            f"{self.spec}: in place in {len(self.replaced)} modules, "
            f"{sessions} sessions constructed, {requests} requests sent through it"
        )

    def results(self) -> Mapping[str, object]:
        """Return what the run's judge needs, as plain data."""
        return {
            "outcomes": self.outcomes,
            "messages": self.messages,
            "sessions": self.counts["sessions"],
            "requests": self.counts["requests"],
        }


def crash_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return the first line of the exception, which mostly names the cause."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(getattr(crash, "message", "") or report.longreprtext).strip()
    lines = text.splitlines() or ["no message"]
    return lines[0] if crash is not None else lines[-1]
