"""How programs end that no error can end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from client import Client
from runs import Records

pytestmark = pytest.mark.clients

Measured = Callable[[str], Records]
DEAD = ("spent", "invalid", "dies")


def test_on_trip_ends_the_job(client: Client, measured: Measured) -> None:
    """A callback that cancels the job ends it in a fraction of the time that plain aiohttp needs.

    lm-eval and curator catch every exception and sleep before they repeat a call; so does
    tenacity, unless it is told otherwise.
    """
    if not client.name.endswith("-on-trip"):
        pytest.skip("has no callback")
    records = measured(client.name)
    for scenario in DEAD:
        plain = records[scenario, "plain"]
        for kind in ("session", "default", "middleware"):
            run = records[scenario, kind]
            assert run.ended, run
            assert run.seconds < plain.seconds / 2, (run, plain)


def test_402_ends_what_repeats_every_429(client: Client, measured: Measured) -> None:
    """A remembered 429 is repeated without the wire, with all the sleep; the same as 402 is not."""
    if not {"respond", "respond_402"} <= set(client.more_kinds):
        pytest.skip("is not run with both")
    records = measured(client.name)
    assert records["spent", "respond_402"].seconds < records["spent", "respond"].seconds / 2
