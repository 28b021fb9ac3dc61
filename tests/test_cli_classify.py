"""The command `classify`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from answers import answers

from aiohttp_failfast.__main__ import main

SPENT = '{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'


class Command:
    """Runs `classify` on an input."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, data: str, *arguments: str) -> int:
        """Run it on standard input."""
        stdin = io.TextIOWrapper(io.BytesIO(data.encode()))
        self._monkeypatch.setattr(sys, "stdin", stdin)
        status = main(["classify", *arguments])
        self.out, self.err = self._capsys.readouterr()
        return status


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command in this process."""
    return Command(monkeypatch, capsys)


def test_the_output_of_curl_is_judged(command: Command) -> None:
    """With its headers."""
    data = f"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\n\r\n{SPENT}"
    assert command(data) == 3
    assert "quota (permanent)" in command.out
    assert "openai-spent" in command.out
    assert "after 5 s" in command.out
    assert "https://" in command.out
    assert "trips" in command.out


@pytest.mark.parametrize(
    "before",
    [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 Connection established\r\n\r\n",
        "HTTP/2 301 \r\nlocation: https://other.example/\r\n\r\n",
        "HTTP/1.1 100 Continue\n\nHTTP/1.1 302 Found\nLocation: /x\n\n",
    ],
)
def test_the_last_answer_of_several_counts(command: Command, before: str) -> None:
    """Continue, a proxy's answer and redirects come first."""
    assert (
        command(f"{before}HTTP/2 401 \r\ncontent-type: a\r\n\r\n" + '{"error":"Invalid API key"}')
        == 3
    )


def test_an_answer_without_headers_or_body_is_judged(command: Command) -> None:
    """HTTP/2 leaves the reason phrase out, too."""
    assert command("HTTP/2 503 \r\n\r\n") == 0
    assert "transient" in command.out
    assert command("HTTP/1.0 404 Not Found") == 2 or "other" in command.out


def test_a_bare_body_wants_a_status(command: Command, tmp_path: Path) -> None:
    """From standard input or from a file."""
    assert command(SPENT) == 2
    assert "--status" in command.err
    file = tmp_path / "body.json"
    file.write_text(SPENT)
    assert command("", "--status", "429", str(file)) == 3
    assert command("Slow down", "--status", "429", "--header", "Retry-After: 7200") == 0
    assert "windowed" in command.out


def test_lines_of_the_collection_are_judged(command: Command) -> None:
    """One block each, and the worst exit status."""
    healthy = [answer for answer in answers() if answer["label"] == "transient"][:3]
    lines = "\n".join(json.dumps(answer) for answer in healthy)
    assert command(lines) == 0
    assert command.out.count("verdict") == 3
    assert healthy[0]["id"] in command.out
    assert command(lines + "\n" + json.dumps({"status": 429, "body": SPENT})) == 3


def test_json_is_one_object_a_line(command: Command) -> None:
    """For other programs."""
    assert command(SPENT, "--status", "429", "--json") == 3
    found = json.loads(command.out)
    assert found["kind"] == "quota"
    assert found["permanent"] is True
    assert found["rule"] == "openai-spent"
    assert found["source"].startswith("https://")
    assert found["resets_at"] is None


def test_what_a_session_would_do_is_told(command: Command) -> None:
    """Also that an answer seen on live keys wants two sightings."""
    command('{"error": {"message": "User not found.", "code": 401}}', "--status", "401")
    assert "once 2 requests say so" in command.out
    command("", "--status", "200")
    assert "hands the answer over" in command.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-file.json"],
        ["--status", "42"],
        ["--status", "429", "--header", "nonsense"],
    ],
)
def test_unusable_input_exits_with_2(command: Command, arguments: list[str]) -> None:
    """And says why on standard error."""
    assert command("x", *arguments) == 2
    assert command.err.startswith("classify: ")
    assert command.out == ""


@pytest.mark.parametrize("data", ["", "[]", "{}", '{"status": 429}', "HTTP/nonsense", "hello"])
def test_input_of_no_known_form_exits_with_2(command: Command, data: str) -> None:
    """Nothing is guessed."""
    assert command(data) == 2
