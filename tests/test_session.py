"""What FailFastSession does beyond the other ways in: retries, and being a ClientSession."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

import aiohttp
import pytest
from aiohttp import ClientSession, ClientTimeout, web
from loopback import BUSY, FORBIDDEN, OK, SLOW_DOWN, SPENT, Api, Reply, bearer, error, gather
from ways import SessionFactory

from aiohttp_failfast import (
    ContentResponseError,
    FailFastSession,
    PermanentEndpointError,
    RetryPolicy,
    raise_for_status,
)
from aiohttp_failfast._classify import FALLBACK_OTHER
from aiohttp_failfast._retry import DEFAULT_STATUSES, NO_EVIDENCE

FAST = RetryPolicy(backoff_base=0.01, backoff_max=0.02)


async def fetch(session: ClientSession, api: Api, key: str, **kwargs: object) -> tuple[int, bytes]:
    """Send one call and read its answer."""
    async with session.post(api.url, headers=bearer(key), json={}, **kwargs) as response:
        return response.status, await response.read()


@pytest.mark.parametrize("status", sorted(DEFAULT_STATUSES))
async def test_transient_trouble_is_retried(
    api: Api, make_session: SessionFactory, status: int
) -> None:
    """Each retryable status is tried again, and the good answer is what the caller gets."""
    session = await make_session(options={"retry": FAST})
    trouble = error(status, "try again later")
    api.answers["k"] = [trouble, trouble, OK]

    assert (200, OK.body) == await fetch(session, api, "k")
    assert 3 == api.total


@pytest.mark.parametrize("attempts", [1, 2, 5])
async def test_attempts_are_counted_in_all(
    api: Api, make_session: SessionFactory, attempts: int
) -> None:
    """max_http_attempts counts the first one too; then the last answer is handed over."""
    policy = RetryPolicy(max_http_attempts=attempts, backoff_base=0.01, backoff_max=0.01)
    session = await make_session(options={"retry": policy})
    api.answers["k"] = BUSY

    assert (503, BUSY.body) == await fetch(session, api, "k")
    assert attempts == api.total
    assert not session.latch.tripped  # type: ignore[attr-defined]


async def test_no_retry_at_all(api: Api, make_session: SessionFactory) -> None:
    """``retry=None`` sends everything once."""
    session = await make_session(options={"retry": None})
    api.answers["k"] = BUSY

    assert 503 == (await fetch(session, api, "k"))[0]
    assert 1 == api.total


@pytest.mark.parametrize("raises", [True, raise_for_status])
async def test_the_last_answer_is_raised_with_its_body(
    api: Api, make_session: SessionFactory, raises: object
) -> None:
    """Where raise_for_status is on, the error of the last attempt carries the body."""
    session = await make_session(options={"retry": FAST}, raise_for_status=raises)
    api.answers["k"] = BUSY

    with pytest.raises(aiohttp.ClientResponseError) as caught:
        await fetch(session, api, "k")

    assert 3 == api.total
    assert isinstance(caught.value, ContentResponseError)
    assert (503, BUSY.body) == (caught.value.status, caught.value.response_content)


async def test_a_callable_of_the_user_decides_at_the_end(
    api: Api, make_session: SessionFactory
) -> None:
    """The user's raise_for_status callable sees the last answer only, and can read it."""
    seen: list[tuple[int, bytes]] = []

    async def look(response: aiohttp.ClientResponse) -> None:
        seen.append((response.status, await response.read()))

    session = await make_session(options={"retry": FAST}, raise_for_status=look)
    api.answers["k"] = [BUSY, BUSY, FORBIDDEN]

    assert (403, FORBIDDEN.body) == await fetch(session, api, "k")
    assert [(403, FORBIDDEN.body)] == seen


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Retry-After", "0.3"),
        ("retry-after-ms", "300"),
        ("Retry-After", "date"),
    ],
)
async def test_a_stated_wait_is_obeyed(
    api: Api, make_session: SessionFactory, header: str, value: str
) -> None:
    """Retry-After in seconds or as a date, and retry-after-ms, are waited for."""
    if value == "date":
        value = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=2), usegmt=True)
    session = await make_session(options={"retry": FAST})
    api.answers["k"] = [error(503, "wait", headers={header: value}), OK]
    started = time.monotonic()

    assert 200 == (await fetch(session, api, "k"))[0]
    assert 0.28 <= time.monotonic() - started < 5


