"""What the test server answers next; plain data, no network."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

from .._checks import require_int
from .._verdict import VerdictKind
from ._answer import NamedAnswer
from ._answers_alive import ALIVE
from ._answers_dead import DEAD

HEALTHY = NamedAnswer("ok", 200, VerdictKind.OK, '{"ok": true}')
ANSWERS = {one.name: one for one in (HEALTHY, *DEAD, *ALIVE)}
"""Every answer, by its name."""


@dataclass
class _Death:
    answer: NamedAnswer
    good_for: int


class Script:
    """Picks the answers; ``None`` stands for every key.

    Attributes:
        healthy: what is answered where nothing else is to be.
    """

    def __init__(self) -> None:
        self.healthy = HEALTHY
        self._next: dict[str | None, deque[NamedAnswer]] = {}
        self._deaths: dict[str | None, _Death] = {}

    def die(self, answer: str | NamedAnswer, after: int, key: str | None) -> None:
        """Let a key die after so many more calls."""
        require_int("after", after, at_least=0)
        self._deaths[key] = _Death(named(answer), after)

    def recover(self, key: str | None) -> None:
        """Let a key live again; None for all that died."""
        if key is None:
            self._deaths.clear()
        else:
            self._deaths.pop(key, None)

    def answer_next(self, answers: Collection[str | NamedAnswer], key: str | None) -> None:
        """Put answers before all others, one call each."""
        self._next.setdefault(key, deque()).extend([named(answer) for answer in answers])

    def pick(self, keys: Collection[str]) -> NamedAnswer:
        """Return the answer to a call with these keys."""
        for key in (*keys, None):
            if self._next.get(key):
                return self._next[key].popleft()
        deaths = [death for key in (*keys, None) if (death := self._deaths.get(key))]
        for death in deaths:
            if death.good_for <= 0:
                return death.answer
        for death in deaths:
            death.good_for -= 1
        return self.healthy


def named(answer: str | NamedAnswer) -> NamedAnswer:
    """Return an answer by its name.

    Raises:
        ValueError: there is none of that name; the message lists all.
    """
    if isinstance(answer, NamedAnswer):
        return answer
    if answer not in ANSWERS:
        raise ValueError(f"no answer is named {answer!r}; there are: {', '.join(ANSWERS)}")
    return ANSWERS[answer]
