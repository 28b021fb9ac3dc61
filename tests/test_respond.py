"""``when_tripped="respond"``: the remembered answer as a real response."""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientResponse, ClientSession
from loopback import BUSY, INVALID, OK, SPENT, Api, Reply, bearer, gather
from ways import SessionFactory

from aiohttp_failfast import (
    FailFastMiddleware,
    FailFastSession,
    Latch,
    PermanentEndpointError,
    attach,
    failfast_trace_config,
    raise_for_status,
)
from aiohttp_failfast._remembered import is_library_transport

both = pytest.mark.parametrize("way", ["session", "middleware"])
RESPOND = {"when_tripped": "respond"}


async def _chunks(iterator: Any) -> bytes:
    return b"".join([piece async for piece in iterator])


async def _iter_chunks(response: ClientResponse) -> bytes:
    return b"".join([piece async for piece, _ in response.content.iter_chunks()])


async def _json(response: ClientResponse) -> bytes:
    assert "insufficient_quota" == (await response.json())["error"]["code"]
    return await response.read()


async def _text(response: ClientResponse) -> bytes:
    return (await response.text()).encode()


READERS: dict[str, Callable[[ClientResponse], Awaitable[bytes]]] = {
    "read": lambda r: r.read(),
    "text": _text,
    "json": _json,
    "content.read": lambda r: r.content.read(),
    "readany": lambda r: r.content.readany(),
    "iter_any": lambda r: _chunks(r.content.iter_any()),
    "iter_chunked": lambda r: _chunks(r.content.iter_chunked(16)),
    "iter_chunks": _iter_chunks,
    "lines": lambda r: _chunks(r.content),
}


@both
@pytest.mark.parametrize("reader", READERS)
async def test_the_answer_is_handed_back_and_readable_in_every_way(
    api: Api, make_session: SessionFactory, way: str, reader: str
) -> None:
    """Status, headers and body are those of the answer that tripped, now and ever after."""
    session = await make_session(way, options=RESPOND)
    api.answers["dead"] = SPENT

    for sent in (True, False, False):
        async with session.post(api.url, headers=bearer("dead"), json={}) as response:
            assert isinstance(response, ClientResponse)
            assert (429, "Too Many Requests", False) == (
                response.status,
                response.reason,
                response.ok,
            )
            assert SPENT.body == await READERS[reader](response)
            assert "false" == response.headers["x-should-retry"]
            assert (b"x-should-retry", b"false") in response.raw_headers
            assert "application/json" == response.content_type
            with pytest.raises(PermanentEndpointError) as caught:
                response.raise_for_status()
            assert sent is caught.value.sent
    assert 1 == api.total


