"""The error of an answer, with the body that came with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientResponseError, ClientSession
from rawserver import (
    FRAMINGS,
    WAYS,
    Seen,
    SessionFactory,
    framed,
    head,
    idle,
    plain,
    serving,
    soon,
)

from aiohttp_failfast import (
    ContentResponseError,
    FailFastSession,
    Latch,
    PermanentEndpointError,
    RetryPolicy,
    Verdict,
    VerdictKind,
    _raise,
    raise_for_status,
)

KEY = {"Authorization": "Bearer sk-test-0123456789abcdef"}
SPENT = b'{"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}'
MISSING = b'{"error": {"message": "The model x does not exist", "code": "model_not_found"}}'
AT_ONCE = RetryPolicy(backoff_base=0)


@pytest.mark.parametrize("status", [200, 201, 204, 304, 399])
async def test_a_good_answer_is_none_of_its_business(status: int) -> None:
    """Nothing is raised and nothing is read."""
    body = b"" if status in {204, 304} else b"fine"
    async with (
        serving(plain(status, body)) as raw,
        ClientSession(raise_for_status=raise_for_status) as session,
    ):
        response = await session.get(raw.url, allow_redirects=False)
        await raise_for_status(response)
        assert response._body is None
        assert await response.read() == body


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("status", [400, 404, 422, 500, 599])
async def test_an_error_carries_the_body(status: int, framing: str) -> None:
    """Decoded, with all that aiohttp's own error has; the connection is given back."""
    answer = framed(framing, status, MISSING, "X-Two: 1", "x-two: 2")
    async with serving(answer) as raw, ClientSession() as session:
        response = await session.get(raw.url.with_query(page="1"), headers=KEY)
        with pytest.raises(ClientResponseError) as caught:
            await raise_for_status(response)
        error = caught.value
        assert type(error) is ContentResponseError
        assert error.response_content == MISSING
        assert (error.status, error.message, error.history) == (status, "Error", ())
        assert error.headers is not None
        assert error.headers.getall("x-two") == ["1", "2"]
        assert error.request_info.method == "GET"
        assert str(error.request_info.url).endswith("/v1/chat?page=1")
        assert f"{status}, message='Error'" in str(error)
        assert idle(session)


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("auto_decompress", [True, False], ids=["decoded", "encoded"])
async def test_a_dead_key_raises_the_permanent_error(framing: str, auto_decompress: bool) -> None:
    """Also on a session that knows nothing of a latch, and for bodies that are encoded."""
    async with (
        serving(framed(framing, 429, SPENT)) as raw,
        ClientSession(
            raise_for_status=raise_for_status, auto_decompress=auto_decompress
        ) as session,
    ):
        with pytest.raises(PermanentEndpointError) as caught:
            await session.get(raw.url, headers=KEY)
        error = caught.value
        assert error.response_content == SPENT
        assert error.verdict.kind is VerdictKind.QUOTA
        assert error.sent
        assert error.endpoint.origin == str(raw.url.origin())
        assert error.endpoint.credential not in {"none", KEY["Authorization"]}
        assert idle(session)
        # There is no latch here: whoever asks again is answered again.
        with pytest.raises(PermanentEndpointError):
            await session.get(raw.url, headers=KEY)
        assert raw.hits == 2


async def test_content_that_was_read_is_taken_and_nothing_is_read_again() -> None:
    """Even where the answer's own body would never end."""

    async def stalled(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(429, "Content-Length: 1000"))
        await asyncio.sleep(3600)

    async with serving(stalled) as raw, ClientSession() as session:
        for content, expected in [(SPENT, PermanentEndpointError), (b"", ContentResponseError)]:
            response = await session.get(raw.url, headers=KEY)
            started = time.monotonic()
            with pytest.raises(ContentResponseError) as caught:
                await raise_for_status(response, content)
            assert time.monotonic() - started < 1
            assert type(caught.value) is expected
            assert caught.value.response_content == content
        assert idle(session)


async def _read(response: ClientResponse) -> None:
    await response.read()


async def _close(response: ClientResponse) -> None:
    response.close()


