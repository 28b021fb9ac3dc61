"""What every way in promises: judge, trip, refuse, and leave the rest alone."""

from __future__ import annotations

import asyncio
from collections import Counter

import aiohttp
import pytest
from aiohttp import ClientSession, web
from loopback import FORBIDDEN, INVALID, OK, SLOW_DOWN, SPENT, Api, Reply, bearer, gather
from ways import WAYS, SessionFactory

from aiohttp_failfast import (
    Endpoint,
    FailFastMiddleware,
    FailFastSession,
    Latch,
    PermanentEndpointError,
    RetryPolicy,
    Trip,
    VerdictKind,
    attach,
    failfast_trace_config,
    raise_for_status,
)

every_way = pytest.mark.parametrize("way", list(WAYS))
both_raises = pytest.mark.parametrize("raises", [False, True, raise_for_status])


async def fetch(session: ClientSession, api: Api, key: str, **kwargs: object) -> tuple[int, bytes]:
    """Send one call and read its answer."""
    async with session.post(api.url, headers=bearer(key), json={}, **kwargs) as response:
        return response.status, await response.read()


@every_way
@both_raises
@pytest.mark.parametrize(
    ("answer", "kind"), [(SPENT, VerdictKind.QUOTA), (INVALID, VerdictKind.AUTH)]
)
async def test_the_answer_that_trips_and_every_later_call_raise(
    api: Api,
    make_session: SessionFactory,
    way: str,
    raises: object,
    answer: Reply,
    kind: VerdictKind,
) -> None:
    """A dead key costs one request; the error tells which answer it was and if it was sent."""
    session = await make_session(way, raise_for_status=raises)
    api.answers["dead"] = answer

    with pytest.raises(PermanentEndpointError) as first:
        await fetch(session, api, "dead")
    with pytest.raises(PermanentEndpointError) as second:
        await fetch(session, api, "dead")

    assert 1 == api.total
    assert (True, False) == (first.value.sent, second.value.sent)
    for error in (first.value, second.value):
        assert kind is error.verdict.kind
        assert answer.status == error.status
        assert answer.body == error.response_content
        assert error.headers is not None
        assert "application/json" == error.headers["Content-Type"]
    assert first.value is not second.value
    assert (200, OK.body) == await fetch(session, api, "alive")


@every_way
@pytest.mark.parametrize("per_request", [True, raise_for_status])
async def test_raise_for_status_of_one_request_hides_nothing(
    api: Api, make_session: SessionFactory, way: str, per_request: object
) -> None:
    """The body is judged also where one request alone asks for raise_for_status."""
    session = await make_session(way)
    api.answers["dead"] = SPENT

    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "dead", raise_for_status=per_request)
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "dead", raise_for_status=per_request)

    assert 1 == api.total


