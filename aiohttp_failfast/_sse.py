"""Find the error events in a stream of server-sent events, in bounded memory."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

# WHATWG HTML, section 9.2: an event ends with an empty line; lines end with CR, LF or both.
_END_OF_EVENT = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_END = 4
_MARK = b"error"


class ErrorEvents:
    """Cuts a stream into events and keeps those that speak of an error.

    Args:
        max_event: bytes of one event that are kept; a longer one is passed over.
    """

    __slots__ = ("_max_event", "_pending", "_skipping")

    def __init__(self, max_event: int) -> None:
        self._max_event = max_event
        self._pending = b""
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take one piece of the stream, and yield the error events that it completes."""
        pending = self._pending + data
        # Most pieces hold whole events of a healthy stream: one scan, and they are gone.
        if _MARK not in pending:
            self._pending = self._tail(pending)
            return
        *events, rest = _END_OF_EVENT.split(pending)
        self._pending = self._bounded(rest)
        for event in events:
            if self._skipping:
                self._skipping = False
            elif _MARK in event:
                yield event

    def end(self) -> Iterator[bytes]:
        """Yield the last event, if the stream ended within an error event."""
        rest, self._pending = self._pending, b""
        if _MARK in rest and not self._skipping:
            yield rest

    def _tail(self, pending: bytes) -> bytes:
        """Return the unfinished event at the end of pieces without an error."""
        for last in deque(_END_OF_EVENT.finditer(pending), maxlen=1):
            self._skipping = False
            pending = pending[last.end() :]
        return self._bounded(pending)

    def _bounded(self, rest: bytes) -> bytes:
        if len(rest) <= self._max_event:
            return rest
        self._skipping = True
        return rest[-_LONGEST_END:]
