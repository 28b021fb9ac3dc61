"""Who is calling whom, without ever showing a key."""

from __future__ import annotations

import base64
import contextlib
import json
import string
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from multidict import CIMultiDict
from rawserver import SessionFactory, plain, serving
from yarl import URL

from aiohttp_failfast import Endpoint, PermanentEndpointError, fingerprint
from aiohttp_failfast._credential import (
    CREDENTIAL_HEADERS,
    CREDENTIAL_PARAMETERS,
    by_credential,
    by_origin,
    by_session,
    credential_of,
)
from aiohttp_failfast._redact import REDACTED, Redactor

API = URL("https://api.example.com/v1/chat")
KEYS = st.text(string.ascii_letters + string.digits + '-_./+=:%"\\ é你', min_size=8, max_size=60)
SPENT = plain(429, b'{"error": {"message": "spent", "code": "insufficient_quota"}}')
seeded = settings(derandomize=True, deadline=None, max_examples=200)


def of(value: str, name: str = "Authorization") -> str:
    """Return the fingerprint of a request with one header."""
    return credential_of(API, {name: value})


def digest(user: str, response: str) -> str:
    """Return a header of Digest."""
    return (
        f'Digest username="{user}", realm="api", nonce="{response}", uri="/v1", '
        f'response="{response * 4}", qop=auth, nc=00000001, cnonce="0a4f113b"'
    )


SIGNED: dict[str, Callable[[str, str], str]] = {
    "AWS4": lambda key, signature: (
        f"AWS4-HMAC-SHA256 Credential={key}/20261130/us-east-1/bedrock/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={signature}"
    ),
    "AWS4 of the next day": lambda key, signature: (
        f"AWS4-HMAC-SHA256 Credential={key}/202612{len(signature):02d}/eu-west-1/s3/aws4_request,"
        f"SignedHeaders=host,Signature={signature}"
    ),
    "AWS2": lambda key, signature: f"AWS {key}:{signature}",
    "Azure SharedKey": lambda key, signature: f"SharedKey {key}:{signature}",
    "Alibaba ACS3": lambda key, signature: (
        f"ACS3-HMAC-SHA256 Credential={key},SignedHeaders=host,Signature={signature}"
    ),
    "Tencent TC3": lambda key, signature: (
        f"TC3-HMAC-SHA256 Credential={key}/2026-11-30/hunyuan/tc3_request, Signature={signature}"
    ),
    "Google GOOG4": lambda key, signature: (
        f"GOOG4-RSA-SHA256 Credential={key}/20261130/auto/storage/goog4_request, "
        f"Signature={signature}"
    ),
    "Baidu BCE": lambda key, signature: (
        f"bce-auth-v1/{key}/2026-11-30T00:00:{len(signature):02d}Z/1800/host/{signature}"
    ),
    "OAuth 1": lambda key, signature: (
        f'OAuth oauth_consumer_key="{key}", oauth_nonce="{signature}", '
        f'oauth_signature="{signature}", oauth_timestamp="17{len(signature)}"'
    ),
    "Hawk": lambda key, signature: f'Hawk id="{key}", ts="{len(signature)}", mac="{signature}"',
    "Digest": digest,
}


@pytest.mark.parametrize("scheme", SIGNED)
def test_a_signing_scheme_has_one_fingerprint_per_key(scheme: str) -> None:
    """The signature is another one in each request; what names the key is not."""
    sign = SIGNED[scheme]
    names = {of(sign("AKIDEXAMPLE", signature)) for signature in ("5d672d", "beef01", "0" * 12)}

    assert len(names) == 1
    assert of(sign("AKIDEXAMPLE", "5d672d")) != of(sign("AKIDOTHER", "5d672d"))


@pytest.mark.parametrize(
    "scheme", ["Bearer ", "Basic ", "Token ", "token ", "", "Key ", "ApiKey ", "key="]
)
@seeded
@given(one=KEYS, other=KEYS)
def test_different_keys_have_different_fingerprints(scheme: str, one: str, other: str) -> None:
    """Two keys are one caller only if they are one key."""
    assume(one.strip() != other.strip())
    assert of(scheme + one) == of(scheme + one)
    assert of(scheme + one) != of(scheme + other)


@pytest.mark.parametrize("name", sorted(CREDENTIAL_HEADERS))
def test_every_credential_header_counts_in_any_case(name: str) -> None:
    """A key is a key, wherever a provider wants it."""
    assert of("secret-1", name) == of("secret-1", name.upper()) != "none"
    assert of("secret-1", name) != of("secret-2", name)
    assert of("", name) == "none"


