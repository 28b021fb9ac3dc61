"""aiohttp_failfast.otel: metrics through the real SDK, and next to aiohttp's instrumentation."""

from __future__ import annotations

import asyncio
import gc
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest
from loopback import bearer, gather

from aiohttp_failfast import (
    FailFastMiddleware,
    FailFastSession,
    Latch,
    PermanentEndpointError,
    RetryPolicy,
    attach,
    failfast_trace_config,
    fingerprint,
)
from aiohttp_failfast.testing import DeadKeyServer, assert_sent

pytest.importorskip("opentelemetry.sdk.metrics")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from aiohttp_failfast.otel import PREFIX, Metrics, instrument

pytest_plugins = ["aiohttp_failfast.testing"]

Points = dict[frozenset[tuple[str, Any]], float]
QUICK = RetryPolicy(backoff_base=0)


class Meters:
    """A meter provider of its own, and what it would export."""

    def __init__(self) -> None:
        self.reader = InMemoryMetricReader()
        self.provider = MeterProvider([self.reader], shutdown_on_exit=False)

    def points(self, name: str) -> Points:
        """Return the numbers of one metric, by their attributes."""
        return {
            frozenset(point.attributes.items()): getattr(point, "value", None) or point_count(point)
            for metric in self.metrics()
            if metric.name in {name, f"{PREFIX}.{name}"}
            for point in metric.data.data_points
        }

    def metrics(self) -> list[Any]:
        """Return all metrics as the reader gets them."""
        data = self.reader.get_metrics_data()
        if data is None:
            return []
        return [
            metric
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        ]

    def total(self, name: str) -> float:
        """Return the sum of a metric over its attributes."""
        return sum(self.points(name).values())


def point_count(point: Any) -> float:
    """Return how many values a histogram has; 0 for a number that is 0."""
    return getattr(point, "count", 0)


@pytest.fixture
def meters() -> Iterator[Meters]:
    """Make a provider for one test."""
    meters = Meters()
    yield meters
    meters.provider.shutdown()


async def fetch(session: aiohttp.ClientSession, url: str, method: str = "GET") -> int:
    """Make one call."""
    async with session.request(method, url) as response:
        await response.read()
        return response.status


def server_of(server: DeadKeyServer) -> dict[str, Any]:
    """Return the attributes that name the server."""
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    return {"server.address": "127.0.0.1", "server.port": port, "url.scheme": "http"}


async def test_what_is_counted(dead_key_server: DeadKeyServer, meters: Meters) -> None:
    """Trips, refusals, retries, tripped endpoints: each with the attributes that it should have."""
    options = instrument(meter_provider=meters.provider)
    dead_key_server.answer_next("overloaded")
    dead_key_server.die("openai-spent", after=1)
    async with FailFastSession(headers=bearer("k"), retry=QUICK, **options) as session:
        assert await fetch(session, dead_key_server.url) == 200
        for method in ("GET", "GET", "POST", "PROPFIND"):
            with pytest.raises(PermanentEndpointError):
                await fetch(session, dead_key_server.url, method)

        where = server_of(dead_key_server)
        quota = {**where, "aiohttp_failfast.verdict": "quota"}
        refused = {**quota, "aiohttp_failfast.shadow": False}
        busy = {
            **where,
            "aiohttp_failfast.verdict": "transient",
            "http.request.method": "GET",
            "http.response.status_code": 503,
        }
        assert meters.points("retries") == {frozenset(busy.items()): 1}
        assert meters.points("trips") == {
            frozenset({**quota, "http.response.status_code": 429}.items()): 1
        }
        assert meters.points("refused_requests") == {
            frozenset({**refused, "http.request.method": method}.items()): 1
            for method in ("GET", "POST", "_OTHER")
        }
        assert meters.points("tripped_endpoints") == {frozenset(quota.items()): 1}

        session.latch.reset()
        assert meters.points("tripped_endpoints") == {frozenset(quota.items()): 0}


async def test_what_a_trip_saves(dead_key_server: DeadKeyServer, meters: Meters) -> None:
    """Waits that it ends are counted, with what was left of them in seconds."""
    policy = RetryPolicy(backoff_base=1000, backoff_max=1000)
    options = instrument(meter_provider=meters.provider)
    dead_key_server.answer_next(*["overloaded"] * 5)
    async with FailFastSession(headers=bearer("k"), retry=policy, **options) as session:
        sleeping = [asyncio.create_task(fetch(session, dead_key_server.url)) for _ in range(5)]
        await dead_key_server.wait_sent(5)
        while meters.total("retries") < 5:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.005)
        dead_key_server.die()
        with pytest.raises(PermanentEndpointError):
            await fetch(session, dead_key_server.url)
        await gather(sleeping)
        saved = session.latch.stats.seconds_saved

    assert meters.total("stopped_retries") == 5
    assert meters.total("saved_time") == pytest.approx(saved)
    assert saved > 1
    del options, session, sleeping
    gc.collect()
    assert meters.total("stopped_retries") == 5  # the latch is gone, what it counted is not
    assert meters.total("saved_time") == pytest.approx(saved)
    assert meters.points("tripped_endpoints") != {}
    assert meters.total("tripped_endpoints") == 0


