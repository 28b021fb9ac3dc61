"""One answer that the test server can give."""

from __future__ import annotations

from dataclasses import dataclass

from .._verdict import VerdictKind


@dataclass(frozen=True)
class NamedAnswer:
    """An answer as it was seen on the wire.

    Args:
        name: what tests call it.
        status: its HTTP status.
        kind: what it says of the key.
        body: its body.
        source: where it was seen.
        headers: names and values of more headers, such as ``(("Retry-After", "1"),)``.

    .. versionadded:: 0.1.0
    """

    name: str
    status: int
    kind: VerdictKind
    body: str
    source: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def content_type(self) -> str:
        """The media type of the body."""
        return "application/json" if self.body.startswith(("{", "[")) else "text/html"