async def test_too_long_a_wait_hands_the_answer_over(
    api: Api, make_session: SessionFactory
) -> None:
    """A Retry-After beyond the policy's longest wait ends the retries at once."""
    session = await make_session(options={"retry": RetryPolicy(max_retry_after=5)})
    api.answers["k"] = error(503, "later", headers={"Retry-After": "6"})

    assert 503 == (await asyncio.wait_for(fetch(session, api, "k"), 2))[0]
    assert 1 == api.total


@pytest.mark.parametrize(("hint", "sent"), [("false", 1), ("true", 3)])
async def test_x_should_retry_is_obeyed(
    api: Api, make_session: SessionFactory, hint: str, sent: int
) -> None:
    """The server's own word on retries goes before the table of statuses."""
    session = await make_session(options={"retry": FAST})
    status = 503 if hint == "false" else 409
    api.answers["k"] = error(status, "conflict", headers={"x-should-retry": hint})

    assert status == (await fetch(session, api, "k"))[0]
    assert sent == api.total


async def test_a_status_of_ones_own_is_retried(api: Api, make_session: SessionFactory) -> None:
    """Statuses such as 404 can be added; an answer with evidence against it is not retried."""
    policy = RetryPolicy(statuses={404, 503}, backoff_base=0.01)
    session = await make_session(options={"retry": policy})
    api.answers["k"] = [Reply(404, b""), OK]

    assert 200 == (await fetch(session, api, "k"))[0]
    assert FALLBACK_OTHER == NO_EVIDENCE


async def test_only_the_methods_named_are_retried(api: Api, make_session: SessionFactory) -> None:
    """With ``methods`` others are sent once."""
    session = await make_session(options={"retry": RetryPolicy(methods={"get"})})
    api.answers["k"] = BUSY

    assert 503 == (await fetch(session, api, "k"))[0]
    assert 1 == api.total


async def test_a_retried_answer_gives_its_connection_back(
    api: Api, make_session: SessionFactory
) -> None:
    """With one connection and 4 MiB of error body a retry does not wait for itself."""
    connector = aiohttp.TCPConnector(limit=1)
    session = await make_session(options={"retry": FAST}, connector=connector)
    api.answers["k"] = [Reply(503, b"x" * 2**22), OK]

    assert 200 == (await asyncio.wait_for(fetch(session, api, "k"), 10))[0]
    assert not connector._acquired


async def test_each_attempt_has_its_own_timeout(api: Api, make_session: SessionFactory) -> None:
    """ClientTimeout.total runs anew for each attempt, and not during the wait between them."""
    session = await make_session(options={"retry": FAST}, timeout=ClientTimeout(total=0.6))
    api.delay = 0.25
    api.answers["k"] = [BUSY, error(503, "wait", headers={"Retry-After": "0.4"}), OK]

    assert 200 == (await fetch(session, api, "k"))[0]
    api.delay = 2
    with pytest.raises(TimeoutError if sys.version_info >= (3, 11) else asyncio.TimeoutError):
        await fetch(session, api, "k")


async def test_sleepers_wake_when_the_key_dies(api: Api, make_session: SessionFactory) -> None:
    """Calls asleep for 30 s end within a second of the trip, and never touch the wire again."""
    session = await make_session()
    slow = error(429, "Rate limit reached: requests per minute", headers={"Retry-After": "30"})
    api.answers["k"] = [slow] * 20 + [SPENT]  # type: ignore[list-item]
    sleepers = [asyncio.create_task(fetch(session, api, "k")) for _ in range(20)]
    await api.wait_for(20)
    await asyncio.sleep(0.1)

    started = time.monotonic()
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")
    results = await gather(sleepers, timeout=5)

    assert 1 > time.monotonic() - started
    assert {PermanentEndpointError: 20} == Counter(map(type, results))
    assert all(result.sent for result in results)
    assert 21 == api.total
    stats = session.latch.stats  # type: ignore[attr-defined]
    assert 20 == stats.retries_stopped
    assert 20 * 25 < stats.seconds_saved < 20 * 34


