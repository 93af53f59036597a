"""A statement that is cancelled at any moment leaves nothing behind."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from psycopg.types.json import Jsonb

from support import snapshot
from support.calls import full_text, upsert

WORDS = ["price", "objection", "seat", "renewal", "discount", "call", "customer", "roadmap", "quarter", "review"]
MANY = [
    {
        "external_id": f"new{n}",
        "content": " ".join(WORDS[(n * k + k) % len(WORDS)] for k in range(1, 60)) + ".",
        "embedding": [1.0, n / 1000, 0.5],
        "metadata": {"year": n},
    }
    for n in range(4000)
]
CALLS: dict[str, tuple[str, list[Any]]] = {
    "upsert_documents": ("select count(*) from braid.upsert_documents(%s, 'small')", [Jsonb(MANY)]),
    "delete_documents": (
        "select braid.delete_documents(array(select 'old' || n from generate_series(0, 2999) n), 'small')",
        [],
    ),
    "clear_collection": ("select braid.clear_collection('small')", []),
    "rebuild_index": ("select braid.rebuild_index('small')", []),
    "hybrid_search": (
        "select count(*) from generate_series(1, 1000),"
        " braid.hybrid_search(%s, '[1,0,0]', 1000, collection => 'small')",
        ["price discount seat renewal -roadmap"],
    ),
}


def stored(dsn: str) -> dict[str, Any]:
    return {name: digest for name, digest in snapshot.rows(dsn).items() if name.startswith("braid")}


@pytest.fixture
def filled(db: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    attributes = Jsonb({"year": "number"})
    db.execute("select braid.create_collection('small', dimensions => 3, indexed_attributes => %s)", (attributes,))
    old = [{**document, "external_id": f"old{n}"} for n, document in enumerate(MANY[:3000])]
    upsert(db, old, "small")
    return db


def roll_back(db: psycopg.Connection[Any]) -> None:
    """Roll back, even if the rollback itself is cancelled: the transaction has then failed, which ends `set local`."""
    while db.info.transaction_status != TransactionStatus.IDLE:
        with suppress(psycopg.errors.QueryCanceled):
            db.rollback()


def test_a_cancelled_call_leaves_nothing(filled: psycopg.Connection[Any], dsn: str) -> None:
    before = stored(dsn)
    found = full_text(filled, "price", collection="small")
    for name, (statement, parameters) in CALLS.items():
        cancelled = 0
        for milliseconds in (2, 8, 30):
            filled.execute("begin")
            try:
                filled.execute(f"set local statement_timeout = {milliseconds}".encode())
                filled.execute(statement.encode(), parameters)
            except psycopg.errors.QueryCanceled:
                cancelled += 1
            finally:
                roll_back(filled)
        assert cancelled, f"{name} took less than 2 ms"
        assert stored(dsn) == before, name
    assert full_text(filled, "price", collection="small") == found
    assert filled.execute("select * from braid.check_index('small')").fetchall() == []
    filled.execute(CALLS["upsert_documents"][0].encode(), CALLS["upsert_documents"][1])
    assert filled.execute("select * from braid.check_index('small')").fetchall() == []
