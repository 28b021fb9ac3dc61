"""The demo's server: a small OpenAI-compatible API whose key dies after some calls.

It is also the demo's witness: what reached the wire is counted here and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from ._demo_answers import OVERLOADED, Sample

KEY = "sk-demo-0123456789abcdef0123456789abcdef"
PATH = "/v1/chat/completions"

# A server that answers in no time would hide that calls overlap.
_SHORTEST_ANSWER = 0.02
_LONGEST_ANSWER = 0.05
# One call in so many meets passing trouble while the key lives, as on any busy API.
_TROUBLE_EVERY = 20


@dataclass
class Witness:
    """What the server saw.

    Attributes:
        served: calls that were answered well.
        troubled: calls that met passing trouble while the key lived.
        refused: calls that arrived after the key died.
        died_at: when the first of those arrived, on the monotonic clock; None before.
    """

    served: int = 0
    troubled: int = 0
    refused: int = 0
    died_at: float | None = None

    @property
    def hits(self) -> int:
        """All calls that reached the server."""
        return self.served + self.troubled + self.refused


class Server:
    """The API.

    Args:
        sample: the answer for the dead key.
        dies_after: calls that the key is good for.

    Attributes:
        url: where to post, once it runs.
        witness: what it saw so far.
    """

    def __init__(self, sample: Sample, dies_after: int) -> None:
        self._sample = sample
        self._dies_after = dies_after
        self.url = ""
        self.witness = Witness()

    @asynccontextmanager
    async def running(self, backlog: int) -> AsyncIterator[Server]:
        """Listen on a free port of the loopback interface.

        Args:
            backlog: connections that may wait to be accepted.
        """
        app = web.Application()
        app.router.add_post(PATH, self._complete)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, backlog=backlog).start()
            host, port = runner.addresses[0][:2]
            self.url = f"http://{host}:{port}{PATH}"
            yield self
        finally:
            await runner.cleanup()

    async def _complete(self, request: web.Request) -> web.Response:
        # Decided on arrival: from there on the call is on the provider's account.
        status, body = self._decide()
        await request.read()
        await asyncio.sleep(random.uniform(_SHORTEST_ANSWER, _LONGEST_ANSWER))
        return web.Response(status=status, text=body, content_type="application/json")

    def _decide(self) -> tuple[int, str]:
        witness = self.witness
        if witness.served >= self._dies_after:
            if witness.died_at is None:
                witness.died_at = time.monotonic()
            witness.refused += 1
            return self._sample.status, self._sample.body
        if (witness.hits + 1) % _TROUBLE_EVERY == 0:
            witness.troubled += 1
            return OVERLOADED.status, OVERLOADED.body
        witness.served += 1
        return 200, _completion(witness.served)


def _completion(number: int) -> str:
    message = {"role": "assistant", "content": f"Answer {number}."}
    return json.dumps(
        {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "demo",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
        }
    )
