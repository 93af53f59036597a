"""Test spans and durations of calls, which are recorded on request."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

import pgbraid
from pgbraid import errors

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from pgbraid_tools import telemetry

pytestmark = pytest.mark.any_version


class Recorded:
    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        self.tracer_provider = TracerProvider()
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meter_provider = MeterProvider([self.reader])

    def instrument(self, **options: Any) -> None:
        telemetry.instrument(tracer_provider=self.tracer_provider, meter_provider=self.meter_provider, **options)

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def durations(self) -> dict[tuple[Any, Any], tuple[int, float]]:
        """Return count and seconds, by operation and error."""
        data = self.reader.get_metrics_data()
        assert data is not None
        (metric,) = data.resource_metrics[0].scope_metrics[0].metrics
        assert (metric.name, metric.unit) == ("db.client.operation.duration", "s")
        points: Any = metric.data.data_points
        assert points[0].explicit_bounds[0] == 0.001
        return {(p.attributes["db.operation.name"], p.attributes.get("error.type")): (p.count, p.sum) for p in points}


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    yield Recorded()
    telemetry.uninstrument()


def test_a_call_is_a_span_and_a_duration(client: pgbraid.Client, recorded: Recorded) -> None:
    client.add_documents([{"external_id": "a", "content": "A secret heron."}])
    recorded.instrument()
    began = time.perf_counter()
    client.search("secret", mode="full_text")
    took = time.perf_counter() - began
    (span,) = recorded.spans
    assert span.name == "logged_search default" and span.kind is SpanKind.CLIENT
    attributes = dict(span.attributes or {})
    assert attributes.pop("db.operation.name") == "logged_search"
    assert attributes.pop("db.namespace") == client.connection.info.dbname
    assert attributes.pop("server.address") == client.connection.info.host
    assert attributes.pop("server.port") == client.connection.info.port
    # Telemetry records no text.
    assert attributes == {"db.system.name": "postgresql", "db.collection.name": "default"}
    assert span.status.status_code is StatusCode.UNSET
    assert span.instrumentation_scope is not None and span.instrumentation_scope.name == "pgbraid"
    (((_, error), (count, seconds)),) = recorded.durations().items()
    assert error is None and count == 1
    # The span uses the time of day, which moves if the clock is set; the duration does not.
    assert 0 < seconds <= took and span.start_time is not None and span.end_time is not None


def test_an_error_is_told_without_what_it_quotes(client: pgbraid.Client, recorded: Recorded) -> None:
    recorded.instrument()
    with pytest.raises(errors.InvalidArgumentError, match="secretkey"):
        client.search("heron", mode="full_text", filters={"secretkey": {"$liek": "x"}})
    (span,) = recorded.spans
    attributes = dict(span.attributes or {})
    assert attributes["error.type"] == attributes["db.response.status_code"] == "22023"
    assert span.status.status_code is StatusCode.ERROR
    assert "secretkey" not in span.to_json()
    ((_, error),) = recorded.durations()
    assert error == "22023"


def test_text_is_recorded_if_told_to(client: pgbraid.Client, recorded: Recorded) -> None:
    recorded.instrument(capture_text=True)
    client.search("secret heron", mode="full_text")
    with pytest.raises(errors.NotFoundError):
        client.search("heron", mode="full_text", collection="nothing")
    first, second = recorded.spans
    attributes = dict(first.attributes or {})
    assert attributes["db.query.parameter.query"] == "secret heron"
    assert "query_text => %(query)s" in str(attributes["db.query.text"])
    assert 'collection "nothing" does not exist' in (second.status.description or "")


def test_the_asynchronous_client(dsn: str, recorded: Recorded) -> None:
    async def search() -> None:
        async with pgbraid.connect_async(dsn) as client:
            with recorded.tracer_provider.get_tracer("test").start_as_current_span("outer"):
                await asyncio.gather(client.list_documents(), client.list_documents())
            await client.status()

    recorded.instrument()
    asyncio.run(search())
    named = {span.name: span for span in recorded.spans}
    assert {"list_documents default", "status", "outer"} <= named.keys()
    outer = named["outer"].get_span_context()
    parent = named["list_documents default"].parent
    assert outer is not None and parent is not None and parent.span_id == outer.span_id
    assert recorded.durations()["list_documents", None][0] == 2


def test_it_can_be_ended_and_replaced(client: pgbraid.Client, recorded: Recorded) -> None:
    recorded.instrument()
    recorded.instrument()
    client.count()
    assert len(recorded.spans) == 1
    telemetry.uninstrument()
    client.count()
    assert len(recorded.spans) == 1


def test_a_lost_connection(dsn: str, recorded: Recorded) -> None:
    client = pgbraid.connect(dsn)
    client.close()
    recorded.instrument()
    with pytest.raises(errors.ConnectionLostError):
        client.count()
    (span,) = recorded.spans
    assert dict(span.attributes or {})["error.type"] == "ConnectionLostError"


def test_without_it_nothing_is_loaded(dsn: str) -> None:
    script = (
        "import sys, pgbraid\n"
        "with pgbraid.connect(sys.argv[1]) as client: client.search('fox', mode='full_text')\n"
        "print([name for name in sys.modules if name.startswith(('opentelemetry', 'pgbraid_tools.telemetry'))])"
    )
    done = subprocess.run([sys.executable, "-c", script, dsn], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_the_extra_it_says_what_to_install() -> None:
    script = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "from pgbraid.errors import MissingExtraError\n"
        "try:\n import pgbraid_tools.telemetry\n"
        "except MissingExtraError as error: print(error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "pip install 'pgbraid[opentelemetry]'\n"
