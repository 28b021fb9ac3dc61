"""A key that goes in never comes out: not in an error, a record, a log or a pickle of them."""

from __future__ import annotations

import base64
import copy
import json
import logging
import pickle
import traceback
import warnings
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import BasicAuth, ClientResponseError, CookieJar
from rawserver import WAYS, Answer, RawServer, SessionFactory, framed, head, plain, serving
from yarl import URL

from aiohttp_failfast import (
    ContentResponseError,
    Latch,
    PermanentEndpointError,
    Trip,
    Verdict,
    VerdictKind,
    raise_for_status,
)
from aiohttp_failfast._credential import CREDENTIAL_HEADERS, CREDENTIAL_PARAMETERS

# Shaped like no known key, so that only what the request carried gives it away.
KEY = 'Sesame-0815/open"me+now%41=='
BASIC = base64.b64encode(f"user:{KEY}".encode()).decode()
BASIC_AS_USER = base64.b64encode(f"{KEY}:".encode()).decode()
NEEDLES = [
    KEY,
    quote(KEY, safe=""),
    quote(KEY),
    json.dumps(KEY)[1:-1],
    BASIC,
    BASIC_AS_USER,
    "Sesame-0815",
]


def _auth(user: str, password: str) -> BasicAuth:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # aiohttp 3.14 wants a header instead
        return BasicAuth(user, password)


CARRIERS: dict[str, dict[str, Any]] = {
    **{f"header {name}": {"headers": {name: KEY}} for name in sorted(CREDENTIAL_HEADERS)},
    "header Authorization Bearer": {"headers": {"Authorization": f"Bearer {KEY}"}},
    "header Authorization Token": {"headers": {"Authorization": f"Token {KEY}"}},
    "header Authorization Basic": {"headers": {"Authorization": f"Basic {BASIC}"}},
    "header Proxy-Authorization": {"headers": {"Proxy-Authorization": f"Basic {BASIC}"}},
    **{f"query {name}": {"params": {name: KEY}} for name in sorted(CREDENTIAL_PARAMETERS)},
    "query Signature": {"params": {"X-Amz-Signature": KEY}},
    "auth": {"auth": _auth("user", KEY)},
    "auth as user": {"auth": _auth(KEY, "")},
    "userinfo": {"userinfo": ("user", KEY)},
    "userinfo as user": {"userinfo": (KEY, None)},
    "cookies": {"headers": {"Cookie": f'theme=dark; session="{quote(KEY)}"'}},
}


FEW = ["header Authorization Bearer", "auth", "query key", "cookies"]
CASES = [(way, carrier) for way in WAYS for carrier in (CARRIERS if way == "session" else FEW)]


def echoing(status: int, code: str, carrier: str = "") -> bytes:
    """Return an answer that shows the key wherever it can, as it was sent or spelled anew."""
    basic = ""
    if "Basic" in carrier or carrier.startswith(("auth", "userinfo", "header Proxy")):
        pair = f"{KEY}:" if carrier.endswith("as user") else f"user:{KEY}"
        basic = base64.b64encode(pair.encode()).decode()
    in_json = json.dumps(f"Incorrect API key provided: {KEY} {basic}.")
    body = f'{{"error": {{"code": "{code}", "message": {in_json}}}, "seen": "{quote(KEY)}"}}'
    return plain(
        status,
        f"{body}\n<p>{KEY}</p> key={quote(KEY, safe='')} Basic {basic}".encode(),
        f"Set-Cookie: session={KEY}; Path=/",
        f"X-Echo: you sent {KEY}",
        f"X-Echo: you sent {quote(KEY, safe='')}",
        f"WWW-Authenticate: Basic {basic}",
        f"Location: https://example.com/?key={quote(KEY, safe='')}",
        f"Authorization: {KEY}",
        reason=f"Wrong key {KEY}",
    )


