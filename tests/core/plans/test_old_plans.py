"""A session keeps its plans while the database grows: plans made for few rows must suit many rows."""

from __future__ import annotations

import psycopg
from core.plans.reading import document

from support.calls import Connection, upsert

# This counts the rows and index entries that the transaction has read of a table.
READ = """
select sum(pg_stat_get_xact_tuples_returned(r.oid) + pg_stat_get_xact_tuples_fetched(r.oid))::int
from (
  select c.oid from pg_class c where c.oid = %(table)s::regclass
  union all
  select i.indexrelid from pg_index i where i.indrelid = %(table)s::regclass
) r
"""
TABLES = ("braid_store.chunks", "braid_store.segment_chunks", "braid_store.embedding_jobs")


def write(db: Connection, numbers: range, text: str) -> None:
    upsert(db, [{**document(number), "content": f"{number} {text}", "embedding": None} for number in numbers])


def read(db: Connection) -> dict[str, int]:
    return {table: db.execute(READ.encode(), {"table": table}).fetchall()[0][0] for table in TABLES}


def test_writes_with_plans_of_little_data(db: Connection, dsn: str) -> None:
    write(db, range(60), "first")
    db.execute("vacuum analyze")
    write(db, range(60, 70), "first")
    write(db, range(10), "second")
    with psycopg.connect(dsn, autocommit=True) as other:
        for first in range(100, 1100, 500):
            write(other, range(first, first + 500), "first")
    with db.transaction():
        before = read(db)
        write(db, range(100, 200), "second")
        after = read(db)
    # Deletes are not counted, because PostgreSQL itself runs statements for foreign keys.
    assert all(after[table] - before[table] < 100 * 100 for table in TABLES), (before, after)