@every_way
async def test_nothing_passes_once_the_key_is_dead(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """Of 1,000 calls on 10 connections only those in flight are sent; no connection leaks."""
    connector = aiohttp.TCPConnector(limit=10)
    session = await make_session(way, connector=connector)
    api.answers["dead"] = SPENT
    api.delay = 0.02

    results = await gather(fetch(session, api, "dead") for _ in range(1000))

    assert {PermanentEndpointError: 1000} == Counter(map(type, results))
    assert 10 >= api.total
    assert 10 >= sum(error.sent for error in results)
    assert not connector._acquired
    assert (200, OK.body) == await fetch(session, api, "alive")


@every_way
async def test_other_answers_are_handed_over_untouched(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A 403 that concerns the request is returned once, with its body, and trips nothing."""
    latch = Latch()
    session = await make_session(way, latch=latch)
    api.answers["k"] = FORBIDDEN

    assert (403, FORBIDDEN.body) == await fetch(session, api, "k")
    assert not latch.tripped
    assert 1 == api.total


@every_way
async def test_a_rate_limit_trips_nothing(api: Api, make_session: SessionFactory, way: str) -> None:
    """A 429 per minute is no dead key; without a retry it is handed over as it came."""
    latch = Latch()
    options = {"retry": None} if way == "session" else {}
    session = await make_session(way, latch=latch, options=options)
    api.answers["k"] = SLOW_DOWN

    assert (429, SLOW_DOWN.body) == await fetch(session, api, "k")
    assert not latch.tripped


@every_way
async def test_keys_do_not_poison_each_other(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """By default a trip binds one key at one origin."""
    latch = Latch()
    session = await make_session(way, latch=latch)
    api.answers["dead"] = SPENT

    results = await gather(
        fetch(session, api, key) for key in ("dead", "alive", "dead", "alive") * 5
    )

    assert Counter({PermanentEndpointError: 10, tuple: 10}) == Counter(map(type, results))
    assert 1 == len(latch.trips)


@every_way
@pytest.mark.parametrize("scope", ["origin", "session"])
async def test_a_wider_scope_binds_every_key(
    api: Api, make_session: SessionFactory, way: str, scope: str
) -> None:
    """With scope origin or session the answer to one key refuses the others too."""
    session = await make_session(way, options={"scope": scope})
    api.answers["dead"] = SPENT

    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "dead")
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "alive")

    assert 1 == api.total


@every_way
async def test_a_scope_of_ones_own(api: Api, make_session: SessionFactory, way: str) -> None:
    """A callable names the endpoint; None leaves a request alone."""
    latch = Latch()

    def scope(url: object, headers: object) -> Endpoint | None:
        return Endpoint("tenant", "a") if bearer("watched").items() <= headers.items() else None  # type: ignore[attr-defined]

    session = await make_session(way, latch=latch, options={"scope": scope})
    api.answers.update(watched=SPENT, alone=SPENT)

    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "watched")
    assert 429 == (await fetch(session, api, "alone"))[0]
    assert 429 == (await fetch(session, api, "alone"))[0]

    assert [Endpoint("tenant", "a")] == [trip.endpoint for trip in latch.trips]
    assert Counter(watched=1, alone=2) == api.hits


@every_way
async def test_the_credential_is_read_from_what_was_sent(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A key in the session's default headers is told from one given with a request."""
    session = await make_session(way, headers=bearer("default"))
    api.answers["default"] = SPENT

    with pytest.raises(PermanentEndpointError):
        await session.get(api.url)
    with pytest.raises(PermanentEndpointError):
        await session.get(api.url)
    async with session.get(api.url, headers=bearer("other")) as response:
        assert 200 == response.status

    assert Counter(default=1, other=1) == api.hits


@every_way
async def test_a_key_put_in_by_another_middleware(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A middleware that moves on to the next key is not held by the trip of the first."""
    keys = ["first", "second"]

    async def sign(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        request.headers["Authorization"] = f"Bearer {keys[0]}"
        return await handler(request)

    session = await make_session(way, middlewares=(sign,))
    api.answers["first"] = SPENT
    with pytest.raises(PermanentEndpointError):
        await session.get(api.url, headers=bearer("first"))
    with pytest.raises(PermanentEndpointError):
        await session.get(api.url)
    keys.pop(0)

    async with session.get(api.url, headers=bearer("first")) as response:
        assert 200 == response.status
    assert Counter(first=1, second=1) == api.hits


@pytest.mark.parametrize("way", ["session", "trace", "attach"])
async def test_middlewares_of_one_request_bypass_nothing(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """``middlewares=()`` of a request replaces the session's, but not the guard."""
    session = await make_session(way)
    api.answers["dead"] = SPENT

    for _ in range(3):
        with pytest.raises(PermanentEndpointError):
            await fetch(session, api, "dead", middlewares=())

    assert 1 == api.total


async def test_middlewares_of_one_request_bypass_the_middleware(
    api: Api, make_session: SessionFactory
) -> None:
    """The limit of the middleware: aiohttp lets a request replace it. Pinned, to see it change."""
    session = await make_session("middleware")
    api.answers["dead"] = SPENT

    for _ in range(3):
        assert 429 == (await fetch(session, api, "dead", middlewares=()))[0]

    assert 3 == api.total


@every_way
async def test_every_wire_attempt_of_a_retry_middleware_is_seen(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A user's own retry middleware sends a dead key once, not five times."""
    attempts = 0

    async def stubborn(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        nonlocal attempts
        for _ in range(4):
            attempts += 1
            response = await handler(request)
            if response.status != 429:
                return response
            response.release()
        attempts += 1
        return await handler(request)

    session = await make_session(way, middlewares=(stubborn,))
    api.answers["dead"] = SPENT

    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "dead")

    assert 1 == api.total
    assert 0 < attempts <= 2


@pytest.mark.parametrize("way", ["session", "trace", "attach"])
async def test_a_token_can_still_be_renewed(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A middleware that fetches a new token on a 401 gets that 401, and its retry goes through."""

    async def renew(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        response = await handler(request)
        if response.status == 401:
            assert INVALID.body == await response.read()
            request.headers["Authorization"] = "Bearer new"
            response = await handler(request)
        return response

    latch = Latch()
    session = await make_session(way, latch=latch, middlewares=(renew,))
    api.answers["old"] = INVALID

    assert 200 == (await fetch(session, api, "old"))[0]
    assert Counter(old=1, new=1) == api.hits
    assert latch.tripped


@every_way
async def test_a_websocket_handshake_is_judged(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A refused handshake trips the latch like any answer; an accepted one works as ever."""

    async def echo(request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        async for message in ws:
            await ws.send_str(message.data)
        return ws

    session = await make_session(way)
    api.answers.update(dead=INVALID, alive=echo)

    for _ in range(2):
        with pytest.raises(aiohttp.ClientResponseError) as caught:
            await session.ws_connect(api.url, headers=bearer("dead"))
        assert isinstance(caught.value, PermanentEndpointError)
    async with session.ws_connect(api.url, headers=bearer("alive")) as ws:
        await ws.send_str("hello")
        assert "hello" == await ws.receive_str(timeout=5)

    assert 1 == api.hits["dead"]


@every_way
async def test_on_trip_is_told_once(api: Api, make_session: SessionFactory, way: str) -> None:
    """However many answers say so, on_trip gets the trip once, after the latch is set."""
    latch = Latch()
    told: list[Trip] = []

    async def on_trip(trip: Trip) -> None:
        assert latch.tripped
        await asyncio.sleep(0)
        told.append(trip)

    session = await make_session(way, latch=latch, options={"on_trip": on_trip})
    api.answers["dead"] = SPENT
    api.delay = 0.02

    await gather(fetch(session, api, "dead") for _ in range(20))

    assert list(latch.trips) == told


@every_way
async def test_a_failing_callback_changes_nothing(
    api: Api, make_session: SessionFactory, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception in on_trip or in classify is logged; calls go on as if it were not there."""

    def on_trip(trip: Trip) -> None:
        raise RuntimeError("on_trip broke")

    session = await make_session(way, options={"on_trip": on_trip})
    api.answers["dead"] = SPENT
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "dead")
    assert "on_trip broke" in caplog.text

    def classify(*args: object, **kwargs: object) -> None:
        raise RuntimeError("classify broke")

    session = await make_session(way, options={"classify": classify})
    assert 429 == (await fetch(session, api, "dead"))[0]
    assert "classify broke" in caplog.text


@every_way
async def test_one_warning_per_trip(
    api: Api, make_session: SessionFactory, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says once which key, the provider's words and what to do, whatever the crowd."""
    session = await make_session(way)
    api.answers["dead"] = SPENT

    await gather(fetch(session, api, "dead") for _ in range(50))

    (record,) = [r for r in caplog.records if r.name == "aiohttp_failfast"]
    assert "WARNING" == record.levelname
    for part in ("You exceeded your current quota", "insufficient_quota", "latch.reset()"):
        assert part in record.getMessage()
    assert "dead" not in record.getMessage().replace(str(api.url.origin()), "")


@every_way
async def test_reset_lets_calls_through_again(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """After reset() the endpoint is asked again, and a healed key works."""
    latch = Latch()
    session = await make_session(way, latch=latch)
    api.answers["k"] = [SPENT, OK]
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "k")

    assert 1 == latch.reset()

    assert 200 == (await fetch(session, api, "k"))[0]


@every_way
async def test_a_late_answer_does_not_trip_after_reset(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """An answer to a request sent before reset() is handed over; the latch stays clear."""
    latch = Latch()
    session = await make_session(way, latch=latch)
    api.answers["k"] = [SPENT, OK]
    api.gate = asyncio.Event()
    late = asyncio.create_task(fetch(session, api, "k"))
    await api.wait_for(1)

    latch.reset()
    api.gate.set()

    assert (429, SPENT.body) == await late
    assert not latch.tripped
    assert 200 == (await fetch(session, api, "k"))[0]


@every_way
async def test_a_redirect_to_another_origin_is_not_judged_for_the_key(
    api: Api, make_session: SessionFactory, aiohttp_server: object, way: str
) -> None:
    """Authorization is dropped across origins: the second host's 401 trips no key."""

    async def unauthorized(request: web.Request) -> web.Response:
        assert "Authorization" not in request.headers
        return web.Response(status=401, body=INVALID.body, headers=INVALID.headers)

    app = web.Application()
    app.router.add_get("/", unauthorized)
    other = await aiohttp_server(app)  # type: ignore[operator]

    async def redirect(request: web.Request) -> web.Response:
        raise web.HTTPFound(other.make_url("/"))

    latch = Latch()
    session = await make_session(way, latch=latch)
    api.answers["k"] = redirect

    async with session.get(api.url, headers=bearer("k")) as response:
        assert (401, INVALID.body) == (response.status, await response.read())

    assert not latch.tripped
    api.answers["k"] = OK
    assert 200 == (await fetch(session, api, "k"))[0]


@every_way
async def test_a_proxy_that_wants_its_own_key_trips_nothing(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A 407 speaks of the proxy's key, whatever its body says."""

    async def proxy(request: web.Request) -> Reply:
        return Reply(407, INVALID.body)

    session = await make_session(way)
    api.answers["k"] = proxy

    for _ in range(2):
        assert 407 == (await fetch(session, api, "k"))[0]


@every_way
async def test_calls_without_a_key_are_one_caller(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """A job that forgot its key is stopped too; calls with a key are not touched by that."""
    session = await make_session(way)
    api.answers[""] = INVALID

    for _ in range(3):
        with pytest.raises(PermanentEndpointError):
            await session.get(api.url)
    assert 200 == (await fetch(session, api, "alive"))[0]
    assert 1 == api.hits[""]


@pytest.mark.parametrize(
    "make",
    [FailFastSession, FailFastMiddleware, failfast_trace_config],
    ids=["session", "middleware", "trace"],
)
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"latch": "x"}, TypeError),
        ({"scope": "planet"}, ValueError),
        ({"scope": 3}, TypeError),
        ({"classify": 3}, TypeError),
        ({"when_tripped": "explode"}, ValueError),
        ({"on_trip": 3}, TypeError),
        ({"max_body": 0}, ValueError),
        ({"max_body": "1"}, TypeError),
        ({"body_timeout": -1}, ValueError),
        ({"body_timeout": float("nan")}, ValueError),
    ],
    ids=str,
)
async def test_a_wrong_option_is_named(
    make: type, options: dict[str, object], error: type[Exception]
) -> None:
    """A wrong argument raises an error that names it, and nothing is half-made."""
    (name,) = options
    with pytest.raises(error, match=name):
        make(**options)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"max_http_attempts": 0}, ValueError),
        ({"max_http_attempts": True}, TypeError),
        ({"max_http_attempts": 2.5}, TypeError),
        ({"statuses": 429}, TypeError),
        ({"statuses": {"429"}}, TypeError),
        ({"statuses": {200}}, ValueError),
        ({"backoff_base": -1}, ValueError),
        ({"backoff_max": float("inf")}, ValueError),
        ({"max_retry_after": "60"}, TypeError),
        ({"methods": "POST"}, TypeError),
        ({"methods": [1]}, TypeError),
    ],
    ids=str,
)
def test_a_wrong_argument_of_the_policy_is_named(
    arguments: dict[str, object], error: type[Exception]
) -> None:
    """RetryPolicy refuses what makes no sense, and says which argument."""
    (name,) = arguments
    with pytest.raises(error, match=name):
        RetryPolicy(**arguments)  # type: ignore[arg-type]


async def test_a_wrong_retry_is_named() -> None:
    """The retry argument of the session must be a policy."""
    with pytest.raises(TypeError, match="retry"):
        FailFastSession(retry=3)  # type: ignore[arg-type]


async def test_attach_wants_an_open_session() -> None:
    """Attach refuses what is no session, and a closed one; nothing is installed."""
    with pytest.raises(TypeError, match="session"):
        attach("https://example.org")  # type: ignore[arg-type]
    session = ClientSession()
    await session.close()
    with pytest.raises(ValueError, match="closed"):
        attach(session)
    assert [] == session.trace_configs


async def test_attaching_twice_is_one_attachment(api: Api) -> None:
    """The second attach returns the latch of the first, and one trip is told once."""
    told: list[Trip] = []
    async with ClientSession() as session:
        latch = attach(session, on_trip=told.append)
        assert latch is attach(session, on_trip=told.append)
        assert latch is attach(session, latch=latch)
        with pytest.raises(ValueError, match="latch"):
            attach(session, latch=Latch())
        api.answers["dead"] = SPENT
        with pytest.raises(PermanentEndpointError):
            await fetch(session, api, "dead")

        assert 1 == len(session.trace_configs) == len(told)


async def test_attaching_to_our_own_session_returns_its_latch() -> None:
    """A FailFastSession needs no attachment."""
    async with FailFastSession() as session:
        assert session.latch is attach(session)
        assert [] == session.trace_configs


async def test_attach_leaves_other_sessions_alone(api: Api) -> None:
    """The caller's own list of trace configs, shared by two sessions, is not changed."""
    shared: list[aiohttp.TraceConfig] = [aiohttp.TraceConfig()]
    api.answers["dead"] = SPENT
    async with (
        ClientSession(trace_configs=shared) as one,
        ClientSession(trace_configs=shared) as two,
    ):
        attach(one)
        with pytest.raises(PermanentEndpointError):
            await fetch(one, api, "dead")

        assert 429 == (await fetch(two, api, "dead"))[0]
    assert 1 == len(shared)


async def test_attach_to_a_session_that_is_in_use(api: Api) -> None:
    """Attach works on a session in the middle of its work."""
    api.answers["dead"] = SPENT
    async with ClientSession() as session:
        assert 429 == (await fetch(session, api, "dead"))[0]
        latch = attach(session)
        with pytest.raises(PermanentEndpointError):
            await fetch(session, api, "dead")
        assert latch.tripped


async def test_two_guards_on_one_session(api: Api) -> None:
    """A middleware, a trace config and a FailFastSession at once get along, each with its latch."""
    latches = [Latch(), Latch(), Latch()]
    api.answers["dead"] = SPENT
    async with FailFastSession(
        latch=latches[0],
        middlewares=[FailFastMiddleware(latch=latches[1])],
        trace_configs=[failfast_trace_config(latch=latches[2])],
    ) as session:
        for _ in range(3):
            assert 200 == (await fetch(session, api, "alive"))[0]
            with pytest.raises(PermanentEndpointError):
                await fetch(session, api, "dead")

    assert [True] * 3 == [latch.tripped for latch in latches]
    assert 1 == api.hits["dead"]
