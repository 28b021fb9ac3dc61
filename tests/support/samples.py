"""The samples of the pages in docs, run as they stand against a loopback server."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
URL = "https://api.openai.com/v1/chat/completions"
KEY = "sk-..."


def blocks(page: str, language: str = "python") -> list[tuple[int, str]]:
    """Return the fenced blocks of a page in a language, each with the line it begins on."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, one.start(1)) + 1, one[1]) for one in found]


def block_of(page: str, words: str) -> tuple[int, str]:
    """Return the one Python block that has these words in it."""
    (found,) = [one for one in blocks(page) if words in one[1]]
    return found


async def run(page: str, block: tuple[int, str], url: str, **names: Any) -> dict[str, Any]:
    """Run a block as if it stood in an async function; return the names it leaves."""
    line, source = block
    source = source.replace(URL, url)
    assert "https://" not in source, "a sample would leave this machine"
    padded = "\n" * (line - 1) + source
    code = compile(padded, str(DOCS / page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, names)
    if inspect.isawaitable(result):
        try:
            await result
        except BaseException as error:
            error.names = names  # type: ignore[attr-defined]
            raise
    return names