async def test_no_key_is_told_unless_it_is_asked_for(
    dead_key_server: DeadKeyServer, meters: Meters
) -> None:
    """By default two keys are one series; with credentials=True each is known by fingerprint."""
    told = Meters()
    for kept, credentials in ((meters, False), (told, True)):
        metrics = Metrics(meter_provider=kept.provider, credentials=credentials)
        dead_key_server.die()
        async with FailFastSession(**metrics.options) as session:
            for key in ("one", "two"):
                with pytest.raises(PermanentEndpointError):
                    await session.get(dead_key_server.url, headers=bearer(key))
            for name, expected in (("trips", 2), ("tripped_endpoints", 2)):
                points = kept.points(name)
                assert sum(points.values()) == expected
                assert len(points) == (2 if credentials else 1)
    seen = str(meters.metrics()) + str(told.metrics())
    told.provider.shutdown()

    assert "aiohttp_failfast.credential" in seen
    assert not {"one", "two"} & set(seen.replace("'", '"').split('"'))
    assert fingerprint("one") in seen


def test_names_keep_to_the_rules_of_opentelemetry(meters: Meters) -> None:
    """One namespace, lower case, no unit or total in a name; units in UCUM's form."""
    metrics = Metrics(Latch(), meter_provider=meters.provider)
    instruments = metrics._instruments
    units = {
        one.name: one.unit
        for one in (instruments.trips, instruments.refused, instruments.retries, *meters.metrics())
    }

    assert units == {
        "aiohttp_failfast.client.trips": "{trip}",
        "aiohttp_failfast.client.refused_requests": "{request}",
        "aiohttp_failfast.client.retries": "{retry}",
        "aiohttp_failfast.client.stopped_retries": "{retry}",
        "aiohttp_failfast.client.saved_time": "s",
    }


@pytest.mark.parametrize("count", [1, 3])
async def test_many_sessions_report_to_one_provider(
    dead_key_server: DeadKeyServer,
    meters: Meters,
    caplog: pytest.LogCaptureFixture,
    count: int,
) -> None:
    """Instruments are made once, and no latch is counted twice."""
    latches = [Latch() for _ in range(count)]
    dead_key_server.die()
    with caplog.at_level(logging.WARNING, logger="opentelemetry"):
        for latch in (*latches, *latches):
            options = instrument(latch, meter_provider=meters.provider)
            async with FailFastSession(headers=bearer("k"), **options) as session:
                with pytest.raises(PermanentEndpointError):
                    await session.get(dead_key_server.url)

    assert meters.total("trips") == count
    assert meters.total("refused_requests") == count
    assert meters.total("tripped_endpoints") == count
    assert [one for one in caplog.records if one.name.startswith("opentelemetry")] == []


async def test_an_origin_that_stands_for_all_has_no_address(
    dead_key_server: DeadKeyServer, meters: Meters
) -> None:
    """With scope="session" a trip names no server."""
    dead_key_server.die("openai-invalid")
    options = instrument(meter_provider=meters.provider)
    async with FailFastSession(scope="session", **options) as session:
        with pytest.raises(PermanentEndpointError):
            await session.get(dead_key_server.url)
        assert meters.points("tripped_endpoints") == {
            frozenset({("aiohttp_failfast.verdict", "auth")}): 1
        }


async def test_the_other_ways_in_take_the_same_options(
    dead_key_server: DeadKeyServer, meters: Meters
) -> None:
    """Middleware and attach report as the session does."""
    dead_key_server.die()
    first, second = (instrument(meter_provider=meters.provider) for _ in range(2))
    async with (
        aiohttp.ClientSession(middlewares=[FailFastMiddleware(**first)]) as one,
        aiohttp.ClientSession() as two,
    ):
        attach(two, **second)
        for session in (one, two, one, two):
            with pytest.raises(PermanentEndpointError):
                await session.get(dead_key_server.url)

    assert meters.total("trips") == 2
    assert meters.total("refused_requests") == 2


