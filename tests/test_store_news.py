"""News joined in any order come to the same, in latches and in stores; as text they stay whole."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import replace
from datetime import timezone
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from trips import DEAD, OTHER, trip_of

from aiohttp_failfast import Endpoint, Latch, Verdict, VerdictKind, _news
from aiohttp_failfast._shared_trip import MAX_CONTENT, cut_down
from aiohttp_failfast._stores import open_store
from aiohttp_failfast._stores._names import endpoint_of, name_of
from aiohttp_failfast.stores import (
    FileStore,
    News,
    RedisStore,
    SharedTrip,
    Witness,
    decode_news,
    encode_news,
)

seeded = settings(derandomize=True, deadline=None, max_examples=200)
ENDPOINTS = [DEAD, OTHER, Endpoint("*", "*")]
endpoints = st.sampled_from(ENDPOINTS)
numbers = st.integers(0, 6)
ME = Witness("here", 1)


def shared(endpoint: Endpoint, generation: int, **more: Any) -> SharedTrip:
    """Return a trip as it is told to others."""
    trip = trip_of(endpoint, generation=generation, seen_by=Witness("there", 2), **more)
    return SharedTrip(trip, round(time.time() + 3600))


@st.composite
def some_news(draw: st.DrawFn) -> News:
    """Make news that a latch or a store could tell."""
    told = draw(st.dictionaries(endpoints, numbers, max_size=3))
    news = News(
        draw(numbers),
        draw(numbers),
        draw(st.dictionaries(endpoints, st.integers(1, 6), max_size=2)),
        {endpoint: shared(endpoint, generation) for endpoint, generation in told.items()},
    )
    return News().join(news)


def says(news: News) -> tuple[Any, ...]:
    """Return what news say, but for which of several answers is remembered."""
    trips = {endpoint: told.trip.generation for endpoint, told in news.trips.items()}
    return news.generation, news.floor, dict(news.floors), trips


@seeded
@given(some_news(), some_news(), some_news())
def test_the_order_of_news_does_not_matter(one: News, two: News, three: News) -> None:
    """Nor does it matter how often they come, or in which parcels."""
    assert says(one.join(two)) == says(two.join(one))
    assert says(one.join(two).join(three)) == says(one.join(two.join(three)))
    assert says(one.join(one)) == says(one)
    assert says(one.join(News())) == says(one)


@seeded
@given(some_news(), some_news())
def test_what_is_beyond_is_just_what_is_missing(one: News, other: News) -> None:
    """Told that, the other knows the same as if told all."""
    missing = one.beyond(other)

    assert says(other.join(missing)) == says(other.join(one))
    assert not one.beyond(other.join(one))
    assert not one.beyond(one)


@seeded
@given(st.lists(some_news(), max_size=4), st.randoms(use_true_random=False))
def test_latches_that_heard_the_same_refuse_the_same(heard: list[News], random: Any) -> None:
    """In whatever order; and they tell just what a store that heard it holds."""
    stored = News()
    for news in heard:
        stored = stored.join(news)
    latches = [Latch(), Latch()]
    for latch in latches:
        for news in random.sample(heard, len(heard)):
            latch.join(news)

    for latch in latches:
        assert says(latch.news(1e9, ME)) == says(stored)
        assert {trip.endpoint for trip in latch.trips} == set(stored.trips)
        assert latch.generation == stored.generation


@seeded
@given(some_news(), endpoints | st.none())
def test_a_reset_wins_over_all_that_was_heard(news: News, endpoint: Endpoint | None) -> None:
    """Told the same old news again, the latch stays clear; so does who hears of the reset."""
    latch, other = Latch(), Latch()
    for one in (latch, other):
        one.join(news)
    latch.reset(endpoint)
    latch.join(news)
    other.join(latch.news(1e9, ME))

    for one in (latch, other):
        left = {trip.endpoint for trip in one.trips}
        assert not left & ({endpoint} if endpoint else set(ENDPOINTS))
    assert says(latch.news(1e9, ME)) == says(other.news(1e9, ME))


texts = st.text(max_size=20)


@seeded
@given(
    st.builds(Endpoint, texts, texts),
    st.builds(
        Verdict,
        st.sampled_from(VerdictKind),
        st.none() | texts,
        texts,
        texts,
        st.none() | st.floats(0, 1e9),
        st.none() | st.datetimes(timezones=st.just(timezone.utc)),
    ),
    st.binary(max_size=50),
    texts,
    st.integers(0, 2**40),
)
@example(DEAD, Verdict(VerdictKind.AUTH, message="\ud800"), b"\x00\xff", "\u2028\n", 0)
def test_text_says_all_that_news_say(
    endpoint: Endpoint, verdict: Verdict, content: bytes, reason: str, generation: int
) -> None:
    """Whatever characters the provider uses, down to the last byte of the body."""
    given = cut_down(
        trip_of(
            endpoint, generation=generation, verdict=verdict, content=content, reason=reason,
            headers=(("content-type", "text/plain"),),
        ),
        ME,
    )  # fmt: skip
    news = News().join(News(trips={endpoint: SharedTrip(given, 1234.5)}))

    assert decode_news(encode_news(news)) == news
    assert encode_news(news).isascii()


@seeded
@given(st.binary(max_size=200) | st.text(max_size=100))
def test_no_text_whatever_does_more_than_make_no_sense(text: Any) -> None:
    """ValueError, or news."""
    with contextlib.suppress(ValueError):
        assert isinstance(decode_news(text), News)


@settings(seeded, max_examples=50)
@given(st.recursive(st.none() | st.booleans() | st.floats() | texts, st.lists, max_leaves=5))
def test_a_trip_of_any_form_is_left_out(junk: Any) -> None:
    """Field by field: wrong, or missing."""
    whole = json.loads(encode_news(News(trips={DEAD: shared(DEAD, 0), OTHER: shared(OTHER, 0)})))
    for name in list(whole["trips"][0]):
        broken = json.loads(json.dumps(whole))
        broken["trips"][0][name] = junk
        assert OTHER in decode_news(json.dumps(broken)).trips
        del broken["trips"][0][name]
        assert set(decode_news(json.dumps(broken)).trips) == {OTHER}


@pytest.mark.parametrize("generation", [2**60, -1, True, 1.5, "1", None])
def test_a_number_out_of_bounds_cannot_end_all_resets(generation: Any) -> None:
    """Else one bad message would make every later reset worthless."""
    document = {"v": 1, "generation": generation, "floor": 0, "floors": [], "trips": []}
    with pytest.raises(ValueError, match=r"."):
        decode_news(json.dumps(document))


def test_what_others_saw_is_shared_cut_down() -> None:
    """Whoever saw it keeps all of it."""
    trip = trip_of(
        url=f"{DEAD.origin}/v1/chat?tenant=7",
        content=b"x" * (MAX_CONTENT + 1),
        headers=(("Content-Type", "a/b"), ("X-Internal", "7"), ("Request-Id", "r")),
    )
    latch = Latch()
    latch.trip(trip)
    told = latch.news(3600, ME).trips[DEAD].trip

    assert latch.find(DEAD) is trip
    assert told.url == DEAD.origin
    assert told.request_headers == ()
    assert told.headers == (("Content-Type", "a/b"), ("Request-Id", "r"))
    assert len(told.content) == MAX_CONTENT
    assert told.seen_by == ME
    assert replace(trip.verdict) == told.verdict


def test_resets_of_single_endpoints_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are forgotten at last, and those that a reset of all covers at once."""
    monkeypatch.setattr(_news, "MAX_FLOORS", 5)
    news = News()
    for number in range(1, 11):
        news = news.join(News(floors={DEAD._replace(credential=str(number)): number}))

    assert sorted(news.floors.values()) == [6, 7, 8, 9, 10]
    assert not news.join(News(floor=10)).floors
    assert news.generation == 10


@seeded
@given(texts.filter(bool), texts.filter(bool))
@example("https://a#b%23", "c#d")
def test_a_name_leads_back_to_its_endpoint(origin: str, credential: str) -> None:
    """Though a user's own endpoint may hold any character."""
    assert endpoint_of(name_of(Endpoint(origin, credential))) == Endpoint(origin, credential)


def test_a_url_says_all_of_a_store() -> None:
    """Ours are taken out of it, all else goes to the client."""
    file = open_store("file:///tmp/a%20b?poll=0.5&max_age=60")
    redis = open_store("valkeys://u:p@h:1/2?prefix=p&max_age=7&ssl_cert_reqs=none")

    assert isinstance(file, FileStore)
    assert (str(file.path), file.poll, file.max_age) == ("/tmp/a b", 0.5, 60)
    assert isinstance(redis, RedisStore)
    assert (redis.prefix, redis.max_age) == ("p", 7)
    assert redis._url == "rediss://u:p@h:1/2?ssl_cert_reqs=none"
    assert open_store("memory:") is None
