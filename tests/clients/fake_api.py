"""The loopback server that the clients talk to: an API of one dialect, in one scenario."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256

from aiohttp import web
from answers import answers
from loopback import JSON, Reply

SCENARIOS = ("healthy", "spent", "invalid", "transient", "dies", "busy")
"""dies: good for `GOOD_CALLS` requests, then spent. busy: says so to every request."""

GOOD_CALLS = 6
LATENCY = 0.01  # seconds; long enough for concurrent calls to be in flight together

# A wait that SDKs and the session obey, and that costs little; not all know the first.
SOON = {"retry-after-ms": "40", "Retry-After": "1"}


@dataclass(frozen=True)
class Dialect:
    """How one API speaks.

    Args:
        fine: makes the healthy answer to (path, body, text); the text must be in it.
        spent: the answer for a spent key.
        invalid: the answer for a dead key.
        busy: answers for "try again"; calls get them by turns.
    """

    fine: Callable[[str, bytes, str], Reply]
    spent: Reply
    invalid: Reply
    busy: tuple[Reply, ...]


def corpus(answer_id: str, **headers: str) -> Reply:
    """Return a real answer, by its id in tests/data/answers.jsonl.

    Headers that told how the body went over the wire then are left out; those given are added.
    """
    (found,) = (one for one in answers() if one["id"] == answer_id)
    wire = {"content-length", "transfer-encoding", "content-encoding", "connection"}
    kept = {name: text for name, text in found["headers"].items() if name.lower() not in wire}
    names = {name.lower() for name in kept}
    kind = {} if "content-type" in names else JSON
    return Reply(found["status"], found["body"].encode(), {**kept, **kind, **headers})


def as_json(document: object) -> Reply:
    """Return a healthy answer."""
    return Reply(200, json.dumps(document).encode())


def soon(reply: Reply, headers: dict[str, str] | None = None) -> Reply:
    """Return the reply with a short wait stated."""
    return replace(reply, headers={**reply.headers, **(SOON if headers is None else headers)})


@dataclass
class Served:
    """One server in one scenario, and what reached it.

    Args:
        dialect: how it answers.
        scenario: one of `SCENARIOS`.
        url: origin, without a path.
        hits: requests so far.
        good: healthy answers so far.
        calls: requests so far, by call.
        open_connections: those that the client still held half a second after its end.
    """

    dialect: Dialect
    scenario: str
    url: str = ""
    hits: int = 0
    good: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    open_connections: int = 0

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Count and answer one request."""
        self.hits += 1
        body = await request.read()
        call = name_of(request, body)
        self.calls[call] += 1
        reply = self._reply(request, body, call)
        await asyncio.sleep(LATENCY)
        return web.Response(status=reply.status, body=reply.body, headers=reply.headers)

    def _reply(self, request: web.BaseRequest, body: bytes, call: str) -> Reply:
        dialect, scenario = self.dialect, self.scenario
        first = self.calls[call] == 1
        if scenario == "busy" or (scenario == "transient" and first):
            return dialect.busy[len(self.calls) % len(dialect.busy)]
        if scenario == "spent" or (scenario == "dies" and self.good >= GOOD_CALLS):
            return dialect.spent
        if scenario == "invalid":
            return dialect.invalid
        self.good += 1
        return dialect.fine(request.path, body, f"answer to {call}")


def name_of(request: web.BaseRequest, body: bytes) -> str:
    """Name the call that a request belongs to: by its prompt, or else by all of it."""
    everything = request.raw_path.encode() + b" " + body
    named = re.search(rb"call-\d+", everything)
    return named[0].decode() if named else sha256(everything).hexdigest()[:12]


@asynccontextmanager
async def serve(dialect: Dialect, scenario: str) -> AsyncIterator[Served]:
    """Serve one scenario on a port of its own, so that each run has an origin of its own."""
    if scenario not in SCENARIOS:
        raise ValueError(f"scenario must be one of {', '.join(SCENARIOS)}, got {scenario!r}")
    served = Served(dialect, scenario)
    server = web.Server(served.handle)
    listening = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield served
        await _drained(server)
        served.open_connections = len(server.connections)
    finally:
        listening.close()
        await server.shutdown(1)


async def _drained(server: web.Server) -> None:
    for _ in range(50):
        if not server.connections:
            return
        await asyncio.sleep(0.01)
