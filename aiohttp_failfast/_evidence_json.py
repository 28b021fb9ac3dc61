"""Turn body text into plain Python values, however badly it was written or cut."""

from __future__ import annotations

import json
import re
from typing import Any

_DECODER = json.JSONDecoder(strict=False)

# A cut body is repaired from its head only: the error comes first, and the scan is per character.
_REPAIR_CHARS = 4096
_REPAIR_DEPTH = 64
_REPAIR_TRIES = 3

_BROKEN = (ValueError, RecursionError)
"""What the decoder raises: bad syntax, endless digits, nesting beyond the interpreter's stack."""

_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|["{}\[\],]', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}

_REPR_TOKEN = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\b(?:None|True|False)\b", re.DOTALL
)
_REPR_WORDS = {"None": "null", "True": "true", "False": "false"}
_LOOKS_LIKE_REPR = re.compile(r"[{\[]\s*[{\[]?\s*'")


def decode(text: str) -> Any:
    """Decode a whole JSON text; where it is cut off, what can be had of its head.

    Returns:
        The value, or None where there is nothing to be had.
    """
    # Something may follow a whole value (a second one, a trailing comment): the first counts.
    try:
        return _DECODER.raw_decode(text)[0]
    except _BROKEN:
        return _salvage(text)


def decode_inside(text: str, start: int) -> tuple[Any, str]:
    """Decode the JSON or Python-repr value that begins at `start` within prose.

    Returns:
        The value (None where there is none) and the prose behind it.
    """
    if _LOOKS_LIKE_REPR.match(text, start):
        text, start = _repr_to_json(text[start : start + _REPAIR_CHARS]), 0
    try:
        value, end = _DECODER.raw_decode(text, start)
    except _BROKEN:
        return _salvage(text[start:]), ""
    return value, text[end:]


def _salvage(text: str) -> Any:
    return next(filter(None, map(_decoded, _repairs(text[:_REPAIR_CHARS]))), None)


def _decoded(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except _BROKEN:
        return None


def _repairs(text: str) -> list[str]:
    """Ways to close a cut JSON text: as it stands, then back to the last commas."""
    open_brackets: list[str] = []
    commas: list[tuple[int, str]] = []
    unclosed_string = False
    for token in _STRUCTURE.finditer(text):
        mark = token.group()
        if mark in _CLOSER:
            open_brackets.append(_CLOSER[mark])
            if len(open_brackets) > _REPAIR_DEPTH:
                return []
        elif mark in "}]" and open_brackets:
            open_brackets.pop()
        elif mark == ",":
            commas.append((token.start(), "".join(reversed(open_brackets))))
            del commas[:-_REPAIR_TRIES]
        elif mark == '"':
            unclosed_string = True
            break
    end = '"' if unclosed_string else ""
    head = _without_half_escape(text) if unclosed_string else text
    whole = head + end + "".join(reversed(open_brackets))
    return [whole, *(text[:at] + closers for at, closers in reversed(commas))]


_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def _without_half_escape(text: str) -> str:
    tail = text[-6:]
    found = _HALF_ESCAPE.search(tail)
    return text[: len(text) - len(found.group())] if found else text


def _repr_to_json(text: str) -> str:
    return _REPR_TOKEN.sub(_repr_token, text)


def _repr_token(found: re.Match[str]) -> str:
    token = found.group()
    word = _REPR_WORDS.get(token)
    if word is not None:
        return word
    if token[0] == '"':
        return token
    inner = token[1:-1].replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    return f'"{inner}"'
