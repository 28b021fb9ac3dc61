"""News as JSON: what a store keeps and sends. The words of the answer, and never a key."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from ._credential import Endpoint
from ._news import News
from ._shared_trip import MAX_CONTENT, SharedTrip, shared_headers, url_of
from ._trip import HeaderItems, Trip, Witness
from ._verdict import MAX_MESSAGE, Verdict, VerdictKind

FORMAT = 1
# Doubles, in which JSON and Lua count, are exact far beyond it.
_MAX_GENERATION = 2**48
logger = logging.getLogger("aiohttp_failfast")


class UnknownFormatError(ValueError):
    """News in a format of a later version of this package."""


def encode_news(news: News) -> str:
    """Return news as one line of JSON.

    Args:
        news: what to write.

    .. versionadded:: 0.1.0
    """
    document = {
        "v": FORMAT,
        "generation": news.generation,
        "floor": news.floor,
        "floors": [[*endpoint, at] for endpoint, at in news.floors.items()],
        "trips": [_from_trip(told) for told in news.trips.values()],
    }
    return json.dumps(document, separators=(",", ":"))


def decode_news(text: str | bytes) -> News:
    """Return the news that `encode_news` wrote.

    A single trip that makes no sense is left out, with a warning in the log.

    Args:
        text: one JSON document.

    Raises:
        ValueError: it is something else, or of a later format.

    .. versionadded:: 0.1.0
    """
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    try:
        version = _number(document["v"])
        if version > FORMAT:
            raise UnknownFormatError(f"format {version} is later than {FORMAT}")
        floors = {_endpoint(one): _number(one[2]) for one in document["floors"]}
        # Joined with nothing, so that what is void or contradicts itself falls out.
        return News().join(
            News(
                _number(document["generation"]),
                _number(document["floor"]),
                floors,
                {told.trip.endpoint: told for told in _to_trips(document["trips"])},
            )
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"not news: {type(error).__name__}") from None


def _from_trip(told: SharedTrip) -> dict[str, Any]:
    trip, verdict = told.trip, told.trip.verdict
    seen_by = trip.seen_by or Witness("", 0)
    return {
        "endpoint": list(trip.endpoint),
        "generation": trip.generation,
        "expires_at": round(told.expires_at, 3),
        "kind": str(verdict.kind),
        "code": verdict.code,
        "message": verdict.message,
        "rule": verdict.rule,
        "retry_after": verdict.retry_after,
        "resets_at": verdict.resets_at.isoformat() if verdict.resets_at else None,
        "status": trip.status,
        "reason": trip.reason,
        "method": trip.method,
        "headers": [list(item) for item in trip.headers],
        "content": base64.b64encode(trip.content).decode("ascii"),
        "tripped_at": trip.tripped_at.isoformat(),
        "seen_by": list(seen_by),
    }


def _to_trips(documents: Iterable[Any]) -> Iterator[SharedTrip]:
    for document in documents:
        told = _to_trip_or_none(document)
        if told is not None:
            yield told


def _to_trip_or_none(document: Any) -> SharedTrip | None:
    try:
        return _to_trip(document)
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        logger.warning("a trip in the store makes no sense: %s", type(error).__name__)
        return None


def _to_trip(document: Mapping[str, Any]) -> SharedTrip:
    endpoint = _endpoint(document["endpoint"])
    host, pid = document["seen_by"]
    content = base64.b64decode(_text(document["content"]), validate=True)
    trip = Trip(
        endpoint=endpoint,
        verdict=_verdict(document),
        status=_number(document["status"]),
        reason=_text(document["reason"]),
        method=_text(document["method"]),
        url=url_of(endpoint),
        request_headers=(),
        headers=_header_items(document["headers"]),
        content=content[:MAX_CONTENT],
        tripped_at=_time(document["tripped_at"]),
        generation=_number(document["generation"]),
        seen_by=Witness(_text(host), _number(pid)),
    )
    return SharedTrip(trip, float(document["expires_at"]))


def _verdict(document: Mapping[str, Any]) -> Verdict:
    resets_at, retry_after, code = (document[name] for name in ("resets_at", "retry_after", "code"))
    # One sighting: whoever shared it has counted.
    return Verdict(
        VerdictKind(document["kind"]),
        code=None if code is None else _text(code),
        message=_text(document["message"])[:MAX_MESSAGE],
        rule=_text(document["rule"]),
        retry_after=None if retry_after is None else float(retry_after),
        resets_at=None if resets_at is None else _time(resets_at),
    )


def _endpoint(parts: Any) -> Endpoint:
    return Endpoint(_text(parts[0]), _text(parts[1]))


def _header_items(items: Any) -> HeaderItems:
    texts = ((_text(name), _text(text)) for name, text in items)
    return shared_headers(tuple(item for item in texts if not set("\r\n") & set(item[1])))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_GENERATION:
        raise ValueError("not a number in bounds")
    return value


def _time(value: object) -> datetime:
    time = datetime.fromisoformat(_text(value))
    if time.tzinfo is None:
        raise ValueError("not an aware time")
    return time
