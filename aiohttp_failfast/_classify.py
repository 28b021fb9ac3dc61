"""Judge one answer: gather the evidence, ask the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ._compiled import Table
from ._evidence import Evidence, gather
from ._rules import TABLE, WRAPPED
from ._rules.row import Rule
from ._verdict import MAX_MESSAGE, Verdict, VerdictKind

FALLBACK_OTHER = "fallback-other"
FALLBACK_TRANSIENT = "fallback-transient"
OK = "ok"

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 507, 509, 529, 530, 598, 599}) | frozenset(
    range(520, 528)
)
_FINE = Verdict(VerdictKind.OK, rule=OK)


class Rules:
    """The rules with which answers are judged; callable like `classify`.

    Args:
        before: rules asked before ours.
        after: rules asked after ours, before the status alone decides.
        without: ids of our rules to leave out.

    Raises:
        ValueError: an id in `without` is none of ours, or two rules share one id.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_table",)

    def __init__(
        self,
        *,
        before: Iterable[Rule] = (),
        after: Iterable[Rule] = (),
        without: Iterable[str] = (),
    ) -> None:
        left_out = frozenset([without] if isinstance(without, str) else without)
        unknown = left_out.difference(rule.id for rule in TABLE)
        if unknown:
            raise ValueError(f"no such rule: {', '.join(sorted(unknown))}")
        ours = [rule for rule in TABLE if rule.id not in left_out]
        self._table = Table([*before, *ours, *after])

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in the order in which they are asked.

        .. versionadded:: 0.1.0
        """
        return self._table.rules

    def __call__(
        self,
        status: int,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        *,
        url: str | object | None = None,
    ) -> Verdict:
        """Judge one answer; the arguments are those of `classify`."""
        if type(status) is not int or type(body) is not bytes:
            status, body = _plain(status, body)
        if status < 400 and not body:
            return _FINE
        evidence = gather(status, headers, body, url)
        if not evidence.fault:
            return _FINE
        rule = self._table.first(evidence)
        if rule is None:
            return _by_status(evidence)
        code = self._table.deciding_code(rule, evidence)
        if evidence.upstream_fault and _permanent(rule) and not rule.upstream:
            rule = WRAPPED
        return _verdict(evidence, rule, code)


def _plain(status: object, body: object) -> tuple[int, bytes]:
    """Make what a caller passed against the types into something that can be judged."""
    number = int(status) if isinstance(status, int) else 0
    if isinstance(body, str):
        return number, body.encode("utf-8", "replace")
    if isinstance(body, (bytes, bytearray, memoryview)):
        return number, bytes(body)
    return number, b""


def _permanent(rule: Rule) -> bool:
    return rule.kind is VerdictKind.QUOTA or rule.kind is VerdictKind.AUTH


def _by_status(evidence: Evidence) -> Verdict:
    passing = evidence.status in _PASSING
    return Verdict(
        VerdictKind.TRANSIENT if passing else VerdictKind.OTHER,
        evidence.code,
        evidence.message[:MAX_MESSAGE],
        FALLBACK_TRANSIENT if passing else FALLBACK_OTHER,
        evidence.retry_after,
        evidence.resets_at,
    )


def _verdict(evidence: Evidence, rule: Rule, code: str | None) -> Verdict:
    return Verdict(
        rule.kind,
        code,
        evidence.message[:MAX_MESSAGE],
        rule.id,
        evidence.retry_after,
        evidence.resets_at,
        rule.sightings,
    )


_OURS = Rules()


def classify(
    status: int,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    *,
    url: str | object | None = None,
) -> Verdict:
    """Judge what one answer says about the credential it was sent with.

    Pure but for the clock, which is read where a `Retry-After` names a date and the answer
    carries no `Date`. Never raises on any content.

    Args:
        status: HTTP status.
        headers: response headers in any case, if known.
        body: the decompressed body, or its head; 64 KiB of it are looked at.
        url: where the request went; it may help to tell providers apart.

    Returns:
        The verdict. Its `rule` names the row of the table that decided.

    .. versionadded:: 0.1.0
    """
    return _OURS(status, headers, body, url=url)
