"""The ``demo`` command: the same job with and without ``FailFastSession``, side by side."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys

import aiohttp

from . import _demo_report as report
from ._demo_answers import DEAD
from ._demo_files import allow_open_files
from ._demo_job import Job, Tally, failfast_job, plain_job
from ._demo_progress import progress
from ._demo_result import Comparison, Result, text_of
from ._demo_server import Server

_CALLS = 2000
_CONCURRENCY = 100  # what aiohttp itself allows by default
_MOST_CALLS = 1_000_000


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser],
) -> argparse.ArgumentParser:
    """Add the command to the parser of the command line."""
    parser = subparsers.add_parser(
        "demo",
        help="watch a job on a key that dies, without and with FailFastSession",
        description="Start a server on this machine whose key dies, and run the same job "
        "against it on plain aiohttp with a retry loop and on FailFastSession. "
        "Needs no key and no internet.",
    )
    parser.add_argument(
        "--calls",
        type=int,
        default=_CALLS,
        metavar="N",
        help="calls per job (default: %(default)s)",
    )
    parser.add_argument(
        "--concurrency",
        type=int,
        default=_CONCURRENCY,
        metavar="N",
        help="calls on the wire at once (default: %(default)s)",
    )
    parser.add_argument(
        "--dies-after",
        type=int,
        metavar="N",
        help="calls that the key is good for (default: a quarter of --calls)",
    )
    parser.add_argument(
        "--answer",
        choices=sorted(DEAD),
        default="spent",
        help="what the dead key is answered (default: %(default)s)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON; progress goes to stderr"
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        The exit status: 0, 1 if the key's death was not recognised, 2 where it cannot run.
    """
    if args.dies_after is None:
        args.dies_after = args.calls // 4
    problem = _problem(args)
    if problem is not None:
        print(f"python -m aiohttp_failfast demo: error: {problem}", file=sys.stderr)
        return 2
    # The trip is logged as a warning; here it would only break the line of the progress.
    logging.getLogger("aiohttp_failfast").addHandler(logging.NullHandler())
    comparison = asyncio.run(_compare(args))
    if args.json:
        print(json.dumps(comparison.as_dict(), indent=2))
    else:
        print(report.table(comparison))
    return 0 if comparison.error else 1


def _problem(args: argparse.Namespace) -> str | None:
    """Return why the demo cannot run, if it cannot."""
    if int(aiohttp.__version__.partition(".")[0]) > 3:
        return f"FailFastSession needs aiohttp 3, this is aiohttp {aiohttp.__version__}"
    if not 1 <= args.calls <= _MOST_CALLS:
        return f"--calls must be between 1 and {_MOST_CALLS}, got {args.calls}"
    if args.concurrency < 1:
        return f"--concurrency must be at least 1, got {args.concurrency}"
    if not 0 <= args.dies_after < args.calls:
        return (
            f"--dies-after must be at least 0 and less than --calls ({args.calls}), "
            f"got {args.dies_after}"
        )
    return allow_open_files(min(args.concurrency, args.calls))


async def _compare(args: argparse.Namespace) -> Comparison:
    sample = DEAD[args.answer]
    words = report.introduction(sample, args.calls, args.concurrency, args.dies_after)
    print(words, file=sys.stderr if args.json else sys.stdout, flush=True)
    plain, _ = await _measure(report.PLAIN, plain_job, args)
    failfast, tally = await _measure(report.FAILFAST, failfast_job, args)
    return Comparison(
        calls=args.calls,
        concurrency=args.concurrency,
        dies_after=args.dies_after,
        answer=args.answer,
        status=sample.status,
        source=sample.source,
        plain=plain,
        failfast=failfast,
        error=text_of(tally.first_error),
    )


async def _measure(title: str, job: Job, args: argparse.Namespace) -> tuple[Result, Tally]:
    server, tally = Server(DEAD[args.answer], args.dies_after), Tally()
    async with (
        server.running(backlog=min(args.concurrency, args.calls)),
        progress(title, args.calls, tally, server.witness, sys.stderr),
    ):
        await job(server, args.calls, args.concurrency, tally)
    return Result.of(tally, server.witness), tally
