"""How much a session's first search makes the server plan: each plan takes its time, which later searches do not pay.

Counted, not timed: the plans that the session keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support.calls import Connection, upsert, vector

# Words with spaces between them, as most queries are.
QUERY = "alpha beta gamma delta"
CALLS = {
    "hybrid_search": ("select * from braid.hybrid_search(%(query)s, %(vector)s)", 340),
    "full_text_search": ("select * from braid.full_text_search(%(query)s)", 200),
    "hybrid_search of plain text": (
        "select * from braid.hybrid_search(%(query)s, %(vector)s, options => '{\"operators\": false}')",
        355,
    ),
    # As the client calls it: it names the model of each vector.
    "search": (
        "select braid.search(%(query)s, %(vector)s, options => '{\"embedding_model\": \"all-MiniLM-L6-v2\"}')",
        390,
    ),
}


@pytest.fixture(scope="module")
def searched_dsn(new_database: Any) -> Iterator[str]:
    with new_database() as dsn:
        with psycopg.connect(dsn, autocommit=True) as db:
            upsert(db, [document(number) for number in range(60)])
            db.execute("select braid.maintain()")
        yield dsn


def document(number: int) -> dict[str, Any]:
    words = " ".join(word for place, word in enumerate(QUERY.split()) if number >> place & 1)
    return {"external_id": str(number), "content": f"text {words}", "embedding": vector([1, number / 60, *[0] * 382])}


def plans(db: Connection) -> int:
    row = db.execute(
        "select count(*) from pg_catalog.pg_get_backend_memory_contexts() where name = 'CachedPlanSource'"
    ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("call", CALLS)
def test_a_first_search_makes_no_more_plans_than_it_needs(searched_dsn: str, call: str) -> None:
    statement, most = CALLS[call]
    with psycopg.connect(searched_dsn, autocommit=True, prepare_threshold=None) as db:
        before = plans(db)
        db.execute(statement, {"query": QUERY, "vector": vector([1, 0.5, *[0] * 382])})
        assert plans(db) - before <= most, plans(db) - before
