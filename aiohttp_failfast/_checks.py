"""Checks of arguments, whose errors name the argument."""

from __future__ import annotations

import sys
from collections.abc import Collection

MAX_SECRET = 64
"""Bytes that key a fingerprint at most."""


def require_int(name: str, value: object, *, at_least: int, at_most: int | None = None) -> None:
    """Refuse what is no whole number, or one out of bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, got {type(value).__name__}")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, got {value}")
    if at_most is not None and value > at_most:
        raise ValueError(f"{name} must be at most {at_most}, got {value}")


def require_seconds(name: str, value: object) -> None:
    """Refuse what is no finite number of seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number of seconds, got {type(value).__name__}")
    if not 0 <= value <= sys.float_info.max:
        raise ValueError(f"{name} must be a finite number of seconds, 0 or more, got {value}")


def require_callable(name: str, value: object) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise TypeError(f"{name} must be callable, got {type(value).__name__}")


def require_bool(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {type(value).__name__}")


def require_one_of(name: str, value: object, names: Collection[str]) -> None:
    """Refuse what is none of the names."""
    if value not in names:
        raise ValueError(f"{name} must be {' or '.join(map(repr, names))}, got {value!r}")


def require_secret(name: str, value: object) -> None:
    """Refuse what is no key of a fingerprint."""
    if not isinstance(value, bytes):
        raise TypeError(f"{name} must be bytes, got {type(value).__name__}")
    if len(value) > MAX_SECRET:
        raise ValueError(f"{name} must have at most {MAX_SECRET} bytes, got {len(value)}")
