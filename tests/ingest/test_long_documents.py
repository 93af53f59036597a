"""No sentence of a long document is out of the semantic leg's sight."""

from __future__ import annotations

from typing import Any

import psycopg

from support.calls import upsert, vector
from support.vectors import local_embedder

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
