"""How a job is ended whose program catches every exception."""

from __future__ import annotations

import asyncio

from driver import Job

from aiohttp_failfast import PermanentEndpointError, Trip

OURS = ("session", "default", "middleware", "trace")
_trips: list[Trip] = []


def cancel_all(job: Job) -> None:
    """Have the sessions of a job cancel all tasks of the loop that they run in, at a trip."""

    def on_trip(trip: Trip) -> None:
        _trips.append(trip)
        for task in asyncio.all_tasks():
            task.cancel()

    _trips.clear()
    if job.kind in OURS:
        job.session_options = {**job.session_options, "on_trip": on_trip}


def told(job: Job) -> Exception:
    """Return what the cancelled job's caller is told."""
    if not _trips:
        return RuntimeError("cancelled, but nothing tripped")
    return PermanentEndpointError.from_trip(_trips[0], sent=True)
