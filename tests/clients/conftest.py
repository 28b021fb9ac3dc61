"""Options of the tests with real clients, and their measurements, made once per client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from catalogue import CLIENTS, chosen
from report import write_report
from runs import Records, measure


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; they are known when this folder is named on the command line."""
    parser.addoption(
        "--clients", default="all", help='"all", "core", or names of clients with commas'
    )
    parser.addoption("--clients-report", type=Path, help="write a table of the measurements")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test with each client that was asked for."""
    if "client" in metafunc.fixturenames:
        names = chosen(metafunc.config.getoption("--clients", default="all"))
        metafunc.parametrize(
            "client", [CLIENTS[name] for name in names], ids=names, scope="session"
        )


@pytest.fixture(scope="session")
def measured(pytestconfig: pytest.Config) -> Iterator[Callable[[str], Records]]:
    """Return what runs a client, at its first use, and gives its records."""
    kept: dict[str, Records] = {}

    @cache
    def measured_once(name: str) -> Records:
        kept[name] = asyncio.run(measure(CLIENTS[name]))
        return kept[name]

    yield measured_once
    target = pytestconfig.getoption("--clients-report", default=None)
    if target and kept:
        write_report(target, kept)