@pytest.mark.parametrize("name", sorted(CREDENTIAL_PARAMETERS))
def test_every_credential_parameter_counts(name: str) -> None:
    """Also a key in the query, percent-encoded or not."""
    one = credential_of(API.with_query({name: "secret/1"}), {})

    assert one == credential_of(API.with_query({name.upper(): "secret/1", "page": "2"}), {})
    assert one == credential_of(URL(f"{API}?{name}=secret%2F1"), {})
    assert one != credential_of(API.with_query({name: "secret/2"}), {})
    assert credential_of(API.with_query({name: ""}), {}) == "none"


def test_userinfo_counts() -> None:
    """A key in front of the host is one, as user or as password."""
    urls = ["https://sk-1@h/", "https://sk-2@h/", "https://:sk-1@h/", "https://sk-1:pw@h/"]
    names = {credential_of(URL(url), {}) for url in urls}

    assert len(names) == len(urls)
    assert "none" not in names


def test_what_is_no_credential_does_not_count() -> None:
    """Cookies, tracing headers and the like change from request to request."""
    bare = {"Cookie": "a=b", "X-Request-Id": "1", "User-Agent": "x", "Accept": "*/*"}

    assert credential_of(API.with_query(page="2"), bare) == "none"
    assert of("Bearer k") == credential_of(
        API.with_query(page="2"), {**bare, "authorization": "Bearer k"}
    )


def test_two_credentials_are_another_caller_than_each_of_them() -> None:
    """A gateway's key next to a provider's: whichever is dead, the pair is."""
    both = CIMultiDict({"Authorization": "Bearer a", "X-Api-Key": "b"})
    turned = CIMultiDict({"X-Api-Key": "b", "Authorization": "Bearer a"})

    assert credential_of(API, both) == credential_of(API, turned)
    assert len({credential_of(API, both), of("Bearer a"), of("b", "X-Api-Key")}) == 3


@seeded
@given(key=st.text(min_size=1, max_size=60))
def test_a_fingerprint_shows_nothing_of_its_key(key: str) -> None:
    """Twelve hexadecimal digits, the same each time, and not the key's own."""
    name = fingerprint(key)

    assert name == fingerprint(key)
    assert len(name) == 12
    assert set(name) <= set("0123456789abcdef")
    assert len(key) < 5 or key.lower() not in name
    assert name != fingerprint(key, secret=b"pepper")


def test_an_odd_key_has_a_fingerprint_too() -> None:
    """Surrogates come out of headers with bytes that are no UTF-8."""
    assert fingerprint("\udcff") != fingerprint("\udcfe")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://api.example.com/a", "https://API.example.com:443/b?c#d"),
        ("http://api.example.com", "http://user:pw@api.example.com:80/"),
        ("https://[::1]/", "https://[::1]:443/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ],
)
def test_an_origin_has_one_name(first: str, second: str) -> None:
    """However an address is written, its origin is the same."""
    assert by_origin(URL(first), {}) == by_origin(URL(second), {})


def test_different_origins_have_different_names() -> None:
    """Scheme, host and port each count."""
    urls = [
        "http://h/",
        "https://h/",
        "http://h:81/",
        "http://g/",
        "http://h:443/",
        "https://h:80/",
    ]

    assert len({by_origin(URL(url), {}) for url in urls}) == len(urls)
    assert by_origin(URL("http://h:81/"), {}) == Endpoint("http://h:81", "*")


def test_scopes_bind_what_they_say() -> None:
    """A credential at an origin, an origin, or everything."""
    other = URL("https://other.example.com/")
    one, two = {"x-api-key": "one"}, {"x-api-key": "two"}

    assert len({by_credential(url, key) for url in (API, other) for key in (one, two)}) == 4
    assert len({by_origin(url, key) for url in (API, other) for key in (one, two)}) == 2
    assert len({by_session(url, key) for url in (API, other) for key in (one, two)}) == 1


def _tenant(url: URL, headers: Mapping[str, str]) -> str:
    return headers["X-Tenant"]


def _endpoint(url: URL, headers: Mapping[str, str]) -> Endpoint:
    return Endpoint("anywhere", headers["X-Tenant"])


def _only_chat(url: URL, headers: Mapping[str, str]) -> Endpoint | None:
    return by_credential(url, headers) if url.path.endswith("/chat") else None


