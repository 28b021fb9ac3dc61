"""A body is sent again only where it comes out the same."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, FormData, JsonPayload, MultipartWriter, Payload
from aiohttp.payload import AsyncIterablePayload, BytesIOPayload, BytesPayload, StringPayload
from multidict import MultiDict
from rawserver import Seen, SessionFactory, idle, plain, serving, soon

from aiohttp_failfast import RetryPolicy
from aiohttp_failfast._replay import Replay

TEXT = b"0123456789" * 50
BUSY = plain(503, b'{"error": {"message": "overloaded"}}')
FINE = plain(200, b"{}", reason="OK")
AT_ONCE = RetryPolicy(backoff_base=0)

Open = Callable[[], Any]
"""Opens a file that holds `TEXT`; closed after the test."""


async def _stream() -> AsyncIterator[bytes]:
    yield TEXT
    yield TEXT


def _moved(stream: Any, offset: int) -> Any:
    stream.seek(offset)
    return stream


def _form(*values: Any) -> FormData:
    form = FormData()
    for number, value in enumerate(values):
        form.add_field(f"field{number}", value, filename="name" if number else None)
    return form


def _multipart(*values: Any) -> MultipartWriter:
    writer = MultipartWriter("form-data", boundary="fixed")
    for value in values:
        writer.append(value)
    return writer


class OneShot(Payload):
    """A user's payload, which gives its bytes once and does not say so."""

    def __init__(self) -> None:
        super().__init__(iter([TEXT, TEXT]), content_type="text/plain")

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Refuse: there is no text."""
        raise TypeError

    async def write(self, writer: Any) -> None:
        """Write what is left."""
        parts: Iterator[bytes] = self._value
        for part in parts:
            await writer.write(part)


SAME: dict[str, Callable[[Open], dict[str, Any]]] = {
    "nothing": lambda _: {},
    "json": lambda _: {"json": {"prompt": "你好", "n": [1, 2]}},
    "bytes": lambda _: {"data": TEXT},
    "bytearray": lambda _: {"data": bytearray(TEXT)},
    "memoryview": lambda _: {"data": memoryview(TEXT)},
    "str": lambda _: {"data": "你好"},
    "dict": lambda _: {"data": {"name": "value", "other": "你好"}},
    "dict with BytesIO": lambda _: {"data": {"name": io.BytesIO(TEXT)}},
    "dict with BytesIO at an offset": lambda _: {"data": {"name": _moved(io.BytesIO(TEXT), 7)}},
    "MultiDict": lambda _: {"data": MultiDict([("a", "1"), ("a", io.BytesIO(TEXT))])},
    "list of pairs": lambda _: {"data": [("a", "1"), ("b", io.BytesIO(TEXT))]},
    "list of lists": lambda _: {"data": [["a", "1"], ["b", io.BytesIO(TEXT)]]},
    "tuple of pairs": lambda _: {"data": (("a", "1"), ("b", io.BytesIO(TEXT)))},
    "list with a bare BytesIO": lambda _: {"data": [io.BytesIO(TEXT)]},
    "BytesIO": lambda _: {"data": io.BytesIO(TEXT)},
    "BytesIO at an offset": lambda _: {"data": _moved(io.BytesIO(TEXT), 7)},
    "BytesIO at its end": lambda _: {"data": _moved(io.BytesIO(TEXT), len(TEXT))},
    "StringIO": lambda _: {"data": io.StringIO("你好" * 50)},
    "StringIO at an offset": lambda _: {"data": _moved(io.StringIO("0123456789"), 4)},
    "FormData with text": lambda _: {"data": _form("a", "b")},
    "FormData urlencoded": lambda _: {"data": FormData({"a": "b"})},
    "FormData with bytes": lambda _: {"data": _form("a", TEXT)},
    "FormData with BytesIO": lambda _: {"data": _form("a", io.BytesIO(TEXT))},
    "FormData with BytesIO at an offset": lambda _: {
        "data": _form("a", _moved(io.BytesIO(TEXT), 7))
    },
    "MultipartWriter with bytes": lambda _: {"data": _multipart(TEXT, "b")},
    "MultipartWriter with BytesIO": lambda _: {"data": _multipart(TEXT, io.BytesIO(TEXT))},
    "MultipartWriter with BytesIO at an offset": lambda _: {
        "data": _multipart(_moved(io.BytesIO(TEXT), 7))
    },
    "MultipartWriter in a MultipartWriter": lambda _: {
        "data": _multipart("a", _multipart(io.BytesIO(TEXT), TEXT))
    },
    "BytesPayload": lambda _: {"data": BytesPayload(TEXT)},
    "StringPayload": lambda _: {"data": StringPayload("text")},
    "JsonPayload": lambda _: {"data": JsonPayload({"a": 1})},
    "BytesIOPayload": lambda _: {"data": BytesIOPayload(_moved(io.BytesIO(TEXT), 7))},
}
"""Bodies that must come a second time as they came the first time."""

ONCE: dict[str, Callable[[Open], dict[str, Any]]] = {
    "open file": lambda opened: {"data": opened()},
    "open file at an offset": lambda opened: {"data": _moved(opened(), 7)},
    "dict with an open file": lambda opened: {"data": {"name": opened()}},
    "list with an open file": lambda opened: {"data": [("name", opened())]},
    "FormData with an open file": lambda opened: {"data": _form("a", opened())},
    "MultipartWriter with an open file": lambda opened: {"data": _multipart(TEXT, opened())},
    "async generator": lambda _: {"data": _stream()},
    "AsyncIterablePayload": lambda _: {"data": AsyncIterablePayload(_stream())},
    "FormData with an async generator": lambda _: {"data": _form("a", _stream())},
    "MultipartWriter with an async generator": lambda _: {"data": _multipart(TEXT, _stream())},
    "payload of a user": lambda _: {"data": OneShot()},
    "MultipartWriter with a payload of a user": lambda _: {"data": _multipart(OneShot(), TEXT)},
}
"""Bodies that are gone once they were sent."""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open files that hold `TEXT`."""
    path = tmp_path / "body.bin"
    path.write_bytes(TEXT)
    files: list[Any] = []

    def opened() -> Any:
        files.append(path.open("rb"))
        return files[-1]

    yield opened
    for file in files:
        file.close()


