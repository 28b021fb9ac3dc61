"""One record of the latch: the answer that tripped it, as plain facts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple

from ._credential import Endpoint
from ._verdict import Verdict, VerdictKind

HeaderItems = tuple[tuple[str, str], ...]
"""Header names and values in the order they came; names may repeat."""


class Witness(NamedTuple):
    """The process that saw an answer.

    Attributes:
        host: name of its machine.
        pid: its number there.

    .. versionadded:: 0.1.0
    """

    host: str
    pid: int

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


@dataclass(frozen=True)
class Trip:
    """Why and since when an endpoint is refused.

    It holds no response, connection or frame, and no secret: every text in it has been redacted.

    Attributes:
        endpoint: the origin and the fingerprint of the key that the answer was for.
        verdict: what the answer says.
        status: HTTP status of the answer.
        reason: its reason phrase.
        method: method of the request that was answered.
        url: its address, without keys.
        request_headers: its headers, secrets redacted.
        headers: headers of the answer, secrets redacted.
        content: body of the answer, decoded, at most ``max_body`` bytes.
        tripped_at: when; aware, in UTC.
        generation: the latch's generation in which the request was sent.
        seen_by: who saw the answer, where a store told of it; None where this process did.

    .. versionadded:: 0.1.0
    """

    endpoint: Endpoint
    verdict: Verdict
    status: int
    reason: str
    method: str
    url: str
    request_headers: HeaderItems
    headers: HeaderItems
    content: bytes
    tripped_at: datetime
    generation: int = 0
    seen_by: Witness | None = None

    @property
    def resets_at(self) -> datetime | None:
        """When the provider says that the limit ends, if it does; aware, in UTC."""
        return self.verdict.resets_at

    def __getstate__(self) -> dict[str, Any]:
        # Only the facts: errors keep objects made from them here, which do not pickle.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def explain(self) -> str:
        """Return one line for a person: whose key, the provider's words, and what to do."""
        verdict = self.verdict
        code = f" {verdict.code}" if verdict.code else ""
        words = f": {verdict.message!r}" if verdict.message else ""
        seen = f", seen by {self.seen_by}" if self.seen_by else ""
        return (
            f"{self.endpoint.origin} says that {_STATE.get(verdict.kind, 'this key is refused')} "
            f"(HTTP {self.status}{code}){words} "
            f"[key {self.endpoint.credential}, rule {verdict.rule}, "
            f"since {self.tripped_at:%Y-%m-%dT%H:%M:%SZ}{seen}]. {self._advice()}"
        )

    def _advice(self) -> str:
        ends = f" It resets at {self.resets_at:%Y-%m-%dT%H:%M:%SZ}." if self.resets_at else ""
        return f"{_ADVICE.get(self.verdict.kind, _ADVICE[VerdictKind.WINDOWED])}{ends}"


_STATE = {
    VerdictKind.QUOTA: "this key or its account is spent",
    VerdictKind.AUTH: "this key is not valid",
    VerdictKind.WINDOWED: "this key has used up its window",
}
_ADVICE = {
    VerdictKind.QUOTA: "Add credit or raise the limit and call latch.reset(), or use another key.",
    VerdictKind.AUTH: "Use a valid key; a request with another key is not refused.",
    VerdictKind.WINDOWED: "Wait for the window to end and call latch.reset(), or use another key.",
}
