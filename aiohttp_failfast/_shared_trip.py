"""A trip as other processes get to see it: no request headers, no path, a short body."""

from __future__ import annotations

from dataclasses import dataclass

from ._credential import Endpoint
from ._trip import HeaderItems, Trip, Witness

MAX_CONTENT = 8 * 1024
"""Bytes of an answer's body that are shared."""

# Whoever hands a remembered answer back needs its type; whoever complains to the provider its id.
_HEADERS = frozenset(
    {"content-type", "retry-after", "request-id", "x-request-id", "cf-ray", "x-ms-request-id"}
)


@dataclass(frozen=True)
class SharedTrip:
    """A trip as it is told to others.

    Attributes:
        trip: the record, with ``seen_by`` filled in; its headers, body and address are cut down
            to what another process needs.
        expires_at: when it ends by itself, in seconds since the epoch.

    .. versionadded:: 0.1.0
    """

    trip: Trip
    expires_at: float


def cut_down(trip: Trip, me: Witness) -> Trip:
    """Return a trip as it is shared.

    Args:
        trip: the record; what another process saw is cut down already.
        me: this process.
    """
    if trip.seen_by is not None:
        return trip
    return Trip(
        endpoint=trip.endpoint,
        verdict=trip.verdict,
        status=trip.status,
        reason=trip.reason,
        method=trip.method,
        url=url_of(trip.endpoint),
        request_headers=(),
        headers=shared_headers(trip.headers),
        content=trip.content[:MAX_CONTENT],
        tripped_at=trip.tripped_at,
        generation=trip.generation,
        seen_by=me,
    )


def shared_headers(items: HeaderItems) -> HeaderItems:
    """Return those headers of an answer that others may want."""
    return tuple((name, text) for name, text in items if name.lower() in _HEADERS)


def url_of(endpoint: Endpoint) -> str:
    """Return the address that stands in a shared trip; a path may tell more than it should."""
    return "" if endpoint.origin == "*" else endpoint.origin
