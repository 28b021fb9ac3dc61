"""aiohttp_failfast.testing: the server, its answers, and what tests state with it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.error import HTTPError

import aiohttp
import pytest
from aiohttp import web
from answers import answers
from loopback import bearer, gather

import aiohttp_failfast
from aiohttp_failfast import FailFastSession, PermanentEndpointError, VerdictKind, classify
from aiohttp_failfast.testing import (
    ANSWERS,
    DeadKeyServer,
    NamedAnswer,
    assert_refused,
    assert_sent,
)

pytest_plugins = ["aiohttp_failfast.testing"]


async def fetch(session: aiohttp.ClientSession, url: str, **kwargs: Any) -> int:
    """Make one call; return the status of its answer."""
    async with session.get(url, **kwargs) as response:
        await response.read()
        return response.status


PERMANENT = [name for name, one in ANSWERS.items() if one.kind in ("quota", "auth")]


@pytest.mark.parametrize("name", ANSWERS)
def test_each_answer_is_a_real_one(name: str) -> None:
    """It stands in the collection as it was seen, and is judged as it says."""
    answer = ANSWERS[name]
    verdict = classify(answer.status, {}, answer.body.encode())

    assert verdict.kind == answer.kind
    if answer.kind is not VerdictKind.OK:
        (real,) = [one for one in answers() if one["body"] == answer.body][:1]
        assert (answer.status, answer.kind, answer.source) == (
            real["status"],
            real["label"],
            real["source"],
        )
        assert not real["doubt"]
        assert not real["partial"]
        assert not real["headers"]


def test_there_are_answers_of_every_kind() -> None:
    """So that a test can also show what must not stop a job."""
    assert {one.kind for one in ANSWERS.values()} == set(VerdictKind)
    assert len(PERMANENT) == 15
    assert len(ANSWERS) == 22


@pytest.mark.parametrize("name", PERMANENT)
async def test_every_dead_key_ends_a_job(dead_key_server: DeadKeyServer, name: str) -> None:
    """Each answer, on a real socket, costs one call; all others are refused."""
    dead_key_server.die(name)
    async with FailFastSession(headers=bearer("k"), watch_ok_bodies=True) as session:
        with suppress(PermanentEndpointError):  # Slack says so with a 200: the next call hears it
            await fetch(session, dead_key_server.url)
        with assert_refused(dead_key_server, kind=ANSWERS[name].kind):
            await session.get(dead_key_server.url)

    assert_sent(dead_key_server, 1)


async def test_a_key_dies_after_some_calls_and_recovers(dead_key_server: DeadKeyServer) -> None:
    """As in a job: it is good for so many calls; after a top-up it is good again."""
    server = dead_key_server
    server.die("openai-spent", after=3)
    async with FailFastSession(headers=bearer("k")) as session:
        for _ in range(3):
            assert await fetch(session, server.url) == 200
        for _ in range(5):
            with pytest.raises(PermanentEndpointError):
                await fetch(session, server.url)
        assert_sent(server, 4)

        server.recover()
        with assert_refused(server):
            await session.get(server.url)
        session.latch.reset()
        assert await fetch(session, server.url) == 200

    assert_sent(server, 5)


async def test_keys_die_one_by_one(dead_key_server: DeadKeyServer) -> None:
    """What one key is told leaves the others alone, wherever a request carries it."""
    server = dead_key_server
    server.die("openai-invalid", key="a")
    carried = {
        "a": {"headers": bearer("a")},
        "b": {"headers": bearer("b")},
        "c": {"headers": {"x-api-key": "c"}},
        "d": {"params": {"key": "d"}},
    }
    async with aiohttp.ClientSession() as session:
        for key, where in carried.items():
            expected = 401 if key == "a" else 200
            assert expected == await fetch(session, server.url, **where)
            assert_sent(server, 1, key=key)
        server.recover(key="a")
        assert await fetch(session, server.url, headers=bearer("a")) == 200

    assert {key: server.sent_by(key) for key in carried} == {"a": 2, "b": 1, "c": 1, "d": 1}
    assert "keys" not in repr(server.requests[0])


async def test_passing_trouble_comes_first(dead_key_server: DeadKeyServer) -> None:
    """Two overloads, then a good answer: what a retry loop has to live through."""
    dead_key_server.answer_next("overloaded", "rate-limited")
    policy = aiohttp_failfast.RetryPolicy(backoff_base=0)
    async with FailFastSession(headers=bearer("k"), retry=policy) as session:
        assert await fetch(session, dead_key_server.url) == 200

    assert_sent(dead_key_server, 3)


async def test_an_answer_of_ones_own(dead_key_server: DeadKeyServer) -> None:
    """With any status, body and headers."""
    busy = replace(ANSWERS["rate-limited"], headers=(("Retry-After", "0"), ("X-Mine", "1")))
    dead_key_server.answer_next(busy, busy)
    async with aiohttp.ClientSession() as session, session.get(dead_key_server.url) as response:
        assert response.headers["X-Mine"] == "1"
    async with FailFastSession(headers=bearer("k")) as session:
        assert await fetch(session, dead_key_server.url) == 200

    assert_sent(dead_key_server, 3)


async def test_a_server_that_stalls(dead_key_server: DeadKeyServer) -> None:
    """It keeps silent before the head or within the body, until it is told to go on."""
    async with aiohttp.ClientSession() as session:
        dead_key_server.stall()
        dead_key_server.stall()  # twice is once
        held = [asyncio.create_task(session.get(dead_key_server.url)) for _ in range(3)]
        await dead_key_server.wait_sent(3)
        await asyncio.sleep(0.05)
        assert not any(task.done() for task in held)
        dead_key_server.resume()
        for response in await gather(held):
            async with response:
                assert response.status == 200

        dead_key_server.stall("body")
        async with session.get(dead_key_server.url) as response:
            reading = asyncio.create_task(response.read())
            await asyncio.sleep(0.05)
            assert not reading.done()
            dead_key_server.resume()
            assert await reading == ANSWERS["ok"].body.encode()


async def test_a_stalled_error_body_cannot_hang_a_job(dead_key_server: DeadKeyServer) -> None:
    """The session waits body_timeout seconds for it, and judges the half that came."""
    dead_key_server.die()
    dead_key_server.stall("body")
    async with FailFastSession(headers=bearer("k"), body_timeout=0.1) as session:
        with pytest.raises(PermanentEndpointError, match="exceeded your current quota"):
            await asyncio.wait_for(session.get(dead_key_server.url), 5)

    assert_sent(dead_key_server, 1)


async def test_wait_sent_gives_up(dead_key_server: DeadKeyServer) -> None:
    """Calls that never come fail the test instead of hanging it."""
    with pytest.raises(AssertionError, match="0 of 1 calls came"):
        await dead_key_server.wait_sent(1, timeout=0.02)


def test_it_serves_clients_that_block(dead_key_server: DeadKeyServer) -> None:
    """It runs on a thread of its own; no event loop is needed."""
    assert dead_key_server.healthy is ANSWERS["ok"]
    dead_key_server.healthy = NamedAnswer("chat", 200, VerdictKind.OK, '{"choices": []}')
    with urllib.request.urlopen(dead_key_server.url, timeout=5) as response:
        assert json.load(response) == {"choices": []}
    dead_key_server.die("openrouter-spent")
    with pytest.raises(HTTPError, match="402") as caught:
        urllib.request.urlopen(f"{dead_key_server.url}/any/path", timeout=5)
    caught.value.close()

    assert_sent(dead_key_server, 2)
    dead_key_server.forget()
    assert_sent(dead_key_server, 0)


def test_it_ends_with_its_block() -> None:
    """Also with calls held: no thread and no open port is left."""
    with DeadKeyServer() as server:
        server.stall()
    alive = [one.name for one in threading.enumerate()]

    assert "dead-key-server" not in alive
    with pytest.raises(OSError):  # noqa: PT011 - which one depends on the platform
        urllib.request.urlopen(server.url, timeout=1)


def test_a_server_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no port is to be had the test fails; it does not hang."""

    async def start(site: web.TCPSite) -> None:
        raise OSError("no port")

    monkeypatch.setattr(web.TCPSite, "start", start)
    with pytest.raises(OSError, match="no port"), DeadKeyServer():
        pass


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda server: server.die("openai-dead"), "no answer is named 'openai-dead'; .*spent"),
        (lambda server: server.answer_next("nothing"), "no answer is named"),
        (lambda server: server.die(after=-1), "after must be"),
        (lambda server: server.stall("tail"), "part must be"),
    ],
)
def test_what_makes_no_sense_is_said(
    dead_key_server: DeadKeyServer, wrong: object, words: str
) -> None:
    """The message names what there is."""
    assert callable(wrong)
    with pytest.raises(ValueError, match=words):
        wrong(dead_key_server)


