"""Say on the command line what a verdict means."""

from __future__ import annotations

import json
from typing import Any

from ._classify import FALLBACK_OTHER, FALLBACK_TRANSIENT, OK
from ._rules import TABLE, WRAPPED
from ._rules.row import Rule
from ._verdict import Verdict, VerdictKind

EXIT_FINE = 0
EXIT_UNUSABLE = 2
EXIT_PERMANENT = 3

_RULES = {rule.id: rule for rule in (*TABLE, WRAPPED)}
_WITHOUT_ROW = {
    OK: "no fault in status or body",
    FALLBACK_OTHER: "no row of the table holds; by the status it concerns the request",
    FALLBACK_TRANSIENT: "no row of the table holds; by the status it passes",
}
_ACTIONS = {
    VerdictKind.OK: "hands the answer over, body untouched",
    VerdictKind.WINDOWED: "returns the answer without a retry; trips only with windowed='trip'",
    VerdictKind.TRANSIENT: "retries, up to max_http_attempts",
    VerdictKind.OTHER: "returns the answer once, unchanged",
}


def exit_status(verdict: Verdict) -> int:
    """Choose the exit status of the process."""
    return EXIT_PERMANENT if verdict.permanent else EXIT_FINE


def action(verdict: Verdict) -> str:
    """Tell what a session does with an answer of this verdict."""
    if not verdict.permanent:
        return _ACTIONS[verdict.kind]
    if verdict.sightings > 1:
        return f"trips once {verdict.sightings} requests say so with no success between"
    return "trips: every later call to this endpoint fails at once"


def as_dict(verdict: Verdict) -> dict[str, Any]:
    """Turn a verdict into plain values, for `--json`."""
    rule = _RULES.get(verdict.rule)
    return {
        "kind": verdict.kind.value,
        "permanent": verdict.permanent,
        "rule": verdict.rule,
        "about": _about(verdict.rule, rule),
        "source": rule.source if rule else None,
        "code": verdict.code,
        "message": verdict.message,
        "sightings": verdict.sightings,
        "retry_after": verdict.retry_after,
        "resets_at": verdict.resets_at.isoformat() if verdict.resets_at else None,
        "session": action(verdict),
    }


def as_text(verdict: Verdict) -> str:
    """Turn a verdict into lines to read."""
    rule = _RULES.get(verdict.rule)
    lines = [
        ("verdict", verdict.kind.value + (" (permanent)" if verdict.permanent else "")),
        ("rule", f"{verdict.rule}: {_about(verdict.rule, rule)}"),
        ("source", f"{rule.source} (read {rule.read})" if rule else ""),
        ("code", verdict.code or ""),
        ("message", verdict.message),
        ("session", action(verdict)),
        ("resets", _resets(verdict)),
    ]
    return "\n".join(f"{name:<9}{value}" for name, value in lines if value)


def as_json(verdict: Verdict, **more: Any) -> str:
    """Turn a verdict into one line of JSON, with `more` members in front."""
    return json.dumps({**more, **as_dict(verdict)}, ensure_ascii=False)


def _about(name: str, rule: Rule | None) -> str:
    return rule.about if rule else _WITHOUT_ROW[name]


def _resets(verdict: Verdict) -> str:
    told = []
    if verdict.resets_at is not None:
        told.append(verdict.resets_at.strftime("%Y-%m-%d %H:%M:%S UTC"))
    if verdict.retry_after is not None:
        told.append(f"after {verdict.retry_after:g} s")
    return ", ".join(told)
