"""One process of a fleet asks for all, while nothing is known of an endpoint.

Inside each process the canary is found as usual; here the canaries of all processes find one among
them. A mark in the store says who that is, and then, for a while, that the endpoint lives.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket

from ._canary import Place
from ._credential import Endpoint
from ._latch import Latch
from ._stores._names import name_of
from ._stores.protocol import Marks
from ._talk import Talk
from ._waiters import Waiter

KNOWN = "alive"
KNOWN_FOR = 300.0
"""Seconds for which those who start need no canary of their own."""
_PATIENCE = 0.02, 0.1


async def claim_lead(
    latch: Latch, endpoint: Endpoint, waiter: Waiter, seconds: float
) -> Place | None:
    """Wait until this process may go ahead of the others, or need not.

    Args:
        latch: of the process.
        endpoint: that nothing is known of.
        waiter: the place of the canary in this process.
        seconds: to wait at most; then it goes ahead all the same.

    Returns:
        The place, or None where the others have found out: then the latch must be asked again.
    """
    canaries = latch.canaries
    lead = Lead(latch, endpoint)
    try:
        await lead.wait_for(seconds)
    except BaseException:
        lead.leave()
        canaries.vacate(endpoint, waiter)
        raise
    if lead.is_known:
        canaries.settle(endpoint)
    if not canaries.holds(endpoint, waiter):
        lead.leave()
        return None
    return FleetPlace(latch, endpoint, waiter, lead)


class FleetPlace(Place):
    """The place of the one canary of a fleet."""

    __slots__ = ("_latch", "_lead")

    def __init__(self, latch: Latch, endpoint: Endpoint, waiter: Waiter, lead: Lead) -> None:
        super().__init__(latch.canaries, endpoint, waiter)
        self._latch = latch
        self._lead = lead

    def leave(self) -> None:
        """Leave it, and tell the fleet what was learned."""
        super().leave()
        if self._latch.canaries.knows(self._endpoint):
            self._lead.settle()
        elif self._latch.find(self._endpoint) is None:
            self._lead.leave()
        # Tripped: the trip itself reaches the others; the mark ends by itself.


class Lead:
    """The mark of one process."""

    def __init__(self, latch: Latch, endpoint: Endpoint) -> None:
        self._latch = latch
        self._endpoint = endpoint
        # After a reset nothing is known any more, nor is anybody underway for it.
        self._name = f"{name_of(endpoint)}@{latch.generation}"
        self._me = f"{socket.gethostname()}:{os.getpid()}:{random.getrandbits(64):x}"
        self._asked = self._held = False
        self.is_known = False

    async def wait_for(self, seconds: float) -> None:
        """Wait for the lead, for news of the endpoint, or for so many seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not self._held and not self.is_known and self._latch.find(self._endpoint) is None:
            link, left = self._latch._link, deadline - loop.time()
            if link is None or left <= 0:
                return  # alone, or out of patience
            talk = link.talk()
            if talk is not None and (talk.down or await self._ask(talk, seconds, left)):
                return
            await asyncio.sleep(random.uniform(*_PATIENCE))

    def settle(self) -> None:
        """Tell that the endpoint lives."""
        self._put(KNOWN, KNOWN_FOR)

    def leave(self) -> None:
        """Let another process go ahead."""
        if self._asked:
            self._put("", 0.0)

    async def _ask(self, talk: Talk, seconds: float, left: float) -> bool:
        """Ask the store once; True where asking again makes no sense."""
        self._asked = True
        try:
            asked = asyncio.run_coroutine_threadsafe(self._ask_there(talk, seconds), talk.loop)
        except RuntimeError:
            return True  # its loop has just ended
        answer = asyncio.wrap_future(asked)
        await asyncio.wait({answer}, timeout=left)
        return answer.done() and not answer.cancelled() and answer.result()

    async def _ask_there(self, talk: Talk, seconds: float) -> bool:
        connection = talk.connection
        if connection is None:
            return False  # it is only being made
        if not isinstance(connection, Marks):
            return True
        try:
            holder = await connection.mark(self._name, self._me, seconds, over=self._me)
        except Exception:
            return True  # whatever it is, the link will find and tell it
        self._held, self.is_known = holder == self._me, holder == KNOWN
        return False

    def _put(self, value: str, seconds: float) -> None:
        link = self._latch._link
        talk = None if link is None else link.talk()
        if talk is not None:
            # A loop that has just ended has nobody to tell.
            with contextlib.suppress(RuntimeError):
                talk.loop.call_soon_threadsafe(talk.mark, self._name, value, seconds, self._me)
