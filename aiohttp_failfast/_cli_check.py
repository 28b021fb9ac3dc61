"""The command `check`: send one GET and say whether the key is alive."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ._classify import classify
from ._cli_input import Answer, UnusableInputError, header_of
from ._cli_report import EXIT_UNUSABLE, as_json, as_text, exit_status
from ._verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    import aiohttp

_MAX_BODY = 64 * 1024
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")

_SAYS = {
    VerdictKind.OK: "alive",
    VerdictKind.QUOTA: "known, but spent",
    VerdictKind.AUTH: "dead",
    VerdictKind.WINDOWED: "alive, a limit of hours or days is used up",
    VerdictKind.TRANSIENT: "not told: try again later",
    VerdictKind.OTHER: "not told: the answer concerns the request",
}

_EPILOG = """\
exit status: 0 alive or not told; 3 spent or dead; 2 no answer, or unusable arguments

  python -m aiohttp_failfast check https://api.openai.com/v1/models \\
      --header-env 'Authorization: Bearer $OPENAI_API_KEY'

Single quotes keep the shell from expanding the variable: the key then stands neither in the
list of processes nor in the history of the shell. It is never printed.
"""


def add_parser(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """Add the command to the parser of the command line."""
    parser = subparsers.add_parser(
        "check",
        help="send one GET and say whether the key is alive",
        description="Send one GET and say whether the key is alive.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", help="an address that wants the key; redirects are not followed")
    parser.add_argument(
        "--header-env",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="a header in which $NAME stands for an environment variable; can be repeated",
    )
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds in all (default 30)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(args: argparse.Namespace) -> int:
    """Carry the command out.

    Returns:
        The exit status: 0, 2 or 3.
    """
    secrets: set[str] = set()
    try:
        headers = dict(_expanded(line, os.environ, secrets) for line in args.header_env)
        answer = asyncio.run(_get(args.url, headers, args.timeout))
    except UnusableInputError as error:
        print(f"check: {_hidden(str(error), secrets)}", file=sys.stderr)
        return EXIT_UNUSABLE
    verdict = classify(answer.status, answer.headers, answer.body, url=args.url)
    print(_hidden(_shown(answer, verdict, args.json), secrets))
    return exit_status(verdict)


def _shown(answer: Answer, verdict: Verdict, in_json: bool) -> str:
    says = _SAYS[verdict.kind]
    if in_json:
        return as_json(verdict, key=says, status=answer.status)
    return f"{'key':<9}{says}\n{'status':<9}{answer.status}\n{as_text(verdict)}"


def _expanded(line: str, environ: Mapping[str, str], secrets: set[str]) -> tuple[str, str]:
    """Put environment variables into a header and note their values as secrets.

    Raises:
        UnusableInputError: a variable is unset or empty, or the line is no header.
    """

    def value_of(found: re.Match[str]) -> str:
        name = found.group(1) or found.group(2)
        value = environ.get(name, "").strip()
        if not value:
            raise UnusableInputError(f"environment variable {name} is not set")
        secrets.add(value)
        return value

    name, value = header_of(line)
    return name, _VARIABLE.sub(value_of, value)


def _hidden(text: str, secrets: set[str]) -> str:
    # Providers may repeat the key in their answer; the longest first, should one hold another.
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


async def _get(url: str, headers: dict[str, str], timeout: float) -> Answer:
    import aiohttp

    limit = aiohttp.ClientTimeout(total=timeout)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, trust_env=True) as session,
            # The next host must not get the key: only Authorization is dropped on the way there.
            session.get(url, headers=headers, allow_redirects=False) as response,
        ):
            if 300 <= response.status < 400:
                raise UnusableInputError(
                    f"answered {response.status}: a redirect, which tells nothing of the key"
                )
            body = await _head_of(response.content)
            plain = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, plain, body)
    except (aiohttp.ClientError, asyncio.TimeoutError, OSError) as error:
        raise UnusableInputError(f"no answer: {type(error).__name__}") from None
    except (ValueError, TypeError) as error:
        if isinstance(error, UnusableInputError):
            raise
        raise UnusableInputError(f"cannot be sent: {type(error).__name__}") from None


async def _head_of(content: aiohttp.StreamReader) -> bytes:
    body = b""
    while len(body) < _MAX_BODY and (chunk := await content.read(_MAX_BODY - len(body))):
        body += chunk
    return body
