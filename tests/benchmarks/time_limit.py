"""Check that every kind of search answers under a statement_timeout: `python -m benchmarks.time_limit` in tests/.

Searches go through PostgREST, with Supabase's limit. They run first as loaded, with no vector index yet and segments to
merge, then after maintain(). Each kind also runs after a restart of the server, on a cold connection.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.corpus import Synthetic
from benchmarks.full_text.database import start_server
from benchmarks.full_text.report import number, p50, say, table
from benchmarks.semantic.corpus import DIMENSIONS, Corpus, Vectors, copy_rows
from pgbraid import embedded
from pgbraid.install import install
from support import npm, postgrest

Connection = psycopg.Connection[Any]
DATABASE, COLLECTION, TENANT = "time_limit", "corpus", "default"
BATCH = 5000
ROLES = """
do $$ begin
  create role authenticator login noinherit; create role anon; create role authenticated;
exception when duplicate_object then null; end $$;
grant anon, authenticated to authenticator;
select braid.add_trusted_role('authenticator', 'gateway'); grant braid_writer to authenticated
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.time_limit", description=__doc__)
    parser.add_argument("--size", type=int, default=600_000, help="chunks")
    parser.add_argument("--timeout", default="3s", help="statement_timeout of the API's role")
    parser.add_argument("--queries", type=int, default=10, help="of each kind")
    parser.add_argument("--data-dir", type=Path, help="keep the server here, and what it has loaded")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    arguments = parser.parse_args()
    corpus, vectors = Synthetic(arguments.size), Corpus(arguments.size)
    asked = requests(corpus, vectors, arguments.queries)
    with ExitStack() as stack:
        data_dir = arguments.data_dir
        if data_dir is None:
            data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
            stack.callback(shutil.rmtree, data_dir)
        stack.callback(embedded.stop, data_dir)
        start_server(data_dir, arguments.postgres_version, "2GB")
        with opened(data_dir, arguments.postgres_version) as db:
            is_new = load(db, corpus, vectors)
            db.execute(f"alter role authenticated set statement_timeout = '{arguments.timeout}'".encode())
        if is_new:
            measure(f"{arguments.size:,} chunks as loaded", data_dir, arguments.postgres_version, asked)
        with opened(data_dir, arguments.postgres_version) as db:
            maintain(db)
        measure(f"{arguments.size:,} chunks after maintain()", data_dir, arguments.postgres_version, asked)


@contextmanager
def opened(data_dir: Path, version: int) -> Iterator[Connection]:
    server = embedded.ensure_running(data_dir, version)
    with psycopg.connect(server.dsn, autocommit=True) as db:
        if db.execute("select from pg_database where datname = %s", (DATABASE,)).fetchone() is None:
            db.execute(f"create database {DATABASE}")
    dsn = server.dsn_for(DATABASE)
    install(dsn)
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(ROLES.encode())
        db.execute("select set_config('braid.tenant', %s, false)", (TENANT,))
        yield db


def load(db: Connection, corpus: Synthetic, vectors: Corpus) -> bool:
    """Load documents if necessary; return whether it was."""
    db.execute(
        "select braid.create_collection(%s, text_config => 'simple', dimensions => %s)", (COLLECTION, DIMENSIONS)
    )
    row = db.execute("select count(*) from braid_store.documents").fetchone()
    assert row is not None
    if row[0] == corpus.size:
        return False
    for first in range(0, corpus.size, BATCH):
        if first % (20 * BATCH) == 0:
            say(f"loading from {first:,} on")
        last = min(first + BATCH, corpus.size)
        documents = Jsonb(list(corpus.documents(first, last)))
        db.execute("select count(*) from braid.upsert_documents(%s, %s)", (documents, COLLECTION))
        rows = db.execute(
            "select substr(d.external_id, 2)::int, c.id from unnest(%s::text[]) e, braid_store.documents d, "
            "braid_store.chunks c where d.external_id = e and d.tenant_id = c.tenant_id and d.id = c.document_id",
            ([corpus.external_id(at) for at in range(first, last)],),
        ).fetchall()
        store(db, [chunk_id for _, chunk_id in rows], vectors.vectors[[at for at, _ in rows]])
    db.execute("checkpoint")
    return True