@pytest.mark.parametrize("kind", SAME)
async def test_a_body_that_can_be_sent_again_comes_out_the_same(
    kind: str, opened: Open, make_session: SessionFactory
) -> None:
    """Three attempts, three times the same bytes, and they are those that plain aiohttp sends."""
    async with serving(BUSY, BUSY, FINE, FINE) as raw:
        session = await make_session("session", options={"retry": AT_ONCE})
        async with await soon(session.post(raw.url, **SAME[kind](opened))) as response:
            assert response.status == 200
        assert raw.hits == 3
        assert idle(session)
        async with ClientSession() as untouched:
            await (await untouched.post(raw.url, **SAME[kind](opened))).read()

        first, *others = [_content(seen) for seen in raw.seen]
        assert others == [first] * 3


def _content(seen: Seen) -> tuple[bytes, list[str]]:
    """Return what was sent; the boundary between parts is drawn anew where a form is a dict."""
    named = ("content-type", "content-length", "transfer-encoding")
    described = [f"{name}: {seen.headers.get(name)}" for name in named]
    boundary = seen.headers.get("content-type", "").partition("boundary=")[2]
    if not boundary:
        return seen.body, described
    return (
        seen.body.replace(boundary.encode(), b"boundary"),
        [line.replace(boundary, "boundary") for line in described],
    )


@pytest.mark.parametrize("kind", ONCE)
async def test_a_body_that_cannot_be_sent_again_is_not(
    kind: str, opened: Open, make_session: SessionFactory
) -> None:
    """One request, whole, and its answer is handed to the caller unharmed."""
    async with serving(BUSY, FINE) as raw:
        session = await make_session("session", options={"retry": AT_ONCE})
        async with await soon(session.post(raw.url, **ONCE[kind](opened))) as response:
            assert response.status == 503
            assert await response.json() == {"error": {"message": "overloaded"}}
        assert raw.hits == 1
        assert raw.seen[0].body.count(TEXT[10:]) >= 1
        assert idle(session)


@pytest.mark.parametrize("wrap", [AsyncIterablePayload, _multipart], ids=["payload", "multipart"])
async def test_a_stream_that_was_answered_before_its_end_is_not_resumed(
    wrap: Callable[[Any], Any], make_session: SessionFactory
) -> None:
    """A server may refuse before it has read the body: what is left of it is not the body."""
    gate = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield TEXT
        await gate.wait()
        yield TEXT

    early = plain(503, b"overloaded", "Connection: close")
    async with serving(early, FINE, read_bodies=False) as raw:
        session = await make_session("session", options={"retry": AT_ONCE})
        async with await soon(session.post(raw.url, data=wrap(slow()))) as response:
            assert response.status == 503
        gate.set()
        assert raw.hits == 1
        assert idle(session)


@pytest.mark.parametrize("wrap", [lambda body: body, BytesIOPayload, _multipart])
async def test_what_the_caller_has_closed_is_not_sent_again(
    wrap: Callable[[Any], Any], make_session: SessionFactory
) -> None:
    """Closed between two attempts, a BytesIO has nothing to give."""
    body = io.BytesIO(TEXT)

    async def closing(seen: Any, writer: asyncio.StreamWriter) -> None:
        body.close()
        writer.write(BUSY)

    async with serving(closing, FINE) as raw:
        session = await make_session("session", options={"retry": AT_ONCE})
        async with await soon(session.post(raw.url, data=wrap(body))) as response:
            assert response.status == 503
        assert raw.hits == 1
        assert TEXT in raw.seen[0].body


async def test_a_body_that_a_middleware_put_in_its_place_is_not_sent_again(
    make_session: SessionFactory,
) -> None:
    """The caller's own could be sent again, but what goes over the wire could not."""
    stream = AsyncIterablePayload(_stream())

    async def streaming(request: Any, handler: Any) -> Any:
        await request.update_body(stream)
        return await handler(request)

    async with serving(BUSY, FINE) as raw:
        session = await make_session("session", options={"retry": AT_ONCE}, middlewares=[streaming])
        async with await soon(session.post(raw.url, data=b"fixed")) as response:
            assert response.status == 503
        assert [seen.body for seen in raw.seen] == [TEXT * 2]


async def test_a_body_is_not_rewound_after_the_last_attempt(make_session: SessionFactory) -> None:
    """The caller's stream stands at its end, as plain aiohttp leaves it."""
    body = io.BytesIO(TEXT)
    async with serving(BUSY) as raw:
        session = await make_session("session", options={"retry": AT_ONCE})
        async with await soon(session.post(raw.url, data=body)) as response:
            assert response.status == 503
        assert [seen.body for seen in raw.seen] == [TEXT] * 3
        assert body.tell() == len(TEXT)


def test_rewinding_needs_no_loop_and_tells_what_it_did() -> None:
    """The decision is about the data alone."""
    body = _moved(io.BytesIO(TEXT), 3)
    replay = Replay({"a": [body]})
    body.read()

    assert replay.rewind()
    assert body.tell() == 3
    body.close()
    assert not replay.rewind()
    assert not Replay(object()).rewind()
    assert not Replay(iter([b"a"])).rewind()
    assert Replay(None).rewind()
