"""Processes that share a latch: how few of them have to ask, and that nothing is lost with them."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet import Fleet, Server, closing_fleet, comes_true, connected, fresh, wait_for
from loopback import SPENT, Api, bearer
from trips import DEAD

from aiohttp_failfast import FailFastSession, Latch, PermanentEndpointError, fingerprint
from aiohttp_failfast._credential import credential_of
from aiohttp_failfast.stores import MemoryStore, decode_news

# Processes and servers are started and waited for.
pytestmark = pytest.mark.slow

SUPPORT = Path(__file__).parent / "support"
EXAMPLES = Path(__file__).parent.parent / "examples"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    """Make latches."""
    with closing_fleet() as fleet:
        yield fleet


def store_at(kind: str, folder: Path) -> Iterator[str]:
    """Yield the address of a store of a kind."""
    if kind == "file":
        yield f"file://{folder}/trips"
        return
    server = Server(folder).start()
    try:
        yield server.url
    finally:
        server.close()


@pytest.fixture(params=["file", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of a store of each kind."""
    yield from store_at(request.param, tmp_path)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the address of a file store."""
    return f"file://{tmp_path}/trips?poll=0.05"


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of its own to its end."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
    )


async def run_job(api: Api, store: str, **given: Any) -> list[list[int]]:
    """Run a job of many processes against a dead key, and return their reports."""
    api.answers["sk-dead"] = SPENT
    before = api.total
    arguments = {"canary": False, "stagger": 0, **given, "url": str(api.url), "store": store}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SUPPORT / "fleet_worker.py"), json.dumps(arguments),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), 300)
    assert process.returncode == 0, err.decode()[-2000:]
    reports = [json.loads(line) for line in out.splitlines()]
    assert len(reports) == given["processes"]
    assert sum(sent for _, sent, _, _ in reports) == api.total - before
    return reports


@needs_fork
async def test_a_job_asks_at_most_once_per_connection(
    api: Api, store: str, record_property: Any
) -> None:
    """Six processes that start at once: what is under way when the first trip lands, no more."""
    reports = await run_job(api, store, processes=6, tasks=50, limit=4)
    record_property("requests", api.total)

    assert 1 <= api.total <= 6 * 4
    assert all(trips + told >= 1 for _, _, trips, told in reports)


@needs_fork
async def test_those_who_come_later_do_not_ask_at_all(api: Api, store: str) -> None:
    """A trip that one process saw is enough."""
    await run_job(api, store, processes=1, tasks=10, limit=1)
    first = api.total
    reports = await run_job(api, store, processes=4, tasks=50, limit=4)

    assert api.total == first == 1
    assert [report[1:] for report in reports] == [[0, 0, 1]] * 4


@needs_fork
async def test_with_a_canary_of_the_fleet_one_asks(api: Api, store: str) -> None:
    """Six processes that start at once, one request."""
    await run_job(api, store, processes=6, tasks=50, limit=4, canary="fleet")

    assert api.total == 1


@needs_fork
@pytest.mark.slow
async def test_64_processes_with_a_canary_of_the_fleet(api: Api, store: str) -> None:
    """12,800 calls, one request."""
    api.delay = 0.05
    await run_job(api, store, processes=64, tasks=200, limit=10, canary="fleet")
    print(f"\n64 x 200 calls, canary of the fleet, {store.partition(':')[0]}: {api.total} requests")

    assert api.total == 1


@needs_fork
@pytest.mark.slow
@pytest.mark.parametrize("stagger", [0, 0.02], ids=["at once", "one after another"])
async def test_64_processes_of_200_tasks(
    api: Api, store: str, stagger: float, record_property: Any
) -> None:
    """Of 12,800 calls fewer than processes x connections reach the server.

    Started one after another, only the first ones ask.
    """
    api.delay = 0.05
    reports = await run_job(api, store, processes=64, tasks=200, limit=10, stagger=stagger)
    askers = sum(1 for _, sent, _, _ in reports if sent)
    record_property("requests", api.total)
    print(f"\n64 x 200 calls, {store.partition(':')[0]}: {api.total} requests, {askers} askers")

    assert 1 <= api.total <= 64 * 10
    if stagger:
        assert api.total < 64 * 10 / 2


@needs_fork
@pytest.mark.parametrize(
    "kill",
    [pytest.param(False, id="all live", marks=pytest.mark.slow), pytest.param(True, id="killed")],
)
def test_64_writers_at_once_lose_nothing(url: str, kill: bool) -> None:
    """Each with a trip of its own; those that are killed meanwhile harm no one else."""
    done = python(
        """
        import os, random, signal, sys, time
        from fleet import fresh
        from trips import DEAD
        from aiohttp_failfast import Latch
        kill = sys.argv[2] == "True"
        children = []
        for number in range(64):
            pid = os.fork()
            if not pid:
                latch = Latch(store=sys.argv[1])
                for round in range(3):
                    latch.trip(fresh(DEAD._replace(credential=f"{number}-{round}")))
                    time.sleep(0.01)
                latch.close(20)
                os._exit(0)
            children.append(pid)
        killed = children[::4] if kill else []
        for pid in killed:
            time.sleep(random.uniform(0, 0.02))
            os.kill(pid, signal.SIGKILL)
        for number, pid in enumerate(children):
            if os.waitpid(pid, 0)[1] == 0:
                print(number)
        """,
        url,
        str(kill),
    )
    finished = {int(line) for line in done.stdout.split()}
    assert len(finished) >= 48, done.stderr
    path = Path(url[7:].partition("?")[0])
    trips = {endpoint.credential for endpoint in decode_news(path.read_bytes()).trips}

    assert trips >= {f"{number}-{round_}" for number in finished for round_ in range(3)}
    assert {one.name for one in path.parent.iterdir()} <= {"trips", "trips.lock", "trips.new"}


@pytest.mark.parametrize(
    "way", ["falls off its end", "raises", pytest.param("exits", marks=pytest.mark.slow)]
)
def test_a_process_that_ends_at_once_leaves_its_news(url: str, way: str) -> None:
    """A job ends right after its key died: nobody calls close()."""
    end = {"falls off its end": "pass", "raises": "1 / 0", "exits": "sys.exit(3)"}[way]
    python(
        f"""
        import sys
        from fleet import fresh
        from aiohttp_failfast import Latch
        latch = Latch(store=sys.argv[1])
        latch.trip(fresh())
        {end}
        """,
        url,
    )

    assert set(decode_news(Path(url[7:].partition("?")[0]).read_bytes()).trips) == {DEAD}


@pytest.mark.parametrize(
    "method", ["fork", "spawn", pytest.param("forkserver", marks=pytest.mark.slow)]
)
def test_children_of_multiprocessing_leave_their_news(url: str, method: str) -> None:
    """They end by os._exit, past what the interpreter does at its regular end."""
    if method != "spawn" and not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    program = Path(url[7:].partition("?")[0]).with_name("program.py")
    program.write_text(
        textwrap.dedent(
            """
            import multiprocessing, sys
            from fleet import fresh
            from aiohttp_failfast import Latch
            def child(url):
                latch = Latch(store=url)
                latch.trip(fresh())
            if __name__ == "__main__":
                context = multiprocessing.get_context(sys.argv[2])
                process = context.Process(target=child, args=(sys.argv[1],))
                process.start()
                process.join()
                sys.exit(process.exitcode)
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(program), url, method],
        capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

    assert set(decode_news(program.with_name("trips").read_bytes()).trips) == {DEAD}


