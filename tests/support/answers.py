"""The collection of real answers, for tests."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from aiohttp_failfast import Verdict, classify

_DATA = Path(__file__).parent.parent / "data"

PERMANENT = ("quota", "auth")


@lru_cache
def answers() -> tuple[dict[str, Any], ...]:
    """Read every answer, the first collection and what was added since."""
    texts = [(_DATA / f"{name}.jsonl").read_text("utf-8") for name in ("answers", "answers_extra")]
    return tuple(json.loads(line) for text in texts for line in text.splitlines())


def sure(answer: dict[str, Any]) -> bool:
    """Whether the label is beyond doubt and the body whole."""
    return not answer["doubt"] and not answer["partial"]


def judge(answer: dict[str, Any], body: str | None = None) -> Verdict:
    """Judge an answer, or the same with another body."""
    text = answer["body"] if body is None else body
    return classify(answer["status"], answer["headers"], text.encode("utf-8", "replace"))
