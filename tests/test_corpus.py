"""The collection of real answers is the bar for the table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from answers import PERMANENT, answers, judge, sure


def chosen(wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Answers beyond doubt that are wanted; never none."""
    found = [answer for answer in answers() if sure(answer) and wanted(answer)]
    assert found
    return found


def share(hits: int, group: list[dict[str, Any]]) -> float:
    """Part of the group that was hit."""
    return hits / len(group)


def test_ids_are_unique_and_sources_told() -> None:
    """Every answer can be named and looked up."""
    assert len(answers()) == len({answer["id"] for answer in answers()})
    assert all(answer["source"] and answer["why"] for answer in answers())


@pytest.mark.parametrize("label", ["transient", "windowed", "other"])
def test_no_healthy_key_is_stopped(label: str) -> None:
    """Not one false trip, beyond doubt or not."""
    group = [answer for answer in answers() if answer["label"] == label]
    assert [] == [answer["id"] for answer in group if judge(answer).permanent]


def test_dead_and_spent_keys_are_recognised() -> None:
    """At least 97 % of them."""
    group = chosen(lambda answer: answer["label"] in PERMANENT)
    assert share(sum(judge(answer).permanent for answer in group), group) >= 0.97


def test_the_kind_is_right() -> None:
    """At least 93 % of all."""
    group = chosen(lambda answer: True)
    assert share(sum(judge(answer).kind == answer["label"] for answer in group), group) >= 0.93


@pytest.mark.parametrize("label", PERMANENT)
def test_spent_and_dead_are_not_mixed_up(label: str) -> None:
    """Whoever is told to log in again must not be out of credit, and the other way round."""
    group = chosen(lambda answer: answer["label"] == label)
    assert share(sum(judge(answer).kind == label for answer in group), group) >= 0.97


def test_resets_are_read() -> None:
    """What the collection knows of resets is found, and nothing else is."""
    for answer in answers():
        told = judge(answer).resets_at
        wanted = answer["resets_at"]
        if wanted is None:
            assert told is None, answer["id"]
        else:
            assert datetime.fromisoformat(wanted.replace("Z", "+00:00")) == told, answer["id"]
