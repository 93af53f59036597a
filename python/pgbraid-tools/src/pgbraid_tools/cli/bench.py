"""Run pgbraid bench."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pgbraid._version import __version__
from pgbraid.cli.options import (
    collection_option,
    dsn_option,
    embedders,
    embedding_options,
    json_option,
    match_count_option,
    tenant_option,
)
from pgbraid.cli.output import print_json, table

if TYPE_CHECKING:
    from pgbraid.install.state import Connection
    from pgbraid_tools.benchmark.baseline import Baseline
    from pgbraid_tools.benchmark.measure import Cell, Search
    from pgbraid_tools.benchmark.workload import Collection

REPORT = click.Path(dir_okay=False, writable=True, path_type=Path)
MOST_CLIENTS, MOST_STEPS = 256, 12
# Shares of the time for measurements with one client: the single legs, and index recall.
SINGLE, RECALL = 0.2, 0.1
SEARCHES = {
    "full_text": "braid.full_text_search(query_text => %(text)s, match_count => %(count)s,"
    " collection => %(collection)s)",
    "semantic": "braid.semantic_search(query_embedding => %(vector)s, match_count => %(count)s,"
    " collection => %(collection)s)",
    "hybrid": "braid.hybrid_search(query_text => %(text)s, query_embedding => %(vector)s, match_count => %(count)s,"
    " collection => %(collection)s)",
}
USUAL = "GIN + ts_rank + RRF"


class _Counts(click.ParamType):  # type: ignore[type-arg]
    name = "N,N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            counts = tuple(dict.fromkeys(int(part) for part in str(value).split(",")))
        except ValueError:
            counts = ()
        if not 1 <= len(counts) <= MOST_STEPS or not all(1 <= count <= MOST_CLIENTS for count in counts):
            self.fail(f"{value!r} is not like 1,2,4: up to {MOST_STEPS} numbers from 1 to {MOST_CLIENTS}", param, ctx)
        return counts


@click.command(short_help="Measure how fast searches are.")
@dsn_option
@tenant_option
@collection_option
@click.option(
    "--generate", type=click.IntRange(100, 1_000_000), metavar="N", help="Measure N generated texts, in a new database."
)
@click.option("--query-set", metavar="NAME", help="Ask its queries. Default: words and vectors of the collection.")
@click.option(
    "--queries",
    "query_count",
    default=200,
    show_default=True,
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="How many to ask.",
)
@click.option(
    "--seconds", default=30.0, show_default=True, type=click.FloatRange(1, 86_400), help="How long to measure."
)
@click.option("--clients", default="1,2,4,8", show_default=True, type=_Counts(), help="How many search at once.")
@match_count_option("Rows a search.", 10, click.IntRange(1, 1000))
@click.option("--no-baseline", is_flag=True, help=f"Do not measure {USUAL} beside it, over a copy of the rows.")
@click.option(
    "--setup-seconds",
    default=600.0,
    show_default=True,
    type=click.FloatRange(1, 86_400),
    help="How long a step of making the copy may take.",
)
@click.option("--report", type=REPORT, help="Write an HTML page, too.")
@embedding_options
@json_option
def bench(
    dsn: str | None,
    tenant: str,
    collection: str,
    generate: int | None,
    query_set: str | None,
    query_count: int,
    seconds: float,
    clients: tuple[int, ...],
    match_count: int,
    no_baseline: bool,
    setup_seconds: float,
    report: Path | None,
    embedding_url: str | None,
    embedding_model: str | None,
    as_json: bool,
) -> None:
    """Measure latency and throughput of searches on a collection of yours, or on generated texts. Measure the usual
    function over the same rows beside it: a GIN index, ts_rank and reciprocal rank fusion.

    The usual function searches a temporary copy, which takes about twice the room of the texts and vectors. Making
    it takes some seconds for 10,000 chunks, minutes for a million. The copy and the generated texts are removed at
    the end, also after Ctrl-C. Searches load the server: think of others who use it.

    Example: pgbraid bench --collection docs --clients 1,4,16 --report bench.html
    """
    import psycopg

    from pgbraid._dsn import find_dsn
    from pgbraid_tools.cli.eval import _check_folder

    if report is not None:
        _check_folder(report)
    if generate is not None and query_set is not None:
        raise click.UsageError("leave out --query-set: --generate makes its own queries")
    dsn = find_dsn(dsn)
    # SIGTERM acts like Ctrl-C, so that temporary objects are removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    def say(text: str) -> None:
        if not as_json:
            click.echo(text, err=True)

    with ExitStack() as made:
        connection = made.enter_context(
            psycopg.connect(dsn, autocommit=True, fallback_application_name="pgbraid bench")
        )
        if generate is not None:
            dsn, tenant, collection = _generated(connection, made, dsn, generate, say)
            connection = made.enter_context(psycopg.connect(dsn, autocommit=True))
        connection.execute("select set_config('braid.tenant', %s, false)", (tenant,))
        result, cells = _measure(
            connection,
            made,
            dsn,
            tenant,
            collection,
            query_set,
            query_count,
            seconds,
            clients,
            match_count,
            None if no_baseline else setup_seconds,
            embedders(embedding_url, embedding_model) if query_set is not None else [],
            say,
        )
    if as_json:
        print_json(result)
    else:
        _print(result)
    if report is not None:
        from pgbraid_tools.benchmark.report import render

        times = {
            f"{cell.search.system}: {cell.search.mode.replace('_', ' ')}": sorted(1000 * time for time in cell.times)
            for cell in cells
            if cell.clients == clients[0] and cell.times
        }
        report.write_text(render(result, times), encoding="utf-8")
        say(f"report: {report}")


def _generated(
    connection: Connection, made: ExitStack, dsn: str, count: int, say: Callable[[str], None]
) -> tuple[str, str, str]:
    """Make a new database with `count` texts, which lives until `made` closes. Return address, tenant, collection."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    from pgbraid.install import install
    from pgbraid_tools.benchmark import generated
    from pgbraid_tools.benchmark.scratch import scratch_database

    name = made.enter_context(scratch_database(connection))
    own = make_conninfo(dsn, dbname=name)
    say(f"writing {count:,} texts into the database {name}")
    install(own)
    with psycopg.connect(own, autocommit=True) as session:
        session.execute("select set_config('braid.tenant', 'default', false)")
        generated.fill(session, count)
    return own, "default", generated.COLLECTION


