"""A loopback API that answers by key and counts what reached it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from yarl import URL

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Reply:
    """One answer of the server."""

    status: int = 200
    body: bytes = b'{"ok": true}'
    headers: dict[str, str] = field(default_factory=lambda: dict(JSON))


def error(
    status: int, message: str, *, headers: dict[str, str] | None = None, **named: str
) -> Reply:
    """Return an answer in OpenAI's form of an error."""
    body = json.dumps({"error": {"message": message, **named}}).encode()
    return Reply(status, body, {**JSON, **(headers or {})})


OK = Reply()
# As OpenAI sends them (corpus: openai-429-insufficient-quota, openai-401-invalid-api-key).
SPENT = error(
    429,
    "You exceeded your current quota, please check your plan and billing details.",
    type="insufficient_quota",
    code="insufficient_quota",
)
INVALID = error(
    401,
    "Incorrect API key provided: sk-abc***wxyz. You can find your API key at "
    "https://platform.openai.com/account/api-keys.",
    type="invalid_request_error",
    code="invalid_api_key",
)
BUSY = error(503, "The server is overloaded, try again.", type="server_error")
SLOW_DOWN = error(
    429,
    "Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1.",
    type="requests",
    code="rate_limit_exceeded",
)
FORBIDDEN = error(403, "You are not allowed to sample from this model.", type="permission_error")

Answer = Reply | Callable[[web.Request], Awaitable[Any]]


class Api:
    """Answers by the credential of the request: set ``answers[key]``.

    A list of replies is given out in turn, its last one for ever. Every request is counted by
    its key, before it is answered.
    """

    def __init__(self) -> None:
        self.url = URL()
        self.hits: Counter[str] = Counter()
        self.bodies: list[bytes] = []
        self.answers: dict[str, Answer | list[Answer]] = {}
        self.delay = 0.0
        self.gate: asyncio.Event | None = None
        self.arrived = asyncio.Condition()

    @property
    def total(self) -> int:
        """Requests that reached the server."""
        return sum(self.hits.values())

    async def wait_for(self, count: int) -> None:
        """Wait until so many requests arrived."""
        async with self.arrived:
            await asyncio.wait_for(self.arrived.wait_for(lambda: self.total >= count), 10)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        key = key_of(request)
        self.bodies.append(await request.read())
        async with self.arrived:
            self.hits[key] += 1
            number = self.hits[key]
            self.arrived.notify_all()
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.get(key, OK)
        if isinstance(answer, list):
            answer = answer[min(number, len(answer)) - 1]
        if isinstance(answer, Reply):
            return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
        response = await answer(request)
        if isinstance(response, Reply):
            return web.Response(
                status=response.status, body=response.body, headers=response.headers
            )
        assert isinstance(response, web.StreamResponse)
        return response


def key_of(request: web.Request) -> str:
    """Return the key that a request carries, wherever it stands."""
    authorization = request.headers.get("Authorization", "")
    for candidate in (
        authorization.removeprefix("Bearer "),
        request.headers.get("x-api-key", ""),
        request.query.get("key", ""),
    ):
        if candidate:
            return candidate
    return ""


def bearer(key: str) -> dict[str, str]:
    """Return the headers of a request with a key."""
    return {"Authorization": f"Bearer {key}"}


async def gather(calls: Iterable[Awaitable[Any]], timeout: float = 30) -> list[Any]:
    """Run them all at once; exceptions are results. Nothing may hang."""
    return await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), timeout)
