"""The errors: fresh, whole after any copy, and holding nothing that lives."""

from __future__ import annotations

import asyncio
import copy
import gc
import multiprocessing
import os
import pickle
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from aiohttp import ClientError, ClientResponseError, RequestInfo
from multidict import CIMultiDict, CIMultiDictProxy
from pickling import UserError, fail
from rawserver import WAYS, SessionFactory, plain, serving
from trips import DEAD, SPENT, trip_of
from yarl import URL

from aiohttp_failfast import (
    ContentResponseError,
    Latch,
    PermanentEndpointError,
    Verdict,
    VerdictKind,
    raise_for_status,
)

BODY = b'{"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}'
KEY = {"Authorization": "Bearer sk-test-0123456789abcdef"}

COPIES: dict[str, Callable[[Any], Any]] = {
    **{
        f"pickle {protocol}": lambda error, protocol=protocol: pickle.loads(
            pickle.dumps(error, protocol)
        )
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle of a pickle": lambda error: pickle.loads(
        pickle.dumps(pickle.loads(pickle.dumps(error)))
    ),
}


def facts(error: ClientResponseError) -> dict[str, Any]:
    """Return all that an error shows."""
    known = {
        name: getattr(error, name)
        for name in ("status", "message", "history", "response_content", "endpoint", "verdict")
        if hasattr(error, name)
    }
    for name in ("sent", "tripped_at", "resets_at", "job", "__notes__"):
        known[name] = getattr(error, name, None)
    headers: Any = error.headers
    info = error.request_info
    return known | {
        "headers": None if headers is None else list(headers.items()),
        "request_info": (info.url, info.method, list(info.headers.items()), info.real_url),
        "str": str(error),
        "repr": repr(error),
        "args": repr(error.args),
    }


async def caught_from(
    session_way: str, make_session: SessionFactory, latch: Latch | None = None
) -> PermanentEndpointError:
    """Return the error of a spent key, from the wire."""
    async with serving(plain(429, BODY, "X-Two: 1", "x-two: 2")) as raw:
        session = await make_session(session_way, latch=latch)
        with pytest.raises(PermanentEndpointError) as caught:
            await session.post(raw.url.with_query(page="1"), headers=KEY, json={"a": 1})
        assert raw.hits == 1
        return caught.value


@pytest.mark.parametrize("way", WAYS)
async def test_the_error_says_what_the_answer_said(way: str, make_session: SessionFactory) -> None:
    """As aiohttp's own error does, and with the body and the verdict."""
    error = await caught_from(way, make_session)

    assert isinstance(error, ClientResponseError)
    assert isinstance(error, ClientError)
    assert not isinstance(error, OSError)  # aiohttp itself retries or wraps those
    assert (error.status, error.message, error.history) == (429, "Error", ())
    assert error.headers is not None
    assert error.headers["X-TWO"] == "1"
    assert error.request_info.method == "POST"
    assert error.request_info.url.query == {"page": "1"}
    assert error.response_content == BODY
    assert error.verdict.kind is VerdictKind.QUOTA
    assert error.verdict.code == "insufficient_quota"
    assert error.sent
    assert error.tripped_at.tzinfo is timezone.utc
    assert error.resets_at is None
    assert "insufficient_quota" in str(error)
    assert "429" in str(error)
    assert "This call was answered so." in str(error)


def test_str_tells_a_person_what_to_do() -> None:
    """Whose key, what the provider says, since when, what now."""
    resets = datetime(2027, 1, 1, tzinfo=timezone.utc)
    windowed = Verdict(VerdictKind.WINDOWED, message="weekly limit", rule="w", resets_at=resets)

    assert str(PermanentEndpointError.from_trip(trip_of(), sent=False)) == (
        "https://api.example.com says that this key or its account is spent "
        "(HTTP 429 insufficient_quota): 'spent' [key 0123456789ab, rule row, "
        "since 2026-11-30T12:00:00Z]. Add credit or raise the limit and call latch.reset(), "
        "or use another key. This call was not sent."
    )
    told = str(PermanentEndpointError.from_trip(trip_of(verdict=windowed), sent=False))
    assert "It resets at 2027-01-01T00:00:00Z." in told
    custom = Verdict(VerdictKind.OTHER, rule="mine")
    assert "refused" in str(PermanentEndpointError.from_trip(trip_of(verdict=custom), sent=True))


