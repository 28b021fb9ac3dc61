"""Foreign retry loops over a dead key: what the recipes do, and what a set-up without them costs.

All with the real libraries, on real sockets; only the waits are cut short, and counted.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession
from loopback import bearer
from samples import DOCS, KEY, block_of, blocks, run

from aiohttp_failfast import FailFastSession, PermanentEndpointError
from aiohttp_failfast.testing import DeadKeyServer, assert_sent

pytest_plugins = ["aiohttp_failfast.testing"]

PAGE = "howto-retry-libraries.md"
LIBRARIES = ["tenacity", "stamina", "backoff", "aiohttp_retry", "httpx_retries"]
_sleep = asyncio.sleep


@dataclass
class Sleeps:
    """The waits that retry libraries asked for."""

    seconds: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.seconds)


@pytest.fixture
def sleeps(monkeypatch: pytest.MonkeyPatch) -> Sleeps:
    """Count the waits of the libraries, and cut them short."""
    counted = Sleeps()

    def sleep(delay: float, result: Any = None) -> Any:
        name = sys._getframe(1).f_globals["__name__"].partition(".")[0]
        if name not in LIBRARIES:
            return _sleep(delay, result)
        counted.seconds.append(delay)
        return _sleep(0, result)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return counted


@pytest.fixture(params=LIBRARIES)
def recipe(request: pytest.FixtureRequest) -> tuple[int, str]:
    """Each recipe of the page, skipped where its library is not installed."""
    pytest.importorskip(request.param)
    if request.param == "httpx_retries":
        pytest.importorskip("httpx_aiohttp")
    name = request.param
    return block_of(PAGE, f"import {name}" if name in {"stamina", "backoff"} else f"from {name} ")


def test_every_library_has_a_recipe() -> None:
    """One block each, and no block that no test runs."""
    assert len(blocks(PAGE)) == len(LIBRARIES)


async def test_a_recipe_with_a_good_key(
    recipe: tuple[int, str],
    dead_key_server: DeadKeyServer,
    sleeps: Sleeps,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It makes one call and prints the answer."""
    await run(PAGE, recipe, dead_key_server.url)

    assert capsys.readouterr().out == "{'ok': True}\n"
    assert_sent(dead_key_server, 1, key=KEY)
    assert len(sleeps) == 0


