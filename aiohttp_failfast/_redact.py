"""Take the credentials of a request out of whatever is kept or shown of its answer."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import AnyStr
from urllib.parse import quote, quote_plus, unquote

from yarl import URL

from ._credential import CREDENTIAL_HEADERS, CREDENTIAL_PARAMETERS, PARAMETER, carried

REDACTED = "[redacted]"

_SECRET_HEADERS = CREDENTIAL_HEADERS | {"cookie", "set-cookie", "proxy-authorization"}
# They do not name a caller (a signature is another one each time), but must not be shown.
_SECRET_PARAMETERS = CREDENTIAL_PARAMETERS | {
    "client_secret",
    "code",  # Azure Functions
    "password",
    "sig",  # Azure SAS
    "signature",
    "subscription-key",  # Azure API Management
    "x-amz-security-token",
    "x-amz-signature",
    "x-goog-signature",
}
_SECRET_IN_HEADER = _SECRET_PARAMETERS | {"oauth_signature", "oauth_token", "secret"}
# A query parameter called key is often none (?key=name): short values of it are no secrets.
_SHORTEST_SECRET = 4
_SHORTEST_SECRET_IN_QUERY = 8
# Keys that are recognised by their looks, wherever an answer or an address shows them.
_KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|key|ghp|gho|glpat|xox[abprs]|r8|tgp|fw|pplx|nvapi|AIza)"
    r"[-_A-Za-z0-9]{0,8}[-_][-_A-Za-z0-9]{16,200}\b|\bAIza[-_A-Za-z0-9]{30,60}\b"
    r"|\bbot\d{6,12}:[-_A-Za-z0-9]{20,60}\b"
)


class Redactor:
    """Knows the credentials of one request, in every spelling that an answer may give them."""

    __slots__ = ("_secrets",)

    def __init__(self, url: URL, headers: Mapping[str, str]) -> None:
        secrets = {
            text
            for name, value in (*carried(url, headers), *_hidden(url, headers))
            for part in _secret_parts(value)
            for text in _spellings(part)
            if len(text) >= _shortest(name)
        }
        # Longest first: a secret that contains another one goes as a whole.
        self._secrets = sorted(secrets, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return text without the request's credentials and without anything shaped like a key."""
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        cut = max((_cut_off(text, secret) for secret in self._secrets), default=0)
        if cut:
            text = text[:-cut] + REDACTED
        return _KEY_SHAPES.sub(REDACTED, text)

    def body(self, content: bytes) -> bytes:
        """Return content without the request's credentials."""
        secrets = [secret.encode("utf-8", "surrogatepass") for secret in self._secrets]
        for secret in secrets:
            content = content.replace(secret, REDACTED.encode())
        cut = max((_cut_off(content, secret) for secret in secrets), default=0)
        return content[:-cut] + REDACTED.encode() if cut else content

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
                    (name, "***" if name.lower() in _SECRET_PARAMETERS else value)
                    for name, value in clean.query.items()
                ]
            )
        return self.text(str(clean)).replace(quote(REDACTED), "***")


def _hidden(url: URL, headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what must not be shown besides what names the caller."""
    for name, value in headers.items():
        lowered = name.lower()
        if lowered == "proxy-authorization":
            yield lowered, value
        elif lowered == "cookie":
            yield from ((lowered, pair.partition("=")[2].strip(' "')) for pair in value.split(";"))
    for name, value in url.query.items():
        lowered = name.lower()
        if lowered in _SECRET_PARAMETERS and lowered not in CREDENTIAL_PARAMETERS:
            yield lowered, value


def _shortest(name: str) -> int:
    in_header = name in _SECRET_HEADERS and name != "cookie"
    return _SHORTEST_SECRET if in_header or name == "userinfo" else _SHORTEST_SECRET_IN_QUERY


def _secret_parts(value: str) -> list[str]:
    """Return the strings in a credential that must not be shown."""
    named = PARAMETER.findall(value)
    parts = [value, *(text for name, text in named if name.lower() in _SECRET_IN_HEADER)]
    scheme, _, rest = value.partition(" ")
    if not rest:
        return [*parts, value.partition("=")[2], *value.split(":")]
    parts.append(rest.strip())
    if scheme.lower() == "basic":
        parts += _basic_parts(rest)
    return parts


def _spellings(secret: str) -> set[str]:
    """Return a secret as an answer may echo it: plain, in an address, in JSON."""
    found = {secret, unquote(secret)}
    for text in tuple(found):
        in_json = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        found |= {quote(text, safe=""), quote(text, safe="/"), quote_plus(text), *in_json}
        found |= {spelled.replace("/", "\\/") for spelled in in_json}  # PHP
    return found


def _cut_off(text: AnyStr, secret: AnyStr) -> int:
    """Return how much of a secret's start is left where a text was cut in the middle of it."""
    longest = min(len(secret) - 1, len(text))
    return next(
        (
            size
            for size in range(longest, _SHORTEST_SECRET_IN_QUERY - 1, -1)
            if text.endswith(secret[:size])
        ),
        0,
    )


def _basic_parts(encoded: str) -> list[str]:
    try:
        decoded = base64.b64decode(encoded, validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return []
    user, _, password = decoded.partition(":")
    # Many APIs take the key as the user of Basic with an empty password.
    return [decoded, password or user]
