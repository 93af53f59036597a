"""Read the judged sets: documents with their attributes, and queries with their filters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.calls import upsert, vector
from support.judged import read_lines, read_relevance
from support.loading import Connection, Vectors
from support.vectors import cached_vectors

# A query of the set is limited to one value of this metadata key; without it the question is ill-posed.
SCOPES = {"locomo": "conversation", "qmsum": "meeting", "xquad": "lang"}
# In these sets, each line of the corpus is a turn of a conversation. The turns of one conversation have the same values
# of these metadata keys. Each conversation is loaded as one document whose chunks are its turns, as
# docs/guide/memory.md says; JudgedSet.turns lists the turns' ids by conversation.
CONVERSATIONS = {"locomo": ("conversation", "session"), "qmsum": ("meeting",)}
TURN = ("content", "embedding", "speaker", "occurred_at", "metadata")
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
    """Hold documents of one chunk each, or conversations with a chunk for each turn, and the queries of one split."""

    name: str
    documents: list[dict[str, Any]]
    vectors: Vectors
    queries: list[Query]
    turns: dict[str, list[str]]

    def batches(self) -> Iterator[list[dict[str, Any]]]:
        chunks = [
            {**document, "embedding": vector(embedding)}
            for document, embedding in zip(self.documents, self.vectors, strict=True)
        ]
        if not self.turns:
            for start in range(0, len(chunks), BATCH):
                yield chunks[start : start + BATCH]
            return
        turns = {chunk["external_id"]: {k: v for k, v in chunk.items() if k in TURN} for chunk in chunks}
        batch: list[dict[str, Any]] = []
        for external_id, ids in self.turns.items():
            batch.append({"external_id": external_id, "chunks": [turns[turn] for turn in ids]})
            if sum(len(document["chunks"]) for document in batch) >= BATCH:
                yield batch
                batch = []
        yield batch

    def judged_id(self, external_id: str, chunk_index: int) -> str:
        """Return the id of a row in the judgments."""
        return self.turns[external_id][chunk_index] if self.turns else external_id

    def load(self, db: Connection) -> None:
        for batch in self.batches():
            upsert(db, batch, self.name)


def read_set(
    folder: Path, split: str, keep: Callable[[Any], bool] | None = None, model: str | None = None
) -> JudgedSet:
    """Read a set; `keep` selects lines of the corpus, and `model` is another offline model than all-MiniLM-L6-v2."""
    lines = [line for line in read_lines(folder / "corpus.jsonl.gz") if keep is None or keep(line)]
    documents = [_document(line) for line in lines]
    relevance = read_relevance(folder, split)
    asked = read_lines(folder / "queries.jsonl.gz")
    embeddings = cached_vectors([line["text"] for line in asked], model, queries=True)
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
        for line, embedding in zip(asked, embeddings, strict=True)
        if any(grade > 0 for grade in relevance.get(line["_id"], {}).values())
    ]
    turns: dict[str, list[str]] = {}
    for line in lines if folder.name in CONVERSATIONS else []:
        conversation = ":".join(str(line["metadata"][key]) for key in CONVERSATIONS[folder.name])
        turns.setdefault(conversation, []).append(line["_id"])
    vectors = cached_vectors([_embedded_text(document) for document in documents], model)
    return JudgedSet(folder.name, documents, vectors, queries, turns)


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
