"""The command `latch`: see and clear by hand what the latches of a fleet share."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from ._cli_report import EXIT_PERMANENT, EXIT_UNUSABLE
from ._credential import Endpoint
from ._news import News
from ._shared_trip import SharedTrip
from ._stores import open_store
from ._stores._names import endpoint_of, name_of
from ._stores.protocol import Connection, Store

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_EPILOG = """\
list shows the trips in force, watch goes on to show what happens, reset clears them everywhere.

exit status: 0 nothing is tripped, or reset; 3 something is tripped (list); 2 no store

  python -m aiohttp_failfast latch --store redis://cache.example/0 list
  python -m aiohttp_failfast latch --store file:///tmp/trips watch --json
  python -m aiohttp_failfast latch --store file:///tmp/trips reset --all
  python -m aiohttp_failfast latch --store file:///tmp/trips reset \\
      --endpoint 'https://api.example.com#0123456789ab'
"""


def add_parser(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """Add the command to the parser of the command line."""
    parser = subparsers.add_parser(
        "latch",
        help="see and clear the trips that a fleet shares",
        description="See and clear the trips that the latches of several processes share.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--store", required=True, metavar="URL", help="as in Latch(store=URL)")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds (default 5)")
    actions = parser.add_subparsers(dest="action", required=True, metavar="{list,watch,reset}")
    for name, words in (
        ("list", "show the trips in force"),
        ("watch", "show them, and what happens from now on"),
        ("reset", "clear trips everywhere"),
    ):
        action = actions.add_parser(name, help=words, description=f"{words.capitalize()}.")
        action.add_argument("--json", action="store_true", help="one JSON object a line")
        if name == "reset":
            what = action.add_mutually_exclusive_group(required=True)
            what.add_argument("--endpoint", metavar="ORIGIN#FINGERPRINT", help="as list shows it")
            what.add_argument("--all", action="store_true", help="every endpoint")
    return parser


def run(args: argparse.Namespace) -> int:
    """Carry the command out.

    Returns:
        The exit status: 0, 2 or 3.
    """
    try:
        store = open_store(args.store)
        if store is None:
            raise ValueError("memory: is inside one process; there is nothing to see from here")
        if args.action == "reset":
            return asyncio.run(_reset(store, args))
        return asyncio.run(_show(store, args))
    except (ImportError, ValueError) as error:
        print(f"latch: {error}", file=sys.stderr)
    except BrokenPipeError:
        raise
    except Exception as error:
        # A store may be anybody's; what it raises is not known here.
        print(f"latch: {store}: {type(error).__name__}: {error}", file=sys.stderr)
    return EXIT_UNUSABLE


async def _reset(store: Store, args: argparse.Namespace) -> int:
    endpoint = None if args.all else endpoint_of(args.endpoint)
    async with contextlib.AsyncExitStack() as stack:
        connection, known = await _meet(stack, store, args.timeout)
        generation = 1 + known.join(News()).generation
        floors = {} if endpoint is None else {endpoint: generation}
        news = News(generation, generation if endpoint is None else 0, floors)
        await asyncio.wait_for(connection.put(news), args.timeout)
    cleared = [one for one in known.trips if endpoint in (None, one)]
    shown: list[Endpoint | None] = [*cleared] or [endpoint]
    for one in shown:
        _print_reset(one, generation, args.json)
    return 0


async def _show(store: Store, args: argparse.Namespace) -> int:
    async with contextlib.AsyncExitStack() as stack:
        connection, known = await _meet(stack, store, args.timeout)
        for told in known.trips.values():
            _print_trip(told, args.json)
        if args.action == "watch":
            await _watch(connection, known, args.json)
    return EXIT_PERMANENT if known.trips else 0


async def _meet(
    stack: contextlib.AsyncExitStack, store: Store, timeout: float
) -> tuple[Connection, News]:
    connection = await asyncio.wait_for(stack.enter_async_context(store.connect()), timeout)
    return connection, await asyncio.wait_for(connection.read(), timeout)


async def _watch(connection: Connection, known: News, in_json: bool) -> None:
    async for news in connection.changes():
        fresh, known = news.beyond(known), known.unexpired(time.time()).join(news)
        if fresh.floor:
            _print_reset(None, fresh.floor, in_json)
        for endpoint, generation in fresh.floors.items():
            _print_reset(endpoint, generation, in_json)
        for told in fresh.trips.values():
            _print_trip(told, in_json)


def _print_reset(endpoint: Endpoint | None, generation: int, in_json: bool) -> None:
    name = "*" if endpoint is None else name_of(endpoint)
    if in_json:
        _print({"event": "reset", "endpoint": name, "generation": generation})
    else:
        _print(f"reset {'all' if endpoint is None else name}")


def _print_trip(told: SharedTrip, in_json: bool) -> None:
    trip, verdict = told.trip, told.trip.verdict
    expires = datetime.fromtimestamp(told.expires_at, timezone.utc)
    if in_json:
        seen_by = None if trip.seen_by is None else trip.seen_by._asdict()
        _print(
            {
                "event": "trip",
                "endpoint": name_of(trip.endpoint),
                "kind": str(verdict.kind),
                "code": verdict.code,
                "message": verdict.message,
                "rule": verdict.rule,
                "status": trip.status,
                "tripped_at": trip.tripped_at.isoformat(),
                "expires_at": expires.isoformat(timespec="seconds"),
                "generation": trip.generation,
                "seen_by": seen_by,
            }
        )
    else:
        until = f"until {expires:%Y-%m-%dT%H:%M:%SZ}"
        _print(f"trip  {name_of(trip.endpoint)} {until}\n      {trip.explain()}")


def _print(line: str | dict[str, Any]) -> None:
    text = line if isinstance(line, str) else json.dumps(line)
    # What others stored must not steer the terminal. At once: whoever reads on may wait for it.
    print("".join(one if one.isprintable() or one == "\n" else "?" for one in text), flush=True)