async def test_shadow_mode_is_told_apart(dead_key_server: DeadKeyServer, meters: Meters) -> None:
    """What would have been refused is counted, and marked."""
    dead_key_server.die()
    options = instrument(meter_provider=meters.provider)
    async with FailFastSession(retry=None, shadow=True, **options) as session:
        for _ in range(3):
            assert await fetch(session, dead_key_server.url) == 429

    (attributes,) = meters.points("refused_requests")
    assert dict(attributes)["aiohttp_failfast.shadow"] is True
    assert meters.total("refused_requests") == 2


def test_a_wrong_latch_is_said() -> None:
    """At once, not at the first call."""
    with pytest.raises(TypeError, match="latch must be a Latch"):
        Metrics(object())  # type: ignore[arg-type]


def test_the_global_provider_may_be_set_later() -> None:
    """As programs do that configure OpenTelemetry after their imports; in a fresh interpreter."""
    code = """
import asyncio
from aiohttp_failfast import FailFastSession, PermanentEndpointError
from aiohttp_failfast.otel import instrument
from aiohttp_failfast.testing import DeadKeyServer
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
options = instrument()
reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader]))
async def main():
    with DeadKeyServer() as server:
        server.die()
        async with FailFastSession(**options) as one, FailFastSession(**instrument()) as two:
            for session in (one, two):
                try:
                    await session.get(server.url)
                except PermanentEndpointError:
                    pass
    for resource in reader.get_metrics_data().resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                print(metric.name.rpartition(".")[2], [p.value for p in metric.data.data_points])
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )

    assert "already" not in done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "saved_time [0.0]",
        "stopped_retries [0]",
        "tripped_endpoints [2]",
        "trips [2]",
    ]


class Spans:
    """A tracer provider of its own, and the spans that it saw."""

    def __init__(self) -> None:
        trace = pytest.importorskip("opentelemetry.sdk.trace")
        export = pytest.importorskip("opentelemetry.sdk.trace.export")
        memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
        self._exporter = memory.InMemorySpanExporter()
        self.provider = trace.TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(export.SimpleSpanProcessor(self._exporter))

    def told(self) -> list[tuple[str, Any, str]]:
        """Return name, status code of HTTP, and outcome of every span that has ended."""
        return [
            (
                span.name,
                (span.attributes or {}).get("http.status_code"),
                (span.status.description or span.status.status_code.name),
            )
            for span in self._exporter.get_finished_spans()
        ]


@pytest.mark.parametrize("by", ["instrumentor", "trace config"])
@pytest.mark.parametrize("way", ["session", "middleware", "trace", "attach"])
async def test_next_to_the_instrumentation_of_aiohttp(
    dead_key_server: DeadKeyServer, meters: Meters, way: str, by: str
) -> None:
    """Every call has its span, refused ones too, with both libraries' numbers beside each other."""
    library = pytest.importorskip("opentelemetry.instrumentation.aiohttp_client")
    spans = Spans()
    providers = {"tracer_provider": spans.provider, "meter_provider": meters.provider}
    options = instrument(meter_provider=meters.provider)
    kwargs: dict[str, Any] = {"headers": bearer("k")}
    if by == "trace config":
        kwargs["trace_configs"] = [library.create_trace_config(**providers)]
    if way == "trace":
        kwargs["trace_configs"] = [
            failfast_trace_config(**options),
            *kwargs.get("trace_configs", ()),
        ]
    if by == "instrumentor":
        library.AioHttpClientInstrumentor().instrument(**providers)
    try:
        if way == "session":
            session: aiohttp.ClientSession = FailFastSession(retry=QUICK, **options, **kwargs)
        elif way == "middleware":
            session = aiohttp.ClientSession(middlewares=[FailFastMiddleware(**options)], **kwargs)
        else:
            session = aiohttp.ClientSession(**kwargs)
            if way == "attach":
                attach(session, **options)
    finally:
        if by == "instrumentor":
            library.AioHttpClientInstrumentor().uninstrument()

    dead_key_server.die(after=1)
    async with session:
        await fetch(session, dead_key_server.url)
        for _ in range(3):
            with pytest.raises(PermanentEndpointError):
                await session.get(dead_key_server.url)

    assert_sent(dead_key_server, 2)
    told = spans.told()
    assert len(told) == 4
    assert ("GET", 200, "UNSET") in told
    assert [one[2] for one in told if one[1] is None][-2:] == ["PermanentEndpointError"] * 2
    assert meters.total("http.client.duration") == 4
    assert meters.total("trips") == 1
    assert meters.total("refused_requests") == 2
