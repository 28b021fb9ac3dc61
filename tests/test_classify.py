"""What classify promises beyond single rows."""

from __future__ import annotations

import ast
import json
import sys
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

import aiohttp_failfast
from aiohttp_failfast import Verdict, VerdictKind, classify


def of(status: int, body: object, headers: dict[str, str] | None = None) -> Verdict:
    """Judge a body that is given as a value."""
    return classify(status, headers, json.dumps(body).encode())


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b'""', b" ", b"<html></html>"])
@pytest.mark.parametrize("status", [s for s in range(400, 600) if s not in (432, 433)])
def test_the_status_alone_never_trips(status: int, body: bytes) -> None:
    """Not even 401 and 402."""
    assert not classify(status, {}, body).permanent


@pytest.mark.parametrize("status", [100, 200, 204, 301, 304, 399])
def test_no_fault_without_a_body(status: int) -> None:
    """A healthy answer is ok."""
    assert Verdict(VerdictKind.OK, rule="ok") == classify(status)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520, 524, 529])
def test_passing_statuses_fall_back_to_transient(status: int) -> None:
    """Where no row holds, the status decides whether a retry is worth it."""
    verdict = classify(status, {"Retry-After": "7"}, b"?")
    assert (verdict.kind, verdict.rule) == (VerdictKind.TRANSIENT, verdict.rule)
    assert verdict.retry_after == 7.0


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 410, 418, 422, 501, 505])
def test_other_statuses_fall_back_to_other(status: int) -> None:
    """Its id says that there was no evidence either way."""
    assert classify(status, {}, b"?").rule == "fallback-other"


@pytest.mark.parametrize(
    "kind",
    ["invalid_request_error", "rate_limit_error", "permission_error", "auth_error", "api_error"],
)
@pytest.mark.parametrize("status", [400, 401, 402, 403, 429])
def test_generic_types_prove_nothing(status: int, kind: str) -> None:
    """They are used for everything."""
    assert not of(status, {"error": {"type": kind, "code": status, "message": "No"}}).permanent


@pytest.mark.parametrize(
    "name", ["insufficient_quota", "budget_exceeded", "credit_balance_exhausted"]
)
@pytest.mark.parametrize("member", ["code", "type"])
def test_a_429_of_a_spent_account(name: str, member: str) -> None:
    """By its parsed code or type."""
    assert of(429, {"error": {member: name}}).kind == VerdictKind.QUOTA


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize(
    "error",
    [
        {"code": "invalid_api_key"},
        {"type": "invalid_api_token"},
        {"type": "authentication_error", "message": "no"},
        {"message": "Invalid API key"},
        {"message": "Incorrect API key provided: sk-xx"},
    ],
)
def test_a_refusal_that_names_a_dead_key(status: int, error: dict[str, str]) -> None:
    """By code, type or words."""
    assert of(status, {"error": error}).kind == VerdictKind.AUTH


@pytest.mark.parametrize("scheme", ["Digest realm=x", "Negotiate", "NTLM"])
def test_the_first_half_of_a_login_is_no_dead_key(scheme: str) -> None:
    """Such a 401 is answered by a second request."""
    headers = {"WWW-Authenticate": scheme}
    assert classify(401, headers, b"Unauthorized").kind == VerdictKind.OTHER


@pytest.mark.parametrize(
    "message",
    [
        "litellm.RateLimitError: OpenAIException - You have no credits left",
        "Upstream request failed: insufficient balance",
        "Error from provider (X): invalid api key",
    ],
)
def test_the_account_of_an_upstream_is_not_the_callers(message: str) -> None:
    """The caller's key is alive."""
    assert of(429, {"error": {"message": message}}).rule == "upstream-account"


def test_an_upstream_answer_in_raw_is_not_the_callers() -> None:
    """OpenRouter hands the untouched answer on."""
    raw = json.dumps({"error": {"type": "authentication_error", "message": "invalid x-api-key"}})
    error = {"message": "Provider returned error", "code": 401, "metadata": {"raw": raw}}
    assert not of(401, {"error": error}).permanent


@pytest.mark.parametrize(
    ("number", "kind"), [("27342", VerdictKind.OTHER), ("0", VerdictKind.QUOTA)]
)
def test_what_can_still_be_afforded_decides(number: str, kind: VerdictKind) -> None:
    """More than nothing is enough for a cheaper request."""
    message = f"This request requires more credits. You can only afford {number}."
    assert kind == of(402, {"error": {"message": message, "code": 402}}).kind


