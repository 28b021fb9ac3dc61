"""Where latches of several processes meet, named by URL."""

from __future__ import annotations

from importlib.util import find_spec
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from .file import DEFAULT_POLL, FileStore
from .protocol import DEFAULT_MAX_AGE, Store
from .redis import DEFAULT_PREFIX, RedisStore

_REDIS = {
    "redis": "redis",
    "rediss": "rediss",
    "unix": "unix",
    "valkey": "redis",
    "valkeys": "rediss",
}
_NAMES = "memory:, file:///path, redis://, rediss://, unix://, valkey:// or valkeys://"


def open_store(url: str) -> Store | None:
    """Return the store that a URL names, or None for ``memory:``, which shares nothing.

    Nothing is connected or created yet.

    Args:
        url: its address. Parameters of ours in the query are ``max_age`` (seconds), ``poll``
            (seconds, files) and ``prefix`` (Redis); any other goes to the client of Redis.

    Raises:
        ValueError: it is no such address.
        ImportError: the package for it is not installed; the message names the extra.

    .. versionadded:: 0.1.0
    """
    scheme, _, rest = url.partition(":")
    if url == "memory:":
        return None
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    max_age = _seconds(query, "max_age", DEFAULT_MAX_AGE)
    if scheme == "file":
        poll = _seconds(query, "poll", DEFAULT_POLL)
        if query or parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
            raise ValueError("a file store is file:///path, with max_age and poll in the query")
        return FileStore(unquote(parts.path), poll=poll, max_age=max_age)
    if scheme not in _REDIS or not rest.startswith("//"):
        # Not the whole address: it may hold a password.
        raise ValueError(f"store must be {_NAMES}, got {scheme[:20]!r}")
    if find_spec("redis") is None:
        raise ImportError(
            f"a store at {scheme}:// needs the redis package: pip install 'aiohttp-failfast[redis]'"
        )
    prefix = query.pop("prefix", DEFAULT_PREFIX)
    address = parts._replace(scheme=_REDIS[scheme], query=urlencode(query)).geturl()
    return RedisStore(address, prefix=prefix, max_age=max_age)


def _seconds(query: dict[str, str], name: str, default: float) -> float:
    text = query.pop(name, None)
    try:
        value = default if text is None else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e10:
        raise ValueError(f"{name} of a store must be a positive number of seconds, got {text!r}")
    return value
