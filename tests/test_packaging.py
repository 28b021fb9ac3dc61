"""What is installed is what is promised."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distribution, requires, version
from importlib.resources import files
from pathlib import Path

import pytest

import aiohttp_failfast

PACKAGE = Path(aiohttp_failfast.__file__).parent
MODULES = sorted(
    ".".join(("aiohttp_failfast", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if path.name not in {"__main__.py", "__init__.py"}
)


def run(code: str, *options: str, **environment: str) -> str:
    """Run code in a fresh interpreter, and return what it printed; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parent,  # where the installed package is found, and no other
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_the_version_is_that_of_the_installed_package() -> None:
    """It stands in one place."""
    assert aiohttp_failfast.__version__ == version("aiohttp-failfast")
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?", aiohttp_failfast.__version__)


def test_three_libraries_are_needed_and_no_more() -> None:
    """All else is an extra."""
    needed = [one for one in requires("aiohttp-failfast") or () if "extra ==" not in one]

    assert sorted(re.split(r"[<>=!~ ;\[]", one)[0] for one in needed) == [
        "aiohttp",
        "multidict",
        "yarl",
    ]
    assert [one for one in needed if one.startswith("aiohttp")] == ["aiohttp>=3.12"]


def test_the_metadata_says_whom_it_is_for() -> None:
    """License, Pythons, a readme that a package index can show."""
    metadata = distribution("aiohttp-failfast").metadata

    assert metadata["Requires-Python"] == ">=3.10"
    assert "Apache" in (metadata["License"] or metadata["License-Expression"] or "")
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata["Summary"]


def test_the_marker_of_types_is_shipped() -> None:
    """Type checkers look for it in the installed package."""
    assert files("aiohttp_failfast").joinpath("py.typed").is_file()


@pytest.mark.parametrize("debug", ["", "1"], ids=["normal", "debug"])
@pytest.mark.parametrize("mode", [(), ("-X", "dev")], ids=["plain", "dev"])
def test_no_module_warns_at_import(mode: tuple[str, ...], debug: str) -> None:
    """With warnings as errors, also in the debug mode of asyncio."""
    code = f"import importlib; [importlib.import_module(name) for name in {MODULES}]"
    code += "; import aiohttp_failfast; aiohttp_failfast.FailFastSession"

    assert run(code, *mode, PYTHONASYNCIODEBUG=debug) == ""


def test_the_import_pulls_in_nothing_that_is_optional() -> None:
    """What is loaded besides aiohttp's own is ours and the standard library's."""
    code = """
import sys, aiohttp, multidict, yarl
before = set(sys.modules)
import aiohttp_failfast
aiohttp_failfast.FailFastSession
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(new - set(sys.stdlib_module_names)))
print(sorted(name for name in sys.modules if name.startswith("aiohttp_failfast._demo")))
"""
    assert run(code).splitlines() == ["['aiohttp_failfast']", "[]"]


def test_the_session_class_is_loaded_only_when_it_is_asked_for() -> None:
    """Where aiohttp forbids subclasses everything else must still work."""
    code = """
import sys, aiohttp_failfast
assert "aiohttp_failfast.session" not in sys.modules
from aiohttp_failfast import FailFastSession
assert "aiohttp_failfast.session" in sys.modules
assert aiohttp_failfast.FailFastSession is FailFastSession
"""
    run(code)


def test_where_sessions_cannot_be_subclassed_the_error_names_the_other_ways() -> None:
    """As in the pre-releases of aiohttp 4."""
    code = """
import sys, aiohttp
class Final(type):
    def __new__(mcs, name, bases, namespace):
        if bases:
            raise TypeError("Inheritance is forbidden")
        return super().__new__(mcs, name, bases, namespace)
aiohttp.ClientSession = Final("ClientSession", (), {"ATTRS": frozenset()})
import aiohttp_failfast
try:
    aiohttp_failfast.FailFastSession
except ImportError as error:
    print(error)
aiohttp_failfast.FailFastMiddleware(), aiohttp_failfast.failfast_trace_config()
"""
    told = run(code)

    assert "attach(session)" in told
    assert "FailFastMiddleware" in told
