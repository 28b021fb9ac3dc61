"""should_retry: what other people's retry loops are told."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession
from answers import answers, sure
from loopback import BUSY, FORBIDDEN, INVALID, OK, SLOW_DOWN, SPENT, Api, Reply, bearer, error
from ways import WAYS, SessionFactory

from aiohttp_failfast import (
    ContentResponseError,
    PermanentEndpointError,
    VerdictKind,
    raise_for_status,
    should_retry,
)

WINDOW = error(
    429, "Rate limit reached for requests per day (RPD): Limit 200, Used 200.", type="requests"
)
VERDICTS = [
    pytest.param(SPENT, False, id="spent"),
    pytest.param(INVALID, False, id="invalid"),
    pytest.param(WINDOW, False, id="windowed"),
    pytest.param(FORBIDDEN, False, id="other"),
    pytest.param(SLOW_DOWN, True, id="rate-limit"),
    pytest.param(BUSY, True, id="overload"),
    pytest.param(OK, False, id="ok"),
]
STATUSES = {408, 425, 429, 500, 502, 503, 504, 507, 509, *range(520, 528), 529, 530, 598, 599}
EXCEPTIONS = [
    (aiohttp.ClientConnectionError("lost"), True),
    (aiohttp.ServerDisconnectedError(), True),
    (aiohttp.ServerTimeoutError(), True),
    (aiohttp.ClientPayloadError(), True),
    (asyncio.TimeoutError(), True),
    (TimeoutError(), True),
    (aiohttp.ServerFingerprintMismatch(b"", b"", "h", 1), False),
    (aiohttp.InvalidURL("x"), False),
    (aiohttp.TooManyRedirects(None, ()), False),  # type: ignore[arg-type]
    (asyncio.CancelledError(), False),
    (KeyboardInterrupt(), False),
    (ValueError(), False),
    (OSError(), False),
]


def no_retry(way: str) -> dict[str, Any]:
    """Return the option that leaves retries to somebody else."""
    return {"retry": None} if way == "session" else {}


async def outcome_of(session: ClientSession, api: Api) -> object:
    """Return the response or the error of one call."""
    try:
        return await session.post(api.url, headers=bearer("k"), json={})
    except aiohttp.ClientError as caught:
        return caught


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("reply", "expected"), VERDICTS)
async def test_what_a_call_brings(
    api: Api, make_session: SessionFactory, way: str, raises: bool, reply: Reply, expected: bool
) -> None:
    """Response or error, unread: the verdict of the session counts, not the status."""
    # Behind a middleware aiohttp makes the error itself, without the body; see the next test.
    raising = raise_for_status if raises and way == "middleware" else raises
    session = await make_session(way, options=no_retry(way), raise_for_status=raising)
    api.answers["k"] = reply

    assert should_retry(await outcome_of(session, api)) is expected
    assert should_retry(await outcome_of(session, api)) is expected  # remembered, if permanent


@pytest.mark.parametrize("reply", [SPENT, WINDOW, FORBIDDEN])
async def test_the_limit_of_a_middleware(
    api: Api, make_session: SessionFactory, reply: Reply
) -> None:
    """With aiohttp's own raise_for_status only a dead key is known; else the status decides."""
    session = await make_session("middleware", raise_for_status=True)
    api.answers["k"] = reply

    assert should_retry(await outcome_of(session, api)) is (reply is WINDOW)


@pytest.mark.parametrize("way", ["session", "middleware"])
async def test_a_remembered_answer(api: Api, make_session: SessionFactory, way: str) -> None:
    """It looks like a 429, or with spent_status like a 503, and is none that can be retried."""
    options = {"when_tripped": "respond", "spent_status": 503}
    session = await make_session(way, options=options)
    api.answers["k"] = SPENT
    for _ in range(2):
        response = await outcome_of(session, api)
        assert isinstance(response, aiohttp.ClientResponse)
        assert response.status == 503
        assert not should_retry(response)


@pytest.mark.parametrize("read", [False, True])
async def test_a_response_of_httpx(api: Api, read: bool) -> None:
    """Read, its body is looked at; unread, its status is all there is. So with its errors."""
    httpx = pytest.importorskip("httpx")
    api.answers.update(spent=SPENT, busy=BUSY)
    async with httpx.AsyncClient() as client:
        seen = []
        for key in ("spent", "busy"):
            async with client.stream("GET", str(api.url), headers=bearer(key)) as response:
                if read:
                    await response.aread()
                seen.append(should_retry(response))
                with pytest.raises(httpx.HTTPStatusError) as caught:
                    response.raise_for_status()
                seen.append(should_retry(caught.value))

    assert seen == [not read, not read, True, True]