def _measure(
    connection: Connection,
    made: ExitStack,
    dsn: str,
    tenant: str,
    name: str,
    query_set: str | None,
    query_count: int,
    seconds: float,
    clients: tuple[int, ...],
    match_count: int,
    setup_seconds: float | None,
    embedding: Any,
    say: Callable[[str], None],
) -> tuple[dict[str, Any], list[Cell]]:
    from pgbraid_tools.benchmark.measure import Cell, Search, index_recall, measure
    from pgbraid_tools.benchmark.workload import made_queries, queries_of_set, read_collection

    begun = datetime.now(timezone.utc)
    collection = read_collection(connection, name)
    notes: list[str] = []
    if query_set is None:
        queries, source = made_queries(connection, collection, query_count), "made of its own words and vectors"
    else:
        queries, missing = queries_of_set(connection, collection, query_set, query_count, embedding)
        source = f"of the query set {query_set}"
        if missing:
            notes.append(
                f"{missing} queries have no embedding: for them, vectors near those of stored chunks were taken."
            )
    own = {mode: Search("pgbraid", mode, f"select * from {call}", tenant) for mode, call in SEARCHES.items()}
    baseline = None
    if setup_seconds is not None:
        baseline = _baseline(connection, made, collection, setup_seconds, notes, say)
    usual = _usual(baseline, tenant) if baseline else None

    single = [Cell(own["full_text"], clients[0]), Cell(own["semantic"], clients[0])]
    sweep = [Cell(search, count) for count in clients for search in (own["hybrid"], usual) if search is not None]
    index_recall_seconds = RECALL * seconds
    rounds = [(cell, SINGLE * seconds / 2 / len(single)) for cell in single]
    rounds += [(cell, (seconds - index_recall_seconds - SINGLE * seconds) / 2 / len(sweep)) for cell in sweep]
    # Run the rounds forwards and backwards, so that changes of the machine's load hit both searches.
    for number, (cell, length) in enumerate([*rounds, *reversed(rounds)]):
        if number < len(rounds):
            say(f"{cell.search.system}: {cell.search.mode}, clients: {cell.clients}")
        measure(dsn, cell, queries, match_count, collection.name, length)
    found = index_recall(connection, queries, match_count, collection.name, index_recall_seconds)
    cells = [*single, *sweep]
    return {
        "begun": f"{begun:%Y-%m-%d %H:%M} UTC",
        "server": _server(connection),
        "collection": {key: value for key, value in vars(collection).items() if key != "id"},
        "queries": {"count": len(queries), "source": source},
        "seconds": seconds,
        "match_count": match_count,
        "cells": [cell.summary() for cell in cells],
        "index_recall": found,
        "baseline": {"seconds": round(baseline.seconds, 2), "bytes": baseline.bytes} if baseline else None,
        "notes": notes,
    }, cells


