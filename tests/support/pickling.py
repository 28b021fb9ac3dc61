"""What a process pool runs: must be importable in a fresh interpreter."""

from __future__ import annotations

import os

from trips import trip_of

from aiohttp_failfast import PermanentEndpointError


class UserError(PermanentEndpointError):
    """A user's own error, with an attribute of its own."""

    job: str = "none"


def fail(note: str) -> None:
    """Raise, in whatever process this runs, an error with a note."""
    error = UserError.from_trip(trip_of(), sent=True)
    error.job = f"job of {os.getpid()}"
    error.__dict__.setdefault("__notes__", []).append(note)
    raise error
