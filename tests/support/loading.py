"""Store a judged collection in a database and run all its queries."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.types.json import Jsonb

from support.calls import upsert, vector
from support.judged import Judged

Connection = psycopg.Connection[Any]
Vectors = npt.NDArray[np.float32]
# Judged queries are plain text: their quotation marks and signs are no operators.
PLAIN_TEXT = {"operators": False}
CALLS = {
    "full_text": "select external_id from braid.full_text_search(%(text)s, 10, collection => %(collection)s, "
    "options => %(options)s)",
    "semantic": "select external_id from braid.semantic_search(%(embedding)s, 10, collection => %(collection)s)",
    "hybrid": "select external_id from braid.hybrid_search(%(text)s, %(embedding)s, 10, collection => %(collection)s, "
    "options => %(options)s)",
}


def load(db: Connection, judged: Judged, vectors: Vectors, collection: str = "default") -> None:
    """Store the documents, one chunk each, in batches of 1,000."""
    documents = judged.documents()
    for start in range(0, len(documents), 1000):
        batch = [
            {**document, "embedding": vector(embedding)}
            for document, embedding in zip(documents[start : start + 1000], vectors[start : start + 1000], strict=True)
        ]
        upsert(db, batch, collection)


def search_all(
    db: Connection, mode: str, queries: list[str], vectors: Vectors, collection: str = "default"
) -> tuple[list[list[str]], list[float]]:
    """Return the external ids of each query's first 10 results, and the milliseconds of each query."""
    rankings, milliseconds = [], []
    for text, embedding in zip(queries, vectors, strict=True):
        values = {
            "text": text,
            "embedding": vector(embedding),
            "collection": collection,
            "options": Jsonb(PLAIN_TEXT),
        }
        started = time.perf_counter()
        rows = db.execute(CALLS[mode], values).fetchall()
        milliseconds.append((time.perf_counter() - started) * 1000)
        rankings.append([row[0] for row in rows])
    return rankings, milliseconds