def test_repr_is_short_and_names_the_essentials() -> None:
    """It stands in logs and in lists of results."""
    assert repr(PermanentEndpointError.from_trip(trip_of(), sent=False)) == (
        "<PermanentEndpointError quota status=429 "
        "endpoint='https://api.example.com (key 0123456789ab)' sent=False>"
    )


def test_a_thousand_refusals_are_a_thousand_objects() -> None:
    """No traceback grows, and no frame of a caller is kept."""
    latch = Latch()
    latch.trip(trip_of())
    depths = set()
    errors = []

    class Local:
        """Something large that a caller has."""

    locals_alive = []
    for _ in range(1000):
        large = Local()
        locals_alive.append(ref(large))
        try:
            latch.check(DEAD)
        except PermanentEndpointError as error:
            depths.add(len(traceback.extract_tb(error.__traceback__)))
            errors.append(error.with_traceback(None))
        del large

    assert depths == {2}
    assert len({id(error) for error in errors}) == 1000
    assert not any(alive() for alive in locals_alive)
    assert latch.stats.refused == 1000
    shared = {id(error.headers) for error in errors}
    assert len(shared) == 1  # what cannot change is made once


def test_the_latch_keeps_no_error() -> None:
    """It keeps facts; an error is the caller's own."""
    latch = Latch()
    latch.trip(trip_of())
    with pytest.raises(PermanentEndpointError) as caught:
        latch.check(DEAD)
    gone = ref(caught.value)
    del caught
    gc.collect()

    assert gone() is None


@pytest.mark.parametrize("way", WAYS)
async def test_an_error_holds_no_response_and_no_connection(
    way: str, make_session: SessionFactory
) -> None:
    """Kept for a report at the end, it keeps nothing open."""
    latch = Latch()
    error = await caught_from(way, make_session, latch)
    error.__traceback__ = error.__context__ = error.__cause__ = None
    # Whatever can be reached from the error and from the latch is plain data.
    seen: set[int] = set()
    ahead: list[Any] = [error.__dict__, error.args, *latch.trips]
    while ahead:
        thing = ahead.pop()
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen.add(id(thing))
        module = type(thing).__module__
        assert module.partition(".")[0] in {
            "builtins",
            "aiohttp",
            "aiohttp_failfast",
            "multidict",
            "yarl",
            "datetime",
            "propcache",
        }, thing
        if module.startswith("aiohttp."):
            assert isinstance(thing, RequestInfo), thing
        assert type(thing).__name__ not in {"module", "function", "frame", "traceback", "coroutine"}
        if type(thing).__name__ not in {"CIMultiDictProxy", "CIMultiDict", "URL", "VerdictKind"}:
            ahead += gc.get_referents(thing)


async def test_the_response_dies_with_its_call(make_session: SessionFactory) -> None:
    """Although the error lives on."""
    gone: list[Any] = []

    async def watching(request: Any, handler: Any) -> Any:
        response = await handler(request)
        gone.append(ref(response))
        return response

    async with serving(plain(429, BODY)) as raw:
        session = await make_session("session", middlewares=[watching])
        error = None
        try:
            await session.get(raw.url, headers=KEY)
        except PermanentEndpointError as caught:
            error = caught.with_traceback(None)
            error.__context__ = None
        await asyncio.sleep(0)
        gc.collect()

        assert error is not None
        assert [alive() for alive in gone] == [None]


@pytest.mark.parametrize("how", COPIES)
async def test_a_copy_says_all_that_the_original_says(
    how: str, make_session: SessionFactory
) -> None:
    """With the header proxies of a real answer, which aiohttp's own error cannot pickle."""
    error = await caught_from("session", make_session)
    with pytest.raises(TypeError):
        pickle.dumps(ClientResponseError(error.request_info, (), status=429, headers=error.headers))
    error.__dict__["__notes__"] = ["in chapter 7"]
    twin = COPIES[how](error)

    assert type(twin) is PermanentEndpointError
    assert twin is not error
    assert facts(twin) == facts(error)
    assert isinstance(twin.headers, CIMultiDictProxy)
    assert twin.headers.getall("x-two") == ["1", "2"]
    with pytest.raises(PermanentEndpointError):
        raise twin


