"""When another attempt is worth it, and how long to wait for it."""

from __future__ import annotations

import math
import random
import sys
from http import HTTPStatus
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from multidict import CIMultiDict

from aiohttp_failfast import RetryPolicy, Verdict, VerdictKind, classify
from aiohttp_failfast._retry import DEFAULT_STATUSES

BUSY = Verdict(VerdictKind.TRANSIENT, rule="busy")
DECISIVE = [VerdictKind.QUOTA, VerdictKind.AUTH, VerdictKind.WINDOWED, VerdictKind.OK]
seeded = settings(derandomize=True, deadline=None, max_examples=200)
seconds = st.floats(0, 1e6)


def after(
    policy: RetryPolicy,
    attempt: int = 1,
    *,
    status: int = 503,
    verdict: Verdict = BUSY,
    method: str = "POST",
    **headers: str,
) -> float | None:
    """Return the wait after an attempt."""
    named = CIMultiDict({name.replace("_", "-"): text for name, text in headers.items()})
    return policy.delay_after(attempt, method, status, verdict, named)


def stated(wait: float) -> Verdict:
    """Return the verdict of an answer that says when to come back."""
    return Verdict(VerdictKind.TRANSIENT, rule="busy", retry_after=wait)


def test_the_defaults_are_those_of_the_documentation() -> None:
    """Three attempts, these statuses, half a second up to eight, a minute at most."""
    policy = RetryPolicy()

    assert policy.max_http_attempts == 3
    assert policy.statuses == {408, 429, 500, 502, 503, 504, 520}
    assert (policy.backoff_base, policy.backoff_max, policy.max_retry_after) == (0.5, 8, 60)
    assert policy.methods is None
    assert policy == RetryPolicy(statuses=sorted(DEFAULT_STATUSES))
    assert hash(policy) == hash(RetryPolicy())


@pytest.mark.parametrize("most", [1, 2, 3, 10])
def test_attempts_are_counted_with_the_first(most: int) -> None:
    """One attempt means none but the first."""
    policy = RetryPolicy(max_http_attempts=most)

    assert [after(policy, attempt) is not None for attempt in range(1, most + 3)] == [
        attempt < most for attempt in range(1, most + 3)
    ]


def test_the_wait_is_drawn_from_zero_to_a_doubling_bound() -> None:
    """Full jitter: evenly over all of it, up to the cap."""
    policy = RetryPolicy(max_http_attempts=100, backoff_base=0.5, backoff_max=8)
    random.seed(20261130)
    for attempt, bound in [(1, 0.5), (2, 1), (3, 2), (4, 4), (5, 8), (6, 8), (99, 8)]:
        drawn = [after(policy, attempt) for _ in range(2000)]
        waits = [wait for wait in drawn if wait is not None]

        assert len(waits) == 2000
        assert 0 <= min(waits) < bound * 0.01
        assert bound * 0.99 < max(waits) <= bound
        assert sum(waits) / 2000 == pytest.approx(bound / 2, rel=0.1)


@seeded
@given(
    attempt=st.integers(1, 10**9),
    base=st.floats(0, sys.float_info.max) | st.integers(0, 10**300),
    cap=st.floats(0, sys.float_info.max) | st.integers(0, 10**300),
)
def test_no_number_breaks_the_backoff(attempt: int, base: float, cap: float) -> None:
    """However late the attempt and however odd the policy, the wait is within its bounds."""
    policy = RetryPolicy(max_http_attempts=attempt + 1, backoff_base=base, backoff_max=cap)
    wait = after(policy, attempt)

    assert wait is not None
    assert 0 <= wait <= cap
    assert attempt > 1 or wait <= base


@seeded
@given(wait=seconds, longest=seconds)
def test_a_stated_wait_is_obeyed_or_ends_the_retries(wait: float, longest: float) -> None:
    """Never earlier than the server said, little later, and not at all beyond the maximum."""
    found = after(RetryPolicy(max_retry_after=longest), verdict=stated(wait))

    if wait > longest:
        assert found is None
    else:
        assert found is not None
        assert wait <= found <= wait * 1.1


def test_the_maximum_itself_is_obeyed() -> None:
    """The bound belongs to what is obeyed."""
    policy = RetryPolicy(max_retry_after=60)

    assert after(policy, verdict=stated(60)) is not None
    assert after(policy, verdict=stated(math.nextafter(60, 61))) is None
    assert after(policy, verdict=stated(0)) == 0
    assert after(RetryPolicy(max_retry_after=0), verdict=stated(1)) is None
    assert after(RetryPolicy(max_retry_after=0)) is not None


@pytest.mark.parametrize("wait", [-1.0, -math.inf, math.nan, math.inf])
def test_a_stated_wait_that_is_none_is_not_slept(wait: float) -> None:
    """A classifier of a user may say anything; what comes out is a wait, or no retry."""
    found = after(RetryPolicy(), verdict=stated(wait))

    assert found is None or 0 <= found <= 60


