"""What a rule is: one row of the table that turns evidence into a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .._evidence import Evidence
from .._verdict import VerdictKind


@dataclass(frozen=True)
class Rule:
    """One row of the table. It holds where every condition that it states holds.

    Attributes:
        id: name of the row; it is the `rule` of the verdicts that it gives.
        kind: what the answer says where the row holds.
        about: provider, or shape shared by several.
        statuses: HTTP statuses it holds for; empty means any.
        codes: machine codes, one of which must be there. Case and separators do not matter. A
            bare number is written with the member that holds it: `base_resp#1008`.
        words: regular expressions over lower-case prose, one of which must be found.
        marks: structural findings that must all be there; see `Evidence.marks`.
        unless: regular expressions over the prose; none may be found.
        unless_marks: structural findings, none of which may be there.
        test: anything else, as a function of the evidence.
        upstream: whether a permanent verdict also stands in an answer in which a gateway
            reports the fault of its own upstream.
        sightings: distinct requests that must say so before a latch trips.
        source: address at which the answer was seen or is documented.
        read: date the source was read.
        samples: ids of answers in the collection that this row decides.

    .. versionadded:: 0.1.0
    """

    id: str
    kind: VerdictKind
    about: str = ""
    statuses: tuple[int, ...] = ()
    codes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    unless_marks: tuple[str, ...] = ()
    test: Callable[[Evidence], bool] | None = None
    upstream: bool = False
    sightings: int = 1
    source: str = ""
    read: str = ""
    samples: tuple[str, ...] = ()