@pytest.mark.parametrize(
    ("scope", "kept_going"),
    [
        ("credential", ["another key", "no key"]),
        ("origin", []),
        ("session", []),
        (_tenant, ["another tenant"]),
        (_endpoint, ["another tenant"]),
        (_only_chat, ["another key", "no key", "another path"]),
    ],
    ids=["credential", "origin", "session", "str", "Endpoint", "None"],
)
async def test_a_trip_binds_what_the_scope_says_and_nothing_else(
    scope: Any, kept_going: list[str], make_session: SessionFactory
) -> None:
    """Counted at the server: what the scope does not bind still reaches it."""
    dead = {"Authorization": "Bearer dead", "X-Tenant": "one"}
    async with serving(SPENT, plain(200, b"{}")) as raw:
        others = {
            "another key": (raw.url, {**dead, "Authorization": "Bearer alive"}),
            "no key": (raw.url, {"X-Tenant": "one"}),
            "another tenant": (raw.url, {**dead, "X-Tenant": "two"}),
            "another path": (raw.url / "more", dead),
            "the same": (raw.url, dead),
        }
        session = await make_session("session", options={"scope": scope})
        with pytest.raises(PermanentEndpointError):
            await session.get(raw.url, headers=dead)
        went = []
        for name, (url, headers) in others.items():
            before = raw.hits
            with contextlib.suppress(PermanentEndpointError):
                await (await session.get(url, headers=headers)).read()
            if raw.hits > before:
                went.append(name)
        assert went == kept_going


async def test_a_scope_of_strings_tells_ports_apart(make_session: SessionFactory) -> None:
    """The same caller at two servers of one host is two endpoints."""
    async with serving(SPENT) as spent, serving(plain(200, b"{}")) as healthy:
        session = await make_session("session", options={"scope": lambda url, headers: "me"})
        with pytest.raises(PermanentEndpointError) as caught:
            await session.get(spent.url)
        assert (await session.get(healthy.url)).status == 200
        assert "me" != caught.value.endpoint.credential


async def test_a_scope_that_breaks_its_promise_is_told_so(make_session: SessionFactory) -> None:
    """The error names the argument; no connection is lost."""
    async with serving(SPENT) as raw:
        session = await make_session("session", options={"scope": lambda url, headers: 7})
        with pytest.raises(TypeError, match="scope must return"):
            await session.get(raw.url)
        assert not session.connector._acquired  # type: ignore[union-attr]


CARRIERS: dict[str, Callable[[str], tuple[URL, dict[str, str]]]] = {
    "bearer": lambda key: (API, {"Authorization": f"Bearer {key}"}),
    "token=": lambda key: (API, {"Authorization": f'Token token="{key}"'}),
    "key=": lambda key: (API, {"Authorization": f"key={key}"}),
    "bare": lambda key: (API, {"Authorization": key}),
    "x-api-key": lambda key: (API, {"x-api-key": key}),
    "basic password": lambda key: (API, {"Authorization": _basic(f"user:{key}")}),
    "basic user": lambda key: (API, {"Authorization": _basic(f"{key}:")}),
    "proxy": lambda key: (API, {"Proxy-Authorization": f"Bearer {key}"}),
    "cookie": lambda key: (API, {"Cookie": f"theme=dark; session={key}"}),
    "query": lambda key: (API.with_query(key=key), {}),
    "query, signed": lambda key: (API.with_query({"X-Amz-Signature": key}), {}),
    "userinfo": lambda key: (API.with_user("user").with_password(key), {}),
    "userinfo without user": lambda key: (API.with_password(key), {}),
    "user": lambda key: (API.with_user(key), {}),
}
ECHOES: dict[str, Callable[[str], str]] = {
    "plain": lambda key: key,
    "percent-encoded": lambda key: quote(key, safe=""),
    "in a path": quote,
    "in a form": quote_plus,
    "in JSON": lambda key: json.dumps(key)[1:-1],
    "in JSON of PHP": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
}


def _basic(pair: str) -> str:
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


