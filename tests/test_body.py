"""A look at an error body leaves the caller what plain aiohttp would give, within bounds."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientResponse, ClientSession, ClientTimeout
from aiohttp.streams import EMPTY_PAYLOAD
from rawserver import (
    ENCODERS,
    FRAMINGS,
    WAYS,
    Answer,
    RawServer,
    Script,
    Seen,
    SessionFactory,
    chunked,
    framed,
    head,
    idle,
    plain,
    serving,
    soon,
    until,
    zeros,
)

from aiohttp_failfast import PermanentEndpointError, Verdict, classify
from aiohttp_failfast._body import _collect_for, peek

KIB = 1024
SLOW_DOWN = b"""{
  "error": {
    "message": "Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1.",
    "type": "requests",
    "code": "rate_limit_exceeded"
  }
}
"""
FORBIDDEN = b"""{
  "error": {
    "message": "You are not allowed to sample from this model. \xe4\xbd\xa0\xe5\xa5\xbd",
    "type": "permission_error"
  }
}
"""
SPENT = b'{"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}'
ANSWERS = [(429, SLOW_DOWN), (403, FORBIDDEN)]
KEY = {"Authorization": "Bearer sk-test-0123456789abcdef"}


class Seeing:
    """Judges as we do, and keeps the bodies that it was shown."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def __call__(
        self, status: int, headers: Mapping[str, str], body: bytes, *, url: str | None
    ) -> Verdict:
        """Judge one answer."""
        self.bodies.append(body)
        return classify(status, headers, body, url=url)


def options(way: str, **more: Any) -> dict[str, Any]:
    """Return our options for a way in, without retries."""
    return {**more, "retry": None} if way == "session" else more


async def _lines(response: ClientResponse) -> bytes:
    return b"|".join([line async for line in response.content])


async def _joined(parts: Any) -> bytes:
    return b"".join([part async for part in parts])


async def _chunks(response: ClientResponse) -> bytes:
    # Where chunks ended is lost for what was looked at; what is in them is not.
    return b"".join([part async for part, _ in response.content.iter_chunks()])


async def _bit_by_bit(response: ClientResponse) -> bytes:
    parts = []
    while part := await response.content.read(10):
        parts.append(part)
    return b"".join(parts)


async def _twice(response: ClientResponse) -> tuple[bytes, bytes]:
    return await response.read(), await response.read()


async def _stream_and_read(response: ClientResponse) -> tuple[bytes, bytes]:
    return await response.content.readany(), await response.read()


READERS: dict[str, Callable[[ClientResponse], Awaitable[Any]]] = {
    "read": lambda response: response.read(),
    "read twice": _twice,
    "text": lambda response: response.text(),
    "json": lambda response: response.json(),
    "content.read": lambda response: response.content.read(),
    "content.read(10)": _bit_by_bit,
    "content.readany, read": _stream_and_read,
    "content.readline": lambda response: response.content.readline(),
    "content.readexactly": lambda response: response.content.readexactly(40),
    "iter_any": lambda response: _joined(response.content.iter_any()),
    "iter_chunked": lambda response: _joined(response.content.iter_chunked(7)),
    "iter_chunks": _chunks,
    "async for line": _lines,
}


async def outcome(call: Awaitable[Any]) -> Any:
    """Return what a call returns, or the class of what it raises."""
    try:
        return await asyncio.wait_for(call, 10)
    except Exception as error:
        return type(error)


async def all_outcomes(session: ClientSession, raw: RawServer) -> dict[str, Any]:
    """Read one answer in every way there is."""
    found = {}
    for name, reader in READERS.items():
        async with session.get(raw.url, headers=KEY) as response:
            # Chunks that are still on their way would make content.readany a matter of luck.
            await until(response.content.is_eof)
            state = response.status, response.reason, response.content_type, response.charset
            found[name] = state, dict(response.headers), await outcome(reader(response))
    return found


