"""Each example runs as it stands, in its client's environment, with a good key and a spent one."""

from __future__ import annotations

import asyncio
import sys

import pytest
from client import Client
from environments import ROOT, driver_environment, python_of
from fake_api import Served, serve

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the pinned versions need Python 3.11"),
]

LIMIT = 60.0


async def run_example(client: Client, scenario: str) -> tuple[int, str, str, Served]:
    """Run it against the loopback server; return exit status, both outputs, what arrived."""
    if not client.example:
        pytest.skip("no example of its own")
    async with serve(client.dialect, scenario) as served:
        process = await asyncio.create_subprocess_exec(
            str(python_of(client.environment)),
            str(ROOT / "examples" / f"{client.example}.py"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={
                **driver_environment(client.environment),
                "API_BASE_URL": served.url,
                "API_KEY": "sk-loopback-0123456789abcdefghijkl",
            },
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(), LIMIT)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    print(out.decode(), err.decode(), file=sys.stderr)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode(), served


async def test_with_a_good_key(client: Client) -> None:
    """It prints the answers, and ends well; nothing was left open."""
    status, out, err, served = await run_example(client, "healthy")
    assert (0, served.hits) == (status, out.count("answer to"))
    assert served.hits >= 3
    assert "Unclosed" not in err


async def test_with_a_spent_key(client: Client) -> None:
    """One call reaches the server; the program ends with the error that its user knows."""
    status, out, err, served = await run_example(client, "spent")
    assert (1, 0) == (status, out.count("answer to"))
    assert 1 <= served.hits <= (client.concurrency if client.whole else 1)
    kinds = ("session", "default", *client.more_kinds)
    seen = [chain for kind in kinds for chain in client.sees("spent", kind)]
    names = {chain.split(" < ")[0].split("[")[0].split(".")[-1] for chain in seen}
    assert any(name in err for name in names), (names, err)
