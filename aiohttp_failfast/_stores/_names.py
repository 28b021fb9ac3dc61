"""Endpoints as text: ``ORIGIN#FINGERPRINT``, on the command line and in keys of Redis."""

from __future__ import annotations

from .._credential import Endpoint

ALL = "*"
"""Stands for all endpoints; no endpoint's name is this."""


def name_of(endpoint: Endpoint) -> str:
    """Return the name of an endpoint.

    Args:
        endpoint: whose.
    """
    origin = endpoint.origin.replace("%", "%25").replace("#", "%23")
    return f"{origin}#{endpoint.credential}"


def endpoint_of(name: str) -> Endpoint:
    """Return the endpoint of a name.

    Args:
        name: as `name_of` writes it.

    Raises:
        ValueError: it is no such name.
    """
    origin, mark, credential = name.partition("#")
    if not mark or not origin or not credential:
        raise ValueError(f"an endpoint is ORIGIN#FINGERPRINT, got {name!r}")
    return Endpoint(origin.replace("%23", "#").replace("%25", "%"), credential)