@pytest.mark.parametrize("auto_decompress", [True, False], ids=["decoded", "encoded"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("framing", FRAMINGS)
async def test_the_caller_reads_what_plain_aiohttp_reads(
    framing: str, way: str, auto_decompress: bool, make_session: SessionFactory
) -> None:
    """Thirteen ways of reading, nine framings, two answers: all as without us, byte for byte."""
    for status, body in ANSWERS:
        async with serving(framed(framing, status, body)) as raw:
            async with ClientSession(auto_decompress=auto_decompress) as untouched:
                expected = await all_outcomes(untouched, raw)
            seeing = Seeing()
            session = await make_session(
                way, options=options(way, classify=seeing), auto_decompress=auto_decompress
            )

            assert await all_outcomes(session, raw) == expected
            assert seeing.bodies == [body] * len(READERS)
            assert raw.hits == 2 * len(READERS)
            assert idle(session)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("framing", FRAMINGS)
async def test_an_encoded_body_is_judged_decoded(
    framing: str, way: str, make_session: SessionFactory
) -> None:
    """With auto_decompress=False the bytes are still encoded, but a spent key is seen."""
    async with serving(framed(framing, 429, SPENT)) as raw:
        session = await make_session(way, options=options(way), auto_decompress=False)

        for sent in (True, False):
            with pytest.raises(PermanentEndpointError) as caught:
                await session.get(raw.url, headers=KEY)
            assert caught.value.sent is sent
            assert caught.value.response_content == SPENT
        assert raw.hits == 1
        assert idle(session)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("HEAD", plain(429, SLOW_DOWN)),
        ("GET", plain(429, b"")),
        ("GET", head(403, "Transfer-Encoding: chunked") + b"0\r\n\r\n"),
        ("GET", head(401, "Content-Encoding: gzip", "Content-Length: 0")),
        ("GET", head(404, "Connection: close")),
    ],
    ids=["HEAD", "no bytes", "no chunks", "nothing in gzip", "closed at once"],
)
async def test_an_answer_without_a_body_has_none_after_the_look(
    way: str, method: str, answer: bytes, make_session: SessionFactory
) -> None:
    """Nothing is read, put back or waited for, and the stream that such answers share is clean."""
    async with serving(answer) as raw:
        session = await make_session(way, options=options(way, body_timeout=30))
        async with await soon(session.request(method, raw.url, headers=KEY)) as response:
            assert await response.read() == b""
            assert await response.content.read() == b""
        assert raw.hits == 1
        assert idle(session)
    assert EMPTY_PAYLOAD.read_nowait() == b""


def pouring(status: int, sent: list[int], total: float, *lines: str) -> Script:
    """Return an answer that sends for as long as somebody takes it, and counts the bytes."""
    block = b'{"pad": "%s"}' % (b"x" * 16_000)

    async def script(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, *lines))
        while sum(sent) < total:
            writer.write(b"%x\r\n%s\r\n" % (len(block), block) if lines else block)
            await writer.drain()
            sent.append(len(block))

    return script


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("lines", "total"),
    [((), 100e6), (("Transfer-Encoding: chunked",), float("inf"))],
    ids=["100 MB", "endless"],
)
async def test_a_huge_body_is_looked_at_within_bounds(
    way: str, lines: tuple[str, ...], total: float, make_session: SessionFactory
) -> None:
    """The answer is handed over at once with its first bytes; the rest stays where it is."""
    sent: list[int] = []
    seeing = Seeing()
    async with serving(pouring(429, sent, total, *lines)) as raw:
        session = await make_session(way, options=options(way, classify=seeing, body_timeout=30))
        started = time.monotonic()
        async with session.get(raw.url, headers=KEY) as response:
            assert time.monotonic() - started < 5
            assert response.content._size < 2048 * KIB
            assert sum(sent) < 30e6  # the rest waits in the server: what we hold does not grow
            assert [len(body) for body in seeing.bodies] == [64 * KIB]
            first = await response.content.readexactly(64 * KIB)
            assert first == seeing.bodies[0]
            assert len(await response.content.readexactly(256 * KIB)) == 256 * KIB
            response.close()
        assert raw.hits == 1
        assert idle(session)


