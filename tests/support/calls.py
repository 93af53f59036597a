"""Make the API calls that many tests need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

Connection = psycopg.Connection[Any]


def set_tenant(db: Connection, tenant: str) -> str:
    """Set the session's tenant; return the previous tenant."""
    query = "select coalesce(current_setting('braid.tenant', true), ''), set_config('braid.tenant', %s, false)"
    before: str = db.execute(query, (tenant,)).fetchall()[0][0]
    return before


def upsert(db: Connection, documents: Iterable[Mapping[str, Any]], collection: str = "default") -> dict[str, str]:
    """Write documents; return each document's status by external_id."""
    rows = db.execute(
        "select external_id, status from braid.upsert_documents(%s, %s)",
        (Jsonb(list(documents)), collection),
    )
    return dict(rows.fetchall())


def full_text(db: Connection, query: str, **arguments: Any) -> list[tuple[str, int, float]]:
    """Return (external_id, chunk_index, score) of up to 10,000 hits."""
    return _search(db, "full_text_search", {"query_text": query, "match_count": 10_000, **arguments})


def semantic(db: Connection, embedding: Iterable[float], **arguments: Any) -> list[tuple[str, int, float]]:
    """Return (external_id, chunk_index, score) of up to 10,000 hits."""
    arguments = {"query_embedding": vector(embedding), "match_count": 10_000, **arguments}
    return _search(db, "semantic_search", arguments)


def hybrid(db: Connection, **arguments: Any) -> list[tuple[str, int, float]]:
    """Return (external_id, chunk_index, score) of the hits."""
    return _search(db, "hybrid_search", arguments)


def one(db: Connection, query: str, *values: Any) -> Any:
    """Return the first column of the only row."""
    row = db.execute(query, values).fetchone()
    assert row is not None
    return row[0]


def _search(db: Connection, function: str, arguments: dict[str, Any]) -> list[tuple[str, int, float]]:
    return db.execute(
        f"select external_id, chunk_index, score from braid.{function}({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, (dict, list)) else value for name, value in arguments.items()},
    ).fetchall()


def named(arguments: Iterable[str]) -> str:
    """Return the arguments in named notation: `a => %(a)s, b => %(b)s`."""
    return ", ".join(f"{name} => %({name})s" + ("::vector" if name.endswith("embedding") else "") for name in arguments)


def vector(numbers: Iterable[float]) -> str:
    """Return a vector as text that pgvector reads."""
    return "[" + ",".join(map(repr, map(float, numbers))) + "]"