@needs_fork
def test_a_latch_lives_on_in_a_forked_child(url: str) -> None:
    """The child knows what the parent knew, hears of the parent and tells it, and so on."""
    done = python(
        """
        import os, sys, warnings
        warnings.simplefilter("ignore", DeprecationWarning)  # forks while threads run
        from fleet import connected, fresh, wait_for
        from trips import DEAD, OTHER
        from aiohttp_failfast import Latch
        third = OTHER._replace(credential="third")
        latch = Latch(store=sys.argv[1])
        latch.trip(fresh(DEAD))
        wait_for(lambda: connected(latch))
        pid = os.fork()
        if not pid:
            assert latch.find(DEAD)
            assert latch.tripped
            latch.trip(fresh(OTHER))
            wait_for(lambda: latch.find(third))
            assert latch.find(third).seen_by.pid == os.getppid()
            latch.reset(DEAD)
            print("child", flush=True)
            sys.exit(0)
        wait_for(lambda: latch.find(OTHER))
        assert latch.find(OTHER).seen_by.pid == pid
        latch.trip(fresh(third))
        wait_for(lambda: latch.find(DEAD) is None)
        assert os.waitpid(pid, 0)[1] == 0
        print("parent")
        """,
        url,
    )

    assert done.stdout.split() == ["child", "parent"], done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@needs_fork
