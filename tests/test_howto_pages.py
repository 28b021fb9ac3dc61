"""The samples of the how-to pages run as they stand, and do what the text around them says."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from loopback import bearer, gather
from samples import DOCS, KEY, block_of, blocks, run

from aiohttp_failfast import FailFastMiddleware, Latch, PermanentEndpointError
from aiohttp_failfast.testing import ANSWERS, DeadKeyServer, NamedAnswer, assert_sent

pytest_plugins = ["aiohttp_failfast.testing"]

ROOT = DOCS.parent
PAUSE, KEYS = "howto-pause-resume.md", "howto-several-keys.md"
METRICS, TESTING = "howto-metrics.md", "howto-testing.md"
CALLS_OF_A_JOB = 5
# Real windows last hours; these tell no time, and a blink.
WINDOW = ANSWERS["gemini-daily-window"]
NO_TIME, BLINK = (
    NamedAnswer("window", WINDOW.status, WINDOW.kind, WINDOW.body.replace('"22s"', told))
    for told in ('""', '"0.3s"')
)


async def run_job(session: aiohttp.ClientSession, url: str) -> None:
    """Make some calls, one after the other, as the samples' job."""
    for _ in range(CALLS_OF_A_JOB):
        async with session.post(url, json={}) as response:
            await response.read()


async def run_pause(server: DeadKeyServer, words: str, **names: Any) -> dict[str, Any]:
    """Run a block of the page on pausing, after its first one; minutes pass in a blink."""
    prelude, (line, source) = block_of(PAUSE, "import asyncio"), block_of(PAUSE, words)
    source = source.replace("every=60", "every=0.05").replace("longest=3600", "longest=0.1")
    begun = prelude[1].replace("https://api.openai.com/v1/models", f"{server.url}/models")
    names = await run(PAUSE, (prelude[0], begun), server.url, run_job=run_job, **names)
    return await asyncio.wait_for(run(PAUSE, (line, source), server.url, **names), 10)


def test_no_sample_is_left_out() -> None:
    """Each page's blocks are all run below; a new one must be added there."""
    pages = {page.name for page in DOCS.glob("howto-*.md")} & {PAUSE, KEYS, METRICS, TESTING}
    assert {page: len(blocks(page)) for page in pages} == {
        PAUSE: 7,
        KEYS: 5,
        METRICS: 3,
        TESTING: 2,
    }


async def test_waiting_for_a_top_up(
    dead_key_server: DeadKeyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The job is held, a person is told, and after the reset it goes on to its end."""
    dead_key_server.die(after=2)

    async def top_up() -> None:
        await asyncio.sleep(0.05)
        dead_key_server.recover()

    await run_pause(dead_key_server, "await top_up()", top_up=top_up)

    assert "paused: " in capsys.readouterr().out
    assert_sent(dead_key_server, CALLS_OF_A_JOB + 1, key=KEY)


async def test_a_probe_from_among_the_held_calls(dead_key_server: DeadKeyServer) -> None:
    """It finds out by itself that the key lives again."""
    dead_key_server.die(after=2)
    job = asyncio.create_task(run_pause(dead_key_server, "wait_timeout=24"))
    await dead_key_server.wait_sent(4)
    assert not job.done()
    dead_key_server.recover()

    await job

    assert dead_key_server.sent > CALLS_OF_A_JOB + 1


async def test_a_probe_of_ones_own(dead_key_server: DeadKeyServer) -> None:
    """Only the list of models is asked for while the key is dead."""
    dead_key_server.die(after=2)
    job = asyncio.create_task(run_pause(dead_key_server, "async def lives"))
    await dead_key_server.wait_sent(5)
    dead_key_server.recover()

    await job

    paths = [one.path for one in dead_key_server.requests]
    assert paths.count("/v1") == CALLS_OF_A_JOB + 1
    assert paths.count("/v1/models") >= 2


async def test_waiting_by_hand(
    dead_key_server: DeadKeyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """An item that failed is done again once the latch is clear."""
    done: list[int] = []
    latches: list[Latch] = []

    async def work(session: Any, item: int) -> None:
        latches[:] = [session.latch]
        async with session.get(dead_key_server.url) as response:
            await response.read()
        done.append(item)

    dead_key_server.die(after=2)
    job = asyncio.create_task(
        run_pause(dead_key_server, "for item in items", items=range(4), work=work)
    )
    await dead_key_server.wait_sent(3)
    await latches[0].wait_tripped()
    dead_key_server.recover()
    latches[0].reset()
    await job

    assert done == [0, 1, 2, 3]
    assert "waiting for a top-up: " in capsys.readouterr().out
    assert_sent(dead_key_server, 5)


async def test_a_window_that_ends_by_itself(dead_key_server: DeadKeyServer) -> None:
    """An answer that tells when is waited out, and its call sent again; else it is returned."""
    dead_key_server.answer_next(NO_TIME, BLINK)
    clock = asyncio.get_running_loop().time
    begun = clock()

    await run_pause(dead_key_server, 'windowed="trip"')

    assert clock() - begun > 0.25
    assert_sent(dead_key_server, CALLS_OF_A_JOB + 1)


async def test_watching_only(
    dead_key_server: DeadKeyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is refused; what would have been is told."""
    dead_key_server.die(after=2)

    await run_pause(dead_key_server, "shadow=True")

    assert_sent(dead_key_server, CALLS_OF_A_JOB)
    told = capsys.readouterr().out
    assert "2 calls would have been refused\n" in told
    assert "says that this key or its account is spent" in told


async def key_pool(*keys: str) -> Any:
    """Return a pool made from the class on the page."""
    prelude, block = block_of(KEYS, "from aiohttp import"), block_of(KEYS, "class KeyPool")
    names = await run(KEYS, prelude, "")
    return (await run(KEYS, block, "", **names))["KeyPool"](*keys)


def test_the_page_shows_the_example() -> None:
    """The class on the page is that of the example, and is no longer than promised."""
    (_, shown) = block_of(KEYS, "class KeyPool")
    example = (ROOT / "examples" / "key_pool.py").read_text("utf-8")

    assert shown.strip() == example.partition("# [pool\n")[2].partition("# pool]\n")[0].strip()
    assert shown.strip().count("\n") + 1 <= 20


def run_example(server: DeadKeyServer, *keys: str) -> subprocess.CompletedProcess[str]:
    """Run the example as a program."""
    return subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / "key_pool.py")],
        env={
            **os.environ,
            "API_BASE_URL": server.url.removesuffix("/v1"),
            "API_KEYS": ",".join(keys),
        },
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_example_moves_on_to_the_next_key(dead_key_server: DeadKeyServer) -> None:
    """One call per dead key in all; then the next key does the work."""
    dead_key_server.die(key="k1")
    dead_key_server.die("openai-invalid", key="k2", after=1)

    done = run_example(dead_key_server, "k1", "k2", "k3")

    assert (done.returncode, done.stdout) == (0, '200 {"ok": true}\n' * 3)
    assert [dead_key_server.sent_by(key) for key in ("k1", "k2", "k3")] == [1, 2, 2]