async def call(session: Any, raw: RawServer, carrier: str, **more: Any) -> None:
    """Send a request that carries the key in one place."""
    given = dict(CARRIERS[carrier])
    user, password = given.pop("userinfo", (None, None))
    url = raw.url.with_user(user).with_password(password) if user else raw.url
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        await session.post(url, json={"prompt": "hello"}, **given, **more)


def leaks(**shown: object) -> list[str]:
    """Return which of the things show the key, and how."""
    found = []
    for name, thing in shown.items():
        content = thing if isinstance(thing, bytes) else str(thing).encode("utf-8", "replace")
        spelled = [needle for needle in NEEDLES if needle.encode() in content]
        found += [f"{name}: {spelled}"] if spelled else []
    return found


def leaks_of(error: ClientResponseError) -> list[str]:
    """Look into everything that an error shows, and that may be kept of it."""
    twin = copy.deepcopy(error)
    return leaks(
        str=error,
        repr=repr(error),
        args=repr(error.args),
        message=error.message,
        request_info=repr(error.request_info),
        url=error.request_info.url,
        real_url=error.request_info.real_url,
        request_headers=list(error.request_info.headers.items()),
        headers=list((error.headers or {}).items()),
        content=getattr(error, "response_content", b""),
        verdict=repr(getattr(error, "verdict", None)),
        endpoint=repr(getattr(error, "endpoint", None)),
        state=repr(vars(error)),
        twin=repr(twin) + str(twin) + repr(vars(twin)),
        traceback="".join(traceback.format_exception(type(error), error, None)),
        **{f"pickle {number}": pickle.dumps(error, number) for number in (0, 2, 4, 5)},
    )


def test_the_search_finds_what_it_looks_for() -> None:
    """Otherwise all that follows would mean nothing."""
    assert leaks(a=KEY, b=quote(KEY, safe="").encode(), c="nothing", d=BASIC) == [
        f"a: {[KEY, 'Sesame-0815']}",
        f"b: {[quote(KEY, safe=''), 'Sesame-0815']}",
        f"d: {[BASIC]}",
    ]
    pickled = pickle.dumps({"a": KEY}, 0)
    assert leaks(a=pickled)


