"""When an answer is worth another attempt, and how long to wait for it."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ._checks import require_int, require_seconds
from ._verdict import Verdict, VerdictKind

DEFAULT_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 520})

# Bounds the exponent: 2 ** 64 times any base is beyond any cap, and no float overflows.
_MAX_DOUBLINGS = 64
# A stated wait is obeyed in full; a little jitter on top keeps its obeyers from coming as one.
_JITTER_ON_STATED_WAIT = 0.1
NO_EVIDENCE = "fallback-other"


@dataclass(frozen=True)
class RetryPolicy:
    """How often, for what and after which wait a request is sent again.

    Only answers that are not decisive are retried: a spent or dead key never is, nor a window
    of hours, nor an answer that concerns the request itself. ``x-should-retry`` of the answer
    is obeyed. A request whose body cannot be sent again is not retried.

    Args:
        max_http_attempts: attempts in all, the first included; at least 1.
        statuses: HTTP statuses that are retried.
        backoff_base: seconds; the wait before the n-th retry is drawn evenly between 0 and
            ``backoff_base * 2 ** (n - 1)`` ("full jitter").
        backoff_max: seconds; the cap of that.
        max_retry_after: seconds; a ``Retry-After`` (or ``retry-after-ms``, or a wait stated in
            the body) up to this is obeyed, beyond it the answer is handed over at once.
        methods: HTTP methods that are retried; None for all.

    Raises:
        TypeError, ValueError: an argument makes no sense; the message names it.

    .. versionadded:: 0.1.0
    """

    max_http_attempts: int = 3
    statuses: Collection[int] = DEFAULT_STATUSES
    backoff_base: float = 0.5
    backoff_max: float = 8.0
    max_retry_after: float = 60.0
    methods: Collection[str] | None = None

    def __post_init__(self) -> None:
        require_int("max_http_attempts", self.max_http_attempts, at_least=1)
        for name in ("backoff_base", "backoff_max", "max_retry_after"):
            require_seconds(name, getattr(self, name))
        object.__setattr__(self, "statuses", _statuses(self.statuses))
        if self.methods is not None:
            object.__setattr__(self, "methods", _methods(self.methods))

    def delay_after(
        self, attempt: int, method: str, status: int, verdict: Verdict, headers: Mapping[str, str]
    ) -> float | None:
        """Return the seconds to wait after an attempt, or None where there is to be no other.

        Args:
            attempt: number of the attempt that was answered, from 1.
            method: the request's method.
            status: status of the answer.
            verdict: what the answer says.
            headers: headers of the answer.
        """
        if attempt >= self.max_http_attempts or not self._covers(method, status, verdict, headers):
            return None
        stated = verdict.retry_after
        if stated is None or not stated >= 0:  # a user's classifier may say NaN
            doublings = min(attempt - 1, _MAX_DOUBLINGS)
            return random.uniform(0, min(self.backoff_max, self.backoff_base * 2**doublings))
        if stated > self.max_retry_after:
            return None
        return stated + random.uniform(0, stated * _JITTER_ON_STATED_WAIT)

    def _covers(
        self, method: str, status: int, verdict: Verdict, headers: Mapping[str, str]
    ) -> bool:
        if self.methods is not None and method.upper() not in self.methods:
            return False
        if verdict.kind is not VerdictKind.TRANSIENT and verdict.rule != NO_EVIDENCE:
            return False
        # Set by servers behind the Stainless SDKs (OpenAI, Anthropic): the server knows best.
        hint = headers.get("x-should-retry", "").strip().lower()
        return hint == "true" or (hint != "false" and status in self.statuses)


def _statuses(value: object) -> frozenset[int]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Collection):
        raise TypeError(f"statuses must be a collection of ints, got {type(value).__name__}")
    for status in value:
        if isinstance(status, bool) or not isinstance(status, int):
            raise TypeError(f"statuses must hold ints, got {type(status).__name__}")
        if not 400 <= status <= 599:
            raise ValueError(f"statuses must be between 400 and 599, got {status}")
    return frozenset(value)


def _methods(value: object) -> frozenset[str]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Collection):
        raise TypeError(f"methods must be a collection of str, got {type(value).__name__}")
    for method in value:
        if not isinstance(method, str):
            raise TypeError(f"methods must hold str, got {type(method).__name__}")
    return frozenset(method.upper() for method in value)
