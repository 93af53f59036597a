"""What thousands of tenants cost that do nothing: `python -m benchmarks.tenants` in tests/."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import psycopg

from benchmarks.search import fresh_database, table
from pgbraid import embedded

Connection = psycopg.Connection[Any]
# All of each tenant: a document with its chunk, indexed as the text of the first tenant was.
COPIED = {
    "documents": "id, collection_id, external_id, title, content_hash",
    "chunks": "id, collection_id, document_id, chunk_index, content, token_count, metadata",
    "segments": "collection_id, id, is_deletion, chunk_count, posting_count, body_length, title_length, k1, b,"
    " title_weight, average_length",
    "segment_chunks": "collection_id, segment_id, chunk_number, chunk_id",
    "postings": "collection_id, lexeme, segment_id, document_frequency, posting_count, elements",
    "forward_rows": "collection_id, chunk_id, body_length, title_length, is_first_chunk, lexemes, position_ends,"
    " positions, title_frequencies",
}
SIZE = """
select pg_size_pretty(sum(pg_total_relation_size(c.oid))) from pg_class c
where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r'
"""
WRITES = (
    "select count(*) from braid.upsert_documents((select jsonb_agg(jsonb_build_object('external_id', 'e' || n,"
    " 'content', 'words of number ' || n)) from generate_series(1, 100) n))",
    "select braid.delete_documents(array(select 'e' || n from generate_series(1, 50) n))",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--tenants", type=int, default=10_000)
    parser.add_argument("--shards", type=int, default=1_000)
    parser.add_argument("--busy", type=int, default=100, help="tenants that write")
    arguments = parser.parse_args()
    with fresh_database(arguments.postgres_version) as db:
        print(f"PostgreSQL {db.info.server_version // 10000}")
        rows = [("before", measured(db))]
        add_tenants(db, arguments.tenants)
        add_shards(db, arguments.shards)
        settle(db)
        rows.append((f"{arguments.tenants:,} tenants, {arguments.shards:,} shards", measured(db)))
        table("nobody writes", ["maintain() ms", "first search", "next search", "catalog"], rows)
        without_shard = arguments.tenants - arguments.shards
        print(f"\n{arguments.busy} tenants write: maintain() {busy(db, arguments.busy, without_shard):.0f} ms")
        with fresh_database(arguments.postgres_version) as alone:
            add_tenants(alone, arguments.busy)
            settle(alone)
            print(f"the same without the others: {busy(alone, arguments.busy, arguments.busy):.0f} ms")


def settle(db: Connection) -> None:
    while db.execute("select braid.maintain('10 minutes') -> 'complete'").fetchone() != (True,):
        pass
    db.execute("vacuum analyze")


def milliseconds(db: Connection, statement: str) -> float:
    started = time.perf_counter()
    db.execute(statement)
    return (time.perf_counter() - started) * 1000


def measured(db: Connection) -> list[str]:
    upkeep = statistics.median(milliseconds(db, "select braid.maintain()") for _ in range(7))
    firsts, nexts = [], []
    for _ in range(5):
        with psycopg.connect(db.info.dsn, autocommit=True) as session:
            search = "select * from braid.full_text_search('words')"
            firsts.append(milliseconds(session, search))
            nexts.append(milliseconds(session, search))
    row = db.execute(SIZE).fetchone()
    assert row is not None
    return [f"{upkeep:.1f}", f"{statistics.median(firsts):.1f}", f"{statistics.median(nexts):.1f}", row[0]]


def add_tenants(db: Connection, count: int) -> None:
    """Copies of what the default tenant stores in one document."""
    db.execute("select braid.upsert_document('first', 'A text of some words.')")
    db.execute(
        "insert into braid_store.tenants (key) select 't' || lpad(n::text, 6, '0') from generate_series(1, %s) n",
        (count,),
    )
    db.execute("select count(braid_store.insert_tenant_locks(id)) from braid_store.tenants where key like 't0%'")
    for name, columns in COPIED.items():
        db.execute(
            f"insert into braid_store.{name} (tenant_id, {columns}) overriding system value"
            f" select t.id, {', '.join('s.' + column.strip() for column in columns.split(','))}"
            f" from braid_store.{name} s, braid_store.tenants t where s.tenant_id = 1 and t.key like 't0%'"
        )
    db.execute("delete from braid_store.embedding_jobs where true")


def add_shards(db: Connection, count: int) -> None:
    """Empty ones; as with full ones, each is a table with two indexes."""
    for start in range(0, count, 100):
        with db.transaction():
            db.execute(
                "select braid_store.create_shard(t.id, c) from braid_store.collections c, (select id from"
                " braid_store.tenants where key like 't0%%' order by id desc offset %s limit %s) t"
                " where c.name = 'default'",
                (start, min(100, count - start)),
            )
            db.execute("update braid_store.vector_shards set state = 'serving', served_at = now(), ef_search = 40"
                       " where state = 'copying'")  # fmt: skip
            for (shard,) in db.execute("select id from braid_store.vector_shards order by id offset %s", (start,)):
                db.execute(
                    f"create index vectors_{shard}_hnsw on braid_store.vectors_{shard}"
                    " using hnsw (embedding vector_cosine_ops)"
                )


def busy(db: Connection, count: int, tenants: int) -> float:
    """Each writes a hundred documents and deletes half of them; how long the upkeep of that takes, a merge each."""
    for number in range(count):
        # From all over.
        db.execute("select set_config('braid.tenant', %s, false)", (f"t{1 + number * tenants // count:06}",))
        for statement in WRITES:
            db.execute(statement)
    db.execute("select set_config('braid.tenant', '', false)")
    started = time.perf_counter()
    done = db.execute("select braid.maintain('10 minutes')").fetchone()
    assert done is not None and done[0]["merges"] >= count, done
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
