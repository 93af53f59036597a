"""Make documents with equal texts, equal vectors, tied scores and chunks without a vector, and search them."""

from __future__ import annotations

import random
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from support.arrangement import Row
from support.calls import named, upsert, vector

Connection = psycopg.Connection[Any]
QUERY = "amber candle forest"
QUERY_VECTOR = vector([2, 1, 0, -1])
WORDS = ["amber", "basket", "candle", "dolphin", "ember", "forest"]


def make_documents(seed: int, document_count: int, embedded: float) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(30)]
    documents = []
    for number in range(document_count):
        chunks: list[dict[str, Any]] = []
        for _ in range(rng.randint(1, 6)):
            chunk: dict[str, Any] = {"content": rng.choice(texts)}
            if rng.random() < 0.8:
                chunk["speaker"] = rng.choice(["Ana", "Ben", "Zoe"])
            if rng.random() < 0.7:
                chunk["metadata"] = {"team": rng.choice(["red", "blue", 3, None])}
            if rng.random() < embedded:
                chunk["embedding"] = [rng.randint(1, 3), rng.randint(-2, 2), rng.randint(-1, 1), rng.randint(-2, 2)]
            chunks.append(chunk)
        documents.append({"external_id": f"d{number:02}", "source_uri": f"file:{number % 5}", "chunks": chunks})
    return documents


def fill(
    db: Connection, seed: int = 3, document_count: int = 24, embedded: float = 0.9
) -> dict[str, list[dict[str, Any]]]:
    """Fill a collection `shapes`; return the chunks of each document."""
    db.execute("select braid.create_collection('shapes', dimensions => 4, embedding_model => 'test')")
    documents = make_documents(seed, document_count, embedded)
    upsert(db, documents, "shapes")
    return {document["external_id"]: document["chunks"] for document in documents}


def search(db: Connection, columns: str, options: dict[str, Any] | None = None, **arguments: Any) -> list[Any]:
    """Run a hybrid search in which all matching chunks are candidates, unless the arguments say otherwise."""
    arguments = {
        "query_text": QUERY,
        "query_embedding": QUERY_VECTOR,
        "match_count": 1000,
        "candidate_count": 1000,
        "collection": "shapes",
        "options": None if options is None else Jsonb(options),
        **arguments,
    }
    return db.execute(f"select {columns} from braid.hybrid_search({named(arguments)})", arguments).fetchall()


def plain_rows(db: Connection, chunks: dict[str, list[dict[str, Any]]], **arguments: Any) -> list[Row]:
    """Return the rows of a search without options."""
    rows = []
    for external_id, chunk_index, score in search(db, "external_id, chunk_index, score", **arguments):
        chunk = chunks[external_id][chunk_index]
        embedding = chunk.get("embedding")
        attributes = {"speaker": chunk.get("speaker"), "team": chunk.get("metadata", {}).get("team")}
        attributes["source_uri"] = f"file:{int(external_id[1:]) % 5}"
        rows.append(Row(external_id, chunk_index, score, chunk["content"], embedding and tuple(embedding), attributes))
    assert len(rows) > 20
    return rows


def keys(rows: list[Row]) -> list[tuple[str, int]]:
    return [(row.external_id, row.chunk_index) for row in rows]