@pytest.mark.parametrize("status", range(400, 600))
def test_only_the_named_statuses_are_retried(status: int) -> None:
    """By default seven; whatever the caller names instead."""
    assert (after(RetryPolicy(), status=status) is not None) is (status in DEFAULT_STATUSES)
    assert after(RetryPolicy(statuses=[]), status=status) is None
    assert after(RetryPolicy(statuses={status}), status=status) is not None


@pytest.mark.parametrize("kind", DECISIVE)
def test_a_decisive_answer_is_never_retried(kind: VerdictKind) -> None:
    """Whatever the status, the policy and the server's hint."""
    for status in (429, 503):
        verdict = Verdict(kind, rule="row")
        assert after(RetryPolicy(), status=status, verdict=verdict) is None
        assert after(RetryPolicy(), status=status, verdict=verdict, x_should_retry="true") is None


def test_an_answer_about_the_request_itself_is_not_retried() -> None:
    """The same request would get the same answer."""
    assert after(RetryPolicy(), status=500, verdict=Verdict(VerdictKind.OTHER, rule="row")) is None


def test_a_status_of_the_callers_own_is_retried_where_nothing_speaks_against_it() -> None:
    """Of a bare 404 only the status is known, and the caller knows it better."""
    bare = classify(404, {}, b"")
    assert bare.kind is VerdictKind.OTHER

    assert after(RetryPolicy(), status=404, verdict=bare) is None
    assert after(RetryPolicy(statuses={404}), status=404, verdict=bare) is not None


@pytest.mark.parametrize(
    ("hint", "retried"),
    [
        ("true", True),
        (" TRUE ", True),
        ("false", False),
        ("False", False),
        ("maybe", None),
        ("", None),
    ],
)
def test_the_hint_of_the_server_is_obeyed(hint: str, retried: bool | None) -> None:
    """It beats the statuses, either way; any other value says nothing."""
    policy = RetryPolicy()

    covered = after(policy, status=503, x_should_retry=hint) is not None
    uncovered = after(policy, status=409, x_should_retry=hint) is not None
    assert covered is (True if retried is None else retried)
    assert uncovered is (False if retried is None else retried)


def test_the_hint_does_not_beat_the_number_of_attempts() -> None:
    """A server that always says so would never be left."""
    assert after(RetryPolicy(), 3, x_should_retry="true") is None


@pytest.mark.parametrize("methods", [["get", "PUT"], {"Get", "put"}, ("GET", "PUT")])
def test_methods_are_named_in_any_case(methods: Any) -> None:
    """Only the named ones; all by default."""
    policy = RetryPolicy(methods=methods)

    assert policy.methods == {"GET", "PUT"}
    assert after(policy, method="GET") is not None
    assert after(policy, method="put") is not None
    assert after(policy, method="POST") is None
    assert after(policy, method="POST", x_should_retry="true") is None
    assert after(RetryPolicy(methods=[]), method="GET") is None
    assert after(RetryPolicy(), method="PURGE") is not None


def test_what_the_caller_gave_is_not_kept() -> None:
    """Changing the set later changes no policy."""
    statuses = {503}
    policy = RetryPolicy(statuses=statuses)
    statuses.add(404)

    assert policy.statuses == {503}
    assert RetryPolicy(statuses=[HTTPStatus.BAD_GATEWAY]).statuses == {502}


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("max_http_attempts", 0, ValueError),
        ("max_http_attempts", -1, ValueError),
        ("max_http_attempts", True, TypeError),
        ("max_http_attempts", 2.0, TypeError),
        ("max_http_attempts", "3", TypeError),
        ("max_http_attempts", None, TypeError),
        ("statuses", 503, TypeError),
        ("statuses", "503", TypeError),
        ("statuses", b"503", TypeError),
        ("statuses", None, TypeError),
        ("statuses", iter([503]), TypeError),
        ("statuses", ["503"], TypeError),
        ("statuses", [True], TypeError),
        ("statuses", [399], ValueError),
        ("statuses", [200, 503], ValueError),
        ("statuses", [600], ValueError),
        ("methods", "GET", TypeError),
        ("methods", 1, TypeError),
        ("methods", [b"GET"], TypeError),
        ("methods", [None], TypeError),
        *(
            (name, value, error)
            for name in ("backoff_base", "backoff_max", "max_retry_after")
            for value, error in [
                (-0.1, ValueError),
                (math.nan, ValueError),
                (math.inf, ValueError),
                (-math.inf, ValueError),
                (10**400, ValueError),
                (True, TypeError),
                ("1", TypeError),
                (None, TypeError),
                (1j, TypeError),
            ]
        ),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused_by_name(
    name: str, value: Any, error: type[Exception]
) -> None:
    """The caller reads which one it was."""
    with pytest.raises(error, match=f"^{name} must"):
        RetryPolicy(**{name: value})


def test_an_unknown_argument_is_refused() -> None:
    """A typing error must not pass for a policy."""
    wrong: Any = {"max_attempts": 3}
    with pytest.raises(TypeError, match="max_attempts"):
        RetryPolicy(**wrong)