async def test_an_endless_answer_is_retried_as_any_other(make_session: SessionFactory) -> None:
    """The connection of a body without an end is closed, and the next attempt is answered."""
    endless = pouring(503, [], float("inf"), "Transfer-Encoding: chunked")
    async with serving(endless, plain(200, b"fine")) as raw:
        session = await make_session("session")
        async with session.get(raw.url, headers=KEY) as response:
            assert (response.status, await response.read()) == (200, b"fine")
        assert (raw.hits, raw.connections) == (2, 2)
        assert idle(session)


def stalling(answer: bytes, at: int, gate: asyncio.Event) -> Script:
    """Return an answer that stops in the middle until a gate opens."""

    async def script(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(answer[:-at])
        await gate.wait()
        writer.write(answer[-at:])

    return script


@pytest.mark.parametrize("way", WAYS)
async def test_a_stalled_body_is_handed_over_after_body_timeout(
    way: str, make_session: SessionFactory
) -> None:
    """It is judged as far as it came, and the caller gets all of it when it comes."""
    gate = asyncio.Event()
    seeing = Seeing()
    async with serving(stalling(plain(403, FORBIDDEN), 30, gate)) as raw:
        session = await make_session(way, options=options(way, classify=seeing, body_timeout=0.1))
        async with await soon(session.get(raw.url, headers=KEY)) as response:
            assert seeing.bodies == [FORBIDDEN[:-30]]
            gate.set()
            assert await response.read() == FORBIDDEN
        assert idle(session)


@pytest.mark.parametrize("way", WAYS)
async def test_a_body_that_trickles_is_bounded_as_a_whole(
    way: str, make_session: SessionFactory
) -> None:
    """The timeout is for the look, not for each byte of it."""

    async def trickle(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(429, "Content-Length: 100000"))
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.02)

    async with serving(trickle) as raw:
        session = await make_session(way, options=options(way, body_timeout=0.2))
        async with await soon(session.get(raw.url, headers=KEY)) as response:
            assert response.status == 429
            response.close()
        assert idle(session)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "timeout",
    [ClientTimeout(sock_read=0.15), ClientTimeout(total=0.15)],
    ids=["sock_read", "total"],
)
@pytest.mark.parametrize("body_timeout", [0.05, 30.0], ids=["before ours", "within ours"])
async def test_a_stalled_body_ends_with_the_timeout_of_plain_aiohttp(
    way: str, timeout: ClientTimeout, body_timeout: float, make_session: SessionFactory
) -> None:
    """The look delays no timeout, and hides none."""

    async def reading(session: ClientSession, raw: RawServer) -> None:
        async with session.get(raw.url, headers=KEY) as response:
            await response.read()

    gate = asyncio.Event()
    async with serving(stalling(plain(403, FORBIDDEN), 30, gate)) as raw:
        async with ClientSession(timeout=timeout) as untouched:
            expected = await outcome(reading(untouched, raw))
        session = await make_session(
            way, options=options(way, body_timeout=body_timeout), timeout=timeout
        )
        started = time.monotonic()

        assert await outcome(reading(session, raw)) is expected
        assert issubclass(expected, asyncio.TimeoutError)
        assert time.monotonic() - started < 5
        assert idle(session)


