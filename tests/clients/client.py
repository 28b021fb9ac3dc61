"""What the harness must know of a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fake_api import Dialect

# By scenario: the kinds of session (drivers/kinds.py) that run one after the other. The first is
# what the others are compared with.
KINDS = {
    "healthy": ("plain", "session", "default", "middleware", "trace"),
    "transient": ("plain", "session", "default", "middleware", "trace"),
    "spent": ("plain", "session", "default", "middleware", "trace"),
    "invalid": ("plain", "session", "default", "middleware", "trace"),
    "dies": ("plain", "session", "default", "middleware"),
    "busy": ("plain", "session", "default"),
}

# A trace config can only raise, so what an SDK does then is told, not promised.
PROMISED_QUICK = ("session", "default", "middleware", "spent_402")


@dataclass(frozen=True)
class Client:
    """One client, in one version and configuration; the catalogue tells how to add one.

    Args:
        name: of this entry; ``--clients`` takes it.
        environment: its requirements are ``requirements/<environment>.txt``.
        driver: ``drivers/with_<driver>.py`` runs it.
        dialect: of the API that it talks to.
        spent: what the user sees of a spent key, by kind of session: the whole chain of
            exceptions as `driver.chain` writes it, or its beginning; several if there are " | "
            between them. What stands for "plain" holds for every kind that is not named.
        invalid: the same for an invalid key.
        headers: by type of the headers that the session is given: what ``when_tripped="auto"``
            decides for the session, and for the middleware.
        own_retries: it tries again by itself, so that "transient" succeeds on plain aiohttp.
        whole: it does the whole job itself: how often it asks before it gives up is its own affair.
        sightings: how many answers must say that the key is dead before it counts as dead.
        more_kinds: kinds of session to try besides, on a spent key.
        without: kinds and scenarios that it is not run with, and why.
        slow: kinds that may be slower than plain aiohttp on a dead key, and why.
        session_options: options of this package that it needs.
        variant: handed to the driver.
        calls: how many.
        concurrency: how many at a time; what a dead key may cost, at most.
        limit: seconds after which a run is given up; plain aiohttp may need for ever.
        core: it is in the short list that runs before each merge.
        example: ``examples/<example>.py`` shows it.
    """

    name: str
    environment: str
    driver: str
    dialect: Dialect
    spent: Mapping[str, str]
    invalid: Mapping[str, str]
    headers: Mapping[str, tuple[bool, bool]]
    own_retries: bool = True
    whole: bool = False
    sightings: int = 1
    more_kinds: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    slow: Mapping[str, str] = field(default_factory=dict)
    session_options: Mapping[str, Any] = field(default_factory=dict)
    variant: str = ""
    calls: int = 12
    concurrency: int = 4
    limit: float = 6.0
    core: bool = False
    example: str = ""

    def sees(self, scenario: str, kind: str) -> tuple[str, ...]:
        """Return what the user sees of a dead key: how chains of exceptions may begin."""
        table = self.invalid if scenario == "invalid" else self.spent
        return tuple(table.get(kind, table["plain"]).split(" | "))

    def plan(self) -> list[tuple[str, str]]:
        """Return the runs, as pairs of scenario and kind."""
        plan = [(scenario, kind) for scenario, kinds in KINDS.items() for kind in kinds]
        plan += [("spent", kind) for kind in self.more_kinds]
        return [
            (scenario, kind)
            for scenario, kind in plan
            if kind not in self.without
            and scenario not in self.without
            and (scenario != "busy" or (self.own_retries and not self.whole))
        ]
