"""The how-to for client libraries shows the examples as they are, and all of them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {path.stem: path.read_text("utf-8") for path in (ROOT / "examples").glob("*.py")}
EXAMPLES = sorted(SOURCES)
OF_CLIENTS = [name for name in EXAMPLES if "# [inject" in SOURCES[name]]


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    """Return tools/write_howto.py as a module."""
    path = ROOT / "tools" / "write_howto.py"
    spec = importlib.util.spec_from_file_location("write_howto", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_not_stale(writer: ModuleType) -> None:
    """Whoever changes an example runs tools/write_howto.py."""
    page = writer.PAGE.read_text("utf-8")
    assert page == writer.filled(page)


def test_every_example_is_shown(writer: ModuleType) -> None:
    """None of a client is forgotten, and every Python block is an example."""
    page = writer.PAGE.read_text("utf-8")
    shown = re.findall(r"^<!-- example: (\w+) -->\n```python$", page, re.MULTILINE)
    assert OF_CLIENTS == sorted(shown)
    assert page.count("```python") == len(shown)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_a_name_of_its_own(name: str) -> None:
    """A script's folder is searched first: it must not stand in the way of a package."""
    assert importlib.util.find_spec(name) is None
    for imported in re.findall(r"^(?:import|from) (\w+)", SOURCES[name], re.MULTILINE):
        assert imported not in EXAMPLES


@pytest.mark.parametrize("broken", ["no marks", "# [inject\nx = 1\n"])
def test_an_example_without_marks_is_named(writer: ModuleType, broken: str) -> None:
    """Nothing is shown by halves."""
    with pytest.raises(ValueError, match="inject"):
        writer.snippet(broken)
