"""The judged sets: documents with their attributes, queries with the filter that belongs to each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.calls import upsert, vector
from support.judged import read_lines, read_relevance
from support.loading import Connection, Vectors
from support.vectors import cached_vectors

# The metadata key that a query of the set is confined to: without it the question is ill-posed.
SCOPES = {"locomo": "conversation", "qmsum": "meeting", "xquad": "lang"}
BATCH = 1000


@dataclass(frozen=True)
class Query:
    id: str
    text: str
    filters: dict[str, Any] | None
    relevance: dict[str, int]
    embedding: str
    metadata: dict[str, Any]


@dataclass(frozen=True)
class JudgedSet:
    """Documents of one chunk each, and the queries of one split."""

    name: str
    documents: list[dict[str, Any]]
    vectors: Vectors
    queries: list[Query]

    def batches(self) -> Iterator[list[dict[str, Any]]]:
        for start in range(0, len(self.documents), BATCH):
            yield [
                {**document, "embedding": vector(embedding)}
                for document, embedding in zip(
                    self.documents[start : start + BATCH], self.vectors[start : start + BATCH], strict=True
                )
            ]

    def load(self, db: Connection) -> None:
        for batch in self.batches():
            upsert(db, batch, self.name)


def read_set(folder: Path, split: str) -> JudgedSet:
    lines = read_lines(folder / "corpus.jsonl.gz")
    documents = [_document(line) for line in lines]
    relevance = read_relevance(folder, split)
    asked = read_lines(folder / "queries.jsonl.gz")
    scope = SCOPES.get(folder.name)
    queries = [
        Query(
            id=line["_id"],
            text=line["text"],
            filters={scope: line["metadata"][scope]} if scope else None,
            relevance=relevance[line["_id"]],
            embedding=vector(embedding),
            metadata=line["metadata"],
        )
        for line, embedding in zip(asked, cached_vectors([line["text"] for line in asked]), strict=True)
        if any(grade > 0 for grade in relevance.get(line["_id"], {}).values())
    ]
    return JudgedSet(folder.name, documents, cached_vectors([_embedded_text(line) for line in documents]), queries)


def _document(line: dict[str, Any]) -> dict[str, Any]:
    metadata = line["metadata"]
    document = {
        "external_id": line["_id"],
        "title": line["title"],
        "content": line["text"],
        "speaker": metadata.get("speaker"),
        "occurred_at": metadata.get("datetime"),
        "metadata": {key: metadata[key] for key in SCOPES.values() if key in metadata},
    }
    return {key: value for key, value in document.items() if value is not None}


def _embedded_text(document: dict[str, Any]) -> str:
    parts = (document.get("title"), document.get("speaker"), document["content"])
    return "\n".join(part for part in parts if part)
