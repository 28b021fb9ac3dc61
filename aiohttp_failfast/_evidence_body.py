"""Read a body of any form into findings: JSON, events, markup, prose."""

from __future__ import annotations

import re
from typing import Any

from ._evidence_fault import event_fails, reports_fault
from ._evidence_findings import Findings
from ._evidence_json import decode, decode_inside
from ._evidence_text import readable
from ._evidence_walk import add_prose, walk

MAX_BODY = 64 * 1024
"""Bytes of a body that are looked at."""


def read_body(body: bytes, found: Findings, status: int) -> None:
    text = body[:MAX_BODY].decode("utf-8", "replace").strip("\ufeff \t\r\n\0")
    if not text:
        found.marks.add("empty")
        return
    first = text[0]
    if first in '{["':
        value = decode(text)
        if value is None:
            value = decode_inside(text, 0)[0]
        if isinstance(value, (dict, str)) or (isinstance(value, list) and text[1:2] in _IN_ARRAY):
            _read_value(value, found, status)
            return
    if first == "<":
        _read_markup(text, found)
    elif text.startswith(("data:", "event:", "id:", ": ", "retry:")):
        _read_events(text, found, status)
    elif first != "{" and text[:2] not in ("[{", "[["):
        _read_plain(text, found, status)


_IN_ARRAY = ('"', "{", "[", " ", "\n", "\r", "\t")
"""What stands behind the bracket of a real array; "[403]: ..." is prose."""


def _read_plain(text: str, found: Findings, status: int) -> None:
    found.marks.add("plain")
    if status >= 400:
        add_prose(text[:8192], found)


def _read_value(value: Any, found: Findings, status: int) -> None:
    if status >= 400 or reports_fault(value):
        found.marks.add("fault")
        walk(value, found, "")


_EVENT_LIMIT = 64


def _read_events(text: str, found: Findings, status: int) -> None:
    named_error = False
    for line in text.split("\n")[:_EVENT_LIMIT]:
        name, _, rest = line.partition(":")
        rest = rest.strip()
        if name == "event":
            named_error = rest in ("error", "response.failed")
        elif name == "data" and rest[:1] in ("{", "["):
            value = decode(rest)
            if isinstance(value, dict) and (named_error or status >= 400 or event_fails(value)):
                found.marks.add("fault")
                walk(value, found, "")
                if found.texts or found.codes:
                    return


_XML_FIELD = re.compile(
    r"<(?:\w{1,20}:)?(Code|Message|Error|status|error_message|ErrorCode|ErrorMessage|faultstring"
    r"|faultcode|Reason|error)>([^<>]{1,500})</"
)
_TITLE = re.compile(r"<(?:title|h1)>\s*([^<>]{1,200})", re.IGNORECASE)


def _read_markup(text: str, found: Findings) -> None:
    head = text[:8192]
    fields = _XML_FIELD.findall(head)
    if not fields or "<html" in head[:400].lower():
        found.marks.add("html")
        title = _TITLE.search(head)
        found.raw_text = readable(title.group(1)) if title else ""
        return
    found.marks.add("xml")
    for name, content in fields[:12]:
        if "essage" in name or "string" in name or " " in content.strip():
            add_prose(content, found)
        else:
            found.add_code(content.strip(), name.lower())
    if {"OVER_QUERY_LIMIT", "REQUEST_DENIED"}.intersection(found.codes.values()):
        found.marks.add("fault")
