"""Measure the bytes of a chunk in each table, and the CPU of a write and a search: `python -m benchmarks.size` in
tests/. Print the estimates of `pgbraid size` beside them."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any, Literal

import psycopg

import pgbraid
from benchmarks.full_text.corpus import Synthetic
from benchmarks.semantic.corpus import Corpus, text
from benchmarks.throughput import cpu_seconds
from pgbraid import embedded
from pgbraid.install import install
from pgbraid_tools.cli.reclaim import reclaim_space
from pgbraid_tools.sizing import bytes_of_chunks, search_ms, write_ms
from support import temporary_folder

Connection = psycopg.Connection[Any]
SIZES = """
select c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid)
from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r'
"""
SEARCHES = {
    "hybrid": "select count(*) from braid.hybrid_search(%(query)s, %(vector)s::vector, collection => 'sized')",
    "full_text": "select count(*) from braid.full_text_search(%(query)s, collection => 'sized')",
    "semantic": "select count(*) from braid.semantic_search(%(vector)s::vector, collection => 'sized')",
}
QUERIES = 60
Storage = Literal["vector", "halfvec", "binary"]


@dataclass
class Measured:
    """Hold one tenant's figures: bytes per chunk by table, the vector index apart, and CPU milliseconds per chunk
    and search."""

    chunks: int
    dimensions: int
    storage: str
    words: int
    bytes_by_table: dict[str, float]
    text_bytes: float
    write_ms: float
    maintain_ms: float
    wal_bytes: float
    search_ms: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.bytes_by_table.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--storage", choices=["vector", "halfvec", "binary"], default="vector")
    parser.add_argument("--words", type=int, default=150, help="of a chunk, up to 150")
    args = parser.parse_args()
    data_dir = temporary_folder()
    try:
        server = embedded.ensure_running(data_dir, args.postgres_version)
        install(server.dsn)
        measured = measure(server.dsn, args.chunks, args.dimensions, args.storage, args.words)
        print(json.dumps(asdict(measured)), flush=True)
        modelled = bytes_of_chunks(args.chunks, args.dimensions, args.storage, args.words, measured.text_bytes)
        for name, expected in {**modelled, "all": sum(modelled.values())}.items():
            found = measured.total if name == "all" else measured.bytes_by_table.get(name, 0)
            share = f" ({expected / found - 1:+.0%})" if found else ""
            print(f"{name:20} {found:8,.0f} bytes a chunk, modelled {expected:8,.0f}{share}")
        modelled_ms = {
            "search": search_ms(args.chunks, args.dimensions),
            **write_ms(args.chunks, args.dimensions, args.words),
        }
        found_ms = {**measured.search_ms, "write": measured.write_ms, "maintain": measured.maintain_ms}
        print(f"CPU in milliseconds: {found_ms}, modelled {modelled_ms}")
    finally:
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)


def measure(
    dsn: str, chunks: int, dimensions: int, storage: Storage, words: int, *, is_searched: bool = True
) -> Measured:
    """Load one tenant and maintain it until nothing is left to do."""
    synthetic, corpus = Synthetic(chunks), Corpus(chunks, dimensions=dimensions)
    with psycopg.connect(dsn, autocommit=True) as db:
        before = sizes(db)
    text_bytes = 0
    with pgbraid.connect(dsn) as client:
        db = client.connection
        # Only work in this session's process is counted.
        db.execute("set max_parallel_maintenance_workers = 0")
        db.execute("set maintenance_work_mem = '1GB'")
        client.create_collection("sized", text_config="simple", dimensions=dimensions, embedding_model="any")
        client.set_collection("sized", {"vector_storage": storage})
        begun, position = cpu_seconds(db.info.backend_pid), client.wal_position()
        for first in range(0, chunks, 1000):
            documents = []
            for number in range(first, min(first + 1000, chunks)):
                (document,) = synthetic.documents(number, number + 1)
                content = " ".join(document["chunks"][0]["content"].split()[:words])
                text_bytes += len(content.encode())
                documents.append({"external_id": f"d{number}", "content": content, "embedding": corpus.vectors[number]})
            client.add_documents(documents, collection="sized")
        written = cpu_seconds(db.info.backend_pid)
        while not client.maintain(3600)["complete"]:
            pass
        maintained = cpu_seconds(db.info.backend_pid)
        row = db.execute("select pg_wal_lsn_diff(%s, %s)", (client.wal_position(), position)).fetchone()
        assert row is not None
    with psycopg.connect(dsn, autocommit=True) as db:
        # `pgbraid maintain` calls the same function. Only a vacuum counts the space that a load leaves.
        db.execute("vacuum analyze")
        reclaim_space(db, time.monotonic() + 3600, [])
        db.execute("vacuum analyze")
        after = sizes(db)
        return Measured(
            chunks,
            dimensions,
            storage,
            words,
            {name: (size - before[name]) / chunks for name, size in after.items() if size > before[name] + (64 << 10)},
            text_bytes / chunks,
            (written - begun) * 1000 / chunks,
            (maintained - written) * 1000 / chunks,
            float(row[0]) / chunks,
            {kind: search_cpu(db, statement, synthetic, corpus) for kind, statement in SEARCHES.items() if is_searched},
        )


def sizes(db: Connection) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for table, table_size, index_size in db.execute(SIZES).fetchall():
        is_shard = re.fullmatch(r"vectors_\d+", table)
        table = re.sub("^postings_[ab]$", "postings", table)
        found["vectors" if is_shard else table] += table_size
        found["vectors: indexes" if is_shard else table] += index_size
    return found


def search_cpu(db: Connection, statement: str, synthetic: Synthetic, corpus: Corpus) -> float:
    """Return the CPU milliseconds of a search once all data is in memory."""
    asked = [query.text for length in (2, 4, 8) for query in synthetic.queries(length, QUERIES // 3)]
    queries = [
        {"query": query, "vector": text(vector)}
        for query, vector in zip(asked, corpus.queries(len(asked)), strict=True)
    ]
    for _ in range(2):
        begun = cpu_seconds(db.info.backend_pid)
        for query in queries:
            db.execute(statement, query).fetchall()
    return (cpu_seconds(db.info.backend_pid) - begun) * 1000 / len(queries)


if __name__ == "__main__":
    main()
