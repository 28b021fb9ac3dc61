"""Every row of the table can be traced and proved."""

from __future__ import annotations

import re
from datetime import date

import pytest
from answers import answers, judge

from aiohttp_failfast import VerdictKind
from aiohttp_failfast._anchors import anchors_of
from aiohttp_failfast._classify import _OURS
from aiohttp_failfast._evidence import GENERIC_CODES, gather
from aiohttp_failfast._evidence_findings import fold
from aiohttp_failfast._rules import TABLE, WRAPPED
from aiohttp_failfast._rules.row import Rule

ROWS = (*TABLE, WRAPPED)
BY_ID = {answer["id"]: answer for answer in answers()}


@pytest.mark.parametrize("rule", ROWS, ids=lambda rule: rule.id)
def test_a_row_tells_where_it_comes_from(rule: Rule) -> None:
    """It has a provider or shape, a source, the date it was read, and samples."""
    assert rule.about
    assert rule.source
    assert date.fromisoformat(rule.read)
    assert rule.samples
    assert set(rule.samples) <= BY_ID.keys()


@pytest.mark.parametrize(
    ("rule", "sample"),
    [(rule, sample) for rule in ROWS for sample in rule.samples],
    ids=lambda value: value.id if isinstance(value, Rule) else value,
)
def test_a_sample_is_decided_by_its_row(rule: Rule, sample: str) -> None:
    """A row that no longer decides its sample is dead."""
    assert rule.id == judge(BY_ID[sample]).rule


@pytest.mark.parametrize("rule", ROWS, ids=lambda rule: rule.id)
def test_a_row_asks_for_more_than_the_status(rule: Rule) -> None:
    """The status alone never decides."""
    assert rule.codes or rule.words or rule.marks or rule.test


def test_ids_are_unique() -> None:
    """Rows are switched off by id."""
    assert len(ROWS) == len({rule.id for rule in ROWS})


def test_no_generic_code_trips() -> None:
    """Types that are used for everything are in no permanent row."""
    permanent = (VerdictKind.QUOTA, VerdictKind.AUTH)
    codes = {fold(code) for rule in ROWS if rule.kind in permanent for code in rule.codes}
    assert not codes & GENERIC_CODES


@pytest.mark.parametrize("answer", answers(), ids=lambda answer: answer["id"])
def test_looking_rows_up_finds_what_trying_all_would(answer: dict[str, object]) -> None:
    """The index leaves no row out."""
    table = _OURS._table
    body = str(answer["body"]).encode("utf-8", "replace")
    evidence = gather(answer["status"], answer["headers"], body)  # type: ignore[arg-type]
    all_tried = next((row.rule for row in table._rows if row.holds(evidence)), None)
    assert table.first(evidence) is all_tried


@pytest.mark.parametrize("rule", TABLE, ids=lambda rule: rule.id)
def test_patterns_are_bounded(rule: Rule) -> None:
    """No pattern repeats without a bound what itself repeats, so none backtracks badly."""
    for pattern in (*rule.words, *rule.unless):
        assert not re.search(r"\)[*+]\)?[*+]|\.[*+].*\.[*+]", pattern), pattern


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"insufficient (?:balance|credits?)", {"insufficient"}),
        (r"(?:balance|credits?) (?:is|are) low", {"low"}),
        (r"(?:balance|credits?) is", {"balance", "credit", "credits"}),
        (r"exceed\w*", set()),
        (r"(?:api key|token)", {"api", "token"}),
        (r"a|b", set()),
    ],
)
def test_anchors(pattern: str, words: set[str]) -> None:
    """The words of a pattern of which every match holds one."""
    assert words == anchors_of(pattern)
