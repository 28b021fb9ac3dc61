"""What one answer says about the credential it was sent with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

MAX_MESSAGE = 500
"""Characters of the provider's words that a verdict keeps."""


class VerdictKind(str, Enum):
    """The six things an answer can say. Compares equal to its own name as a string.

    .. versionadded:: 0.1.0
    """

    OK = "ok"
    """No fault."""
    QUOTA = "quota"
    """The key or account is spent; only a person or a new billing period brings it back."""
    AUTH = "auth"
    """The key is dead: invalid, missing, revoked, expired, deactivated or suspended."""
    WINDOWED = "windowed"
    """A window of an hour up to days is used up; it recovers by itself."""
    TRANSIENT = "transient"
    """It recovers within minutes: rate limits, overload, gateway trouble."""
    OTHER = "other"
    """It concerns this request, not the key."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Verdict:
    """The judgement of one answer.

    Attributes:
        kind: what the answer says.
        code: the provider's machine code, if it gave one.
        message: the provider's words, at most 500 characters.
        rule: id of the row of the table that decided.
        retry_after: seconds after which the provider says to come back.
        resets_at: when the provider says the limit ends; aware, in UTC.
        sightings: distinct requests that must say so, with no success in between, before the
            latch trips; 1 where the answer is decisive.

    .. versionadded:: 0.1.0
    """

    kind: VerdictKind
    code: str | None = None
    message: str = ""
    rule: str = ""
    retry_after: float | None = None
    resets_at: datetime | None = None
    sightings: int = 1

    @property
    def permanent(self) -> bool:
        """Whether no retry can help: the key is spent or dead."""
        return self.kind is VerdictKind.QUOTA or self.kind is VerdictKind.AUTH