@pytest.mark.parametrize(("way", "carrier"), CASES)
async def test_a_dead_key_is_shown_nowhere(
    carrier: str, way: str, make_session: SessionFactory, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither by the call that was answered nor by one that was refused."""
    caplog.set_level(logging.DEBUG)
    told: list[Trip] = []
    latch = Latch()
    async with serving(echoing(401, "invalid_api_key", carrier)) as raw:
        # By origin, because some of these name no caller: a cookie, a signature, a proxy's key.
        options = {"on_trip": told.append, "scope": "origin"}
        session = await make_session(way, latch=latch, options=options)
        for sent in (True, False):
            with pytest.raises(PermanentEndpointError) as caught:
                await call(session, raw, carrier)
            error = caught.value
            assert error.sent is sent
            assert leaks_of(error) == []
            # What is not secret is still there to read.
            assert error.verdict.code == "invalid_api_key"
            assert error.verdict.message.startswith("Incorrect API key provided")
            assert error.request_info.headers["Content-Type"] == "application/json"
        assert raw.hits == 1
        sent_headers = raw.seen[0].headers.values()
        assert leaks(sent=[raw.seen[0].target, *sent_headers])  # the key was really sent

    [trip] = latch.trips
    assert told == [trip]
    assert "this key is not valid" in caplog.text
    assert (
        leaks(
            log=caplog.text,
            records=[vars(record) for record in caplog.records],
            latch=repr(latch),
            stats=latch.stats,
            trip=repr(trip),
            facts=vars(trip),
            told=trip.explain(),
            pickle=pickle.dumps(trip),
            found=latch.find(trip.endpoint),
        )
        == []
    )


@pytest.mark.parametrize("raiser", [True, raise_for_status], ids=["True", "raise_for_status"])
@pytest.mark.parametrize(("way", "carrier"), CASES)
async def test_an_ordinary_error_shows_no_key_either(
    carrier: str,
    way: str,
    raiser: Any,
    make_session: SessionFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Where the session raises for status and the answer says nothing of the key."""
    caplog.set_level(logging.DEBUG)
    async with serving(echoing(404, "model_not_found", carrier)) as raw:
        session = await make_session(way, raise_for_status=raiser)
        with pytest.raises(ClientResponseError) as caught:
            await call(session, raw, carrier)

    error = caught.value
    if not isinstance(error, ContentResponseError):
        # aiohttp raised it by itself: that is its own, and ours is only to add nothing.
        assert way == "middleware"
        assert raiser is True
        return
    assert leaks_of(error) == []
    assert b"model_not_found" in error.response_content
    assert leaks(log=caplog.text) == []


async def test_a_key_from_the_cookie_jar_is_shown_nowhere(make_session: SessionFactory) -> None:
    """Cookies of the session are credentials too."""
    async with serving(echoing(401, "invalid_api_key")) as raw:
        jar = CookieJar(unsafe=True)
        session = await make_session(
            "session",
            options={"scope": "origin"},
            cookie_jar=jar,
            cookies={"session": "Sesame-0815"},
        )
        with pytest.raises(PermanentEndpointError) as caught:
            await session.get(raw.url)

        assert "Sesame-0815" in raw.seen[0].headers["cookie"]
        assert leaks(headers=caught.value.request_info.headers) == []


@pytest.mark.parametrize("way", WAYS)
async def test_a_key_that_a_limit_cuts_in_two_is_shown_nowhere(
    way: str, make_session: SessionFactory
) -> None:
    """Neither where the body is cut, nor where the message is."""
    message = f"{'Incorrect API key provided. ' * 17}Key was {KEY}, it seems."
    cut = message.index(KEY) + 12
    assert cut - 12 < 500 < cut + len(KEY) - 12
    body = json.dumps({"error": {"code": "invalid_api_key", "message": message}}).encode()
    key = {"Authorization": f"Bearer {KEY}"}
    for max_body in (body.index(b"Sesame") + 11, 64 * 1024):
        async with serving(framed("chunked", 401, body)) as raw:
            session = await make_session(way, options={"max_body": max_body, "classify": _dead})
            with pytest.raises(PermanentEndpointError) as caught:
                await session.get(raw.url, headers=key)

            assert leaks_of(caught.value) == []


def _dead(status: int, headers: Any, body: bytes, *, url: str | None) -> Verdict:
    return Verdict(VerdictKind.AUTH, message=body.decode()[:500], rule="mine")


async def test_a_redirect_is_told_without_the_key(make_session: SessionFactory) -> None:
    """The address where the answer came from may hold the key as well."""
    moved: Answer = head(307, f"Location: /v2/chat?key={quote(KEY, safe='')}", "Content-Length: 0")
    async with serving(moved, echoing(401, "invalid_api_key")) as raw:
        session = await make_session("session")
        with pytest.raises(PermanentEndpointError) as caught:
            await session.post(raw.url, headers={"x-api-key": KEY})

        assert raw.hits == 2
        assert caught.value.request_info.url.path == "/v2/chat"
        assert leaks_of(caught.value) == []


async def test_a_scope_that_names_the_key_shows_it_nowhere(make_session: SessionFactory) -> None:
    """The caller's own name for the endpoint may be the key itself."""
    latch = Latch()
    async with serving(echoing(401, "invalid_api_key")) as raw:
        session = await make_session("session", latch=latch, options={"scope": _key_itself})
        with pytest.raises(PermanentEndpointError) as caught:
            await session.get(raw.url, headers={"x-api-key": KEY})

        assert leaks_of(caught.value) == []
        assert leaks(latch=latch.trips) == []


def _key_itself(url: URL, headers: Any) -> str:
    return str(headers["x-api-key"])