@pytest.mark.parametrize(
    ("before", "content"), [(_read, MISSING), (_close, b"")], ids=["read", "closed"]
)
async def test_what_became_of_the_answer_before_does_not_matter(
    before: Callable[[ClientResponse], Any], content: bytes
) -> None:
    """A body that was read is there; one that is gone is empty, not an error of its own."""
    stalled = framed("chunked", 404, MISSING)
    async with serving(stalled) as raw, ClientSession() as session:
        response = await session.get(raw.url)
        await before(response)
        with pytest.raises(ContentResponseError) as caught:
            await soon(raise_for_status(response))
        assert caught.value.response_content in {content, MISSING}
        assert caught.value.status == 404
        assert idle(session)


async def test_a_body_that_never_ends_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes and in seconds, and its connection is closed."""
    monkeypatch.setattr(_raise, "DEFAULT_BODY_TIMEOUT", 0.1)

    async def stalled(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(404, "Transfer-Encoding: chunked") + b"5\r\nhello\r\n")
        await asyncio.sleep(3600)

    async def endless(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(404, "Connection: close"))
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    async with serving(stalled, endless) as raw, ClientSession() as session:
        for size in (5, 64 * 1024):
            response = await session.get(raw.url)
            with pytest.raises(ContentResponseError) as caught:
                await soon(raise_for_status(response))
            assert len(caught.value.response_content) == size
            assert idle(session)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("where", ["session", "request"])
@pytest.mark.parametrize("raiser", [True, raise_for_status], ids=["True", "raise_for_status"])
async def test_through_every_way_in_the_dead_key_is_one_error(
    raiser: Any, where: str, way: str, make_session: SessionFactory
) -> None:
    """Whoever asks for errors to be raised, and where; the second call is not sent."""
    latch = Latch()
    on_session = {"raise_for_status": raiser} if where == "session" else {}
    on_request = {"raise_for_status": raiser} if where == "request" else {}
    async with serving(plain(429, SPENT)) as raw:
        session = await make_session(way, latch=latch, **on_session)
        for sent in (True, False):
            with pytest.raises(PermanentEndpointError) as caught:
                await session.get(raw.url, headers=KEY, **on_request)
            assert caught.value.sent is sent
            assert caught.value.response_content == SPENT
        assert raw.hits == 1
        assert latch.stats.trips == 1
        assert idle(session)


@pytest.mark.parametrize("way", ["session", "trace", "attach"])
async def test_true_gives_the_body_too(way: str, make_session: SessionFactory) -> None:
    """Without us it is thrown away; a job's log needs it."""
    async with serving(framed("gzip", 404, MISSING)) as raw:
        session = await make_session(way, raise_for_status=True)
        with pytest.raises(ContentResponseError) as caught:
            await session.get(raw.url, headers=KEY)
        assert caught.value.response_content == MISSING
        assert idle(session)


async def test_the_last_attempt_is_raised_with_its_own_body(make_session: SessionFactory) -> None:
    """When the attempts are used up; those before it raise nothing."""
    busy = [plain(503, f"busy {number}".encode()) for number in (1, 2, 3)]
    async with serving(*busy) as raw:
        session = await make_session("session", raise_for_status=True, options={"retry": AT_ONCE})
        with pytest.raises(ContentResponseError) as caught:
            await session.get(raw.url, headers=KEY)
        assert raw.hits == 3
        assert caught.value.response_content == b"busy 3"
        assert isinstance(session, FailFastSession)
        assert not session.latch.tripped
        assert idle(session)


async def test_a_request_that_wants_no_errors_gets_none(make_session: SessionFactory) -> None:
    """False of the request beats True of the session, as in aiohttp."""
    async with serving(plain(404, MISSING)) as raw:
        session = await make_session("session", raise_for_status=True)
        async with session.get(raw.url, headers=KEY, raise_for_status=False) as response:
            assert response.status == 404
            assert await response.read() == MISSING


