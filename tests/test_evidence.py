"""Bodies of every form become the same plain evidence."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest

from aiohttp_failfast._evidence import Evidence, gather


def of(body: object, status: int = 400, headers: dict[str, str] | None = None) -> Evidence:
    """Gather from a body given as text or as a value to be written as JSON."""
    text = body if isinstance(body, str) else json.dumps(body)
    return gather(status, headers, text.encode("utf-8", "surrogatepass"))


PROSE = "Your credit balance is too low"


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": PROSE}},
        {"error": PROSE},
        {"errors": [{"message": PROSE}]},
        {"errors": [PROSE]},
        {"errors": PROSE},
        {"detail": PROSE},
        {"detail": {"error": PROSE}},
        {"details": PROSE},
        {"message": PROSE},
        {"message": {"error": PROSE}},
        {"error": {"message": {"message": PROSE}}},
        {"msg": PROSE, "code": 7},
        {"Message": PROSE},
        {"title": "Forbidden", "detail": PROSE},
        {"error_description": PROSE},
        {"base_resp": {"status_code": 1, "status_msg": PROSE}},
        {"status": {"error_code": 1, "error_message": PROSE}},
        {"Response": {"Error": {"Code": "X", "Message": PROSE}}},
        {"jsonrpc": "2.0", "error": {"code": -32000, "message": PROSE}},
        {"body": {"error": {"message": PROSE}}, "type": "application/json"},
        [{"error": {"message": PROSE}}],
        json.dumps(PROSE),
        PROSE,
        {"error": {"message": json.dumps({"error": {"message": PROSE}})}},
        {"error": {"message": "Failed: " + json.dumps({"error": {"message": PROSE}}) + ". End"}},
        {"error": {"message": str({"error": {"message": PROSE, "param": None}})}},
        {"error": {"message": json.dumps({"message": json.dumps({"detail": PROSE})})}},
        "event: error\ndata: " + json.dumps({"error": {"message": PROSE}}) + "\n\n",
        "data: {}\n\ndata: " + json.dumps({"type": "error", "message": PROSE}) + "\n\n",
        f"<Error><Code>X</Code><Message>{PROSE}</Message></Error>",
        {"error": PROSE.replace(" ", "%20")},
        {"error": f"<b>{PROSE}</b>"},
        '{"error": {"message": "' + PROSE + '", "type": "x", "par',
        '{"error": {"message": "' + PROSE,
        "\ufeff" + json.dumps({"error": PROSE}),
        str({"error": {"message": PROSE, "code": None}}),
    ],
)
def test_prose_is_found_wherever_providers_put_it(body: object) -> None:
    """One sentence in thirty-odd wrappings reads the same."""
    assert PROSE.lower() in of(body).text


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"code": "invalid_api_key"}}, "invalidapikey"),
        ({"error": {"type": "invalid_api_key"}}, "invalidapikey"),
        ({"error": "invalid_api_key"}, "invalidapikey"),
        ({"code": "InvalidApiKey"}, "invalidapikey"),
        ({"error": {"code": "INVALID-API-KEY"}}, "invalidapikey"),
        ({"name": "InvalidApiKeyError"}, "invalidapikey"),
        ({"tag": "INVALID_API_KEY"}, "invalidapikey"),
        ({"detail": {"status": "invalid_api_key"}}, "invalidapikey"),
        ({"errors": [{"extensions": {"code": "INVALID_API_KEY"}}]}, "invalidapikey"),
        ({"__type": "com.amazonaws#UnrecognizedClientException"}, "unrecognizedclient"),
        ({"type": "https://example.com/problems/usage-capped"}, "usagecapped"),
        ({"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, "apikeyinvalid"),
        ({"base_resp": {"status_code": 1008}}, "base_resp#1008"),
        ({"error": {"code": "1113"}}, "error#1113"),
        ({"errors": [{"code": 10000}]}, "errors#10000"),
        ({"code": 20003}, "code#20003"),
    ],
)
def test_codes_are_folded_to_one_spelling(body: object, code: str) -> None:
    """Case, separators and suffixes do not matter; bare numbers keep the member that held them."""
    assert code in of(body).codes


def test_codes_come_from_headers_too() -> None:
    """AWS tells the type in a header, with an address behind it."""
    headers = {"X-Amzn-ErrorType": "ExpiredTokenException:http://internal.amazon.com/coral/"}
    assert "expiredtoken" in of({"message": "x"}, 403, headers).codes


def test_a_code_that_repeats_the_status_is_none() -> None:
    """`code: "429"` proves nothing."""
    assert {} == of({"error": {"code": "429", "message": "x y"}}, 429).codes


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "12"}, {}, 12.0),
        ({"retry-after-ms": "1500"}, {}, 1.5),
        (
            {
                "Retry-After": "Tue, 20 Aug 2013 15:41:06 GMT",
                "Date": "Tue, 20 Aug 2013 15:40:06 GMT",
            },
            {},
            60.0,
        ),
        ({}, {"error": {"retry_after": 3}}, 3.0),
        ({}, {"error": {"details": [{"retryDelay": "33740.9s"}]}}, 33740.9),
        ({}, {"error": {"resets_in_seconds": 444287}}, 444287.0),
        ({}, {"retry_after_ms": "2500"}, 2.5),
        ({}, {"retry_after_ms": "soon"}, None),
        ({}, {"error": {"metadata": {"headers": "none"}}}, None),
        ({"Retry-After": "soon"}, {}, None),
        ({}, {"error": {"metadata": {"headers": {"Retry-After": "120"}}}}, 120.0),
        ({"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 86400"}, {}, 86400.0),
        ({"Retry-After": "-5"}, {}, None),
        ({"Retry-After": "9" * 5000}, {}, None),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, {}, None),
        ({}, {"retry_after": float("nan")}, None),
        ({}, {"retry_after": 1e300}, None),
    ],
)
def test_the_wait_is_read_from_headers_and_body(
    headers: dict[str, str], body: object, seconds: float | None
) -> None:
    """Every form of a wait ends up in retry_after; hostile ones do not."""
    assert seconds == of(body, 429, headers).retry_after


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1786320000"}, {}),
        ({"x-codex-primary-reset-at": "1786320000"}, {}),
        ({"anthropic-ratelimit-tokens-reset": "2026-08-10T00:00:00Z"}, {}),
        ({}, {"error": {"resets_at": 1786320000}}),
        ({}, {"error": {"metadata": {"quotaResetTimeStamp": "2026-08-10T00:00:00Z"}}}),
        ({}, {"error": {"metadata": {"headers": {"X-RateLimit-Reset": "1786320000000"}}}}),
        ({}, {"error": "It will reset at 2026-08-10 08:00:00 +0800 CST."}),
    ],
)
def test_the_reset_is_read_from_headers_and_body(headers: dict[str, str], body: object) -> None:
    """Every form of a reset ends up in resets_at, in UTC."""
    assert datetime(2026, 8, 10, tzinfo=timezone.utc) == of(body, 429, headers).resets_at


def test_a_reset_told_with_every_answer_is_no_reset() -> None:
    """GitHub sends x-ratelimit-reset while calls are left."""
    headers = {"X-RateLimit-Remaining": "4989", "X-RateLimit-Reset": "1603378104"}
    assert of({"message": "Not this one"}, 403, headers).resets_at is None


@pytest.mark.parametrize(
    ("value", "mark"),
    [
        ('Bearer realm="x", error="invalid_token"', "challenge-invalid-token"),
        ("Bearer error=insufficient_scope", "challenge-insufficient-scope"),
        ("Digest realm=x, nonce=y", "challenge-handshake"),
        ("Negotiate", "challenge-handshake"),
        ("NTLM", "challenge-handshake"),
    ],
)
def test_challenges_are_read(value: str, mark: str) -> None:
    """WWW-Authenticate says more than the status."""
    assert mark in of("", 401, {"WWW-Authenticate": value}).marks


SPENT = "insufficient_quota: your credit balance is too low"


@pytest.mark.parametrize(
    "body",
    [
        {"error": "bad", "input": SPENT},
        {"error": {"message": "bad", "prompt": {"message": SPENT}}},
        {"messages": [{"content": SPENT}], "error": "bad"},
        {"detail": [{"loc": ["body", "prompt"], "msg": SPENT, "input": SPENT, "ctx": {}}]},
        {"error": {"message": f"Invalid value: '{SPENT}'. Supported values are: a"}},
        {"error": {"message": f'Cannot use "{SPENT}" here'}},
        {"error": {"message": f"Your input: {SPENT}"}},
        {"error": {"message": f"Flagged prompt was: {SPENT}"}},
        {"error": {"message": 'Cannot parse input {"error": "' + SPENT + '"}'}},
        {"error": {"metadata": {"flagged_input": SPENT}, "message": "flagged"}},
        {"choices": [{"message": {"content": SPENT}}]},
        f"<html><body>{SPENT}</body></html>",
    ],
)
def test_what_the_provider_quotes_is_left_out(body: object) -> None:
    """Text of the caller's own request is never matched."""
    evidence = of(body)
    assert "balance" not in evidence.text
    assert "insufficientquota" not in evidence.codes


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        "[]",
        "hello",
        "[1, 2]",
        "7",
        '{"choices":[{"message":{"content":"insufficient_quota"}}]}',
        '{"error": null, "errors": [], "id": 1}',
        '{"ok": true, "error": ""}',
        '{"base_resp": {"status_code": 0, "status_msg": "success"}}',
        '{"code": 0, "msg": "success", "data": {}}',
        '{"code": "200", "message": "OK"}',
        'data: {"choices": [{"delta": {"content": "error"}}]}\n\ndata: [DONE]\n',
        "<html><title>fine</title></html>",
        '{"message": {"role": "assistant", "content": "hi"}, "done": true}',
    ],
)
def test_a_healthy_answer_reports_no_fault(body: str) -> None:
    """A 200 is judged only where its body says that something went wrong."""
    assert not of(body, 200).fault


