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


def is_healthy(guard: Guard, response: ClientResponse, generation: int) -> bool:
    """Tell whether an answer is fine by its head, and learn that; its body is never read here.

    Where the settings ask for it, the body is tapped: then it is judged as it arrives.
    """
    if response.status >= FIRST_ERROR_STATUS:
        return False
    settings = guard.settings
    tapped = settings.watch_streams or settings.watch_ok_bodies
    if (tapped and tap(guard, response, generation)) or not guard.is_curious:
        return True
    info = response.request_info
    guard.succeeded(info.url, info.headers, generation)
    return True


async def judge(
    guard: Guard, response: ClientResponse, generation: int, *, key_was_dropped: bool
) -> Observation:
    """Read the start of an error answer, and learn from it."""
    settings = guard.settings
    content = await peek(response, settings.max_body, settings.body_timeout)
    answer = answer_of(response, content, generation, key_was_dropped=key_was_dropped)
    observation = await guard.observe(answer)
    _observations[response] = observation
    return observation
