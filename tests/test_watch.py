"""Errors inside answers whose status is fine: event streams and 200 bodies."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientSession, web
from hypothesis import given
from hypothesis import strategies as st
from loopback import OK, SPENT, Api, Reply, bearer
from ways import WAYS, SessionFactory

from aiohttp_failfast import Latch, PermanentEndpointError, VerdictKind
from aiohttp_failfast._sse import ErrorEvents

every_way = pytest.mark.parametrize("way", list(WAYS))

# OpenAI Responses API, OpenRouter chat completions and Anthropic messages, in their forms.
OPENAI_EVENT = (
    "event: error\ndata: "
    + json.dumps(
        {
            "type": "error",
            "error": {
                "type": "insufficient_quota",
                "code": "insufficient_quota",
                "message": "You exceeded your current quota, please check your plan.",
                "param": None,
            },
            "sequence_number": 2,
        }
    )
    + "\n\n"
)
OPENROUTER_EVENT = (
    "data: "
    + json.dumps(
        {
            "id": "gen-1",
            "error": {"code": 402, "message": "Insufficient credits. Add more to continue."},
            "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
        }
    )
    + "\n\n"
)
ANTHROPIC_EVENT = (
    "event: error\ndata: "
    + json.dumps(
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Your credit balance is too low to access the Anthropic API. "
                "Please go to Plans & Billing to upgrade or purchase credits.",
            },
        }
    )
    + "\n\n"
)
OVERLOADED_EVENT = (
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error",'
    '"message":"Overloaded"}}\n\n'
)
TALK_OF_ERRORS = (
    'data: {"choices":[{"delta":{"content":"error: insufficient_quota, invalid_api_key"}}]}\n\n'
)
EVENTS = {"openai": OPENAI_EVENT, "openrouter": OPENROUTER_EVENT, "anthropic": ANTHROPIC_EVENT}

MINIMAX = Reply(
    body=b'{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}',
)
OPENROUTER_BODY = Reply(
    body=b'{"choices":[{"index":0,"error":{"code":402,"message":"Insufficient credits"},'
    b'"finish_reason":"error","message":{"content":""}}]}'
)
SLACK = Reply(body=b'{"ok":false,"error":"invalid_auth"}')


def stream(*pieces: str, pause: float = 0.0) -> Callable[[web.Request], Awaitable[Any]]:
    """Return an answer that sends an event stream piece by piece."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece.encode())
            await asyncio.sleep(pause)
        await response.write_eof()
        return response

    return answer


async def read_all(session: ClientSession, api: Api, key: str) -> bytes:
    """Read an answer to its end."""
    async with session.post(api.url, headers=bearer(key), json={}) as response:
        assert 200 == response.status
        return await response.read()


HELLO = 'data: {"choices":[{"delta":{"content":"hello"}}]}\n\n'


@every_way
@pytest.mark.parametrize("provider", EVENTS)
@pytest.mark.parametrize("pause", [0, 0.02], ids=["at-once", "in-pieces"])
async def test_an_error_event_trips_for_all_others(
    api: Api, make_session: SessionFactory, way: str, provider: str, pause: float
) -> None:
    """The stream that tells of a spent key is read as it is; the next call is refused."""
    latch = Latch()
    session = await make_session(way, latch=latch, options={"watch_streams": True})
    event = EVENTS[provider]
    pieces = [HELLO, event[:30], event[30:]]
    api.answers["k"] = stream(*pieces, pause=pause)

    assert "".join(pieces).encode() == await read_all(session, api, "k")

    assert [VerdictKind.QUOTA] == [trip.verdict.kind for trip in latch.trips]
    with pytest.raises(PermanentEndpointError):
        await read_all(session, api, "k")
    assert 1 == api.total


