"""What came of one job of the demo, worked out from what server and callers saw."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ._demo_job import Tally
from ._demo_server import Witness
from ._errors import PermanentEndpointError


@dataclass(frozen=True)
class Result:
    """The figures of one job. "Dead" is from the first call that the server had to refuse.

    Attributes:
        succeeded: calls that got their answer.
        failed: calls that ended with an error.
        errors: how many of them ended with what.
        hits: attempts that reached the server.
        hits_after_death: those of them that did so when the key was dead.
        seconds: how long the job took.
        seconds_after_death: how long it went on when the key was dead.
        retries_slept: waits before a retry that were slept through when the key was dead.
        seconds_slept: the time that all calls together were asleep when the key was dead.
        waits_cut_short: waits that ended early because the key was known to be dead.
    """

    succeeded: int
    failed: int
    errors: dict[str, int]
    hits: int
    hits_after_death: int
    seconds: float
    seconds_after_death: float
    retries_slept: int
    seconds_slept: float
    waits_cut_short: int

    @classmethod
    def of(cls, tally: Tally, witness: Witness) -> Result:
        """Return the figures of a job that ended."""
        died_at = tally.ended_at if witness.died_at is None else witness.died_at
        late = [wait for wait in tally.waits if wait.ended > died_at]
        slept = sum((wait.ended - max(wait.began, died_at) for wait in late), 0.0)
        return cls(
            succeeded=tally.succeeded,
            failed=tally.errors.total(),
            errors=dict(tally.errors.most_common()),
            hits=witness.hits,
            hits_after_death=witness.refused,
            seconds=round(tally.ended_at - tally.started_at, 3),
            seconds_after_death=round(tally.ended_at - died_at, 3),
            retries_slept=sum(not wait.cut_short for wait in late),
            seconds_slept=round(slept, 3),
            waits_cut_short=sum(wait.cut_short for wait in late),
        )


@dataclass(frozen=True)
class Comparison:
    """The two jobs side by side.

    Attributes:
        calls: how many calls each job had.
        concurrency: how many of them could be on the wire at once.
        dies_after: calls that the key was good for.
        answer: name of the answer that the dead key got.
        status: its HTTP status.
        source: where that answer was seen.
        plain: the job on plain aiohttp with a retry loop.
        failfast: the job on ``FailFastSession``.
        error: what a `PermanentEndpointError` of that job says; None if there was none.
    """

    calls: int
    concurrency: int
    dies_after: int
    answer: str
    status: int
    source: str
    plain: Result
    failfast: Result
    error: str | None

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data, for JSON."""
        return asdict(self)


def text_of(error: PermanentEndpointError | None) -> str | None:
    """Return what an error says, if there is one."""
    return None if error is None else str(error)