def test_forks_in_the_middle_of_news_do_not_hang(url: str) -> None:
    """Forty children, while the latch hears and tells; each can trip, reset and look."""
    done = python(
        """
        import os, sys, threading, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        from fleet import fresh
        from trips import DEAD
        from aiohttp_failfast import Latch
        one, other = Latch(store=sys.argv[1]), Latch(store=sys.argv[1])
        over = threading.Event()
        def busy():
            while not over.is_set():
                one.trip(fresh(generation=one.generation))
                other.reset()
                over.wait(0.001)
        threading.Thread(target=busy).start()
        for _ in range(40):
            pid = os.fork()
            if not pid:
                signal_free = other.find(DEAD)
                other.join(other.news(60.0, ("host", 1)))
                assert other.tripped in (True, False)
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0
        over.set()
        print("done")
        """,
        url,
    )

    assert done.stdout.split() == ["done"], done.stderr


def test_a_program_without_the_chance_to_end_loses_nothing_that_was_stored(url: str) -> None:
    """Killed, some time after its trip."""
    program = """
    import sys, time
    from fleet import fresh
    from aiohttp_failfast import Latch
    latch = Latch(store=sys.argv[1])
    latch.trip(fresh())
    latch._link.flush(10)
    print("stored", flush=True)
    time.sleep(600)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), url],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(SUPPORT)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "stored\n"
        process.send_signal(signal.SIGKILL)

    assert decode_news(Path(url[7:].partition("?")[0]).read_bytes()).trips


async def test_a_session_stops_by_what_another_saw(api: Api, fleet: Fleet) -> None:
    """Sleepers wake, queued calls end, and on_trip is for those who saw it."""
    api.answers["dead"] = [SPENT]
    store = MemoryStore()
    one, other = fleet(store), fleet(store)
    await comes_true(lambda: connected(one) and connected(other))
    heard: list[Any] = []
    async with (
        FailFastSession(latch=one, on_trip=heard.append) as first,
        FailFastSession(latch=other, on_trip=heard.append) as second,
    ):
        endpoint = second._failfast_guard.endpoint(api.url, bearer("dead"))  # type: ignore[attr-defined]
        sleeper = asyncio.ensure_future(other.sleep(60, endpoint))
        with pytest.raises(PermanentEndpointError):
            await first.get(api.url, headers=bearer("dead"))
        trip = await asyncio.wait_for(sleeper, 10)
        with pytest.raises(PermanentEndpointError) as caught:
            await second.get(api.url, headers=bearer("dead"))

    assert trip is not None
    assert trip.seen_by is not None
    assert not caught.value.sent
    assert "seen by process" in str(caught.value)
    assert caught.value.response_content == SPENT.body
    assert api.total == 1
    assert [one.seen_by for one in heard] == [None]


async def test_a_remembered_answer_of_another_process_is_handed_back(
    api: Api, fleet: Fleet
) -> None:
    """With its status, its type and its body, as client libraries need it."""
    api.answers["dead"] = SPENT
    store = MemoryStore()
    one, other = fleet(store), fleet(store)
    await comes_true(lambda: connected(one) and connected(other))
    async with (
        FailFastSession(latch=one) as first,
        FailFastSession(latch=other, when_tripped="respond") as second,
    ):
        with pytest.raises(PermanentEndpointError):
            await first.get(api.url, headers=bearer("dead"))
        await comes_true(lambda: other.tripped)
        async with second.get(api.url, headers=bearer("dead")) as response:
            assert response.status == 429
            assert (await response.json())["error"]["code"] == "insufficient_quota"
            assert response.headers["x-should-retry"] == "false"

    assert api.total == 1


async def test_fingerprints_are_keyed_with_the_secret(api: Api, fleet: Fleet) -> None:
    """Who reads the store cannot test guesses; who has another secret shares nothing."""
    api.answers["dead"] = SPENT
    store = MemoryStore()
    one, same, other = (fleet(store, secret=secret) for secret in (b"s1", b"s1", b"s2"))
    await comes_true(lambda: all(map(connected, (one, same, other))))
    for latch, sent in ((one, True), (same, False), (other, True)):
        async with FailFastSession(latch=latch) as session:
            with pytest.raises(PermanentEndpointError) as caught:
                await session.get(api.url, headers=bearer("dead"))
            assert caught.value.sent is sent
        await comes_true(lambda: len(same.trips) == api.total)

    shown = {trip.endpoint.credential for trip in one.trips}
    assert len(shown) == 2
    assert credential_of(api.url, bearer("dead"), secret=b"s1") in shown
    assert credential_of(api.url, bearer("dead")) not in shown
    assert fingerprint("key", secret=b"s1") != fingerprint("key")


@pytest.mark.parametrize("scope", ["origin", "session", lambda url, headers: "sk-dead-key"])
async def test_every_scope_is_shared(api: Api, fleet: Fleet, scope: Any) -> None:
    """Also the one that a user names, by a keyed fingerprint of the name."""
    api.answers["dead"] = SPENT
    store = MemoryStore()
    one, other = fleet(store, secret=b"s"), fleet(store, secret=b"s")
    await comes_true(lambda: connected(one) and connected(other))
    for latch in (one, other):
        async with FailFastSession(latch=latch, scope=scope) as session:
            with pytest.raises(PermanentEndpointError) as caught:
                await session.get(api.url, headers=bearer("dead"))
            assert caught.value.sent is (latch is one)
        await comes_true(lambda: other.tripped)

    assert "sk-dead" not in repr(store.read())


async def test_no_key_reaches_the_store(api: Api, fleet: Fleet, tmp_path: Path) -> None:
    """Though the answer echoes it, in its body and in a header."""
    key = "sk-live-3141592653589793238462643383279"
    echo = f'{{"error": {{"code": "invalid_api_key", "message": "Incorrect API key: {key}"}}}}'
    api.answers[key] = SPENT.__class__(
        401, echo.encode(), {"Content-Type": "application/json", "X-Request-Id": f"r-{key}"}
    )
    latch = fleet(f"file://{tmp_path}/trips")
    async with FailFastSession(latch=latch) as session:
        with pytest.raises(PermanentEndpointError):
            await session.get(api.url.with_query(tenant=key), headers=bearer(key))
    latch.close()
    text = (tmp_path / "trips").read_text()

    assert "Incorrect API key" in text
    assert "invalid_api_key" in text
    shown = decode_news(text)
    assert key not in text + repr(shown)
    assert key[8:] not in text + repr(shown)


def test_a_latch_that_is_reset_by_another_is_reset_for_its_late_answers(fleet: Fleet) -> None:
    """An answer to a request from before somebody else's reset trips nothing."""
    one, other = fleet.pair(MemoryStore())
    one.trip(fresh())
    wait_for(lambda: other.tripped)
    one.reset()
    wait_for(lambda: not other.tripped)

    assert not other.trip(fresh(generation=0))
    assert other.trip(fresh(generation=other.generation))
    wait_for(lambda: one.tripped)