async def test_a_spent_key_is_never_retried(api: Api, make_session: SessionFactory) -> None:
    """A 429 that is decisive is sent once, although 429 is a retryable status."""
    session = await make_session()
    api.answers["k"] = SPENT

    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")
    assert 1 == api.total


async def test_a_subclass_of_the_session_works(api: Api, recwarn: pytest.WarningsRecorder) -> None:
    """Users subclass it as they do ClientSession, with attributes of their own."""

    class Mine(FailFastSession):
        def __init__(self, **kwargs: object) -> None:
            super().__init__(**kwargs)  # type: ignore[arg-type]
            self.calls = 0

        async def _request(self, *args: object, **kwargs: object) -> aiohttp.ClientResponse:
            self.calls += 1
            return await super()._request(*args, **kwargs)  # type: ignore[arg-type]

    api.answers["k"] = SPENT
    async with Mine() as session:
        with pytest.raises(PermanentEndpointError):
            await fetch(session, api, "k")
        assert 1 == session.calls
        assert isinstance(session, ClientSession)
    assert not recwarn.list


CLEAN = """
import asyncio, aiohttp
from aiohttp_failfast import *
class Mine(FailFastSession):
    def __init__(self):
        super().__init__(retry=None)
        self.mine = 1
async def main():
    for make in (FailFastSession, Mine):
        async with make() as session:
            try:
                await session.get("http://127.0.0.1:1/")
            except aiohttp.ClientConnectorError:
                pass
    async with aiohttp.ClientSession(middlewares=[FailFastMiddleware()]) as session:
        attach(session)
        try:
            await session.get("http://127.0.0.1:1/")
        except aiohttp.ClientConnectorError:
            print("done")
asyncio.run(main())
"""


@pytest.mark.parametrize("debug", ["", "1"])
def test_no_warning_at_import_or_use(tmp_path: Path, debug: str) -> None:
    """Import, subclass and use are silent with warnings as errors, also in asyncio's debug mode."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", CLEAN],
        env={"PYTHONASYNCIODEBUG": debug, "PATH": ""},
        cwd=tmp_path,  # not the checkout: the installed package is meant
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ("done\n", "", 0) == (ran.stdout, ran.stderr, ran.returncode)


async def test_arguments_of_client_session_are_taken(api: Api) -> None:
    """base_url, headers, json_serialize, cookies, trace_configs, ... do what they do in aiohttp."""
    started: list[str] = []
    trace = aiohttp.TraceConfig()

    async def on_start(session: ClientSession, ctx: object, params: object) -> None:
        started.append(params.method)  # type: ignore[attr-defined]

    trace.on_request_start.append(on_start)
    async with FailFastSession(
        api.url.origin(),
        headers=bearer("k"),
        cookies={"a": "b"},
        json_serialize=lambda value: json.dumps({"wrapped": value}),
        trace_configs=[trace],
        raise_for_status=False,
        retry=FAST,
    ) as session:

        async def look(request: web.Request) -> Reply:
            assert "b" == request.cookies["a"]
            return OK

        api.answers["k"] = [BUSY, look]
        async with session.post("/v1", json=1) as response:
            assert 200 == response.status

    assert [b'{"wrapped": 1}'] * 2 == api.bodies
    assert ["POST"] * 2 == started


async def test_rate_limits_are_retried_like_overload(
    api: Api, make_session: SessionFactory
) -> None:
    """A per-minute 429 is transient: the call succeeds when the limit has passed."""
    session = await make_session(options={"retry": FAST})
    api.answers["k"] = [SLOW_DOWN, SLOW_DOWN, OK]

    assert 200 == (await fetch(session, api, "k"))[0]
    assert not session.latch.tripped  # type: ignore[attr-defined]


async def test_a_cancelled_call_ends_in_its_backoff(api: Api, make_session: SessionFactory) -> None:
    """Cancelling a call that sleeps ends it at once and leaves nothing behind."""
    session = await make_session()
    api.answers["k"] = error(503, "wait", headers={"Retry-After": "30"})
    task = asyncio.create_task(fetch(session, api, "k"))
    await api.wait_for(1)
    await asyncio.sleep(0.05)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 1)

    latch = session.latch  # type: ignore[attr-defined]
    assert 0 == len(latch._sleepers)
    assert 0 == latch.stats.retries_stopped