@pytest.mark.parametrize("key", ["sesame-open-0815-secret", 'a/b+c=d"e\\f%41é你好&?'])
@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_key_that_an_answer_echoes_is_taken_out(carrier: str, echo: str, key: str) -> None:
    """Wherever the request carried it and however the answer spells it."""
    if carrier in {"token=", "cookie"} and not key.isascii():
        key = "a/b+c%41-0123&?"
    redactor = Redactor(*CARRIERS[carrier](key))
    shown = ECHOES[echo](key)
    words = f"Incorrect API key provided: {shown}. You can find yours at https://example.com."

    assert redactor.text(words) == words.replace(shown, REDACTED)
    assert redactor.body(words.encode()) == words.replace(shown, REDACTED).encode()
    assert redactor.headers([("X-Echo", shown), ("Set-Cookie", "a=b")]) == (
        ("X-Echo", REDACTED),
        ("Set-Cookie", REDACTED),
    )
    url = redactor.url(CARRIERS[carrier](key)[0])
    assert key not in url
    assert shown not in url
    assert "@" not in url


@pytest.mark.parametrize("kept", [8, 12, 22])
def test_a_key_that_is_cut_in_two_is_taken_out(kept: int) -> None:
    """Bodies and messages are cut at a limit, which may be in the middle of a key."""
    key = "sesame-open-0815-secret"
    redactor = Redactor(API, {"x-api-key": key})
    words = f"Incorrect API key provided: {key[:kept]}"

    assert redactor.text(words) == f"Incorrect API key provided: {REDACTED}"
    assert redactor.body(words.encode()) == redactor.text(words).encode()


@pytest.mark.parametrize("word", ["None", "null", "user", "key", "Bearer", "/v1/chat", "dark"])
def test_what_is_no_secret_stays(word: str) -> None:
    """Redaction must not spoil the words that explain the trouble."""
    words = f'{{"error": "{word}", "name": {word}}}'
    for carrier in CARRIERS.values():
        redactor = Redactor(*carrier("sesame-open-0815-secret"))
        if carrier is not CARRIERS["userinfo"] or word != "user":
            assert redactor.text(words) == words
    assert Redactor(API.with_query(key="name"), {}).text("name of the key") == "name of the key"
    signed = Redactor(API, {"Authorization": digest("user", "0123456789abcdef")})
    assert signed.text(words) == words
    assert signed.url(API) == str(API)


@pytest.mark.parametrize("name", [*sorted(CREDENTIAL_PARAMETERS), "Key", "X-Amz-Signature", "sig"])
def test_a_key_in_an_address_is_hidden_by_its_name(name: str) -> None:
    """Also one that is too short to be looked for in texts; what is no key stays."""
    url = API.with_query({name: "abc12", "page": "2"})

    assert Redactor(url, {}).url(url) == f"{API}?{name}=***&page=2"


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-0123456789abcdefABCDEF",
        "sk-ant-api03-0123456789abcdef-ABC_DEF",
        "gsk_0123456789abcdefABCDEFGH",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "hf_0123456789abcdefABCDEFGHIJKL",
        "bot123456789:AAE0123456789abcdefghijklmnop",
    ],
)
def test_what_looks_like_a_key_is_taken_out_unasked(key: str) -> None:
    """A provider may echo a key that this request did not carry, or an address may hold it."""
    redactor = Redactor(API, {})

    assert redactor.text(f"the key {key} is dead") == f"the key {REDACTED} is dead"
    assert key not in redactor.url(API / key / "chat")


@seeded
@given(key=KEYS, before=st.text(max_size=20), after=st.text(max_size=20))
def test_no_key_gets_through_the_redactor(key: str, before: str, after: str) -> None:
    """Whatever stands around it."""
    redactor = Redactor(API, {"Authorization": f"Bearer {key}"})
    assume(len(key.strip()) >= 8 and key not in REDACTED)

    assert key not in redactor.text(before + key + after)
    assert key.encode() not in redactor.body((before + key + after).encode())


def test_a_fingerprint_can_be_looked_up() -> None:
    """What an error names is the fingerprint of the bare key, wherever the key is sent."""
    name = fingerprint("sk-abc")
    for headers in (
        {"Authorization": "Bearer sk-abc"},
        {"authorization": "bearer  sk-abc"},
        {"X-Api-Key": "sk-abc"},
    ):
        assert name == credential_of(URL("https://api.example/v1"), headers)
    assert name == credential_of(URL("https://api.example/v1?key=sk-abc"), {})


def test_a_page_token_beside_a_key_is_no_key() -> None:
    """?token= and ?key= name the caller only where nothing else does."""
    headers = {"Authorization": "Bearer sk-abc"}
    for query in ("token=page0001", "key=user:1"):
        assert fingerprint("sk-abc") == credential_of(URL(f"https://x/?{query}"), headers)
