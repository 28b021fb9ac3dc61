"""Nothing raises, and no echo of a prompt stops a healthy key."""

from __future__ import annotations

import json
import os
from typing import Any

from answers import PERMANENT, answers, judge
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiohttp_failfast import Verdict, VerdictKind, classify
from aiohttp_failfast._evidence_keys import MEMBERS

EXAMPLES = int(os.environ.get("FAILFAST_EXAMPLES", "60"))
few = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])

STATUSES = st.integers(100, 999)
HEADERS = st.dictionaries(
    st.sampled_from(
        [
            "Retry-After",
            "retry-after-ms",
            "WWW-Authenticate",
            "X-RateLimit-Reset",
            "Date",
            "X-RateLimit-Remaining",
            "x-amzn-errortype",
            "anthropic-ratelimit-tokens-reset",
            "x",
        ]
    ),
    st.text(max_size=40)
    | st.integers().map(str)
    | st.sampled_from(["Bearer error=", "Wed, 21 Oct 2015 07:28:00 GMT", "1e999", "0, 0"]),
    max_size=4,
)
WORDS = st.sampled_from(
    [
        "insufficient_quota",
        "invalid api key",
        "quota",
        "{",
        "'",
        '"',
        "\\",
        "try again in 5s",
        "余额不足",
        "rate limit",
        "reset at 2026-01-01",
        "data:",
        "<Code>",
        "%20",
        "litellm.",
        "�",
        "401",
    ]
)
TEXTS = st.text(max_size=30) | st.lists(WORDS, max_size=6).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(sorted(MEMBERS)) | st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=20,
)


def check(verdict: Verdict) -> None:
    """Hold a verdict to what its class promises."""
    assert isinstance(verdict.kind, VerdictKind)
    assert verdict.rule
    assert verdict.sightings >= 1
    assert len(verdict.message) <= 500
    assert verdict.retry_after is None or 0 <= verdict.retry_after < 10**8
    assert verdict.resets_at is None or verdict.resets_at.utcoffset() is not None


@few
@given(STATUSES, HEADERS, st.binary(max_size=400))
def test_any_bytes_are_judged(status: int, headers: dict[str, str], body: bytes) -> None:
    """Whatever comes over the wire."""
    check(classify(status, headers, body))


@few
@given(STATUSES, HEADERS, VALUES)
def test_any_shape_is_judged(status: int, headers: dict[str, str], value: Any) -> None:
    """JSON of any shape, with the members that matter in odd places."""
    body = json.dumps(value).encode("utf-8", "surrogatepass")
    check(classify(status, headers, body))


@few
@given(st.sampled_from(answers()), st.integers(0, 3000), st.binary(max_size=8))
def test_cut_and_broken_answers_are_judged(answer: dict[str, Any], at: int, noise: bytes) -> None:
    """Real answers, cut anywhere, with noise put in."""
    body = answer["body"].encode()
    at = min(at, len(body))
    check(classify(answer["status"], answer["headers"], body[:at]))
    check(classify(answer["status"], answer["headers"], body[:at] + noise + body[at:]))


HEALTHY = [answer for answer in answers() if answer["label"] not in PERMANENT]
SPENT_WORDS = [judge(answer).message for answer in answers() if judge(answer).permanent] + [
    "You exceeded your current quota, please check your plan and billing details.",
    "Why does my API say: incorrect api key provided?",
    "Your credit balance is too low to access the API",
    "insufficient_quota invalid_api_key account_deactivated",
    "您的账户余额不足，请充值",
]
ECHO_MEMBERS = [
    "input",
    "prompt",
    "messages",
    "query",
    "request",
    "value",
    "received",
    "ctx",
    "flagged_input",
    "failed_generation",
    "arguments",
    "params",
    "content",
    "text",
    "url",
    "model",
]
QUOTED = [
    'Your input: "{}"',
    "prompt: {}",
    "input was: {}",
    "Flagged prompt: '{}'",
    "content: {}",
    "received: {}",
    "got: {}",
    '"{}"',
    "'{}'",
    "`{}`",
    "“{}”",
]


@few
@given(st.sampled_from(HEALTHY), st.sampled_from(SPENT_WORDS), st.sampled_from(ECHO_MEMBERS))
def test_an_echo_in_a_member_never_trips(answer: dict[str, Any], echo: str, member: str) -> None:
    """The request is repeated beside the error, or inside it."""
    try:
        value = json.loads(answer["body"])
    except ValueError:
        return
    if not isinstance(value, dict):
        return
    assert not judge(answer, json.dumps({**value, member: echo})).permanent
    assert not judge(answer, json.dumps({member: [{"message": echo}], **value})).permanent
    error = value.get("error")
    if isinstance(error, dict):
        nested = {**value, "error": {member: echo, **error}}
        assert not judge(answer, json.dumps(nested)).permanent


@few
@given(st.sampled_from(HEALTHY), st.sampled_from(SPENT_WORDS), st.sampled_from(QUOTED))
def test_an_echo_in_the_message_never_trips(answer: dict[str, Any], echo: str, quoted: str) -> None:
    """The request is repeated in the provider's sentence."""
    try:
        value = json.loads(answer["body"])
    except ValueError:
        value = {"message": answer["body"]}
    holder = value.get("error") if isinstance(value, dict) else None
    holder = holder if isinstance(holder, dict) else value
    if isinstance(holder, dict) and isinstance(holder.get("message"), str):
        # Quotation marks within the echo would end the quotation.
        for mark in "\"'`“”":
            echo = echo.replace(mark, "")
        holder["message"] += " " + quoted.format(echo)
        assert not judge(answer, json.dumps(value)).permanent
