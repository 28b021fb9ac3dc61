"""Words that a text must hold for a pattern to be found in it, so that most are never tried."""

from __future__ import annotations

import re

_GROUP = re.compile(
    r"\((?:\?:)?((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\)([?*+]|\{[^}]*\}\??)?"
)
_CLASS = re.compile(r"(?:\[[^\]]*\]|\\[wsdWSD.|/$]|\\\(|\\\)|\.)(?:[?*+]|\{[^}]*\})?\??")
_LOOK_AHEAD = re.compile(r"\(\?![^()]*\)")
_EDGE = re.compile(r"\\b|[\^$]")
_WORD = re.compile(r"(?<![\0\w])([a-z0-9]{2,})(s\?)?(?![\0\w?*+{])")
_NOT_LETTERS = re.compile(r"[^a-z0-9?*+{}\0]")

# Words that most error answers hold; a row found by one of them would be tried in vain.
_COMMON = frozenset(
    {"your", "the", "has", "have", "been", "this", "that", "for", "and", "not", "error", "please"}
    | {"you", "is", "are", "was", "request", "requests", "with", "limit", "exceeded", "rate", "api"}
    | {"key", "to", "of", "in", "on", "no", "it", "an", "provided", "required", "access"}
)


def anchors_of(pattern: str) -> frozenset[str]:
    """Derive words of which every text holds one in which the pattern is found.

    Args:
        pattern: a regular expression over lower-case prose, as rules state them.

    Returns:
        The rarest such set; empty where none can be told.
    """
    return min(_candidates(pattern), key=_commonness, default=frozenset())


def _commonness(words: frozenset[str]) -> tuple[bool, int, int]:
    return bool(words & _COMMON), len(words), -min(map(len, words))


def _candidates(pattern: str) -> list[frozenset[str]]:
    found: list[frozenset[str]] = []
    pattern = _LOOK_AHEAD.sub("", pattern)
    rest = _GROUP.sub(lambda group: _take_group(group, pattern, found), pattern)
    if "|" in rest:
        return []
    bare = _NOT_LETTERS.sub(" ", _EDGE.sub(" ", _CLASS.sub("\\0", rest)))
    for word, plural in _WORD.findall(bare):
        found.append(frozenset({word, word + "s"} if plural else {word}))
    return found


def _take_group(group: re.Match[str], pattern: str, found: list[frozenset[str]]) -> str:
    content, quantity = group.groups()
    before, after = pattern[: group.start()][-1:], pattern[group.end() :][:1]
    alone = not before.isalnum() and not after.isalnum() and after not in ("\\", "[")
    if quantity is None and alone:
        words = _one_of_each(_alternatives(content))
        if words:
            found.append(words)
    return "\0"


def _one_of_each(alternatives: list[str]) -> frozenset[str]:
    words: set[str] = set()
    for alternative in alternatives:
        needed = anchors_of(alternative)
        if not needed:
            return frozenset()
        words |= needed
    return frozenset(words)


def _alternatives(content: str) -> list[str]:
    depth, parts, part = 0, [], ""
    for char in content:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return [*parts, part]
