"""Run searches by several concurrent clients, each with its own session, and time each search."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from pgbraid_tools.benchmark.workload import Query

__all__ = ["Cell", "Search", "index_recall", "measure", "percentile"]

# At first, a session plans each statement every time, and psycopg prepares a statement that it has sent five times.
WARM_UP, WARM_UP_SECONDS = 7, 2.0


@dataclass(frozen=True)
class Search:
    """Hold a search. `statement` takes text, vector, count and collection; `search_path` and `tenant` are needed by its
    sessions."""

    system: str
    mode: str
    statement: str
    tenant: str
    search_path: str | None = None


@dataclass
class Cell:
    """Hold the measurements of one search by a number of clients, over several rounds. Times are in seconds."""

    search: Search
    clients: int
    times: list[float] = field(default_factory=list)
    rows: int = 0
    seconds: float = 0.0
    errors: int = 0
    error: str | None = None

    def summary(self) -> dict[str, Any]:
        ordered = sorted(self.times)
        summary: dict[str, Any] = {
            "system": self.search.system,
            "mode": self.search.mode,
            "clients": self.clients,
            "searches": len(ordered),
            "errors": self.errors,
            "error": self.error,
            "per_second": round(len(ordered) / self.seconds, 2) if self.seconds else 0.0,
            "rows": round(self.rows / len(ordered), 2) if ordered else 0.0,
        }
        for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95), ("p99_ms", 0.99), ("max_ms", 1.0)):
            summary[name] = round(1000 * percentile(ordered, share), 3) if ordered else None
        summary["mean_ms"] = round(1000 * sum(ordered) / len(ordered), 3) if ordered else None
        return summary


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return a percentile, interpolated between the two nearest values."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _values(query: Query, count: int, collection: str) -> Mapping[str, Any]:
    return {"text": query.text, "vector": query.vector, "count": count, "collection": collection}


def measure(dsn: str, cell: Cell, queries: Sequence[Query], count: int, collection: str, seconds: float) -> None:
    """Run searches for `seconds`, and add their times to the cell. Each client begins at another query."""
    stop = threading.Event()
    ready = threading.Barrier(cell.clients + 1)
    results: list[tuple[list[float], int, list[str]]] = [([], 0, []) for _ in range(cell.clients)]

    def run(number: int, connection: psycopg.Connection[Any]) -> None:
        times: list[float] = []
        errors: list[str] = []
        rows = 0
        place = number * len(queries) // cell.clients
        try:
            warm_until = time.monotonic() + WARM_UP_SECONDS
            for turn in range(WARM_UP):
                if time.monotonic() > warm_until or stop.is_set():
                    break
                _run(connection, cell.search, _values(queries[(place + turn) % len(queries)], count, collection))
        except psycopg.Error as error:
            errors.append(_told(error))
        try:
            ready.wait()
        except threading.BrokenBarrierError:
            return
        until = time.monotonic() + seconds
        while not stop.is_set() and (begun := time.perf_counter()) and time.monotonic() < until:
            try:
                found = _run(connection, cell.search, _values(queries[place % len(queries)], count, collection))
            except psycopg.Error as error:
                errors.append(_told(error))
                if connection.closed or len(errors) > 100:
                    break
            else:
                times.append(time.perf_counter() - begun)
                rows += found
            place += 1
        results[number] = (times, rows, errors)

    with ExitStack() as opened:
        connections = [opened.enter_context(_connect(dsn, cell.search, seconds)) for _ in range(cell.clients)]
        threads = [
            threading.Thread(target=run, args=(number, connection), daemon=True)
            for number, connection in enumerate(connections)
        ]
        try:
            for thread in threads:
                thread.start()
            ready.wait()
            begun = time.monotonic()
            for thread in threads:
                # Short waits let Ctrl-C through.
                while thread.is_alive():
                    thread.join(0.1)
            cell.seconds += time.monotonic() - begun
        except BaseException:
            stop.set()
            ready.abort()
            for connection in connections:
                with suppress(psycopg.Error):
                    connection.cancel()
            for thread in threads:
                if thread.ident is not None:
                    thread.join(5)
            raise
    for times, rows, errors in results:
        cell.times += times
        cell.rows += rows
        cell.errors += len(errors)
        cell.error = cell.error or next(iter(errors), None)


def _connect(dsn: str, search: Search, seconds: float) -> psycopg.Connection[Any]:
    connection = psycopg.connect(dsn, autocommit=True, fallback_application_name="pgbraid bench")
    connection.execute("select set_config('braid.tenant', %s, false)", (search.tenant,))
    # A search that exceeds the whole measurement is an error, not a wait.
    connection.execute(f"set statement_timeout = '{round(1000 * seconds) + 10_000}ms'")
    if search.search_path is not None:
        connection.execute(f"set search_path = {search.search_path}")
    return connection


def _run(connection: psycopg.Connection[Any], search: Search, values: Mapping[str, Any]) -> int:
    return len(connection.execute(search.statement.encode(), values).fetchall())


def _told(error: psycopg.Error) -> str:
    return error.diag.message_primary or str(error).strip() or type(error).__name__


NEAREST = """
select n.score from braid.semantic_search(query_embedding => %(vector)s, match_count => %(count)s,
                                          collection => %(collection)s, options => %(options)s) n
order by n.score desc
"""


def index_recall(
    connection: psycopg.Connection[Any], queries: Sequence[Query], count: int, collection: str, seconds: float
) -> dict[str, Any] | None:
    """Return the index recall of semantic search against an exact search, for as many queries as time allows. A result
    as near as an expected one counts as found, because equal vectors tie."""
    until = time.monotonic() + seconds
    shares: list[float] = []
    for query in queries:
        if shares and time.monotonic() > until:
            break
        values = _values(query, count, collection)
        found, exact = (
            [score for (score,) in connection.execute(NEAREST, {**values, "options": options})]
            for options in ("{}", '{"exact": true}')
        )
        if exact:
            shares.append(min(1.0, sum(score >= exact[-1] - 1e-6 for score in found) / len(exact)))
    if not shares:
        return None
    return {
        "at": count,
        "queries": len(shares),
        "mean": round(sum(shares) / len(shares), 4),
        "lowest": round(min(shares), 4),
    }
