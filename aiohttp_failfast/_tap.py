"""Errors inside answers whose status is fine, seen as they arrive and never held up.

A stream of events may end in an error event that says the key is spent, and some APIs answer
200 with the error in the body. The tap copies what the network delivers; the caller's own reading
is not delayed, and not one byte is kept from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from aiohttp import ClientResponse, StreamReader

from ._answer import answer_of
from ._events import tell_soon
from ._guard import Guard
from ._observation import Answer
from ._sse import ErrorEvents

MakeAnswer = Callable[[bytes], Answer]


class Sink(Protocol):
    """Takes a body in pieces and judges what is in it."""

    def feed(self, data: bytes) -> None:
        """Take one piece."""

    def end(self) -> None:
        """Note that the body is complete."""


class TappedStream(StreamReader):
    """A StreamReader that shows what it is fed.

    It takes the place of the class of a stream that exists, so it has no state of its own:
    the sink hangs on the connection's protocol, which serves one body at a time.
    """

    __slots__ = ()

    def feed_data(self, data: bytes, *args: Any) -> Any:
        """Show one piece, and take it in."""
        sink = _sinks.get(self._protocol)
        if sink is not None:
            sink.feed(data)
        return super().feed_data(data, *args)

    def feed_eof(self) -> None:
        """Show the end, and take it in."""
        sink = _sinks.pop(self._protocol, None)
        if sink is not None:
            sink.end()
        super().feed_eof()


_sinks: WeakKeyDictionary[Any, Sink] = WeakKeyDictionary()


def tap(guard: Guard, response: ClientResponse, generation: int) -> bool:
    """Tap the body of an answer, if its type and the settings ask for that.

    Returns:
        Whether the whole body is to be judged, so that its head alone proves nothing.
    """
    stream = response.content
    sink = _sink_for(guard, response, partial(answer_of, response, generation=generation))
    if sink is None or type(stream) is not StreamReader:
        return False
    # What arrived together with the head is there already.
    for piece in _arrived(stream):
        sink.feed(piece)
    if stream.is_eof():
        sink.end()
    else:
        _sinks[stream._protocol] = sink
        stream.__class__ = TappedStream
    return isinstance(sink, _BodySink)


def _arrived(stream: StreamReader) -> list[bytes]:
    pieces = list(stream._buffer)
    if pieces and stream._buffer_offset:
        pieces[0] = pieces[0][stream._buffer_offset :]
    return pieces


def _sink_for(guard: Guard, response: ClientResponse, make_answer: MakeAnswer) -> Sink | None:
    kind = response.content_type
    if guard.settings.watch_streams and kind == "text/event-stream":
        return _StreamSink(guard, make_answer)
    if guard.settings.watch_ok_bodies and (kind.endswith(("/json", "+json"))):
        return _BodySink(guard, make_answer)
    return None


class _Learner:
    """Judges from within a data callback, where nothing can be awaited."""

    def __init__(self, guard: Guard, make_answer: MakeAnswer) -> None:
        self._guard = guard
        self._make_answer = make_answer

    def learn(self, content: bytes) -> None:
        _, news = self._guard.learn(self._make_answer(content))
        if news is not None:
            tell_soon("on_trip", self._guard.settings.on_trip, news)


class _StreamSink(_Learner):
    """Judges the error events of a stream."""

    def __init__(self, guard: Guard, make_answer: MakeAnswer) -> None:
        super().__init__(guard, make_answer)
        self._events = ErrorEvents(guard.settings.max_body)

    def feed(self, data: bytes) -> None:
        for event in self._events.feed(data):
            self.learn(event)

    def end(self) -> None:
        for event in self._events.end():
            self.learn(event)


class _BodySink(_Learner):
    """Judges a whole body, as far as the bound goes, when it is complete."""

    def __init__(self, guard: Guard, make_answer: MakeAnswer) -> None:
        super().__init__(guard, make_answer)
        self._pieces: list[bytes] = []
        self._left = guard.settings.max_body

    def feed(self, data: bytes) -> None:
        if self._left > 0:
            self._pieces.append(data[: self._left])
            self._left -= len(data)

    def end(self) -> None:
        # A longer body is no error; half of it would only look like one.
        if self._left >= 0 and self._pieces:
            self.learn(b"".join(self._pieces))
