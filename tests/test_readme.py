"""The README's commands have their form, its samples run, and its tables are those of the code."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from loopback import SPENT, Api, bearer

from aiohttp_failfast import FailFastSession, PermanentEndpointError, RetryPolicy

README = Path(__file__).resolve().parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")

URL = "https://api.openai.com/v1/chat/completions"
KEY = "sk-..."
CALLS_OF_A_JOB = 5


def blocks(language: str) -> list[tuple[int, str]]:
    """Return the fenced blocks of a language, each with the line it begins on."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [(TEXT.count("\n", 0, one.start(1)) + 1, one[1]) for one in found]


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the first table under a heading, without its head."""
    _, _, section = TEXT.partition(f"\n{heading}\n")
    lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert lines is not None, heading
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[0].splitlines()
    ][2:]


SAMPLES = blocks("python")


async def run_job(session: ClientSession, url: str) -> None:
    """Make some calls, one after the other, as the samples' job."""
    for _ in range(CALLS_OF_A_JOB):
        async with session.post(url, json={}) as response:
            await response.read()


async def run_sample(line: int, source: str, api: Api) -> None:
    """Run a sample as if it stood in an async function, against the loopback server."""
    source = source.replace(URL, str(api.url))
    assert "https://" not in source, "a sample would leave this machine"
    code = compile(
        "\n" * (line - 1) + source, str(README), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    )
    names: dict[str, Any] = {"run_job": run_job, "backoff": lambda attempt: asyncio.sleep(0)}
    result = eval(code, names)
    if inspect.isawaitable(result):
        await result


def test_the_two_commands() -> None:
    """The first two sh blocks are one line each, make their own venv, and do what is promised."""
    demo, tests = (block for _, block in blocks("sh")[:2])
    for command in (demo, tests):
        assert 1 == command.count("\n")
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert demo.endswith(" .venv/bin/python -m aiohttp_failfast demo\n")
    # Not `python -m pytest`: that would put the checkout before the installed package.
    assert re.search(r" && \.venv/bin/pytest\b", tests)


def test_there_are_samples() -> None:
    """The samples are found at all, each way in among them."""
    everything = "".join(source for _, source in SAMPLES)
    assert len(SAMPLES) >= 5
    for name in ("FailFastSession(", "attach(", "failfast_trace_config(", "FailFastMiddleware("):
        assert name in everything


@pytest.mark.parametrize(("line", "source"), SAMPLES, ids=[f"line{line}" for line, _ in SAMPLES])
async def test_sample_with_a_good_key(line: int, source: str, api: Api) -> None:
    """Each sample runs as it stands, and its calls reach the server."""
    await run_sample(line, source, api)
    assert bool(api.hits[KEY]) == ("session.post(" in source or "run_job(" in source)


@pytest.mark.parametrize(("line", "source"), SAMPLES, ids=[f"line{line}" for line, _ in SAMPLES])
async def test_sample_with_a_spent_key(line: int, source: str, api: Api) -> None:
    """On a spent key each sample sends one call and no more; only plain aiohttp sends all."""
    api.answers[KEY] = SPENT
    with suppress(PermanentEndpointError):
        await run_sample(line, source, api)
    unguarded = CALLS_OF_A_JOB if "# before" in source else 0
    assert api.hits[KEY] <= unguarded + 1


def test_defaults_of_the_retry_policy() -> None:
    """The README lists every argument of RetryPolicy with its real default."""
    listed = {
        name.strip("`"): ast.literal_eval(default.strip("`"))
        for name, default, _ in rows("## RetryPolicy")
    }
    assert listed == {one.name: one.default for one in fields(RetryPolicy)}


def test_options_of_the_session() -> None:
    """The README lists every option of FailFastSession, and its default where that is a value."""
    listed = {name.strip("`"): default.strip("`") for name, default, _ in rows("## Options")}
    parameters = {
        one.name: one.default
        for one in inspect.signature(FailFastSession.__init__).parameters.values()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert set(listed) == set(parameters)
    for name, default in parameters.items():
        if isinstance(default, (str, int, float)):
            assert default == ast.literal_eval(listed[name])


async def test_attributes_of_the_error(api: Api) -> None:
    """Every attribute that the README lists is there on an error."""
    api.answers["k"] = SPENT
    async with FailFastSession(headers=bearer("k")) as session:
        with pytest.raises(PermanentEndpointError) as caught:
            await session.get(api.url)
    names = [name for row in rows("## The error") for name in re.findall(r"`(\w+)`", row[0])]
    assert "response_content" in names
    for name in names:
        assert hasattr(caught.value, name)
