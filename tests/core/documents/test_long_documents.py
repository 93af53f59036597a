"""The semantic leg finds every sentence of a long document, and every chunk is looked up by its key."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.calls import upsert, vector
from support.vectors import local_embedder

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]

FILLER = "The committee reviewed the quarterly budget of the transport department and postponed its decision. "
LAST = "Volcanic ash grounded every aircraft over Iceland for six days."


def test_the_last_sentence_of_a_long_document_is_found(db: Connection) -> None:
    embedder = local_embedder()
    upsert(
        db,
        [
            {"external_id": "long", "title": "Minutes of the meeting", "content": FILLER * 60 + LAST},
            {"external_id": "other", "content": FILLER * 3},
        ],
    )
    while jobs := db.execute("select * from braid.claim_embedding_jobs(16)").fetchall():
        vectors = embedder.embed_documents([text for _, text in jobs])
        db.execute(
            "select braid.store_embeddings(%s, %s::vector[])",
            ([chunk_id for chunk_id, _ in jobs], [vector(embedding) for embedding in vectors]),
        )
    query = vector(embedder.embed_query("flights cancelled because of an eruption"))
    rows = db.execute(
        "select external_id, chunk_index, content, score from braid.semantic_search(%s)", (query,)
    ).fetchall()
    best, second = rows[0], rows[1]
    assert best[0] == "long"
    assert best[2].endswith(LAST)
    assert best[1] == max(row[1] for row in rows) > 3
    assert best[3] > second[3] + 0.02


@pytest.mark.parametrize("history", ["planned for one", "emptied"])
def test_a_chunk_is_looked_up_by_its_key(db: Connection, history: str) -> None:
    """A chunk is looked up by its key, even if the plan was made for few rows or the last vacuum saw an empty table.
    Otherwise each lookup scanned all chunks: one word of a megabyte took 18 s."""
    upsert(db, [{"external_id": "other", "content": "x" * 20_000 if history == "emptied" else "x"}])
    if history == "emptied":
        db.execute("select braid.delete_document('other')")
    db.execute("vacuum analyze braid_store.chunks, braid_store.documents, braid_store.forward_rows")
    upsert(db, [{"external_id": "small", "content": "A heron."}])
    with db.transaction():
        upsert(db, [{"external_id": "long", "content": "x" * 60_000}])
        reads = db.execute(
            "select c.relname, pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)"
            " from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r'"
        ).fetchall()
        chunk_count = db.execute("select count(*) from braid_store.chunks").fetchone()
    assert chunk_count and chunk_count[0] > 500
    assert [name for name, rows in reads if rows > 10 * chunk_count[0]] == []
