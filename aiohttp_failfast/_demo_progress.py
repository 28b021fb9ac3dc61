"""The demo's progress: one line that changes on a terminal, a few lines anywhere else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TextIO

from ._demo_job import Tally
from ._demo_server import Witness

_TICK = 0.1
_TICK_WITHOUT_TERMINAL = 2.0
_WIDTH = 79
_CLEAR_LINE = "\r" + " " * _WIDTH + "\r"


@asynccontextmanager
async def progress(
    title: str, calls: int, tally: Tally, witness: Witness, out: TextIO
) -> AsyncIterator[None]:
    """Show how a job gets on for as long as the block runs, and how it ended.

    Args:
        title: name of the job.
        calls: how many calls it has.
        tally: what the callers saw so far.
        witness: what the server saw so far.
        out: where to write.
    """
    live = out.isatty()
    started = time.monotonic()

    def show(*, last: bool) -> None:
        text = _line(title, calls, tally, witness, time.monotonic() - started)[:_WIDTH]
        ending = "\n" if last or not live else ""
        out.write(f"{_CLEAR_LINE if live else ''}{text}{ending}")
        out.flush()

    async def keep_showing() -> None:
        while True:
            if live:
                show(last=False)
            await asyncio.sleep(_TICK if live else _TICK_WITHOUT_TERMINAL)
            if not live:
                show(last=False)

    shower = asyncio.create_task(keep_showing())
    try:
        yield
    finally:
        shower.cancel()
        with suppress(asyncio.CancelledError):
            await shower
        show(last=True)


def _line(title: str, calls: int, tally: Tally, witness: Witness, seconds: float) -> str:
    return (
        f"{title:<15} {tally.finished:>{len(f'{calls:,}')},} of {calls:,} calls ended, "
        f"{witness.refused:,} sent to a dead key, {seconds:.1f} s"
    )