def test_the_example_with_no_key_left(dead_key_server: DeadKeyServer) -> None:
    """It ends with the error of the last one."""
    dead_key_server.die()

    done = run_example(dead_key_server, "k1", "k2")

    assert (done.returncode, done.stdout) == (1, "")
    assert "PermanentEndpointError" in done.stderr
    assert_sent(dead_key_server, 2)


async def test_the_pool_in_the_middle_of_a_job(dead_key_server: DeadKeyServer) -> None:
    """All calls that are under way when a key dies move on; every one is answered, once."""
    dead_key_server.die(key="k1", after=20)
    latch = Latch()
    guard = FailFastMiddleware(latch=latch, when_tripped="raise")
    connector = aiohttp.TCPConnector(limit=10)
    async with aiohttp.ClientSession(
        middlewares=[await key_pool("k1", "k2"), guard], connector=connector
    ) as session:

        async def call(number: int) -> int:
            async with session.post(dead_key_server.url, json=number) as response:
                return response.status

        assert await gather(call(number) for number in range(100)) == [200] * 100

    assert 21 <= dead_key_server.sent_by("k1") <= 20 + 10
    assert dead_key_server.sent_by("k2") == 80
    assert len(latch.trips) == 1


async def test_the_pool_never_sends_half_a_body(dead_key_server: DeadKeyServer) -> None:
    """A stream that the dead key has used up is not sent again, empty, with the next one."""
    dead_key_server.die(key="k1")

    async def stream() -> Any:
        yield b"once"

    guard = FailFastMiddleware(when_tripped="raise")
    async with aiohttp.ClientSession(middlewares=[await key_pool("k1", "k2"), guard]) as session:
        with pytest.raises(PermanentEndpointError):
            await session.post(dead_key_server.url, data=stream())
        async with session.post(dead_key_server.url, data=stream()) as response:
            assert response.status == 200  # known by now: nothing was read for k1

    assert [dead_key_server.sent_by(key) for key in ("k1", "k2")] == [1, 1]


async def test_the_pool_as_the_page_sets_it_up(dead_key_server: DeadKeyServer) -> None:
    """The job runs to its end on the second key."""
    dead_key_server.die(key="sk-first", after=2)
    names = await run(KEYS, block_of(KEYS, "from aiohttp import"), dead_key_server.url)
    names["KeyPool"] = type(await key_pool())
    names["run_job"] = run_job

    await run(KEYS, block_of(KEYS, "await run_job"), dead_key_server.url, **names)

    assert [dead_key_server.sent_by(key) for key in ("sk-first", "sk-second")] == [3, 3]


