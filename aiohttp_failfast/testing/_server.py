"""A loopback API whose key can die, on a thread of its own.

Being on its own thread it serves any event loop and any client, also ones that block, and needs
no plugin for asynchronous tests.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from aiohttp import web
from yarl import URL

from .._checks import require_one_of
from .._credential import carried
from ._answer import NamedAnswer
from ._script import Script

if TYPE_CHECKING:
    from typing_extensions import Self

Part = Literal["head", "body"]

_SHUTDOWN_TIMEOUT = 0.5
_POLL = 0.002


@dataclass(frozen=True)
class Received:
    """One call that reached the server.

    Attributes:
        method: its method.
        path: its path; the query may hold a key.

    .. versionadded:: 0.1.0
    """

    method: str
    path: str
    keys: frozenset[str] = field(repr=False)


class DeadKeyServer:
    """An API on a loopback port that answers any path, and whose key can die.

    Use the fixture ``dead_key_server``, or ``with DeadKeyServer() as server:``. All methods may be
    called from any thread.

    Attributes:
        url: its address, once it runs.

    .. versionadded:: 0.1.0
    """

    def __init__(self) -> None:
        self.url = ""
        self._lock = threading.Lock()
        self._script = Script()
        self._received: list[Received] = []
        self._stalled: Part | None = None
        self._gate = asyncio.Event()
        self._stop = asyncio.Event()
        self._ready: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=self._run, name="dead-key-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._loop = self._ready.result()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.resume()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def healthy(self) -> NamedAnswer:
        """What is answered while the key lives; ``{"ok": true}`` unless it is set."""
        return self._script.healthy

    @healthy.setter
    def healthy(self, answer: NamedAnswer) -> None:
        self._script.healthy = answer

    def die(
        self, answer: str | NamedAnswer = "openai-spent", *, after: int = 0, key: str | None = None
    ) -> None:
        """Let the key die.

        Args:
            answer: name of the answer from then on, or an answer of your own.
            after: calls that it is still good for.
            key: the key that dies, as it is sent; None for every key.

        Raises:
            ValueError: no answer has that name, or ``after`` is negative.
        """
        with self._lock:
            self._script.die(answer, after, key)

    def recover(self, *, key: str | None = None) -> None:
        """Let the key live again: after a top-up, or with a new limit.

        Args:
            key: the key that `die` was told; None for all that died.
        """
        with self._lock:
            self._script.recover(key)

    def answer_next(self, *answers: str | NamedAnswer, key: str | None = None) -> None:
        """Give these answers first, one call each, whether the key lives or not.

        Args:
            answers: names such as ``"overloaded"``, or answers of your own.
            key: only to calls with this key; None for any.

        Raises:
            ValueError: no answer has that name.
        """
        with self._lock:
            self._script.answer_next(answers, key)

    def stall(self, part: Part = "head") -> None:
        """Keep silent from now on, until `resume`.

        Args:
            part: ``"head"``: nothing is answered; ``"body"``: the head and half of the body are.

        Raises:
            ValueError: the part is neither.
        """
        require_one_of("part", part, ("head", "body"))
        with self._lock:
            if self._stalled is None:
                self._gate = asyncio.Event()
            self._stalled = part

    def resume(self) -> None:
        """Answer what was held, and all that comes."""
        with self._lock:
            self._stalled = None
            self._loop.call_soon_threadsafe(self._gate.set)

    @property
    def requests(self) -> tuple[Received, ...]:
        """The calls that reached it, in the order they came."""
        with self._lock:
            return tuple(self._received)

    @property
    def sent(self) -> int:
        """How many calls reached it."""
        return len(self._received)

    def sent_by(self, key: str) -> int:
        """Return how many calls with this key reached it."""
        return sum(key in one.keys for one in self.requests)

    def forget(self) -> None:
        """Count anew from 0."""
        with self._lock:
            self._received.clear()

    async def wait_sent(self, count: int, *, timeout: float = 5.0) -> None:
        """Wait until so many calls have reached it.

        Args:
            count: how many.
            timeout: seconds to wait for them at most.

        Raises:
            AssertionError: they did not come.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        while self.sent < count:
            if clock() > deadline:
                raise AssertionError(f"{self.sent} of {count} calls came within {timeout} s")
            await asyncio.sleep(_POLL)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_TIMEOUT)
        try:
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            host, port = runner.addresses[0][:2]
            self.url = f"http://{host}:{port}/v1"
            self._ready.set_result(asyncio.get_running_loop())
            await self._stop.wait()
        except Exception as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)
        finally:
            await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        keys = keys_of(request.url, request.headers)
        with self._lock:
            self._received.append(Received(request.method, request.path, keys))
            answer, stalled, gate = self._script.pick(keys), self._stalled, self._gate
        await request.read()
        if stalled == "head":
            await gate.wait()
        headers = {"Content-Type": answer.content_type, **dict(answer.headers)}
        body = answer.body.encode()
        if stalled == "body":
            return await _stall_within(request, answer.status, headers, body, gate)
        # Head and body in one piece: a client that forgets to read keeps no connection.
        return web.Response(status=answer.status, headers=headers, body=body)


async def _stall_within(
    request: web.Request, status: int, headers: dict[str, str], body: bytes, gate: asyncio.Event
) -> web.StreamResponse:
    response = web.StreamResponse(status=status, headers=headers)
    response.content_length = len(body)
    await response.prepare(request)
    half = len(body) // 2
    with suppress(ConnectionError):  # the client may be gone by then
        await response.write(body[:half])
        await gate.wait()
        await response.write(body[half:])
    return response


def keys_of(url: URL, headers: Mapping[str, str]) -> frozenset[str]:
    """Return the keys of a request, with and without their scheme."""
    values = [value for _, value in carried(url, headers)]
    return frozenset((*values, *(value.rpartition(" ")[2] for value in values)))