@pytest.mark.parametrize("how", COPIES)
def test_a_users_subclass_is_copied_as_itself(how: str) -> None:
    """With its own attributes."""
    error = UserError.from_trip(trip_of(), sent=False)
    assert isinstance(error, UserError)
    error.job = "seven"
    twin = COPIES[how](error)

    assert type(twin) is UserError
    assert facts(twin) == facts(error)
    assert twin.job == "seven"


@pytest.mark.parametrize("how", COPIES)
def test_an_ordinary_error_is_copied_too(how: str) -> None:
    """Also one without headers, and one whose request went elsewhere in the end."""
    info = RequestInfo(
        URL("https://a.example/#f"), "GET", CIMultiDictProxy(CIMultiDict(a="1")), URL("https://b/")
    )
    error = ContentResponseError.of(info, status=404, message="no", headers=None, content=b"x")
    twin = COPIES[how](error)

    assert type(twin) is ContentResponseError
    assert facts(twin) == facts(error)
    assert twin.response_content == b"x"


@pytest.mark.parametrize("how", [name for name in COPIES if name != "deepcopy"])
def test_answers_in_the_history_are_not_pickled(how: str) -> None:
    """They are live responses; whoever raises the error may have put them there."""
    info = RequestInfo(URL("https://a/"), "GET", CIMultiDictProxy(CIMultiDict()), URL("https://a/"))
    live: Any = open  # stands for what cannot be pickled by value, and must not come along
    error = ContentResponseError(info, (live,), status=404)

    assert COPIES[how](error).history == ()


@pytest.mark.parametrize("how", COPIES)
def test_a_trip_is_copied_whole(how: str) -> None:
    """Also after errors were made of it."""
    trip = trip_of()
    PermanentEndpointError.from_trip(trip, sent=True)

    assert COPIES[how](trip) == trip
    assert PermanentEndpointError.from_trip(COPIES[how](trip), sent=True).status == 429


def test_a_deep_copy_shares_nothing_that_can_change() -> None:
    """Notes added to one are not notes of the other."""
    error = PermanentEndpointError.from_trip(trip_of(), sent=True)
    error.__dict__["__notes__"] = ["one"]
    twin = copy.deepcopy(error)
    twin.__dict__["__notes__"].append("two")

    assert error.__dict__["__notes__"] == ["one"]


def test_a_process_pool_hands_the_error_over_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a fresh interpreter; aiohttp's own error breaks such a pool's result."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).with_name("support")))
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        error = pool.submit(fail, "in chapter 7").exception(60)

    assert type(error) is UserError
    assert error.job.startswith("job of ")
    assert str(os.getpid()) not in error.job
    expected = UserError.from_trip(trip_of(), sent=True)
    expected.job = error.job
    expected.__dict__["__notes__"] = ["in chapter 7"]
    assert facts(error) == facts(expected)


async def test_an_error_of_an_ordinary_answer_from_the_wire_pickles(
    make_session: SessionFactory,
) -> None:
    """Raised where the session raises for status."""
    async with serving(plain(403, b"forbidden", "Set-Cookie: a=b", "X-Two: 1", "X-Two: 2")) as raw:
        session = await make_session("session", raise_for_status=raise_for_status)
        with pytest.raises(ContentResponseError) as caught:
            await session.get(raw.url, headers=KEY)
        twin = pickle.loads(pickle.dumps(caught.value))

        assert facts(twin) == facts(caught.value)
        assert twin.response_content == b"forbidden"
        assert twin.headers.getall("X-Two") == ["1", "2"]


def test_the_verdict_in_an_error_is_the_one_of_the_trip() -> None:
    """Nothing is made up on the way."""
    trip = trip_of()
    error = PermanentEndpointError.from_trip(trip, sent=True)

    assert error.verdict == SPENT
    assert error.endpoint == DEAD
    assert error.tripped_at == trip.tripped_at
