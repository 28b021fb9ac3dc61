"""The command `classify`: judge an answer from a file or standard input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ._classify import classify
from ._cli_input import Answer, UnusableInputError, answers_in, header_of
from ._cli_report import EXIT_UNUSABLE, as_json, as_text, exit_status
from ._verdict import Verdict

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_EPILOG = """\
exit status: 0 ok, transient, windowed or other; 3 quota or auth; 2 unusable input

  curl -i https://api.example.com/v1/models | python -m aiohttp_failfast classify
  python -m aiohttp_failfast classify --status 429 body.json
  python -m aiohttp_failfast classify --json answers.jsonl
"""


def add_parser(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """Add the command to the parser of the command line."""
    parser = subparsers.add_parser(
        "classify",
        help="judge an answer: the output of curl -i, a bare body, or JSONL",
        description="Judge an answer and say what a session would do with it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", default="-", help="default: standard input")
    parser.add_argument("--status", type=int, help="HTTP status; the input is then a bare body")
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="a header that goes with --status; can be repeated",
    )
    parser.add_argument("--url", help="where the request went")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser


def run(args: argparse.Namespace) -> int:
    """Carry the command out.

    Returns:
        The exit status: 0, 2 or 3.
    """
    try:
        headers = dict(header_of(line) for line in args.header)
        answers = answers_in(_read(args.file), args.status, headers, args.url)
    except (UnusableInputError, OSError) as error:
        print(f"classify: {error}", file=sys.stderr)
        return EXIT_UNUSABLE
    worst = 0
    for number, (answer, verdict) in enumerate(_judged(answers)):
        if number and not args.json:
            print()
        print(_shown(answer, verdict, args.json))
        worst = max(worst, exit_status(verdict))
    return worst


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def _judged(answers: list[Answer]) -> Iterator[tuple[Answer, Verdict]]:
    for answer in answers:
        yield answer, classify(answer.status, answer.headers, answer.body, url=answer.url)


def _shown(answer: Answer, verdict: Verdict, in_json: bool) -> str:
    if in_json:
        return as_json(verdict, **({"id": answer.id} if answer.id else {}), status=answer.status)
    name = f"{answer.id}\n" if answer.id else ""
    return f"{name}{'status':<9}{answer.status}\n{as_text(verdict)}"
