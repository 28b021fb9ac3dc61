"""Who is calling whom: the only module that ever looks at a key.

What leaves it is a short one-way fingerprint, and texts with the key taken out.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import quote, unquote

from yarl import URL

NO_CREDENTIAL = "none"
"""The credential of a request that carries no key at all."""

REDACTED = "[redacted]"

CREDENTIAL_HEADERS = frozenset(
    {
        "authorization",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "ocp-apim-subscription-key",
        # Not in the short list that everybody knows, but the one key of a paid API all the same.
        "apikey",
        "x-apikey",
        "xi-api-key",  # ElevenLabs
        "x-subscription-token",  # Brave Search
        "x-rapidapi-key",  # RapidAPI
        "x-auth-token",
        "x-access-token",
        "private-token",  # GitLab
        "dd-api-key",  # Datadog
        "x-functions-key",  # Azure Functions
        "cf-aig-authorization",  # Cloudflare AI Gateway
        "x-portkey-api-key",  # Portkey
    }
)
CREDENTIAL_PARAMETERS = frozenset(
    {"key", "api_key", "apikey", "access_token", "token", "x-amz-credential"}
)

_SECRET_HEADERS = CREDENTIAL_HEADERS | {"cookie", "set-cookie", "proxy-authorization"}
# A query parameter called key is often none (?key=name): short values of it are no secrets.
_SHORTEST_SECRET = 4
_SHORTEST_SECRET_IN_QUERY = 8
_PARAMETER = re.compile(r'(\w+)="?([^",\s]{1,512})"?')
# Keys that are recognised by their looks, wherever an answer or an address shows them.
_KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|key|ghp|gho|glpat|xox[abprs]|r8|tgp|fw|pplx|nvapi|AIza)"
    r"[-_A-Za-z0-9]{0,8}[-_][-_A-Za-z0-9]{16,200}\b|\bAIza[-_A-Za-z0-9]{30,60}\b"
    r"|\bbot\d{6,12}:[-_A-Za-z0-9]{20,60}\b"
)


class Endpoint(NamedTuple):
    """What a trip is remembered for: a credential at an origin.

    Attributes:
        origin: scheme, host and port, such as ``https://api.openai.com``; ``*`` for any.
        credential: fingerprint of the key, ``none`` without one, ``*`` for any.

    .. versionadded:: 0.1.0
    """

    origin: str
    credential: str

    def __str__(self) -> str:
        return f"{self.origin} (key {self.credential})"


Scope = Callable[[URL, Mapping[str, str]], "Endpoint | str | None"]
"""Names the endpoint of a request from its URL and headers; see ``scope=``."""


def fingerprint(value: str, *, secret: bytes = b"") -> str:
    """Return the short, one-way name of a key: 12 hexadecimal digits.

    Args:
        value: the key.
        secret: makes the fingerprint worthless to whoever does not know it; at most 64 bytes.

    .. versionadded:: 0.1.0
    """
    digest = blake2b(
        value.encode("utf-8", "surrogatepass"), digest_size=6, key=secret, person=b"failfast"
    )
    return digest.hexdigest()


def credential_of(url: URL, headers: Mapping[str, str]) -> str:
    """Return the fingerprint of the credential that a request carries, or ``none``."""
    parts = [f"{name}={_identity(value)}" for name, value in _carried(url, headers)]
    return fingerprint("\n".join(sorted(parts))) if parts else NO_CREDENTIAL


def by_credential(url: URL, headers: Mapping[str, str]) -> Endpoint:
    """``scope="credential"``: one latch per key at each origin."""
    return Endpoint(_origin(url), credential_of(url, headers))


def by_origin(url: URL, headers: Mapping[str, str]) -> Endpoint:
    """``scope="origin"``: one latch per origin, whatever the key."""
    return Endpoint(_origin(url), "*")


def by_session(url: URL, headers: Mapping[str, str]) -> Endpoint:
    """``scope="session"``: one latch for all that the session sends."""
    return Endpoint("*", "*")


def _origin(url: URL) -> str:
    return f"{url.scheme}://{url.raw_authority.rpartition('@')[2]}"


def _carried(url: URL, headers: Mapping[str, str]) -> list[tuple[str, str]]:
    found = [
        (lowered, value)
        for name, value in headers.items()
        if (lowered := name.lower()) in CREDENTIAL_HEADERS and value
    ]
    if url.raw_query_string:
        found += [
            (lowered, value)
            for name, value in url.query.items()
            if (lowered := name.lower()) in CREDENTIAL_PARAMETERS and value
        ]
    if url.raw_user or url.raw_password:
        found.append(("userinfo", f"{url.user}:{url.password}"))
    return found


def _identity(value: str) -> str:
    """Return the part of a credential that stays the same from request to request.

    Signing schemes (AWS Signature and its relatives, Digest, OAuth 1, Hawk) send another value
    each time for the same key; what names the key in them is a parameter.
    """
    scheme, _, rest = value.partition(" ")
    lowered = scheme.lower()
    if not rest:
        return scheme.split("/")[1] if lowered.startswith("bce-auth-") and "/" in scheme else value
    if lowered in {"aws", "sharedkey", "sharedkeylite", "acs", "cos", "oss"} and ":" in rest:
        return f"{lowered} {rest.partition(':')[0]}"
    if lowered in {"digest", "oauth", "hawk"} or "credential=" in rest.lower():
        named = {name.lower(): text for name, text in _PARAMETER.findall(rest)}
        stable = [
            f"{name}={named[name].partition('/')[0]}"
            for name in ("credential", "username", "oauth_consumer_key", "oauth_token", "id")
            if name in named
        ]
        return f"{lowered} {' '.join(stable)}" if stable else value
    return value.strip()


class Redactor:
    """Takes the credentials of one request out of everything that is kept of its answer."""

    __slots__ = ("_secrets",)

    def __init__(self, url: URL, headers: Mapping[str, str]) -> None:
        secrets = {
            text
            for name, value in _carried(url, headers)
            for part in _secret_parts(value)
            for text in (part, quote(part, safe=""), unquote(part))
            if len(text) >= _shortest(name)
        }
        # Longest first: a secret that contains another one goes as a whole.
        self._secrets = sorted(secrets, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return text without the request's credentials and without anything shaped like a key."""
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        return _KEY_SHAPES.sub(REDACTED, text)

    def body(self, content: bytes) -> bytes:
        """Return content without the request's credentials."""
        for secret in self._secrets:
            content = content.replace(secret.encode("utf-8", "surrogatepass"), REDACTED.encode())
        return content

    def headers(self, items: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Return header items with secret values replaced."""
        return tuple(
            (name, REDACTED if name.lower() in _SECRET_HEADERS else self.text(value))
            for name, value in items
        )

    def url(self, url: URL) -> str:
        """Return an address without userinfo, fragment and keys in its query."""
        clean = url.with_user(None).with_fragment(None) if url.host else url
        if clean.raw_query_string:
            clean = clean.with_query(
                [
                    (name, "***" if name.lower() in CREDENTIAL_PARAMETERS else value)
                    for name, value in clean.query.items()
                ]
            )
        return self.text(str(clean)).replace(quote(REDACTED), "***")


def _shortest(name: str) -> int:
    in_query = name in CREDENTIAL_PARAMETERS and name not in CREDENTIAL_HEADERS
    return _SHORTEST_SECRET_IN_QUERY if in_query else _SHORTEST_SECRET


def _secret_parts(value: str) -> list[str]:
    """Return the strings in a credential that must not be shown."""
    scheme, _, rest = value.partition(" ")
    if not rest:
        return [value, *(part for part in value.split(":") if part)]
    parts = [value, rest.strip()]
    if scheme.lower() == "basic":
        parts += _basic_parts(rest)
    return parts


def _basic_parts(encoded: str) -> list[str]:
    try:
        decoded = base64.b64decode(encoded, validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return []
    user, _, password = decoded.partition(":")
    # Many APIs take the key as the user of Basic with an empty password.
    return [decoded, password or user]
