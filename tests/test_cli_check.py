"""The command `check`, against a real server on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from aiohttp_failfast.__main__ import main

KEY = "sk-secret-0123456789"
ANSWERS = {
    "/alive": (200, {}, b'{"data": []}'),
    "/dead": (401, {}, json.dumps({"error": f"Invalid API key: {KEY}"}).encode()),
    "/spent": (402, {}, b'{"error": "Insufficient balance"}'),
    "/busy": (429, {"Retry-After": "3"}, b"{}"),
    "/moved": (302, {"Location": "/alive"}, b""),
    "/huge": (500, {}, b"x" * 300_000),
}


class Handler(BaseHTTPRequestHandler):
    """Answers by path and notes what it was sent."""

    seen: list[tuple[str, str | None]] = []  # noqa: RUF012 - shared on purpose

    def do_GET(self) -> None:
        """Answer."""
        self.seen.append((self.path, self.headers.get("Authorization")))
        status, headers, body = ANSWERS[self.path]
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    """Serve on loopback."""
    Handler.seen.clear()
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", KEY)


HEADER = ["--header-env", "Authorization: Bearer $THE_KEY"]


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/alive", 0, "alive"),
        ("/dead", 3, "dead"),
        ("/spent", 3, "known, but spent"),
        ("/busy", 0, "not told: try again later"),
        ("/huge", 0, "not told: try again later"),
    ],
)
def test_the_state_of_the_key_is_told(
    address: str, capsys: pytest.CaptureFixture[str], path: str, status: int, says: str
) -> None:
    """One GET, one line that says it, and an exit status."""
    assert status == main(["check", address + path, *HEADER])
    out, err = capsys.readouterr()
    assert says in out
    assert KEY not in out + err
    assert [(path, f"Bearer {KEY}")] == Handler.seen


def test_json(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For other programs, without the key as well."""
    assert (
        main(["check", address + "/dead", "--json", "--header-env", "Authorization: ${THE_KEY}"])
        == 3
    )
    out = capsys.readouterr().out
    assert json.loads(out)["key"] == "dead"
    assert KEY not in out


@pytest.mark.parametrize("value", [None, "", " "])
def test_an_unset_variable_is_named(
    address: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    value: str | None,
) -> None:
    """And nothing is sent."""
    monkeypatch.delenv("THE_KEY")
    if value is not None:
        monkeypatch.setenv("THE_KEY", value)
    assert main(["check", address + "/alive", *HEADER]) == 2
    assert "THE_KEY" in capsys.readouterr().err
    assert [] == Handler.seen


def test_a_redirect_is_not_followed(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The next host must not get the key."""
    assert main(["check", address + "/moved", *HEADER]) == 2
    assert "302" in capsys.readouterr().err
    assert len(Handler.seen) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["http://127.0.0.1:1/", *HEADER],
        ["no address", *HEADER],
        ["http://127.0.0.1:1/", "--header-env", "nonsense"],
        ["http://127.0.0.1:1/", "--header-env", "A: $THE_KEY\r\nB: c"],
    ],
)
def test_no_answer_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without a traceback and without the key."""
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("check: ")
    assert KEY not in err
