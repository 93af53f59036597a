"""A large segment's lists are made in two halves, one of them by a parallel worker. They equal the lists that one
process makes."""

from __future__ import annotations

import random
import re
from typing import Any

import psycopg

from support.calls import one, upsert

Connection = psycopg.Connection[Any]
SIZE = 10_000
WORDS = [f"w{number}" for number in range(50)]
LISTS = """
select lexeme, document_frequency, posting_count, elements, block_weight, blocks::text
from braid_store.postings
order by lexeme
"""


def share_from(db: Connection, chunk_count: int) -> None:
    """Set the number of chunks from which a segment's lists are made in two halves."""
    name = "braid_store.posting_lists(braid_store.segments, bigint[], int[])"
    made = one(db, "select pg_get_functiondef(%s::regprocedure)", name)
    changed, count = re.subn(r"(c_least_shared constant int := )\d+;", rf"\g<1>{chunk_count};", made)
    assert count == 1
    db.execute(changed)


def test_lists_are_the_same_with_and_without_workers(dsn: str, db: Connection, pg_version: int) -> None:
    share_from(db, SIZE + 1)
    rng = random.Random(1)
    db.execute("set max_parallel_workers_per_gather = 0")
    texts = [f"{rng.choice(WORDS)} {rng.choice(WORDS)} rare{number % 3000}" for number in range(SIZE)]
    upsert(db, [{"external_id": str(number), "content": text} for number, text in enumerate(texts)])
    alone = db.execute(LISTS).fetchall()
    assert {row[4] is None for row in alone} == {True, False}
    share_from(db, SIZE)
    db.execute("select braid.rebuild_index('default')")
    assert db.execute(LISTS).fetchall() == alone
    # The first session has cached a plan without workers.
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("set max_parallel_workers_per_gather = 2")
        other.execute("select braid.rebuild_index('default')")
        other.execute("select pg_stat_force_next_flush()")
    if pg_version >= 18:
        query = "select parallel_workers_to_launch from pg_stat_database where datname = current_database()"
        assert one(db, query) > 0
    assert db.execute(LISTS).fetchall() == alone
    assert db.execute("select count(*) from braid_store.segments").fetchone() == (1,)