@pytest.mark.parametrize(
    ("wait", "kind"),
    [("5s", "transient"), ("29m", "transient"), ("8h44m7s", "windowed"), ("4 days", "windowed")],
)
def test_the_length_of_the_wait_decides(wait: str, kind: str) -> None:
    """Word for word the same, but for the number."""
    assert kind == of(429, {"error": f"Quota exceeded. It will reset after {wait}."}).kind


def test_headers_of_any_map_are_read() -> None:
    """Repeated and of any case."""
    many = CIMultiDict([("WWW-Authenticate", "Basic"), ("www-authenticate", "Digest realm=x")])
    assert classify(401, CIMultiDictProxy(many)).rule == "handshake"


def test_a_verdict_of_a_200_carries_code_and_message() -> None:
    """Slack tells its errors so."""
    verdict = of(200, {"ok": False, "error": "invalid_auth"})
    assert (verdict.kind, verdict.code) == (VerdictKind.AUTH, "invalid_auth")


def test_the_message_is_capped() -> None:
    """At 500 characters."""
    assert len(of(400, {"error": "word " * 1000}).message) == 500


HOSTILE = {
    "zeros": b"\0" * 65536,
    "lists": b"[" * 65536,
    "objects": b'{"error":' * 7000,
    "digits": b"1" * 65536,
    "code of digits": b'{"error":{"code":' + b"9" * 65000 + b"}}",
    "quotes": b'"' * 65536,
    "apostrophes": b"'" * 65536,
    "braces in prose": b'{"message":"' + b"{" * 65000 + b'"}',
    "repr in prose": b'{"error":"' + b"{'a': 'b', " * 5900 + b'"}',
    "numbers": b"[" + b"1," * 32700 + b"1]",
    "empty objects": b"[" + b"{}," * 21000 + b"{}]",
    "backslashes": b'"' + b"\\" * 65535,
    "half escapes": b'{"error":"' + b"\\u00" * 16000,
    "invalid utf-8": b"\xff" * 65536,
    "tags": b"<a " * 21845,
    "xml": b"<Error>" + b"<Code>" * 10000,
    "events": b"data: {\n" * 8192,
    "words": b'{"message":"' + b"exceeded your budget of the account project " * 1480 + b'"}',
    "waits": b'{"message":"try again in ' + b"1h" * 32000 + b'"}',
    "many members": b"{"
    + b",".join(b'"k%d":{"message":"%d"}' % (i, i) for i in range(3000))
    + b"}",
    "cut": b'{"error":{"message":"abc","x":[' + b'{"a":1},' * 8000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bodies_are_judged_fast(name: str) -> None:
    """64 KiB of anything take under 5 ms, taken from the best of a few runs."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        classify(429, {}, HOSTILE[name])
        times.append(time.perf_counter() - start)
    # A debugger or a coverage run makes every line slower.
    assert min(times) < (0.005 if sys.gettrace() is None else 0.1)


def test_only_the_head_of_a_huge_body_is_looked_at() -> None:
    """Megabytes cost no more."""
    assert classify(500, {}, b"9" * 5_000_000).kind == VerdictKind.TRANSIENT


def test_the_classifier_knows_no_aiohttp() -> None:
    """It is plain Python, usable with any client."""
    package = Path(aiohttp_failfast.__file__).parent
    files = [
        *package.glob("_evidence*.py"),
        *package.glob("_rules/*.py"),
        *(package / f"{name}.py" for name in ("_times", "_classify", "_compiled", "_anchors")),
    ]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.startswith(("aiohttp", "multidict", "yarl"))]


class _Broken:
    """Cannot be written as text, nor asked for its items."""

    def __str__(self) -> str:
        raise RuntimeError

    def items(self) -> None:
        """Fail."""
        raise RuntimeError


@pytest.mark.parametrize(
    "body", [None, "Invalid API key", bytearray(b"x"), memoryview(b"Invalid API key"), 7, object()]
)
@pytest.mark.parametrize("status", [401, HTTPStatus.UNAUTHORIZED, None, "401", -1, 10**100, 4.5])
def test_arguments_of_any_type_are_judged(status: Any, body: Any) -> None:
    """Types are a promise that callers break; the answer is still theirs."""
    verdict = classify(status, _Broken(), body, url=_Broken())  # type: ignore[arg-type]
    assert isinstance(verdict, Verdict)
    if isinstance(body, (str, memoryview)) and status in (401, HTTPStatus.UNAUTHORIZED):
        assert verdict.permanent
