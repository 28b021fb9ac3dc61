"""Read answers as people have them at hand: `curl -i` output, a bare body, JSONL."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})\b[^\r\n]*\r?\n")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")


class UnusableInputError(ValueError):
    """The input is no answer that can be judged."""


class Answer(NamedTuple):
    """One answer to judge."""

    status: int
    headers: dict[str, str]
    body: bytes
    url: str | None = None
    id: str = ""


def answers_in(
    data: bytes, status: int | None, headers: dict[str, str], url: str | None
) -> list[Answer]:
    """Find the answers in the input.

    Args:
        data: the whole input.
        status: where given, `data` is a bare body.
        headers: go with a bare body.
        url: where the request went.

    Raises:
        UnusableInputError: it is none of the known forms.
    """
    if status is not None:
        if not 100 <= status <= 999:
            raise UnusableInputError(f"{status} is no HTTP status")
        return [Answer(status, headers, data, url)]
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"HTTP/"):
        return [_of_curl(start, url)]
    answers = _of_lines(data, url)
    if answers:
        return answers
    raise UnusableInputError(
        "expected the output of curl -i, JSON lines with status and body, or --status"
    )


def header_of(line: str) -> tuple[str, str]:
    """Split `Name: value`.

    Raises:
        UnusableInputError: there is no colon, or no name before it.
    """
    name, colon, value = line.partition(":")
    if not colon or not name.strip():
        raise UnusableInputError(f"no header: {line!r}")
    return name.strip(), value.strip()


def _of_curl(data: bytes, url: str | None) -> Answer:
    # The last answer counts: before it come 100 Continue, a proxy's own, and redirects.
    while True:
        line = _STATUS_LINE.match(data)
        if line is None:
            raise UnusableInputError("no status in the first line")
        rest = data[line.end() :]
        # An answer without headers ends with the blank line at once.
        end = _BLANK_LINE.search(data, line.end() - 2)
        head = rest[: max(0, end.start() - line.end())] if end else rest
        body = data[end.end() :] if end else b""
        if not _STATUS_LINE.match(body):
            return Answer(int(line.group(1)), _headers_in(head), body, url)
        data = body


def _headers_in(head: bytes) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in head.decode("latin-1").splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip():
            key = name.strip().lower()
            headers[key] = f"{headers[key]}, {value.strip()}" if key in headers else value.strip()
    return headers


def _of_lines(data: bytes, url: str | None) -> list[Answer]:
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if line.strip()]
    answers = [_of_line(line, url) for line in lines]
    return [answer for answer in answers if answer] if all(answers) else []


def _of_line(line: str, url: str | None) -> Answer | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    status, body = value.get("status"), value.get("body")
    if not isinstance(status, int) or not isinstance(body, str):
        return None
    return Answer(
        status,
        _texts(value.get("headers")),
        body.encode("utf-8", "replace"),
        url,
        str(value.get("id") or ""),
    )


def _texts(headers: Any) -> dict[str, str]:
    if not isinstance(headers, dict):
        return {}
    return {str(name): str(value) for name, value in headers.items()}