@every_way
async def test_the_trip_does_not_wait_for_the_reader(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """The event is seen as it arrives, also where nobody reads the stream."""
    latch = Latch()
    told: list[Any] = []
    options = {"watch_streams": True, "on_trip": told.append}
    session = await make_session(way, latch=latch, options=options)
    api.answers["k"] = stream(HELLO, OPENAI_EVENT, pause=0.05)

    async with session.post(api.url, headers=bearer("k"), json={}) as response:
        trip = await asyncio.wait_for(latch.wait_tripped(), 5)
        await asyncio.sleep(0)
        assert [trip] == told
        assert (HELLO + OPENAI_EVENT).encode() == await response.read()


@every_way
@pytest.mark.parametrize("event", [OVERLOADED_EVENT, TALK_OF_ERRORS], ids=["overload", "talk"])
async def test_other_events_trip_nothing(
    api: Api, make_session: SessionFactory, way: str, event: str
) -> None:
    """Overload is no dead key, and neither is a model that talks of errors."""
    latch = Latch()
    session = await make_session(way, latch=latch, options={"watch_streams": True})
    api.answers["k"] = stream(HELLO, event)

    assert (HELLO + event).encode() == await read_all(session, api, "k")
    assert not latch.tripped


@every_way
async def test_streams_are_not_watched_unless_asked(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """By default a good answer is left alone, whatever it holds."""
    latch = Latch()
    session = await make_session(way, latch=latch)
    api.answers.update(k=stream(OPENAI_EVENT), slack=SLACK)

    await read_all(session, api, "k")
    await read_all(session, api, "slack")
    assert not latch.tripped


async def test_chunks_arrive_as_they_are_sent(api: Api, make_session: SessionFactory) -> None:
    """Watching delays and merges no chunk: each is there before the next one is sent."""
    session = await make_session(options={"watch_streams": True})
    go = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for number in range(20):
            await response.write(f"data: {number}\n\n".encode())
            await go.wait()
            go.clear()
        return response

    api.answers["k"] = answer
    async with session.post(api.url, headers=bearer("k"), json={}) as response:
        for number in range(20):
            chunk = await asyncio.wait_for(response.content.readany(), 5)
            assert f"data: {number}\n\n".encode() == chunk
            go.set()


@every_way
@pytest.mark.parametrize("answer", [MINIMAX, OPENROUTER_BODY, SLACK], ids=["mm", "or", "slack"])
@pytest.mark.parametrize("compressed", [False, True])
async def test_an_error_in_a_good_body_trips(
    api: Api, make_session: SessionFactory, way: str, answer: Reply, compressed: bool
) -> None:
    """With watch_ok_bodies a 200 that tells of a dead key is handed over, and trips."""
    latch = Latch()
    session = await make_session(way, latch=latch, options={"watch_ok_bodies": True})
    body, headers = answer.body, dict(answer.headers)
    if compressed:
        body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
    api.answers["k"] = Reply(200, body, headers)

    assert answer.body == await read_all(session, api, "k")
    assert latch.tripped
    with pytest.raises(PermanentEndpointError):
        await read_all(session, api, "k")


@every_way
async def test_good_bodies_trip_nothing(api: Api, make_session: SessionFactory, way: str) -> None:
    """Healthy JSON, JSON larger than the bound, and other types are left alone."""
    latch = Latch()
    session = await make_session(way, latch=latch, options={"watch_ok_bodies": True})
    large = json.dumps({"text": "insufficient_quota " * 10_000}).encode()
    api.answers.update(
        ok=OK,
        large=Reply(200, large),
        text=Reply(200, SPENT.body, {"Content-Type": "text/plain"}),
    )

    for key in ("ok", "large", "text"):
        await read_all(session, api, key)
    assert not latch.tripped


@every_way
async def test_a_watched_connection_serves_the_next_answer(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """Answers on one kept connection are told apart."""
    latch = Latch()
    options = {"watch_ok_bodies": True, "watch_streams": True}
    session = await make_session(way, latch=latch, options=options)
    api.answers["k"] = [stream(HELLO, pause=0.01), OK, stream(HELLO), OK]

    for _ in range(4):
        await read_all(session, api, "k")
    assert not latch.tripped
    api.answers["k"] = stream(HELLO, OPENROUTER_EVENT, pause=0.01)
    await read_all(session, api, "k")
    assert latch.tripped


@given(
    events=st.lists(
        st.tuples(st.sampled_from(["data: ok", 'data: {"error":1}', "event: error\ndata: x"])),
        max_size=8,
    ),
    end=st.sampled_from(["\n\n", "\r\n\r\n", "\r\r"]),
    data=st.data(),
)
def test_events_are_found_however_they_are_cut(
    events: list[tuple[str]], end: str, data: st.DataObject
) -> None:
    """Error events come out whole and in order, wherever the network cuts the stream."""
    text = "".join(event + end for (event,) in events).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=10)))
    found: list[bytes] = []
    finder = ErrorEvents(1000)
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        found += finder.feed(text[start:stop])
    found += finder.end()

    assert [event.encode() for (event,) in events if "error" in event] == found


def test_a_long_event_is_passed_over_in_bounded_memory() -> None:
    """An event longer than the bound is forgotten; the one behind it is found."""
    finder = ErrorEvents(1000)
    found: list[bytes] = []
    for _ in range(1000):
        found += finder.feed(b"data: error error " * 10)
        assert len(finder._pending) <= 1000
    found += finder.feed(b"\n\ndata: error 2\n\n")

    assert [b"data: error 2"] == found


def test_watching_is_linear() -> None:
    """10,000 small events cost next to nothing."""
    finder = ErrorEvents(64 * 1024)
    started = time.perf_counter()
    for _ in range(10_000):
        assert [] == list(finder.feed(HELLO.encode()))

    assert time.perf_counter() - started < 1
