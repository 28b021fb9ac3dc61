"""News to test stores with."""

from __future__ import annotations

import time
from datetime import datetime, timezone

from ._credential import Endpoint
from ._news import News
from ._shared_trip import SharedTrip
from ._trip import Trip, Witness
from ._verdict import Verdict, VerdictKind

ONE = Endpoint("https://api.example.com", "0123456789ab")
OTHER = Endpoint("https://[::1]:8443", "none")
ANY = Endpoint("*", "*")


def a_trip(
    endpoint: Endpoint = ONE, *, generation: int = 0, left: float = 60.0, message: str = "spent"
) -> News:
    """Return news of one trip.

    Args:
        endpoint: whose.
        generation: in which the request was sent.
        left: seconds until it expires.
        message: the provider's words.
    """
    verdict = Verdict(
        VerdictKind.QUOTA,
        code="insufficient_quota",
        message=message,
        rule="example",
        retry_after=1.5,
        resets_at=datetime(2030, 1, 1, tzinfo=timezone.utc),
    )
    trip = Trip(
        endpoint=endpoint,
        verdict=verdict,
        status=429,
        reason="Too Many Requests",
        method="POST",
        url="" if endpoint.origin == "*" else endpoint.origin,
        request_headers=(),
        headers=(("Content-Type", "application/json"), ("x-request-id", "ä")),
        content=b'{"error": "\xff"}',
        tripped_at=datetime(2026, 11, 30, 12, 0, 0, 250000, tzinfo=timezone.utc),
        generation=generation,
        seen_by=Witness("host.example", 4321),
    )
    expires_at = round(time.time() + left, 3)
    return News(generation, trips={endpoint: SharedTrip(trip, expires_at)})


def a_reset(generation: int, endpoint: Endpoint | None = None) -> News:
    """Return news of one reset.

    Args:
        generation: its number.
        endpoint: which one was reset; all by default.
    """
    if endpoint is None:
        return News(generation, generation)
    return News(generation, floors={endpoint: generation})
