"""The demo's words: what it is about to do, and the table at its end. All fits 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ._demo_answers import Sample
from ._demo_job import ATTEMPTS, FIRST_WAIT, LONGEST_WAIT
from ._demo_result import Comparison, Result

PLAIN = "plain aiohttp"
FAILFAST = "FailFastSession"

_WIDTH = 79
_LABEL = 40
_COLUMN = 18


def introduction(sample: Sample, calls: int, concurrency: int, dies_after: int) -> str:
    """Return what is about to happen."""
    return "\n".join(
        (
            f"A server on this machine has a key that is good for {dies_after:,} calls.",
            f"After that it answers HTTP {sample.status} ({sample.title}), as seen in",
            f"{sample.source}.",
            "",
            _fill(
                f"The same job runs twice: {calls:,} calls started together, at most "
                f"{concurrency:,} on the wire at once, up to {ATTEMPTS} attempts per call, waits "
                f"that double from {FIRST_WAIT:g} s to at most {LONGEST_WAIT:g} s with jitter. "
                "Real retry loops wait longer."
            ),
            "",
        )
    )


def table(comparison: Comparison) -> str:
    """Return the two jobs side by side."""
    plain, failfast = comparison.plain, comparison.failfast
    lines = [
        "",
        f"{'':<{_LABEL}}{PLAIN:>{_COLUMN}}{FAILFAST:>{_COLUMN}}",
        f"{'':<{_LABEL}}{'+ a retry loop':>{_COLUMN}}{'retries built in':>{_COLUMN}}",
        "-" * (_LABEL + 2 * _COLUMN),
        _row("calls answered well", plain.succeeded, failfast.succeeded),
        "after the key died:",
        _row("  calls that reached the server", plain.hits_after_death, failfast.hits_after_death),
        _row(
            "  seconds wasted, until the job ended",
            plain.seconds_after_death,
            failfast.seconds_after_death,
        ),
        _row("  retries slept", plain.retries_slept, failfast.retries_slept),
        _row("  seconds asleep, all calls together", plain.seconds_slept, failfast.seconds_slept),
        _row("  waits cut short by the latch", plain.waits_cut_short, failfast.waits_cut_short),
        "errors seen:",
        *_errors(plain, failfast),
        "",
        *_error_text(comparison.error),
    ]
    return "\n".join(lines)


def _row(label: str, plain: float, failfast: float) -> str:
    return f"{label:<{_LABEL}}{_figure(plain):>{_COLUMN}}{_figure(failfast):>{_COLUMN}}"


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _errors(plain: Result, failfast: Result) -> Iterator[str]:
    for name in dict.fromkeys([*plain.errors, *failfast.errors]):
        label = f"  {name}"
        if len(label) >= _LABEL:
            yield label
            label = ""
        yield _row(label, plain.errors.get(name, 0), failfast.errors.get(name, 0))


def _error_text(error: str | None) -> list[str]:
    if error is None:
        return ["No PermanentEndpointError was raised."]
    return ["One PermanentEndpointError, in full:", _fill(error, indent="  ")]


def _fill(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