def fails(words: str) -> pytest.RaisesExc[AssertionError]:
    """State that a statement of a test fails, and how it says so."""
    return pytest.raises(AssertionError, match=words)


async def test_assert_refused_fails_where_it_must(dead_key_server: DeadKeyServer) -> None:
    """No error, another error, a call that was sent, another kind: each is told."""
    url = dead_key_server.url
    async with FailFastSession(headers=bearer("k")) as session:
        with fails("raised no PermanentEndpointError"), assert_refused():
            pass
        with fails("1 calls reached the server"), assert_refused(dead_key_server):
            await fetch(session, url)
        with pytest.raises(ZeroDivisionError), assert_refused():
            _ = 1 / 0
        dead_key_server.die("anthropic-low-credit")
        with fails("not refused, but sent"), assert_refused():
            await session.get(url)
        with fails("refused, but as quota, not auth"), assert_refused(kind="auth"):
            await session.get(url)
        with assert_refused(dead_key_server, kind="quota") as refused:
            await session.get(url)

    assert isinstance(refused.error, PermanentEndpointError)


async def test_assert_refused_takes_the_error_of_an_sdk(dead_key_server: DeadKeyServer) -> None:
    """Where it makes an error of its own from the remembered answer."""
    dead_key_server.die()
    async with FailFastSession(headers=bearer("k"), when_tripped="respond") as session:
        await fetch(session, dead_key_server.url)
        with assert_refused(dead_key_server, error=RuntimeError):
            raise RuntimeError(str(await fetch(session, dead_key_server.url)))


async def test_assert_sent_lists_what_came(dead_key_server: DeadKeyServer) -> None:
    """Exactly so many, or at most so many; the message helps to find the culprit."""
    async with aiohttp.ClientSession() as session:
        for number in range(12):
            await fetch(session, f"{dead_key_server.url}/{number}")

    assert_sent(dead_key_server, 12)
    assert_sent(dead_key_server, at_most=12)
    with pytest.raises(AssertionError, match=r"12 calls .*not 1\n  GET /v1/0(.|\n)*and 2 more"):
        assert_sent(dead_key_server, 1)
    with pytest.raises(AssertionError, match="not at most 11"):
        assert_sent(dead_key_server, at_most=11)
    with pytest.raises(TypeError, match="count or at_most"):
        assert_sent(dead_key_server)


def test_it_is_not_loaded_with_the_package() -> None:
    """Nor does it register itself with pytest: who wants it says so."""
    code = (
        "import sys, aiohttp_failfast; assert 'aiohttp_failfast.testing' not in sys.modules;"
        "from importlib.metadata import entry_points;"
        "print([e for e in entry_points(group='pytest11') if 'failfast' in e.value])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
