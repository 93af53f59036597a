"""Record an OpenTelemetry span and the duration of each database call, once `instrument()` is called.

Names follow the semantic conventions for databases.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from pgbraid import async_client, client
from pgbraid._version import __version__
from pgbraid.errors import MissingExtraError, PgbraidError

try:
    from opentelemetry import metrics, trace
except ImportError as error:
    raise MissingExtraError(f"{error.name} is not installed", hint="pip install 'pgbraid[opentelemetry]'") from error

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

__all__ = ["instrument", "uninstrument"]

SCHEMA = "https://opentelemetry.io/schemas/1.33.0"
# Bucket bounds in seconds, as the conventions recommend.
BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0]

_original = async_client.session.Session.rows, client.session.Session.rows


def instrument(
    *,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    capture_text: bool = False,
) -> None:
    """Record a span for each database call of this process's clients, including open ones, and its duration as the
    metric `db.client.operation.duration`.

    Providers default to the global ones. `capture_text` adds the search text, the statement, and error messages, which
    quote arguments. A second call replaces the first. Needs `pip install 'pgbraid[opentelemetry]'`.
    """
    recorder = _Recorder(tracer_provider, meter_provider, capture_text)
    of_async, of_sync = _original

    async def rows_async(
        session: async_client.session.Session, functions: str | tuple[str, ...], statement: str, /, **parameters: Any
    ) -> list[tuple[Any, ...]]:
        with recorder.call(session.connection, functions, statement, parameters):
            return await of_async(session, functions, statement, **parameters)

    def rows_sync(
        session: client.session.Session, functions: str | tuple[str, ...], statement: str, /, **parameters: Any
    ) -> list[tuple[Any, ...]]:
        with recorder.call(session.connection, functions, statement, parameters):
            return of_sync(session, functions, statement, **parameters)

    _replace(rows_async, rows_sync)


def uninstrument() -> None:
    """Stop what `instrument` began."""
    _replace(*_original)


def _replace(rows_async: Any, rows_sync: Any) -> None:
    async_client.session.Session.rows = rows_async  # type: ignore[method-assign]
    client.session.Session.rows = rows_sync  # type: ignore[method-assign]


class _Recorder:
    def __init__(
        self, tracer_provider: TracerProvider | None, meter_provider: MeterProvider | None, captures_text: bool
    ) -> None:
        self._captures_text = captures_text
        self._tracer = trace.get_tracer("pgbraid", __version__, tracer_provider, schema_url=SCHEMA)
        self._duration = metrics.get_meter("pgbraid", __version__, meter_provider, SCHEMA).create_histogram(
            "db.client.operation.duration",
            unit="s",
            description="Duration of database client operations.",
            explicit_bucket_boundaries_advisory=BUCKETS,
        )

    @contextmanager
    def call(
        self,
        connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any],
        functions: str | tuple[str, ...],
        statement: str,
        parameters: Mapping[str, Any],
    ) -> Iterator[None]:
        operation = (functions if isinstance(functions, str) else next(iter(functions), "select")).rpartition(".")[2]
        attributes: dict[str, str | int] = {
            "db.system.name": "postgresql", "db.operation.name": operation, **_server(connection)
        }  # fmt: skip
        collection = parameters.get("collection")
        if collection is not None:
            attributes["db.collection.name"] = str(collection)
        begun = time.perf_counter()
        with self._tracer.start_as_current_span(
            operation if collection is None else f"{operation} {collection}",
            kind=trace.SpanKind.CLIENT,
            attributes={**attributes, **self._text(statement, parameters)},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                sqlstate = error.sqlstate if isinstance(error, PgbraidError) else None
                attributes["error.type"] = sqlstate or type(error).__qualname__
                span.set_attribute("error.type", attributes["error.type"])
                if sqlstate is not None:
                    span.set_attribute("db.response.status_code", sqlstate)
                span.set_status(trace.StatusCode.ERROR, str(error) if self._captures_text else None)
                raise
            finally:
                self._duration.record(time.perf_counter() - begun, attributes)

    def _text(self, statement: str, parameters: Mapping[str, Any]) -> dict[str, str]:
        if not self._captures_text:
            return {}
        text = {"db.query.text": " ".join(statement.split())}
        if isinstance(parameters.get("query"), str):
            text["db.query.parameter.query"] = parameters["query"]
        return text


def _server(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> dict[str, str | int]:
    try:
        info = connection.info
        return {"db.namespace": info.dbname, "server.address": info.host, "server.port": info.port}
    except psycopg.Error:  # The connection is closed.
        return {}
