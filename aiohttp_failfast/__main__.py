"""The command line: ``python -m aiohttp_failfast demo|classify|check|latch``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from . import __version__, _cli_check, _cli_classify, _cli_latch, _demo

_INTERRUPTED = 130  # what a shell reports for a command that Ctrl-C ended

_COMMANDS = (_demo, _cli_classify, _cli_check, _cli_latch)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: its arguments; those of the process by default.

    Returns:
        The exit status.
    """
    args = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = args.run
    try:
        status = run(args)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output (head, less) has seen enough; the flush at exit must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m aiohttp_failfast",
        description="Stop an aiohttp job the moment its API key is dead.",
    )
    parser.add_argument("--version", action="version", version=f"aiohttp_failfast {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(subparsers).set_defaults(run=command.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
