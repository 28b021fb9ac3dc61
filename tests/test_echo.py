"""What a provider repeats of the request says nothing of the key."""

from __future__ import annotations

import json

import pytest

from aiohttp_failfast import classify

SAID = [
    "why is my api key invalid",
    "what does it mean that your account has been suspended",
    "my boss says insufficient balance",
    "the tale of a credit balance that is too low",
]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("status", [400, 404, 422, 500])
@pytest.mark.parametrize(
    "around",
    ["Could not handle turn {}", "Template failed for {} in line 3", "Bad value for tool {}"],
)
def test_an_echo_without_marks(status: int, around: str, said: str) -> None:
    """It stands inside of a clause, where a provider states nothing of its own."""
    body = json.dumps({"error": {"message": around.format(said)}}).encode()
    assert not classify(status, {}, body).permanent


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("status", [401, 403, 429])
def test_an_echo_far_behind_the_statement(status: int, said: str) -> None:
    """A statement stands at the head of the prose."""
    message = "The policy of this service refuses what you ask for. " * 6 + "You said " + said
    body = json.dumps({"error": {"message": message}}).encode()
    assert not classify(status, {}, body).permanent


@pytest.mark.parametrize("quoted", ['"{}"', "'{}'", "`{}`", "“{}”"])
def test_a_short_echo_in_quotation_marks(quoted: str) -> None:
    """Too short to be blanked out, quoted all the same."""
    body = json.dumps({"message": "We cannot serve " + quoted.format("bad credentials")}).encode()
    assert not classify(403, {}, body).permanent


def test_prose_that_is_quoted_as_a_whole() -> None:
    """Then it is the provider's own."""
    assert classify(401, {}, b'{"message": "\\"Bad credentials\\""}').permanent
