"""The table made fast: which rows can hold at all is looked up, only those are tried."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ._anchors import anchors_of
from ._evidence import Evidence
from ._evidence_findings import fold_known
from ._evidence_text import has_quotation, inside_quotation, stands_early, starts_clause
from ._rules.row import Rule
from ._verdict import VerdictKind

_PERMANENT = (VerdictKind.QUOTA, VerdictKind.AUTH)
_OUTRIGHT = frozenset({200, 401, 402, 403, 412, 429, 432, 433, 456, 498, 499})
"""Statuses that are no complaint about what the request holds."""
_MAX_TRIES = 20
"""Places of a pattern in one text that are looked at."""


class _Row:
    """A rule with everything compiled."""

    __slots__ = (
        "codes",
        "final",
        "marks",
        "rule",
        "statuses",
        "test",
        "unless",
        "unless_marks",
        "words",
    )

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.statuses = frozenset(rule.statuses)
        self.codes = frozenset(fold_known(code) for code in rule.codes)
        self.marks = frozenset(rule.marks)
        self.unless_marks = frozenset(rule.unless_marks)
        self.words = [re.compile(_whole_words(pattern)) for pattern in rule.words]
        self.unless = [re.compile(_whole_words(pattern)) for pattern in rule.unless]
        self.test = rule.test
        self.final = rule.kind in _PERMANENT

    def holds(self, evidence: Evidence, words: Iterable[re.Pattern[str]] | None = None) -> bool:
        """Whether every condition holds, the cheap ones asked first.

        Args:
            evidence: what the answer says.
            words: the patterns that are worth trying; all of the row's where not given.
        """
        if self.statuses and evidence.status not in self.statuses:
            return False
        if not self.marks <= evidence.marks or not self.unless_marks.isdisjoint(evidence.marks):
            return False
        if self.codes and self.codes.isdisjoint(evidence.codes):
            return False
        if self.words and not self._says(evidence, self.words if words is None else words):
            return False
        if self.unless and _found(evidence.text, self.unless):
            return False
        return self.test is None or self.test(evidence)

    def _says(self, evidence: Evidence, words: Iterable[re.Pattern[str]]) -> bool:
        if not self.final:
            return _found(evidence.text, words)
        text, outright = evidence.text, evidence.status in _OUTRIGHT
        quotes = has_quotation(text)
        for found in islice(_all_found(text, words), _MAX_TRIES):
            if quotes and inside_quotation(text, found.start(), found.end()):
                continue
            # Where the request is complained about, prose may quote it without any mark.
            near = outright and stands_early(text, found.start())
            if near or self.codes or starts_clause(text, found.start()):
                return True
        return False


def _found(text: str, patterns: Iterable[re.Pattern[str]]) -> bool:
    return any(True for _ in _all_found(text, patterns))


def _all_found(text: str, patterns: Iterable[re.Pattern[str]]) -> Iterator[re.Match[str]]:
    for pattern in patterns:
        found = pattern.search(text)
        while found is not None:
            if _starts_word(found, text):
                yield found
            found = pattern.search(text, found.start() + 1)


def _starts_word(found: re.Match[str], text: str) -> bool:
    # Looked at here, since a condition at the head of a pattern makes the search for it slow.
    start = found.start()
    if start == 0 or not text[start - 1].isalnum():
        return True
    return not (text[start].isascii() and text[start].isalnum())


def _whole_words(pattern: str) -> str:
    # Words are whole words, or else looking rows up by a word of theirs would miss some.
    end = r"(?![a-z0-9])" if pattern[-1].isalnum() and pattern[-1].isascii() else ""
    return f"(?:{pattern}){end}" if "|" in pattern else pattern + end


_Found = tuple[int, "re.Pattern[str] | None"]
"""Place of a row that may hold, and the pattern by which it was found."""


class Table:
    """Rules compiled once, asked in their order."""

    __slots__ = (
        "_always",
        "_by_code",
        "_by_mark",
        "_by_word",
        "_codes",
        "_foreign",
        "_rows",
        "rules",
    )

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        if len({rule.id for rule in self.rules}) < len(self.rules):
            raise ValueError("two rules share one id")
        self._rows = [_Row(rule) for rule in self.rules]
        self._codes = {row.rule.id: row.codes for row in self._rows}
        self._by_code: dict[str, list[_Found]] = {}
        self._by_mark: dict[str, list[_Found]] = {}
        self._by_word: dict[str, list[_Found]] = {}
        self._foreign: list[_Found] = []
        self._always: list[_Found] = []
        for place, row in enumerate(self._rows):
            self._index(place, row)

    def _index(self, place: int, row: _Row) -> None:
        if row.codes:
            for code in row.codes:
                self._by_code.setdefault(code, []).append((place, None))
        elif row.rule.marks:
            self._by_mark.setdefault(row.rule.marks[0], []).append((place, None))
        elif row.words:
            for source, pattern in zip(row.rule.words, row.words, strict=True):
                self._index_words(place, source, pattern)
        else:
            self._always.append((place, None))

    def _index_words(self, place: int, source: str, pattern: re.Pattern[str]) -> None:
        if not source.isascii():
            self._foreign.append((place, pattern))
            return
        anchors = anchors_of(source)
        if not anchors:
            self._always.append((place, pattern))
        for anchor in anchors:
            self._by_word.setdefault(anchor, []).append((place, pattern))

    def first(self, evidence: Evidence) -> Rule | None:
        """Ask the rules in their order.

        Returns:
            The first rule that holds, or None.
        """
        tries: dict[int, list[re.Pattern[str]] | None] = {}
        for place, pattern in self._candidates(evidence):
            if pattern is None:
                tries[place] = None
            else:
                known = tries.setdefault(place, [])
                if known is not None:
                    known.append(pattern)
        for place in sorted(tries):
            if self._rows[place].holds(evidence, tries[place]):
                return self._rows[place].rule
        return None

    def deciding_code(self, rule: Rule, evidence: Evidence) -> str | None:
        """Find the machine code by which a rule held, else the most telling one."""
        if rule.codes:
            codes = self._codes[rule.id]
            for folded, raw in evidence.codes.items():
                if folded in codes:
                    return raw
        return evidence.code

    def _candidates(self, evidence: Evidence) -> list[_Found]:
        found = self._always.copy()
        for code in evidence.codes:
            found += self._by_code.get(code, ())
        for mark in evidence.marks:
            found += self._by_mark.get(mark, ())
        for word in self._by_word.keys() & evidence.words:
            found += self._by_word[word]
        if not evidence.text.isascii():
            found += self._foreign
        return found
