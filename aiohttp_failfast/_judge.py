"""A response becomes plain data, and is judged; what was learned is kept beside it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from aiohttp import ClientResponse

from ._answer import answer_of
from ._body import peek
from ._guard import Guard
from ._observation import Observation
from ._tap import tap

FIRST_ERROR_STATUS = 400

_observations: WeakKeyDictionary[ClientResponse, Observation] = WeakKeyDictionary()


def observation_of(response: ClientResponse) -> Observation | None:
    """Return what was learned from a response, if it was judged."""
    return _observations.get(response)


async def judge(guard: Guard, response: ClientResponse, generation: int) -> Observation | None:
    """Learn from an answer; None for a healthy one, whose body is never read here."""
    settings = guard.settings
    if response.status < FIRST_ERROR_STATUS:
        tapped = settings.watch_streams or settings.watch_ok_bodies
        if not tapped or not tap(guard, response, generation):
            info = response.request_info
            guard.succeeded(info.url, info.headers, generation)
        return None
    content = await peek(response, settings.max_body, settings.body_timeout)
    observation = await guard.observe(answer_of(response, content, generation))
    _observations[response] = observation
    return observation