async def test_a_callable_of_the_users_own_is_asked_once(make_session: SessionFactory) -> None:
    """After the retries, with a body that it can read; what it raises comes out."""

    class UsersError(Exception):
        """The user's own."""

    asked: list[tuple[int, bytes]] = []

    async def check(response: ClientResponse) -> None:
        asked.append((response.status, await response.read()))
        if response.status == 404:
            raise UsersError

    async with serving(plain(503, b"busy"), plain(500, b"still"), plain(404, MISSING)) as raw:
        session = await make_session("session", raise_for_status=check, options={"retry": AT_ONCE})
        with pytest.raises(UsersError):
            await session.get(raw.url, headers=KEY)
        assert raw.hits == 3
        assert asked == [(404, MISSING)]
        assert idle(session)


async def test_a_callable_that_raises_nothing_hands_the_answer_over(
    make_session: SessionFactory,
) -> None:
    """Readable in every way."""

    async def lenient(response: ClientResponse) -> None:
        """Accept everything."""

    async with serving(plain(404, MISSING)) as raw:
        session = await make_session("session", raise_for_status=lenient)
        async with session.get(raw.url, headers=KEY) as response:
            assert await response.content.read() == MISSING


@pytest.mark.parametrize("way", WAYS)
async def test_an_unsure_answer_is_an_ordinary_error(
    way: str, make_session: SessionFactory
) -> None:
    """While it takes more than one to trip, the first must not end a job."""

    def unsure(status: int, headers: Any, body: bytes, *, url: str | None) -> Verdict:
        return Verdict(VerdictKind.AUTH, rule="unsure", sightings=2)

    async with serving(plain(401, b"nobody")) as raw:
        session = await make_session(
            way, options={"classify": unsure}, raise_for_status=raise_for_status
        )
        with pytest.raises(ContentResponseError) as first:
            await session.get(raw.url, headers=KEY)
        with pytest.raises(PermanentEndpointError) as second:
            await session.get(raw.url, headers=KEY)
        assert type(first.value) is ContentResponseError
        assert second.value.sent
        assert raw.hits == 2


async def test_an_unsure_answer_is_an_ordinary_error_without_a_latch_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A session that remembers nothing has one sighting at most."""
    for sightings, expected in [(1, PermanentEndpointError), (2, ContentResponseError)]:
        verdict = Verdict(VerdictKind.AUTH, rule="unsure", sightings=sightings)
        monkeypatch.setattr(_raise, "classify", lambda *_, url, verdict=verdict: verdict)
        async with serving(plain(401, b"nobody")) as raw, ClientSession() as session:
            with pytest.raises(ContentResponseError) as caught:
                await raise_for_status(await session.get(raw.url, headers=KEY))
            assert type(caught.value) is expected


async def test_an_endpoint_that_the_scope_leaves_alone_raises_ordinary_errors(
    make_session: SessionFactory,
) -> None:
    """Its owner said that its key is none of ours."""
    async with serving(plain(429, SPENT)) as raw:
        session = await make_session(
            "session",
            options={"scope": lambda url, headers: None, "retry": None},
            raise_for_status=True,
        )
        with pytest.raises(ContentResponseError) as caught:
            await session.get(raw.url, headers=KEY)
        assert type(caught.value) is ContentResponseError
        assert caught.value.response_content == SPENT


async def test_cancelled_in_its_own_look_it_leaves_nothing_behind() -> None:
    """The connection is closed with the call that it belonged to."""

    async def stalled(seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(head(404, "Content-Length: 1000"))
        await asyncio.sleep(3600)

    async with (
        serving(stalled) as raw,
        ClientSession(raise_for_status=raise_for_status) as session,
    ):
        with pytest.raises(asyncio.TimeoutError):
            await soon(session.get(raw.url), 0.1)
        await asyncio.sleep(0)
        assert idle(session)


async def test_it_may_be_called_inside_of_async_with() -> None:
    """The exit finds the connection given back already."""
    async with serving(plain(404, MISSING)) as raw, ClientSession() as session:
        with pytest.raises(ContentResponseError):
            async with session.get(raw.url) as response:
                await raise_for_status(response)
        assert idle(session)
        assert raw.hits == 1
