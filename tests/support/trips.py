"""Records of a latch, made by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from multidict import CIMultiDict

from aiohttp_failfast import Endpoint, Trip, Verdict, VerdictKind

DEAD = Endpoint("https://api.example.com", "0123456789ab")
OTHER = Endpoint("https://api.example.com", "ba9876543210")
SPENT = Verdict(VerdictKind.QUOTA, code="insufficient_quota", message="spent", rule="row")


def trip_of(
    endpoint: Endpoint = DEAD, *, generation: int = 0, sightings: int = 1, **more: Any
) -> Trip:
    """Return a trip as an answer would make it."""
    given = {
        "verdict": replace(SPENT, sightings=sightings),
        "status": 429,
        "reason": "Too Many Requests",
        "method": "POST",
        "url": f"{endpoint.origin}/v1/chat",
        "request_headers": (("Authorization", "[redacted]"), ("X-Tag", "a"), ("X-Tag", "b")),
        "headers": tuple(
            CIMultiDict([("Set-Cookie", "[redacted]"), ("X-Two", "1"), ("x-two", "2")]).items()
        ),
        "content": b'{"error": "spent"}',
        "tripped_at": datetime(2026, 11, 30, 12, tzinfo=timezone.utc),
    }
    return Trip(endpoint=endpoint, generation=generation, **{**given, **more})