async def test_a_loop_around_the_call(
    dead_key_server: DeadKeyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same with FailFastSession, and its retries."""
    dead_key_server.die("openrouter-spent", key="sk-first")
    dead_key_server.answer_next("overloaded", key="sk-second")
    names = await run(KEYS, block_of(KEYS, "from aiohttp import"), dead_key_server.url)

    await run(KEYS, block_of(KEYS, "for key in keys"), dead_key_server.url, **names)

    assert capsys.readouterr().out == "{'ok': True}\n"
    assert [dead_key_server.sent_by(key) for key in ("sk-first", "sk-second")] == [1, 2]


async def test_keys_of_one_account_trip_together(dead_key_server: DeadKeyServer) -> None:
    """With the scope of the page the second key is refused unsent; a stranger is let through."""
    names = await run(KEYS, block_of(KEYS, "from aiohttp import"), dead_key_server.url)
    names = await run(KEYS, block_of(KEYS, "def account_of"), dead_key_server.url, **names)
    dead_key_server.die()
    async with names["session"] as session:
        for key in ("sk-first", "sk-second"):
            with pytest.raises(PermanentEndpointError):
                await session.get(dead_key_server.url, headers=bearer(key))
        async with session.get(dead_key_server.url, headers=bearer("sk-other")) as response:
            assert response.status == 429

    assert_sent(dead_key_server, 1, key="sk-first")
    assert_sent(dead_key_server, 0, key="sk-second")


@pytest.mark.parametrize("words", ["**instrument()", "Metrics()"])
async def test_metrics_by_opentelemetry(dead_key_server: DeadKeyServer, words: str) -> None:
    """The samples run as they stand; what they count is tested with the module."""
    pytest.importorskip("opentelemetry.metrics")
    dead_key_server.die(after=2)
    with pytest.raises(PermanentEndpointError):
        await run(METRICS, block_of(METRICS, words), dead_key_server.url, run_job=run_job)

    assert_sent(dead_key_server, 3)


def test_the_page_lists_the_metrics_that_there_are() -> None:
    """By name and unit, as the module makes them."""
    otel = pytest.importorskip("aiohttp_failfast.otel")
    source = Path(otel.__file__).read_text("utf-8")
    made = set(re.findall(r'f"\{PREFIX\}\.(\w+)"', source))
    told = set(
        re.findall(rf"^\| `{re.escape(otel.PREFIX)}\.(\w+)` ", page_text(METRICS), re.MULTILINE)
    )

    assert made == told
    assert len(made) == 6


async def test_metrics_by_prometheus(dead_key_server: DeadKeyServer) -> None:
    """What is scraped after a job whose key died: the counts of the page's names."""
    prometheus = pytest.importorskip("prometheus_client")
    dead_key_server.answer_next("overloaded")
    dead_key_server.die(after=2)

    async def job(session: aiohttp.ClientSession, url: str) -> None:
        with suppress(PermanentEndpointError):
            await run_job(session, url)
        with suppress(PermanentEndpointError):
            await session.get(url)

    block = block_of(METRICS, "CollectorRegistry")
    names = await run(METRICS, block, dead_key_server.url, run_job=job)
    scraped = prometheus.generate_latest(names["registry"]).decode()

    origin = dead_key_server.url.removesuffix("/v1")
    for line in (
        f'failfast_trips_total{{origin="{origin}",verdict="quota"}} 1.0',
        f'failfast_refused_total{{origin="{origin}"}} 1.0',
        'failfast_retries_total{status="503"} 1.0',
        "failfast_tripped_endpoints 1.0",
        "failfast_saved_seconds 0.0",
    ):
        assert f"\n{line}\n" in scraped


def page_text(page: str) -> str:
    """Return the text of a page."""
    return (DOCS / page).read_text(encoding="utf-8")


def test_the_page_on_testing_runs_as_a_suite(tmp_path: Path) -> None:
    """Its conftest and its tests, in a folder of their own, by a pytest of their own."""
    conftest, suite = blocks(TESTING)
    (tmp_path / "conftest.py").write_text(conftest[1], encoding="utf-8")
    (tmp_path / "test_sample.py").write_text(suite[1], encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
        "filterwarnings = error\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_the_page_on_testing_lists_the_answers() -> None:
    """By name, status and kind."""
    rows = re.findall(r"^\| `([\w-]+)` \| (\d+) \| (\w+) \|$", page_text(TESTING), re.MULTILINE)

    assert rows == [
        (one.name, str(one.status), str(one.kind)) for one in ANSWERS.values() if one.name != "ok"
    ]
