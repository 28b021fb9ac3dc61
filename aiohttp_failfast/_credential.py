"""Who is calling whom: a request's key becomes a short one-way fingerprint here.

Only this module and ``_redact``, which takes keys out of texts, ever look at a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import NamedTuple

from yarl import URL

NO_CREDENTIAL = "none"
"""The credential of a request that carries no key at all."""

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
        "x-vault-token",  # HashiCorp Vault
        "x-api-token",
        "api-token",
        "x-auth-key",
        "x-token",
        "x-key",
        "token",
        "dd-api-key",  # Datadog
        "x-functions-key",  # Azure Functions
        "cf-aig-authorization",  # Cloudflare AI Gateway
        "x-portkey-api-key",  # Portkey
    }
)
CREDENTIAL_PARAMETERS = frozenset(
    {"key", "api_key", "apikey", "access_token", "token", "x-amz-credential"}
)

_GENERIC_PARAMETERS = frozenset({"?key", "?token"})
# Their name says nothing: the key is the same with it and without.
_BARE_SCHEMES = frozenset({"bearer", "token", "basic", "apikey", "api-key", "key"})

PARAMETER = re.compile(r'(\w+)="?([^",\s]{1,512})"?')


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
        value: the key, as it stands behind ``Bearer``; an error names it by this.
        secret: makes the fingerprint worthless to whoever does not know it; at most 64 bytes.

    .. versionadded:: 0.1.0
    """
    digest = blake2b(
        value.encode("utf-8", "surrogatepass"), digest_size=6, key=secret, person=b"failfast"
    )
    return digest.hexdigest()


def credential_of(url: URL, headers: Mapping[str, str], *, secret: bytes = b"") -> str:
    """Return the fingerprint of the credential that a request carries, or ``none``."""
    found = carried(url, headers)
    if any(name not in _GENERIC_PARAMETERS for name, _ in found):
        # Beside a real credential ?key= and ?token= mean a page, a row, a file.
        found = [(name, value) for name, value in found if name not in _GENERIC_PARAMETERS]
    parts = sorted(_identity(value) for _, value in found)
    return fingerprint("\n".join(parts), secret=secret) if parts else NO_CREDENTIAL


def by_credential(url: URL, headers: Mapping[str, str], *, secret: bytes = b"") -> Endpoint:
    """``scope="credential"``: one latch per key at each origin."""
    return Endpoint(origin_of(url), credential_of(url, headers, secret=secret))


def by_origin(url: URL, headers: Mapping[str, str]) -> Endpoint:
    """``scope="origin"``: one latch per origin, whatever the key."""
    return Endpoint(origin_of(url), "*")


def by_session(url: URL, headers: Mapping[str, str]) -> Endpoint:
    """``scope="session"``: one latch for all that the session sends."""
    return Endpoint("*", "*")


def origin_of(url: URL) -> str:
    """Return scheme, host and port, written in one way."""
    # Without a default port, so that an origin has one name.
    return f"{url.scheme}://{url.host_port_subcomponent or ''}"


def carried(url: URL, headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what names the caller in a request, as pairs of where and what."""
    found = [
        (lowered, value)
        for name, value in headers.items()
        if (lowered := name.lower()) in CREDENTIAL_HEADERS and value
    ]
    if url.raw_query_string:
        found += [
            (f"?{lowered}", value)
            for name, value in url.query.items()
            if (lowered := name.lower()) in CREDENTIAL_PARAMETERS and value
        ]
    if url.raw_user or url.raw_password:
        found.append(("userinfo", f"{url.user or ''}:{url.password or ''}"))
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
        named = {name.lower(): text for name, text in PARAMETER.findall(rest)}
        stable = [
            f"{name}={named[name].partition('/')[0]}"
            for name in ("credential", "username", "oauth_consumer_key", "oauth_token", "id")
            if name in named
        ]
        return f"{lowered} {' '.join(stable)}" if stable else value
    return rest.strip() if lowered in _BARE_SCHEMES else value.strip()