def store(db: Connection, ids: list[int], vectors: Vectors) -> None:
    db.execute("create temp table if not exists given (chunk_id bigint, embedding vector)")
    with db.cursor().copy("copy given from stdin (format binary)") as copy:
        for block in copy_rows(ids, vectors):
            copy.write(block)
    db.execute(
        "select braid.store_embeddings(array_agg(chunk_id order by chunk_id), array_agg(embedding order by chunk_id), "
        "%s) from given",
        (COLLECTION,),
    )
    db.execute("truncate given")


def maintain(db: Connection) -> None:
    say("maintaining")
    db.execute("set maintenance_work_mem = '2GB'")
    while not db.execute("select (braid.maintain('10 seconds') ->> 'complete')::boolean").fetchall()[0][0]:
        pass
    db.execute("vacuum")
    db.execute("checkpoint")


def requests(corpus: Synthetic, vectors: Corpus, count: int) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return functions and their arguments by kind."""
    words = {length: [query.text for query in corpus.queries(length, count)] for length in (1, 2, 4, 8, 64)}
    embeddings = [[round(float(x), 7) for x in vector] for vector in vectors.queries(count)]
    half, rare = {"speaker": "half"}, {"speaker": "two thousandth"}
    late = {"occurred_at": {"$gte": "2020-01-01"}}
    shaped = {
        "boosts": [{"recency": {"half_life": "180 days"}}, {"importance": {}}],
        "group_by": "document",
        "diversify": {"lambda": 0.7},
        "context": {"before": 1, "after": 1},
        "snippet": True,
    }
    kinds: dict[str, tuple[str, list[str], dict[str, Any]]] = {
        **{f"hybrid_search, {n} words": ("hybrid_search", texts, {}) for n, texts in words.items()},
        "half of the chunks": ("hybrid_search", words[4], {"filters": half}),
        "a time range": ("hybrid_search", words[4], {"filters": late}),
        "a 2,000th of the chunks": ("hybrid_search", words[4], {"filters": rare}),
        "an attribute that none has": ("hybrid_search", words[4], {"filters": {"color": "red"}}),
        "all options": ("hybrid_search", words[4], {"options": shaped}),
        "100 rows of 1,000 candidates": ("hybrid_search", words[4], {"match_count": 100, "candidate_count": 1000}),
        "statistics of a filter": (
            "hybrid_search",
            words[4],
            {"filters": half, "options": {"ranking": {"statistics_scope": "filter"}}},
        ),
        "two commonest words as a phrase": ("hybrid_search", [f'"{corpus.common_phrase}"'] * count, {}),
        "prefixes of one letter": ("hybrid_search", ["b* c* d* f*"] * count, {}),
        "without the two commonest": (
            "hybrid_search",
            [f"{text} -{corpus.common_phrase.replace(' ', ' -')}" for text in words[4]],
            {},
        ),
        "words that are not there": ("search_json", ["bibabubx cacocudax dedidodux"] * count, {}),
        "recall": ("recall", [f"{text} last week" for text in words[4]], {"timeframe": "auto"}),
        "explain_search": ("explain_search", words[4], {}),
        "exact": ("hybrid_search", words[4], {"options": {"exact": True}}),
    }
    return {
        kind: [
            (function, {"query_text": text, "query_embedding": embedding, "collection": COLLECTION, **arguments})
            for text, embedding in zip(texts, embeddings, strict=True)
        ]
        for kind, (function, texts, arguments) in kinds.items()
    }


def measure(title: str, data_dir: Path, version: int, asked: dict[str, list[tuple[str, dict[str, Any]]]]) -> None:
    embedded.stop(data_dir)
    dsn = embedded.ensure_running(data_dir, version).dsn_for(DATABASE)
    token, cells = postgrest.token_for(TENANT), []
    for kind, calls in asked.items():
        # Each kind has a connection of its own, so that the first call plans and compiles all that it runs.
        with postgrest.running(npm.postgrest(), dsn) as api:
            times, failures = [], 0
            for function, arguments in calls:
                started = time.perf_counter()
                answer = api.post(function, arguments, token)
                times.append(1000 * (time.perf_counter() - started))
                failures += answer.status != 200
                if answer.status != 200 and answer.code != "57014":
                    say(f"{kind}: {answer.status} {answer.data}")
        cells.append((kind, [number(times[0]), number(p50(times)), number(max(times)), f"{failures}/{len(calls)}"]))
    table(title + ", ms over HTTP", ["first", "p50", "longest", "failed"], cells)


if __name__ == "__main__":
    main()
