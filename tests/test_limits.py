"""Where aiohttp makes a way in weaker; each limit is pinned, so that a change of it is seen.

``docs/ways-in.md`` tells of them in words.
"""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession, web
from loopback import OK, SPENT, Api, Reply, bearer, gather
from ways import WAYS, SessionFactory

from aiohttp_failfast import Latch, PermanentEndpointError

every_way = pytest.mark.parametrize("way", list(WAYS))


async def fetch(session: ClientSession, api: Api, key: str, **kwargs: Any) -> int:
    """Send one call."""
    async with session.post(api.url, headers=bearer(key), json={}, **kwargs) as response:
        await response.read()
        return response.status


@every_way
async def test_refusals_leave_no_timer(api: Api, make_session: SessionFactory, way: str) -> None:
    """1,000 refusals leave no timer of the total timeout behind.

    aiohttp up to 3.14.3 leaves one for each exception raised in on_request_start.
    """
    session = await make_session(way)
    api.answers["dead"] = SPENT
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "dead")
    loop = asyncio.get_running_loop()

    def timers() -> int:
        return sum(not timer.cancelled() for timer in loop._scheduled)  # type: ignore[attr-defined]

    before = timers()
    results = await gather(fetch(session, api, "dead") for _ in range(1000))

    assert {PermanentEndpointError} == set(map(type, results))
    assert timers() <= before + 1


@every_way
async def test_a_refused_connect_of_a_proxy_trips_nothing(
    make_session: SessionFactory, way: str
) -> None:
    """A CONNECT that the proxy refuses says nothing of the API's key, whatever its body says."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 429 No\r\nContent-Length: {len(SPENT.body)}\r\n\r\n"
        writer.write(head.encode() + SPENT.body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    latch = Latch()
    session = await make_session(way, latch=latch)

    with pytest.raises(aiohttp.ClientHttpProxyError):
        await session.get(
            "https://api.example/v1", headers=bearer("k"), proxy=f"http://127.0.0.1:{port}"
        )

    assert not latch.tripped
    server.close()


@pytest.mark.parametrize("way", ["session", "middleware", "trace", "attach"])
@pytest.mark.parametrize("with_middleware", [False, True])
async def test_where_a_refused_call_waits_for_a_connection(
    api: Api, make_session: SessionFactory, way: str, with_middleware: bool
) -> None:
    """A refused call needs no connection, but for one case.

    The trace config on a session that has middlewares of its own: one of them may still put
    another key in, so the call can only be judged when it has its connection.
    """

    async def nothing(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        return await handler(request)

    session = await make_session(
        way,
        middlewares=(nothing,) if with_middleware else (),
        connector=aiohttp.TCPConnector(limit=1),
    )
    release = asyncio.Event()

    async def hold(request: web.Request) -> Reply:
        await release.wait()
        return OK

    api.answers.update(dead=SPENT, slow=hold)
    with pytest.raises(PermanentEndpointError):
        await fetch(session, api, "dead")
    slow = asyncio.create_task(fetch(session, api, "slow"))
    await api.wait_for(2)

    refused = asyncio.create_task(fetch(session, api, "dead"))
    await asyncio.wait({refused}, timeout=0.3)

    assert refused.done() is not (way in {"trace", "attach"} and with_middleware)
    release.set()
    assert 200 == await slow
    with pytest.raises(PermanentEndpointError):
        await asyncio.wait_for(refused, 5)
    assert 1 == api.hits["dead"]


@pytest.mark.parametrize("way", ["session", "middleware", "trace", "attach"])
async def test_where_waiting_for_the_canary_holds_a_connection(
    api: Api, make_session: SessionFactory, way: str
) -> None:
    """With the trace config, calls that wait for the canary hold their connection meanwhile."""
    connector = aiohttp.TCPConnector(limit=10)
    session = await make_session(way, options={"canary": True}, connector=connector)
    api.gate = asyncio.Event()

    calls = [asyncio.create_task(fetch(session, api, "k")) for _ in range(5)]
    await api.wait_for(1)
    await asyncio.sleep(0.1)

    assert (5 if way in {"trace", "attach"} else 1) == len(connector._acquired)
    assert 1 == api.total
    api.gate.set()
    assert [200] * 5 == await gather(calls)


async def test_the_module_function_is_out_of_reach(api: Api) -> None:
    """aiohttp.request() makes a plain session of its own: nothing here can guard it."""
    api.answers["dead"] = SPENT

    for _ in range(2):
        async with aiohttp.request("GET", api.url, headers=bearer("dead")) as response:
            assert 429 == response.status
    assert 2 == api.total
