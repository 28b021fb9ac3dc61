"""What every driver shares: it reads runs from standard input and prints what came of each.

A driver is a small program that runs in its client's own environment. It is started once per
client; each line that it reads is one `Job`, each line that it prints is what came of it, as JSON.
So the imports are paid once, and runs with and without this package can alternate.

    python with_openai.py <<< '{"url": "http://127.0.0.1:8000", "calls": 10, "kind": "session"}'
"""

from __future__ import annotations

import asyncio
import functools
import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import aiohttp
from kinds import KINDS, Spy

Ask = Callable[[str], Awaitable[object]]
"""Makes one call with this prompt; returns the text of the answer."""

Opener = Callable[["Job"], AbstractAsyncContextManager[Ask]]
Program = Callable[["Job"], "list[str]"]


@dataclass
class Job:
    """One run.

    Args:
        url: of the server, without a path.
        key: the API key.
        calls: how many.
        concurrency: how many at a time.
        kind: of the session; a name in `kinds.KINDS`.
        session_options: more options of this package.
        variant: what else the driver is asked for.
        limit: seconds after which the run is given up.
    """

    url: str
    key: str = "sk-loopback-0123456789abcdefghijkl"
    calls: int = 12
    concurrency: int = 4
    kind: str = "session"
    session_options: dict[str, Any] = field(default_factory=dict)
    variant: str = ""
    limit: float = 20.0

    @property
    def prompts(self) -> list[str]:
        """What to ask, one text per call; the server tells calls apart by them."""
        return [f"call-{number}" for number in range(self.calls)]

    def session_class(self) -> Callable[..., Any]:
        """Return what to put in place of ``aiohttp.ClientSession``: a class, for every kind."""
        return KINDS[self.kind](self.session_options)

    @asynccontextmanager
    async def session(self, **kwargs: Any) -> AsyncIterator[aiohttp.ClientSession]:
        """Open a session of this kind, and close it at the end."""
        async with self.session_class()(**kwargs) as session:
            yield session


@dataclass
class Outcome:
    """What came of one run.

    Args:
        results: the texts of the answers, sorted.
        errors: how often each chain of exceptions came out.
        seconds: from the first call to the end of the last.
        ended: whether it ended by itself.
        held: connections still taken from their pool when all calls had ended.
        unclosed: sessions still open at the end.
        tasks: tasks still running at the end.
        headers: type of the headers that the session was given, and what the package makes of
            it; filled with the kind "spy" only.
    """

    results: list[str] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    ended: bool = True
    held: int = 0
    unclosed: int = 0
    tasks: int = 0
    headers: list[list[Any]] = field(default_factory=list)


def chain(error: BaseException) -> str:
    """Name the types of an error and of what is behind it, the outermost first."""
    names: list[str] = []
    link: BaseException | None = error
    while link is not None and len(names) < 10:
        names.append(_name(link))
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return " < ".join(names)


def _name(error: BaseException) -> str:
    package = type(error).__module__.partition(".")[0]
    name = type(error).__name__
    prefix = "" if package == "builtins" else f"{package}."
    status = getattr(error, "status", None) or getattr(error, "status_code", None)
    return f"{prefix}{name}[{status}]" if isinstance(status, int) else f"{prefix}{name}"


def main(opened: Opener) -> None:
    """Run a client that is called once per prompt; ``opened(job)`` opens it."""

    def run(job: Job, outcome: Outcome) -> None:
        asyncio.run(_calls(job, opened, outcome))

    _serve(run)


def main_program(program: Program) -> None:
    """Run a program that does the whole job by itself, and returns the texts of the answers."""

    def run(job: Job, outcome: Outcome) -> None:
        try:
            started = time.perf_counter()
            outcome.results = sorted(program(job))
        except Exception as error:
            outcome.errors = {chain(error): 1}
        finally:
            outcome.seconds = time.perf_counter() - started

    _serve(run)


def _serve(run: Callable[[Job, Outcome], None]) -> None:
    _note_sessions()
    answers, sys.stdout = sys.stdout, sys.stderr  # a client may print; only outcomes go out
    for line in sys.stdin:
        outcome = Outcome()
        try:
            run(Job(**json.loads(line)), outcome)
        except Exception:
            traceback.print_exc()
            raise SystemExit(1) from None
        outcome.unclosed = len([one for one in _SESSIONS if not one.closed])
        outcome.headers = Spy.taken()
        _SESSIONS.clear()
        print(json.dumps(asdict(outcome)), file=answers, flush=True)


async def _calls(job: Job, opened: Opener, outcome: Outcome) -> None:
    before = asyncio.all_tasks()
    waiting = iter(job.prompts)
    errors: Counter[str] = Counter()

    async def work(ask: Ask) -> None:
        for prompt in waiting:
            try:
                outcome.results.append(str(await ask(prompt)))
            except Exception as error:
                errors[chain(error)] += 1

    async with opened(job) as ask:
        started = time.perf_counter()
        workers = [work(ask) for _ in range(job.concurrency)]
        try:
            await asyncio.wait_for(asyncio.gather(*workers), job.limit)
        except (asyncio.TimeoutError, TimeoutError):
            outcome.ended = False
        outcome.seconds = time.perf_counter() - started
        outcome.held = await _held()
    outcome.results.sort()
    outcome.errors = dict(errors)
    await asyncio.sleep(0.01)
    outcome.tasks = len(asyncio.all_tasks() - before)


async def _held() -> int:
    """Count connections that were not given back; a client may do so a little later."""
    for _ in range(20):
        held = sum(
            len(getattr(one.connector, "_acquired", ())) for one in _SESSIONS if one.connector
        )
        if not held:
            return 0
        await asyncio.sleep(0.01)
    return held


_SESSIONS: list[aiohttp.ClientSession] = []
"""All sessions of this run, whoever made them."""


def _note_sessions() -> None:
    original = aiohttp.ClientSession.__init__

    @functools.wraps(original)
    def noting(self: aiohttp.ClientSession, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        _SESSIONS.append(self)

    aiohttp.ClientSession.__init__ = noting  # type: ignore[method-assign]
