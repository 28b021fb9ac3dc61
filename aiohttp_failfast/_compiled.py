"""The table made fast: which rows can hold at all is looked up, only those are tried."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ._evidence import Evidence
from ._evidence_walk import fold_known
from ._rules.row import Rule

_GROUP = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)[?*+]?(?:\{[^}]*\})?")
_CLASS = re.compile(r"(?:\[[^\]]*\]|\\[wsdWSD.|/$]|\.)[?*+]?(?:\{[^}]*\}\??)?")
_EDGE = re.compile(r"\\b|[\^$]")
_PLAIN_WORD = re.compile(r"(?<![\0\w])[a-z0-9]{2,}(?![\0\w?*+{])")

# Words that most error answers hold; a row found by one of them would be tried in vain.
_COMMON = frozenset(
    [
        "your",
        "the",
        "has",
        "have",
        "been",
        "this",
        "that",
        "for",
        "and",
        "not",
        "error",
        "please",
        "you",
        "is",
        "are",
        "was",
        "request",
        "requests",
        "with",
        "limit",
        "exceeded",
        "rate",
        "api",
        "key",
        "to",
        "of",
        "in",
        "on",
        "no",
        "it",
    ]
)


def anchor_of(pattern: str) -> str | None:
    """A word that every text holds in which the pattern is found; None where there is none."""
    if "|" in _GROUP.sub("", pattern):
        return None
    bare = _EDGE.sub(" ", _CLASS.sub("\0", _GROUP.sub("\0", pattern)))
    bare = re.sub(r"[-_/.'\"]", " ", bare)
    words = _PLAIN_WORD.findall(bare)
    return max(words, key=lambda word: (word not in _COMMON, len(word)), default=None)


class _Row:
    """A rule with everything compiled."""

    __slots__ = ("codes", "marks", "rule", "statuses", "test", "unless", "unless_marks", "words")

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.statuses = frozenset(rule.statuses)
        self.codes = frozenset(fold_known(code) for code in rule.codes)
        self.marks = frozenset(rule.marks)
        self.unless_marks = frozenset(rule.unless_marks)
        self.words = _any_of(rule.words)
        self.unless = _any_of(rule.unless)
        self.test = rule.test

    def holds(self, evidence: Evidence) -> bool:
        """Whether every condition holds, the cheap ones asked first."""
        if self.statuses and evidence.status not in self.statuses:
            return False
        if not self.marks <= evidence.marks or not self.unless_marks.isdisjoint(evidence.marks):
            return False
        if self.codes and self.codes.isdisjoint(evidence.codes):
            return False
        return self._text_holds(evidence.text) and (self.test is None or self.test(evidence))

    def _text_holds(self, text: str) -> bool:
        if self.words is not None and self.words.search(text) is None:
            return False
        return self.unless is None or self.unless.search(text) is None


def _any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    joined = "|".join(_whole_words(pattern) for pattern in patterns)
    return re.compile(joined) if joined else None


def _whole_words(pattern: str) -> str:
    # Words are whole words, or else looking rows up by a word of theirs would miss some.
    start = r"(?<![a-z0-9])" if pattern[0].isalnum() and pattern[0].isascii() else ""
    end = r"(?![a-z0-9])" if pattern[-1].isalnum() and pattern[-1].isascii() else ""
    return f"{start}(?:{pattern}){end}"


class Table:
    """Rules compiled once, asked in their order."""

    __slots__ = ("_always", "_by_code", "_by_mark", "_by_word", "_foreign", "_rows", "rules")

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        if len({rule.id for rule in self.rules}) < len(self.rules):
            raise ValueError("two rules share one id")
        self._rows = [_Row(rule) for rule in self.rules]
        self._by_code: dict[str, list[int]] = {}
        self._by_mark: dict[str, list[int]] = {}
        self._by_word: dict[str, list[int]] = {}
        self._foreign: list[int] = []
        self._always: list[int] = []
        for place, row in enumerate(self._rows):
            self._index(place, row)

    def _index(self, place: int, row: _Row) -> None:
        if row.codes:
            for code in row.codes:
                self._by_code.setdefault(code, []).append(place)
        elif row.rule.marks:
            self._by_mark.setdefault(row.rule.marks[0], []).append(place)
        elif row.rule.words:
            for pattern in row.rule.words:
                self._index_words(place, pattern)
        else:
            self._always.append(place)

    def _index_words(self, place: int, pattern: str) -> None:
        anchor = anchor_of(pattern) if pattern.isascii() else None
        if anchor is not None:
            self._by_word.setdefault(anchor, []).append(place)
        elif pattern.isascii():
            self._always.append(place)
        else:
            self._foreign.append(place)

    def first(self, evidence: Evidence) -> Rule | None:
        """The first rule that holds."""
        places = set(self._always)
        for code in evidence.codes:
            places.update(self._by_code.get(code, ()))
        for mark in evidence.marks:
            places.update(self._by_mark.get(mark, ()))
        for word in self._by_word.keys() & evidence.words:
            places.update(self._by_word[word])
        if not evidence.text.isascii():
            places.update(self._foreign)
        for place in sorted(places):
            if self._rows[place].holds(evidence):
                return self._rows[place].rule
        return None