async def test_a_stalled_answer_is_retried_as_any_other(make_session: SessionFactory) -> None:
    """The attempt's connection is closed, not waited for."""
    stalled = stalling(plain(503, b"overloaded"), 3, asyncio.Event())
    async with serving(stalled, plain(200, b"fine")) as raw:
        session = await make_session("session", options={"body_timeout": 0.1})
        async with await soon(session.get(raw.url, headers=KEY)) as response:
            assert (response.status, await response.read()) == (200, b"fine")
        assert raw.hits == 2
        assert idle(session)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("length", plain(403, FORBIDDEN)[:-30]),
        ("chunks", head(403, "Transfer-Encoding: chunked") + chunked(FORBIDDEN)[:-40]),
        ("bad chunk", head(403, "Transfer-Encoding: chunked") + b"5\r\nhello\r\nzz\r\n"),
        ("gzip", framed("gzip", 403, FORBIDDEN * 50)[:-30]),
        ("no gzip", head(403, "Content-Encoding: gzip", "Content-Length: 5") + b"hello"),
    ],
)
async def test_a_broken_body_breaks_at_the_caller_as_without_us(
    way: str, name: str, answer: bytes, make_session: SessionFactory
) -> None:
    """The answer is handed over; the fault is met at the caller's own read."""

    async def dropping(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)

    async with serving(dropping) as raw:
        async with ClientSession() as untouched:
            expected = [await outcome(untouched.get(raw.url, headers=KEY))]
            if isinstance(expected[0], ClientResponse):
                expected = [403, await outcome(expected[0].read())]
        session = await make_session(way, options=options(way, body_timeout=30))
        found = [await outcome(session.get(raw.url, headers=KEY))]
        if isinstance(found[0], ClientResponse):
            found = [403, await outcome(found[0].read())]

        assert found == expected
        assert isinstance(expected[-1], type)
        assert idle(session)


@pytest.mark.parametrize("way", WAYS)
async def test_a_call_that_is_cancelled_in_the_look_leaves_nothing_behind(
    way: str, make_session: SessionFactory
) -> None:
    """No connection is lost, nothing trips, and the next call is answered."""
    gate = asyncio.Event()
    stalled = stalling(plain(429, SPENT), 30, gate)
    async with serving(stalled, plain(200, b"fine")) as raw:
        session = await make_session(way, options=options(way, body_timeout=30))
        call = asyncio.ensure_future(session.get(raw.url, headers=KEY))
        await until(_looks)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert idle(session)
        assert not _looks()
        async with session.get(raw.url, headers=KEY) as response:
            assert await response.read() == b"fine"
        assert raw.hits == 2


def _looks() -> list[asyncio.Task[Any]]:
    return [
        task
        for task in asyncio.all_tasks()
        if getattr(task.get_coro(), "__qualname__", "") == "_collect"
    ]


async def test_a_look_that_is_cancelled_puts_everything_back() -> None:
    """Every byte that was taken is there for the next who reads."""
    gate = asyncio.Event()
    async with (
        serving(stalling(plain(403, FORBIDDEN), 30, gate)) as raw,
        ClientSession() as session,
        session.get(raw.url) as response,
    ):
        look = asyncio.ensure_future(peek(response, 64 * KIB, 30))
        await until(lambda: _looks() and not response.content._buffer)
        look.cancel()
        with pytest.raises(asyncio.CancelledError):
            await look
        assert response.content._size == len(FORBIDDEN) - 30
        gate.set()
        assert await response.read() == FORBIDDEN


async def test_a_cancellation_while_the_look_ends_is_not_lost() -> None:
    """Also in the one turn of the loop in which the look's own task is being stopped."""

    class Stream:
        """Never has anything, and cancels the looker when it is told to stop."""

        def at_eof(self) -> bool:
            """Tell that there may be more."""
            return False

        async def readany(self) -> bytes:
            """Wait for what never comes."""
            try:
                return await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                looker.cancel()
                raise

    stream: Any = Stream()
    looker = asyncio.ensure_future(_collect_for(stream, [], 10, 0.01))

    with pytest.raises(asyncio.CancelledError):
        await looker
    assert not _looks()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [200, 206, 299, 304, 399])
async def test_a_healthy_answer_is_never_read(
    way: str, status: int, make_session: SessionFactory
) -> None:
    """It is in the caller's hands as soon as its head is; none of its body was taken."""
    gate = asyncio.Event()
    body = b"" if status == 304 else b"data: one\n\ndata: two\n\n"
    seeing = Seeing()

    async def streaming(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, "Content-Type: text/event-stream") + body[:11])
        await gate.wait()
        writer.write(body[11:])

    async with serving(streaming) as raw:
        session = await make_session(way, options=options(way, classify=seeing, body_timeout=30))
        async with await soon(session.get(raw.url, headers=KEY)) as response:
            assert response._body is None
            assert body[:11] in (b"", await response.content.readany())
            gate.set()
            assert await response.content.read() == body[11:]
        assert seeing.bodies == []
        assert raw.hits == 1
        assert idle(session)


