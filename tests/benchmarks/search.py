"""Measure quality, latency and ingest speed on judged collections: `python -m benchmarks.search` in tests/."""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.pages import MEASUREMENTS, markdown_table, measured_on, write_section
from pgbraid import embedded
from pgbraid.install import install
from support.calls import upsert, vector
from support.judged import Judged, load_judged, mean_ndcg
from support.loading import Vectors, load, search_all
from support.vectors import cached_vectors

Connection = psycopg.Connection[Any]
SETS = ("cranfield", "scifact", "cisi")
TIMED = "scifact"
DATA = Path(__file__).parents[3] / "shared" / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of judged collections")
    parser.add_argument("--write", action="store_true", help="write docs/lab/measurements.md")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        parser.exit(1, f"the test collections are not there ({arguments.data})\n")

    sets = {name: load_judged(arguments.data / name) for name in SETS}
    vectors = {
        name: (cached_vectors(judged.embedded_texts), cached_vectors(judged.queries)) for name, judged in sets.items()
    }
    with fresh_database(arguments.postgres_version) as db:
        print(f"PostgreSQL {db.info.server_version // 10000}")
        db.execute("select braid.create_collection(name) from unnest(%s::text[]) name", (list(SETS),))
        quality(db, sets, vectors)
        latency(db, sets[TIMED], vectors[TIMED][1])
        rows = ingest(db, sets[TIMED], vectors[TIMED][0])
        if arguments.write:
            version = db.info.server_version // 10000
            text = f"{measured_on()}, PostgreSQL {version}.\n\n{markdown_table(['', ''], rows)}"
            write_section(MEASUREMENTS, "writing", text)


@contextmanager
def fresh_database(version: int, with_parts: Sequence[str] = ()) -> Iterator[Connection]:
    data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
    try:
        dsn = embedded.ensure_running(data_dir, version).dsn
        install(dsn, with_parts=with_parts)
        with psycopg.connect(dsn, autocommit=True) as db:
            yield db
    finally:
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)


def table(title: str, columns: list[str], rows: list[tuple[str, list[str]]]) -> None:
    print(f"\n{title:<34}" + "".join(f"{column:>12}" for column in columns))
    for name, cells in rows:
        print(f"{name:<34}" + "".join(f"{cell:>12}" for cell in cells))


def quality(db: Connection, sets: dict[str, Judged], vectors: dict[str, tuple[Vectors, Vectors]]) -> None:
    rows = []
    for name, judged in sets.items():
        documents, queries = vectors[name]
        load(db, judged, documents, name)
        cells = [
            f"{mean_ndcg(search_all(db, mode, judged.queries, queries, name)[0], judged):.4f}"
            for mode in ("full_text", "semantic", "hybrid")
        ]
        rows.append((f"{name} ({len(judged.document_ids):,} documents)", cells))
    table("nDCG@10", ["full text", "semantic", "hybrid"], rows)


def latency(db: Connection, judged: Judged, queries: Vectors) -> None:
    rows = []
    for mode in ("full_text", "semantic", "hybrid"):
        search_all(db, mode, judged.queries[:50], queries[:50], TIMED)
        _, milliseconds = search_all(db, mode, judged.queries, queries, TIMED)
        rows.append((f"braid.{mode}_search", percentiles(milliseconds)))
    db.execute(
        "create table baseline as select external_id, to_tsvector('english', concat_ws(' ', title, content)) as words "
        "from braid_store.documents d join braid_store.chunks c on c.document_id = d.id "
        "where d.collection_id = (select id from braid_store.collections where name = %s)",
        (TIMED,),
    )
    db.execute("create index on baseline using gin (words)")
    db.execute("vacuum analyze baseline")
    baseline = (
        "select external_id from baseline, "
        "(select replace(plainto_tsquery('english', %s)::text, '&', '|')::tsquery as query) q "
        "where words @@ query order by ts_rank_cd(words, query) desc limit 10"
    )
    rankings = []

    def ask(text: str) -> None:
        rankings.append([row[0] for row in db.execute(baseline, (text,))])

    for text in judged.queries[:50]:
        ask(text)
    rankings.clear()
    rows.append(("ts_rank_cd over GIN", percentiles([timed(ask, text) for text in judged.queries])))
    table(f"ms a search, {TIMED}, 10 rows", ["p50", "p95"], rows)
    print(f"nDCG@10 of ts_rank_cd: {mean_ndcg(rankings, judged):.4f}")


def ingest(db: Connection, judged: Judged, vectors: Vectors) -> list[list[str]]:
    """Measure ingestion; return the rows for docs/lab/measurements.md."""
    plain = [document for document in judged.documents() if document["content"]]
    given = [
        {
            "external_id": document["external_id"],
            "title": document["title"],
            "chunks": [{"content": document["content"], "embedding": vector(embedding)}],
        }
        for document, embedding in zip(judged.documents(), vectors, strict=True)
    ]
    rows = []
    for name, documents in (("split, not embedded", plain), ("given chunks and embeddings", given)):
        db.execute("select braid.clear_collection()")
        seconds = sum(
            timed(upsert, db, documents[start : start + 1000]) / 1000 for start in range(0, len(documents), 1000)
        )
        row = db.execute("select braid.status('default') -> 'collections' -> 0 -> 'chunks'").fetchone()
        assert row is not None
        rows.append((name, [f"{row[0]:,}", f"{seconds:.1f}", f"{row[0] / seconds:,.0f}"]))
    written = [[f"{name}, 1,000 documents a call", f"{cells[2]} chunks a second"] for name, cells in rows]
    table("batches of 1,000 documents", ["chunks", "seconds", "chunks/s"], rows)

    # Single documents are inserted into a collection of 5,000 chunks, merges included.
    def insert(document: dict[str, Any]) -> None:
        db.execute("select * from braid.upsert_documents(%s)", (Jsonb([document]),)).fetchall()

    singles = [{**document, "external_id": f"single {n}"} for n, document in enumerate(plain[:500])]
    milliseconds = [timed(insert, document) for document in singles]
    again = [timed(insert, document) for document in singles]
    rows = [("one document", percentiles(milliseconds)), ("the same again", percentiles(again))]
    table("ms a single write", ["p50", "p95"], rows)
    return [*written, *([f"{name}, p50 / p95", f"{' / '.join(cells)} ms"] for name, cells in rows)]


def timed(call: Callable[..., object], *arguments: object) -> float:
    """Return the milliseconds of a call."""
    started = time.perf_counter()
    call(*arguments)
    return (time.perf_counter() - started) * 1000


def percentiles(milliseconds: list[float]) -> list[str]:
    cuts = statistics.quantiles(milliseconds, n=20)
    return [f"{cuts[9]:.1f}", f"{cuts[18]:.1f}"]


if __name__ == "__main__":
    main()