@both
async def test_it_needs_no_release_and_holds_no_connection(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """Unread, unreleased, released twice, or read after release: all is well."""
    connector = aiohttp.TCPConnector(limit=1)
    session = await make_session(way, options=RESPOND, connector=connector)
    api.answers["dead"] = SPENT

    kept = [await session.get(api.url, headers=bearer("dead")) for _ in range(5)]
    assert not connector._acquired
    await kept[0].release()
    kept[0].release()
    kept[1].close()
    for response in kept:
        assert SPENT.body == await response.read()
        assert SPENT.body == await response.read()
        assert response.closed
        assert response.connection is None


@both
async def test_the_request_is_that_of_this_call(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """request_info, url and method are of the call that is refused, not of the one that tripped."""
    session = await make_session(way, options=RESPOND)
    api.answers["dead"] = SPENT
    await session.post(api.url, headers=bearer("dead"), json={})

    response = await session.put(api.url / "other", headers={**bearer("dead"), "X-Id": "7"})

    assert api.url / "other" == response.url == response.request_info.url
    assert "PUT" == response.method == response.request_info.method
    assert "7" == response.request_info.headers["X-Id"]
    assert () == response.history
    head = await session.head(api.url, headers=bearer("dead"))
    assert (429, b"") == (head.status, await head.read())


@both
@pytest.mark.parametrize("raises", [True, raise_for_status])
async def test_raise_for_status_raises_the_permanent_error(
    api: Api, make_session: SessionFactory, way: str, raises: object
) -> None:
    """Where raise_for_status is on, PermanentEndpointError comes instead of the answer."""
    session = await make_session(way, options=RESPOND, raise_for_status=raises)
    api.answers["dead"] = SPENT

    for _ in range(2):
        with pytest.raises(PermanentEndpointError) as caught:
            await session.get(api.url, headers=bearer("dead"))
    assert SPENT.body == caught.value.response_content
    assert 1 == api.total


@both
@pytest.mark.parametrize("decompress", [True, False])
async def test_a_compressed_answer_is_handed_back_decoded(
    api: Api, make_session: SessionFactory, way: str, decompress: bool
) -> None:
    """One latch serves callers that decode and callers that do not: the headers fit the body."""
    headers = {**SPENT.headers, "Content-Encoding": "gzip"}
    api.answers["dead"] = Reply(429, gzip.compress(SPENT.body), headers)
    session = await make_session(way, options=RESPOND, auto_decompress=decompress)

    for _ in range(2):
        async with session.get(api.url, headers=bearer("dead")) as response:
            assert SPENT.body == await response.read()
            assert "Content-Encoding" not in response.headers
            assert str(len(SPENT.body)) == response.headers["Content-Length"]


@both
async def test_a_spent_key_may_get_another_status(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """spent_status is for spent keys only; an invalid one keeps its status."""
    session = await make_session(way, options={**RESPOND, "spent_status": 402})
    api.answers.update(spent=SPENT, invalid=INVALID)

    for _ in range(2):
        assert 402 == (await session.get(api.url, headers=bearer("spent"))).status
        assert 401 == (await session.get(api.url, headers=bearer("invalid"))).status


async def test_a_sleeper_gets_the_answer_too(api: Api, make_session: SessionFactory) -> None:
    """A call that slept when the key died ends with the remembered answer."""
    session = await make_session(options=RESPOND)
    api.answers["k"] = [Reply(503, BUSY.body, {"Retry-After": "30"}), SPENT]
    sleeper = asyncio.create_task(session.get(api.url, headers=bearer("k")).__aenter__())
    await api.wait_for(1)
    await asyncio.sleep(0.05)

    await session.get(api.url, headers=bearer("k"))

    response = await asyncio.wait_for(sleeper, 1)
    assert (429, SPENT.body) == (response.status, await response.read())


@both
async def test_a_crowd_is_answered(api: Api, make_session: SessionFactory, way: str) -> None:
    """1,000 calls on 10 connections: all get the answer, ten requests are sent."""
    connector = aiohttp.TCPConnector(limit=10)
    session = await make_session(way, options=RESPOND, connector=connector)
    api.answers["dead"] = SPENT
    api.delay = 0.02

    async def call() -> tuple[int, bytes]:
        async with session.get(api.url, headers=bearer("dead")) as response:
            return response.status, await response.read()

    results = await gather(call() for _ in range(1000))

    assert Counter({(429, SPENT.body): 1000}) == Counter(results)
    assert 10 >= api.total
    assert not connector._acquired


@both
async def test_traces_and_middlewares_see_an_answer(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """Outer middlewares and the user's traces get the remembered answer like any other."""
    seen: list[int] = []
    ends: list[int] = []

    async def outer(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> ClientResponse:
        response = await handler(request)
        seen.append(response.status)
        return response

    async def on_end(session: Any, context: Any, params: aiohttp.TraceRequestEndParams) -> None:
        ends.append(params.response.status)

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(on_end)
    session = await make_session(way, options=RESPOND, middlewares=(outer,), trace_configs=[trace])
    api.answers["dead"] = SPENT

    for _ in range(3):
        await session.get(api.url, headers=bearer("dead"))

    assert [429] * 3 == seen == ends


class _Headers(dict):  # type: ignore[type-arg]
    """Stands for httpx's headers: the class is told by its module."""

    __module__ = "httpx._models"


class _VendoredHeaders(dict):  # type: ignore[type-arg]
    __module__ = "openai._vendor.httpx2._models"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (_Headers(), True),
        (_VendoredHeaders(), True),
        ({"x-stainless-lang": "python"}, True),
        ({"User-Agent": "litellm/1.110.2"}, True),
        ({"User-Agent": "python-httpx2/2.16.2"}, True),
        ({"User-Agent": "a script that mentions python-httpx"}, False),
        ({"User-Agent": None}, False),
        ({"Authorization": "Bearer httpx"}, False),
        ([("x-stainless-lang", "python")], False),
        (None, False),
    ],
    ids=[
        "httpx",
        "vendored",
        "stainless",
        "litellm",
        "agent",
        "mention",
        "no-agent",
        "dict",
        "list",
        "none",
    ],
)
def test_a_client_library_is_told_by_its_headers(headers: object, expected: bool) -> None:
    """One function decides for "auto": an httpx object, or the names that libraries send."""
    assert expected is is_library_transport(headers)


async def test_auto_responds_to_libraries_and_raises_elsewhere(
    api: Api, make_session: SessionFactory
) -> None:
    """The same session answers an httpx transport and raises to a script of one's own."""
    session = await make_session()
    api.answers["dead"] = SPENT

    for _ in range(2):
        response = await session.get(api.url, headers=_Headers(bearer("dead")))
        assert (429, SPENT.body) == (response.status, await response.read())
        with pytest.raises(PermanentEndpointError):
            await session.get(api.url, headers=bearer("dead"))
    assert 1 == api.total


def test_a_trace_config_can_only_raise() -> None:
    """The trace config refuses what it cannot do."""
    with pytest.raises(ValueError, match="when_tripped"):
        failfast_trace_config(when_tripped="respond")
    with pytest.raises(ValueError, match="spent_status"):
        failfast_trace_config(spent_status=402)


async def test_attach_can_only_raise() -> None:
    """Attach refuses it too, and installs nothing."""
    async with ClientSession() as session:
        with pytest.raises(ValueError, match="when_tripped"):
            attach(session, when_tripped="respond")
        assert [] == session.trace_configs


@pytest.mark.parametrize(
    ("options", "error"),
    [({"spent_status": "402"}, TypeError), ({"spent_status": 200}, ValueError)],
)
def test_a_wrong_spent_status_is_named(options: dict[str, Any], error: type[Exception]) -> None:
    """spent_status must be an error status."""
    with pytest.raises(error, match="spent_status"):
        FailFastMiddleware(**options)


async def test_sessions_of_one_class_share_a_latch(api: Api) -> None:
    """with_defaults gives a class to put in place of ClientSession, for a session per call."""
    Session = FailFastSession.with_defaults(headers=bearer("dead"), retry=None)  # noqa: N806
    api.answers["dead"] = SPENT

    for _ in range(5):
        async with Session() as session:
            assert isinstance(session, FailFastSession)
            with pytest.raises(PermanentEndpointError):
                await session.get(api.url)
    async with Session(headers=bearer("alive")) as session, session.get(api.url) as response:
        assert 200 == response.status
        assert OK.body == await response.read()

    assert Counter(dead=1, alive=1) == api.hits


async def test_defaults_are_checked_at_once() -> None:
    """A wrong default is named where the class is made; a latch of one's own is used."""
    with pytest.raises(ValueError, match="scope"):
        FailFastSession.with_defaults(scope="planet")
    latch = Latch()
    async with FailFastSession.with_defaults(latch=latch)() as session:
        assert latch is session.latch