def _baseline(
    connection: Connection,
    made: ExitStack,
    collection: Collection,
    seconds: float,
    notes: list[str],
    say: Callable[[str], None],
) -> Baseline | None:
    import psycopg

    from pgbraid_tools.benchmark import baseline
    from pgbraid_tools.benchmark.scratch import scratch_schema

    refused = baseline.refused(connection, collection)
    if refused:
        notes.append(f"{USUAL} was not measured: {refused}.")
        return None
    size = collection.chunks * (4 * collection.dimensions + 2000) / 1e6
    schema = made.enter_context(scratch_schema(connection))
    say(
        f"copying {collection.chunks:,} chunks into the schema {schema}, about {2 * size:,.0f} MB"
        " (--no-baseline: no copy)"
    )
    try:
        return baseline.make(connection, schema, collection, seconds)
    except psycopg.errors.QueryCanceled:
        notes.append(
            f"{USUAL} was not measured: a step of copying took longer than --setup-seconds, {seconds:g} seconds."
        )
    return None


def _usual(baseline: Baseline, tenant: str) -> Search:
    from pgbraid_tools.benchmark.baseline import CALL
    from pgbraid_tools.benchmark.measure import Search

    return Search(USUAL, "hybrid", CALL, tenant, baseline.search_path)


def _server(connection: Connection) -> dict[str, Any]:
    from pgbraid.install.vector import find

    extension = find(connection)
    row = connection.execute("select current_setting('shared_buffers')").fetchone()
    return {
        "pgbraid": __version__,
        "postgresql": connection.info.parameter_status("server_version"),
        "pgvector": extension.version if extension else None,
        "shared_buffers": row[0] if row else None,
    }


def _print(result: dict[str, Any]) -> None:
    from pgbraid.display import clean

    collection = result["collection"]
    click.echo(
        clean(
            f"{collection['name']}: {collection['chunks']:,} chunks of {collection['dimensions']} dimensions;"
            f" {result['queries']['count']} queries {result['queries']['source']};"
            f" {result['match_count']} rows a search"
        )
    )
    click.echo()
    rows = [["", "clients", "p50 ms", "p95 ms", "p99 ms", "a second", "rows", "searches", "errors"]]
    for cell in result["cells"]:
        latencies = ["" if cell[key] is None else f"{cell[key]:.1f}" for key in ("p50_ms", "p95_ms", "p99_ms")]
        counts = [f"{cell['per_second']:.1f}", f"{cell['rows']:.1f}", str(cell["searches"]), str(cell["errors"])]
        rows.append([f"{cell['system']}: {cell['mode']}", str(cell["clients"]), *latencies, *counts])
    for line in table(rows, numbers=frozenset(range(1, len(rows[0])))):
        click.echo(line)
    for error in sorted({cell["error"] for cell in result["cells"] if cell["error"]}):
        click.echo(clean(f"error: {error}"))
    if result["index_recall"]:
        found = result["index_recall"]
        click.echo(
            f"\nindex recall@{found['at']} of searches by meaning: {found['mean']:.3f} ({found['queries']} queries,"
            f" lowest {found['lowest']:.2f})"
        )
    if result["baseline"]:
        copied = result["baseline"]
        click.echo(f"the copy took {copied['seconds']:.1f} s and {copied['bytes'] / 1e6:,.0f} MB, and was removed")
    for note in result["notes"]:
        click.echo(clean(f"note: {note}"))