@pytest.mark.parametrize(
    "body",
    [
        {"ok": False, "error": "invalid_auth"},
        {"success": False, "errors": [{"code": 1}]},
        {"base_resp": {"status_code": 1008, "status_msg": "x"}},
        {"choices": [{"error": {"code": 403}}]},
        {"data": None, "errors": [{"message": "x"}]},
        {"error": "x"},
        {"header": {"code": 11200, "message": "x"}},
        {"error_code": 110, "error_msg": "x"},
        {"code": 401, "msg": "token expired", "success": False},
        {"status": "REQUEST_DENIED", "error_message": "x"},
        {"status": "0", "message": "NOTOK", "result": "x"},
        {"Information": "x"},
        {"type": "error", "error": {"type": "x"}},
        [{"error": {"code": 400}}],
        {"Response": {"Error": {"Code": "x"}}},
        {"Response": "Error", "Message": "x"},
        {"Error Message": "x"},
        'event: response.failed\ndata: {"response": {"error": {"code": "x"}}}\n\n',
    ],
)
def test_a_fault_under_a_healthy_status_is_seen(body: object) -> None:
    """Many APIs put their errors into a 200."""
    assert of(body, 200).fault


def test_odd_arguments_do_no_harm() -> None:
    """Header maps of any kind, and addresses of any type, are taken."""
    headers = {"A": "b", 3: "c", "D": None}
    evidence = gather(400, headers, b"x", url=object())  # type: ignore[arg-type]
    assert evidence.host == ""
    assert gather(400, None, b"", "https://u:p@API.example.com:8443/x").host == "api.example.com"


def test_only_so_much_is_looked_at() -> None:
    """Members, items, texts, codes and depth are bounded."""
    many = {"errors": [{"message": f"text {n}", "code": f"code{n}"} for n in range(50)]}
    evidence = of(many)
    assert evidence.text.count("|") == 11
    assert len(evidence.codes) == 16
    wide = {f"k{n}": 1 for n in range(100)} | {"error": PROSE}
    assert of(wide).text == ""
    deep: object = PROSE
    for _ in range(30):
        deep = {"error": deep}
    assert of(deep).text == ""


def test_the_most_telling_code_is_told_first() -> None:
    """A generic type says nothing where a reason does."""
    body = {"error": {"type": "invalid_request_error", "code": "billing_not_active"}}
    assert of(body).code == "billing_not_active"
    assert of({"error": {"type": "invalid_request_error"}}).code == "invalid_request_error"
    assert of("x").code is None
