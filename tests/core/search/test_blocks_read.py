"""A search reads only what its words and rows need, even before the first vacuum gives the planner statistics."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest

from support.calls import upsert, vector

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
UNIT = [1.0] + [0.0] * 7


def pages(db: Connection, query: str, *values: Any) -> int:
    row = db.execute("explain (analyze, buffers, format json) " + query, values).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


@pytest.mark.parametrize("vacuumed", [False, True])
def test_pages_read(db: Connection, vacuumed: bool) -> None:
    rng = random.Random(1)
    db.execute("select braid.create_collection('small', dimensions => 8, embedding_model => 'test')")
    for batch in range(4):
        upsert(
            db,
            [
                {
                    "external_id": f"{batch}/{number}",
                    "content": " ".join(f"w{int(rng.paretovariate(0.4)) % 3000}" for _ in range(30)),
                    "embedding": [rng.random() for _ in range(8)],
                }
                for number in range(500)
            ],
            "small",
        )
        db.execute("select braid.delete_document(%s || '/' || n, 'small') from generate_series(0, 20) n", (batch,))
    if vacuumed:
        db.execute("vacuum analyze")
    embedding = vector(UNIT)
    search = "select * from braid.full_text_search('w1 w2 w77 w1234', collection => 'small')"
    pages(db, search)
    assert pages(db, search) < 3000
    assert pages(db, "select * from braid.semantic_search(%s, collection => 'small')", embedding) < 600
    write = "select * from braid.upsert_document('new', 'w1 w2 w3', collection => 'small', embedding => %s)"
    pages(db, write, embedding)
    assert pages(db, write.replace("w3", "w4"), embedding) < 3000
    assert pages(db, "select braid.delete_document('new', 'small')") < 1500


def test_who_has_deleted_nothing_looks_for_no_tombstones(db: Connection) -> None:
    looked = "select coalesce(sum(idx_scan), 0)::int from pg_stat_xact_all_tables where relname = 'tombstones'"
    documents = [{"external_id": str(number), "content": f"word w{number}"} for number in range(30)]
    for name in ("whole", "thinned"):
        db.execute("select braid.create_collection(%s)", (name,))
        upsert(db, documents, name)
    db.execute("select braid.delete_document('7', 'thinned')")
    for name, chunks, is_looking in (("whole", 30, False), ("thinned", 29, True)):
        with db.transaction():
            found = db.execute("select * from braid.full_text_search('word', 50, collection => %s)", (name,)).fetchall()
            assert len(found) == chunks
            assert (db.execute(looked).fetchall() != [(0,)]) == is_looking