async def test_errors_of_httpx() -> None:
    """A refused connection passes, an address without a scheme does not."""
    httpx = pytest.importorskip("httpx")
    async with httpx.AsyncClient(timeout=5) as client:
        with pytest.raises(httpx.ConnectError) as refused:
            await client.get("http://127.0.0.1:9/")
        with pytest.raises(httpx.UnsupportedProtocol) as wrong:
            await client.get("127.0.0.1")

    assert should_retry(refused.value)
    assert not should_retry(wrong.value)


@pytest.mark.parametrize(("reply", "expected"), VERDICTS)
async def test_a_response_of_a_plain_session_once_it_is_read(
    api: Api, reply: Reply, expected: bool
) -> None:
    """Nothing was learned from it, but the body that the caller has read is looked at."""
    api.answers["k"] = reply
    async with (
        ClientSession(headers=bearer("k")) as session,
        session.get(api.url) as response,
    ):
        await response.read()
        assert should_retry(response) is expected


@pytest.mark.parametrize(("reply", "expected"), VERDICTS[:-1])
async def test_an_error_with_its_body(api: Api, reply: Reply, expected: bool) -> None:
    """As our own raise_for_status makes it for a plain session."""
    api.answers["k"] = reply
    async with ClientSession(headers=bearer("k"), raise_for_status=raise_for_status) as session:
        with pytest.raises(ContentResponseError) as caught:
            await session.get(api.url)

    assert should_retry(caught.value) is expected


@pytest.mark.parametrize("status", range(400, 600))
async def test_an_error_without_a_body_goes_by_its_status(status: int) -> None:
    """As aiohttp's own raise_for_status makes it."""
    info = aiohttp.RequestInfo(aiohttp.client.URL("http://h/"), "GET", {}, None)  # type: ignore[arg-type]
    bare = aiohttp.ClientResponseError(info, (), status=status)

    assert should_retry(bare) is (status in STATUSES)


@pytest.mark.parametrize(("exception", "expected"), EXCEPTIONS)
def test_other_exceptions(exception: BaseException, expected: bool) -> None:
    """Lost connections and timeouts pass; certificates, bugs and the wish to stop do not."""
    assert should_retry(exception) is expected


@pytest.mark.parametrize("hint", ["true", "false"])
async def test_the_server_may_say_what_it_wants(api: Api, hint: str) -> None:
    """x-should-retry is obeyed, where the answer itself does not say that the key is dead."""
    headers = {"x-should-retry": hint}
    told = {"bare": Reply(409, b"", headers), "busy": Reply(503, b"", headers)}
    api.answers.update(told, spent=Reply(SPENT.status, SPENT.body, {**SPENT.headers, **headers}))
    async with ClientSession(raise_for_status=raise_for_status) as session:
        seen = {}
        for key in ("bare", "busy", "spent"):
            with pytest.raises(ContentResponseError) as caught:
                await session.get(api.url, headers=bearer(key))
            seen[key] = should_retry(caught.value)

    assert {"bare": hint == "true", "busy": hint == "true", "spent": False} == seen


async def test_the_cause_of_an_error_counts(api: Api, make_session: SessionFactory) -> None:
    """An SDK wraps errors in its own; what it wraps is found, and one no is enough."""
    session = await make_session()
    api.answers["k"] = SPENT
    dead = await outcome_of(session, api)
    assert isinstance(dead, PermanentEndpointError)

    def wrapped(inner: BaseException) -> BaseException:
        outer = RuntimeError("wrapped")
        outer.__cause__ = inner
        return outer

    timeout = TimeoutError()
    timeout.__cause__ = dead
    circle = RuntimeError()
    circle.__cause__ = wrapped(circle)

    assert not should_retry(wrapped(wrapped(dead)))
    assert should_retry(wrapped(wrapped(aiohttp.ServerDisconnectedError())))
    assert not should_retry(timeout)
    assert not should_retry(circle)


@pytest.mark.parametrize("value", [None, 0, "text", {"error": "x"}, object(), Exception])
def test_any_other_value_is_no_reason(value: object) -> None:
    """A predicate for results gets all kinds of them."""
    assert should_retry(value) is False


class Foreign:
    """A response of another library, as plain data."""

    def __init__(self, status: int, headers: dict[str, str], body: str) -> None:
        self.status_code = status
        self.headers = {name.lower(): text for name, text in headers.items()}
        self.content = body.encode("utf-8", "replace")


def test_every_real_answer_by_its_label() -> None:
    """Of the collection of answers those that pass are worth another attempt, and no others."""
    wrong = [
        one["id"]
        for one in answers()
        if sure(one) and one["status"] >= 400
        if should_retry(Foreign(one["status"], one["headers"], one["body"]))
        is not (one["label"] == VerdictKind.TRANSIENT)
    ]
    assert wrong == []
