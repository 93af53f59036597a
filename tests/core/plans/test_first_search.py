"""A session's first search or write makes few plans: planning takes time that later calls do not pay.

The test counts the plans that the session keeps, and measures no time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support.calls import Connection, upsert, vector

# Most queries are words with spaces between them.
QUERY = "alpha beta gamma delta"
CALLS = {
    "hybrid_search": ("select * from braid.hybrid_search(%(query)s, %(vector)s)", 340),
    "full_text_search": ("select * from braid.full_text_search(%(query)s)", 200),
    "hybrid_search of plain text": (
        "select * from braid.hybrid_search(%(query)s, %(vector)s, options => '{\"operators\": false}')",
        340,
    ),
    # The client calls it like this, and names the model of each vector.
    "logged_search": (
        'select braid.logged_search(%(query)s, %(vector)s, options => \'{"embedding_model": "all-MiniLM-L6-v2"}\')',
        390,
    ),
}

WRITES = {
    "upsert_document": ("select braid.upsert_document('new', %(query)s, title => 'A title')", 236),
    "upsert_document with a vector": (
        "select braid.upsert_document('new', %(query)s, title => 'A title', embedding => %(vector)s)",
        242,
    ),
    # The client writes chunks with vectors like this.
    "upsert_embedded_documents": (
        """select braid.upsert_embedded_documents(
             '[{"external_id": "new", "metadata": {"a": 1}, "chunks": [{"content": "some text", "embedding": 1}]}]',
             array[%(vector)s::vector])""",
        260,
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


def plans_of(dsn: str, statement: str) -> int:
    """Return the number of plans that a new session makes for a statement, which is rolled back."""
    with psycopg.connect(dsn, prepare_threshold=None) as db:
        before = plans(db)
        db.execute(statement, {"query": QUERY, "vector": vector([1, 0.5, *[0] * 382])})
        made = plans(db) - before
        db.rollback()
    return made


@pytest.mark.parametrize("call", CALLS)
def test_a_first_search_makes_no_more_plans_than_it_needs(searched_dsn: str, call: str) -> None:
    statement, most = CALLS[call]
    assert plans_of(searched_dsn, statement) <= most


@pytest.mark.parametrize("call", WRITES)
def test_a_first_write_makes_no_more_plans_than_it_needs(searched_dsn: str, call: str) -> None:
    statement, most = WRITES[call]
    assert plans_of(searched_dsn, statement) <= most