async def test_a_recipe_lives_through_passing_trouble(
    recipe: tuple[int, str],
    dead_key_server: DeadKeyServer,
    sleeps: Sleeps,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A rate limit and an overload are retried, each after a wait; then it is answered."""
    dead_key_server.answer_next("rate-limited", "overloaded", "rate-limited")

    await run(PAGE, recipe, dead_key_server.url)

    assert capsys.readouterr().out == "{'ok': True}\n"
    assert_sent(dead_key_server, 4)
    assert len(sleeps) == 3


@pytest.mark.parametrize("answer", ["openai-spent", "openai-invalid", "anthropic-low-credit"])
async def test_a_recipe_never_retries_a_dead_key(
    recipe: tuple[int, str], dead_key_server: DeadKeyServer, sleeps: Sleeps, answer: str
) -> None:
    """One call reaches the server, nothing sleeps, and the first error comes out."""
    dead_key_server.die(answer)

    with pytest.raises(Exception, match=r"40\d|429") as caught:
        await run(PAGE, recipe, dead_key_server.url)
    ask = caught.value.names["ask"]  # type: ignore[attr-defined]
    assert (
        isinstance(caught.value, PermanentEndpointError) or "httpx" in type(caught.value).__module__
    )

    assert_sent(dead_key_server, 1)
    async with FailFastSession(headers=bearer("k"), retry=None) as session:
        for _ in range(3):
            with pytest.raises(type(caught.value)):
                await ask(session, {})
    assert len(sleeps) == 0
    assert_sent(dead_key_server, 2)


@pytest.mark.parametrize("answer", ["gemini-daily-window", "no-such-model", "forbidden"])
async def test_a_recipe_hands_over_what_no_retry_can_help(
    recipe: tuple[int, str], dead_key_server: DeadKeyServer, sleeps: Sleeps, answer: str
) -> None:
    """Also where the latch does not trip: one call, no wait."""
    dead_key_server.answer_next(answer)

    with pytest.raises(Exception, match=r"40\d|429"):
        await run(PAGE, recipe, dead_key_server.url)

    assert_sent(dead_key_server, 1)
    assert len(sleeps) == 0


Ask = Callable[[ClientSession, str], Any]


async def post(session: ClientSession, url: str) -> None:
    """Make one call, as a program would that knows nothing of us."""
    async with session.post(url, json={}) as response:
        response.raise_for_status()


def with_tenacity(**options: Any) -> Ask:
    """Five attempts."""
    tenacity = pytest.importorskip("tenacity")
    wait = tenacity.wait_random_exponential(max=60)
    if options.pop("client_errors", False):
        options["retry"] = tenacity.retry_if_exception_type(aiohttp.ClientError)
    return tenacity.retry(stop=tenacity.stop_after_attempt(5), wait=wait, **options)(post)


def with_stamina() -> Ask:
    """Five attempts."""
    stamina = pytest.importorskip("stamina")
    return stamina.retry(on=aiohttp.ClientError, attempts=5)(post)


def with_backoff() -> Ask:
    """Five attempts."""
    backoff = pytest.importorskip("backoff")
    return backoff.on_exception(backoff.expo, aiohttp.ClientError, max_tries=5)(post)


def with_aiohttp_retry(**options: Any) -> Ask:
    """Five attempts."""
    library = pytest.importorskip("aiohttp_retry")

    async def ask(session: ClientSession, url: str) -> None:
        how = library.ExponentialRetry(attempts=5, **options)
        async with library.RetryClient(session, retry_options=how).post(url, json={}) as response:
            response.raise_for_status()

    return ask


def with_httpx_retries(method: str = "POST", **options: Any) -> Ask:
    """Four retries unless the defaults are asked for."""
    httpx = pytest.importorskip("httpx")
    transports = pytest.importorskip("httpx_aiohttp")
    library = pytest.importorskip("httpx_retries")

    async def ask(session: ClientSession, url: str) -> None:
        inner = transports.AiohttpTransport(client=session)
        transport = library.RetryTransport(inner, retry=library.Retry(**options))
        client = httpx.AsyncClient(transport=transport, headers=bearer("k"))
        (await client.request(method, url)).raise_for_status()

    return ask


POSTS = {"total": 4, "backoff_factor": 0.5, "allowed_methods": ["POST"]}
WITHOUT: dict[str, tuple[Callable[[], Ask], dict[str, Any], int]] = {
    "tenacity": (with_tenacity, {}, 4),
    "tenacity, client errors": (lambda: with_tenacity(client_errors=True), {}, 4),
    "stamina": (with_stamina, {}, 4),
    "backoff": (with_backoff, {}, 4),
    "aiohttp-retry, exceptions": (
        lambda: with_aiohttp_retry(exceptions={aiohttp.ClientError}),
        {},
        4,
    ),
    "aiohttp-retry, defaults": (with_aiohttp_retry, {}, 0),
    "aiohttp-retry, statuses": (lambda: with_aiohttp_retry(statuses={429}), {}, 0),
    "httpx-retries, defaults": (lambda: with_httpx_retries("GET"), {}, 10),
    "httpx-retries, POST": (lambda: with_httpx_retries(**POSTS), {}, 4),
    "httpx-retries, 402": (lambda: with_httpx_retries(**POSTS), {"spent_status": 402}, 0),
    "httpx-retries, raise": (lambda: with_httpx_retries(**POSTS), {"when_tripped": "raise"}, 0),
}
"""What the page says of set-ups without the predicate: the sleeps of one refused call."""


def test_the_page_tells_these_numbers() -> None:
    """Row by row; what has no entry here is a recipe, and sleeps not at all."""
    text = (DOCS / PAGE).read_text("utf-8").partition("## What it spares")[2].partition("\n## ")[0]
    told = [int(row.split("|")[3]) for row in text.splitlines() if re.match(r"\|.*\| \d", row)]

    rows = ["tenacity", "", "stamina", "", "backoff", "", "aiohttp-retry, exceptions"]
    rows += ["aiohttp-retry, statuses", "", "httpx-retries, defaults", "httpx-retries, POST"]
    rows += ["httpx-retries, 402", ""]
    assert told == [WITHOUT[name][2] if name else 0 for name in rows]


@pytest.mark.parametrize("name", WITHOUT)
async def test_what_a_set_up_without_the_predicate_costs(
    dead_key_server: DeadKeyServer, sleeps: Sleeps, name: str
) -> None:
    """It sleeps as often as the page says, and still only one call in all reaches the server."""
    make, options, expected = WITHOUT[name]
    ask = make()
    dead_key_server.die("openai-spent")
    async with FailFastSession(headers=bearer("k"), retry=None, **options) as session:
        for _ in range(6):
            sleeps.seconds.clear()
            with pytest.raises(Exception):  # noqa: B017, PT011 - each has its own
                await ask(session, dead_key_server.url)
            assert len(sleeps) == expected

    assert_sent(dead_key_server, 1)