@pytest.mark.parametrize("way", WAYS)
async def test_max_body_is_what_is_looked_at(way: str, make_session: SessionFactory) -> None:
    """The caller's option bounds what is judged, not what is handed on."""
    seeing = Seeing()
    body = b'{"error": "%s"}' % (b"x" * 5000)
    async with serving(framed("chunked", 403, body)) as raw:
        session = await make_session(way, options=options(way, classify=seeing, max_body=100))
        async with session.get(raw.url, headers=KEY) as response:
            assert await response.read() == body
        assert seeing.bodies == [body[:100]]


@pytest.mark.parametrize("auto_decompress", [True, False], ids=["decoded", "encoded"])
@pytest.mark.parametrize("encoding", ENCODERS)
async def test_a_hostile_compression_is_bounded(
    encoding: str, auto_decompress: bool, make_session: SessionFactory
) -> None:
    """A body that unfolds a thousandfold is judged by its start, in no time."""
    bomb = zeros(encoding, 64 * KIB * KIB)
    lines = (f"Content-Encoding: {encoding}", f"Content-Length: {len(bomb)}")
    seeing = Seeing()
    async with serving(head(429, *lines) + bomb) as raw:
        session = await make_session(
            "session",
            options=options("session", classify=seeing),
            auto_decompress=auto_decompress,
        )
        started = time.monotonic()
        answer = await outcome(session.get(raw.url, headers=KEY))
        assert isinstance(answer, ClientResponse)
        assert answer.status == 429
        assert time.monotonic() - started < 5
        [judged] = seeing.bodies
        # Some releases of aiohttp break off such a body by themselves: then none of it is seen.
        assert len(judged) == 64 * KIB or (auto_decompress and not judged)
        answer.close()
        assert idle(session)


async def test_a_body_that_was_read_already_is_not_read_again() -> None:
    """What the caller has in hand is used as it is, decoded if need be."""
    async with (
        serving(framed("gzip", 403, FORBIDDEN)) as raw,
        ClientSession(auto_decompress=False) as session,
        session.get(raw.url) as response,
    ):
        body = await response.read()
        assert await peek(response, 64 * KIB, 2) == FORBIDDEN
        assert await peek(response, len(FORBIDDEN) - 1, 2) == FORBIDDEN[:-1]
        assert await response.read() == body == gzip.compress(FORBIDDEN, mtime=_mtime(body))


def _mtime(gzipped: bytes) -> int:
    return int.from_bytes(gzipped[4:8], "little")


async def test_a_closed_response_has_nothing_to_show() -> None:
    """A look at what was closed ends at once, without an error."""
    gate = asyncio.Event()
    answer: Answer = stalling(plain(403, FORBIDDEN), 30, gate)
    async with serving(answer) as raw, ClientSession() as session:
        response = await session.get(raw.url)
        response.close()
        assert await soon(peek(response, 64 * KIB, 30)) == b""
        with pytest.raises(aiohttp.ClientConnectionError):
            await response.read()


@pytest.mark.parametrize("way", ["session", "middleware", "trace"])
async def test_a_json_body_is_judged_as_soon_as_it_is_whole(
    way: str, make_session: SessionFactory
) -> None:
    """A Content-Length that promises more neither delays the trip nor lets a short timeout win."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}'
        head = b"HTTP/1.1 429 No\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
        writer.write(head + body)
        await writer.drain()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    session = await make_session(way, timeout=ClientTimeout(total=1))
    with pytest.raises(PermanentEndpointError):
        await session.get(f"http://127.0.0.1:{port}/", headers={"Authorization": "Bearer k"})
    server.close()