@pytest.mark.parametrize("wrong", [12, object(), b"redis://x"])
def test_what_is_no_store_is_refused(wrong: Any) -> None:
    """By name of the argument."""
    with pytest.raises(TypeError, match="store"):
        Latch(store=wrong)


@pytest.mark.parametrize("wrong", ["redis:", "http://x", "", "file:x", "redis://x?max_age=0"])
def test_what_is_no_address_of_a_store_is_refused(wrong: str) -> None:
    """When the latch is made, not later."""
    with pytest.raises(ValueError, match="store"):
        Latch(store=wrong)


@pytest.mark.parametrize(("wrong", "error"), [("text", TypeError), (b"x" * 65, ValueError)])
def test_what_is_no_secret_is_refused(wrong: Any, error: type[Exception]) -> None:
    """By name of the argument, and without showing it."""
    with pytest.raises(error, match="secret") as caught:
        Latch(secret=wrong)
    assert "xxx" not in str(caught.value)


def test_memory_shares_nothing_and_starts_no_thread() -> None:
    """The default."""
    latch = Latch(store="memory:")

    assert latch._link is None
    latch.close()


def test_the_how_to_shows_python_that_is_python() -> None:
    """Each block can be parsed, and names only what exists."""
    page = (EXAMPLES.parent / "docs" / "howto-fleet.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    for block in blocks:
        compile(block, "howto-fleet.md", "exec", flags=ast.PyCF_ONLY_AST)

    assert len(blocks) == 3
    assert (EXAMPLES / "fleet_processes.py").name in page


def test_the_example_runs(tmp_path: Path) -> None:
    """Far fewer requests than calls."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "fleet_processes.py"), f"file://{tmp_path}/trips"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("200 calls in 4 processes, ")
    assert int(done.stdout.split()[5]) <= 4
