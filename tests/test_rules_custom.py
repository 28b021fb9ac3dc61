"""The table can be extended and cut without a fork."""

from __future__ import annotations

import pytest

from aiohttp_failfast import Rules, VerdictKind, classify
from aiohttp_failfast._rules.row import Rule

SPENT = b'{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'
MINE = Rule("mine", VerdictKind.OTHER, codes=("insufficient_quota",))


def test_rules_are_called_like_classify() -> None:
    """Without arguments they are ours."""
    assert classify(429, {}, SPENT) == Rules()(429, {}, SPENT)


def test_a_rule_before_ours_wins() -> None:
    """A user knows better about the own provider."""
    assert Rules(before=[MINE])(429, {}, SPENT).rule == "mine"


def test_a_rule_after_ours_is_asked_before_the_status_decides() -> None:
    """It only sees what none of ours knew."""
    rules = Rules(after=[Rule("teapot", VerdictKind.AUTH, words=("teapot is sealed",))])
    assert rules(429, {}, SPENT).rule == "openai-spent"
    assert rules(418, {}, b"The teapot is sealed").rule == "teapot"
    assert classify(418, {}, b"The teapot is sealed").rule == "fallback-other"


def test_a_rule_is_switched_off_by_its_id() -> None:
    """Then the next that holds decides."""
    rules = Rules(without=["openai-spent"])
    body = b'{"error": {"code": "exceeded_current_quota_error"}}'
    assert rules(429, {}, body).kind == "transient"
    assert "openai-spent" not in {rule.id for rule in rules.rules}
    assert Rules(without="openai-spent").rules == rules.rules


def test_a_rule_can_ask_anything() -> None:
    """By a function of the evidence, with the host at hand."""
    rule = Rule("host", VerdictKind.AUTH, test=lambda evidence: evidence.host == "a.example")
    rules = Rules(before=[rule])
    assert rules(400, url="https://a.example/x").rule == "host"
    assert rules(400, url="https://b.example/x").rule == "fallback-other"


def test_an_unknown_id_is_refused() -> None:
    """A misspelt id must not pass in silence."""
    with pytest.raises(ValueError, match="no such rule: openai-spend"):
        Rules(without=["openai-spend"])


def test_two_rules_of_one_id_are_refused() -> None:
    """A verdict names its rule."""
    with pytest.raises(ValueError, match="share one id"):
        Rules(before=[MINE], after=[MINE])
