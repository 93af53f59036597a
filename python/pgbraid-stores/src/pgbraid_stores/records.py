"""Convert a framework's document to a record of pgbraid, and a chunk to a passage for a framework."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate
from typing import Any

from pgbraid.errors import InvalidArgumentError
from pgbraid.results import SearchResult
from pgbraid.stored import Document
from pgbraid.vectors import VectorLike

__all__ = [
    "KEYS",
    "Passage",
    "fits_column",
    "metadata_key",
    "ordered_by_relevance",
    "passage_of_result",
    "passages_of_document",
    "record",
    "with_relevance",
]

# In a document's metadata, each integration stores under its key whatever it needs to restore the original document.
# The key also marks the document as the integration's own.
KEYS = ("_langchain", "_llamaindex", "_haystack")
# Metadata of these names also fills the columns, so that filters and timeframes work.
COLUMNS: Mapping[str, type | tuple[type, ...]] = {
    "speaker": str, "category": str, "language": str, "importance": (int, float), "occurred_at": (str, datetime),
}  # fmt: skip
MOST_BYTES = {"title": 4096, "source_uri": 8192}
MOST_BYTES_OF_COLUMNS = 1024


def metadata_key(key: str) -> str:
    """Return the key by which filters mean the metadata of this name, and not the column."""
    return f"metadata.{key}" if key in COLUMNS or key in ("external_id", "source_uri") else key


def fits_column(name: str, value: Any) -> bool:
    fits = isinstance(value, COLUMNS.get(name, str)) and not isinstance(value, bool)
    return fits and _fits(value, MOST_BYTES_OF_COLUMNS) and (name != "occurred_at" or _is_time(value))


@dataclass(frozen=True)
class Passage:
    """Hold a chunk for a framework; its `id` finds it again."""

    id: str
    text: str
    metadata: dict[str, Any]
    score: float | None = None
    # The value that the integration stored under its key; None for another program's document.
    own: dict[str, Any] | None = None


def record(
    external_id: str,
    text: str,
    metadata: Mapping[str, Any],
    *,
    key: str,
    own: Mapping[str, Any] | None = None,
    title: str | None = None,
    source: str | None = None,
    embedding: VectorLike | None = None,
) -> dict[str, Any]:
    """Return a document with a single given chunk, for `add_documents`."""
    for reserved in KEYS:
        if reserved in metadata:
            raise InvalidArgumentError(
                f"the metadata of document {external_id!r} has the key {reserved!r}",
                hint="rename this key: the store uses it itself",
            )
    _refuse_chunk_of_another(external_id, metadata)
    found: dict[str, Any] = {"external_id": external_id, "metadata": {**metadata, key: dict(own or {})}}
    for name, value in (("title", title), ("source_uri", source)):
        if isinstance(value, str) and value and _fits(value, MOST_BYTES[name]):
            found[name] = value
    for name in COLUMNS:
        value = metadata.get(name)
        if fits_column(name, value):
            found[name] = value
    chunk: dict[str, Any] = {"content": text}
    if embedding is not None:
        chunk["embedding"] = embedding
    return {**found, "chunks": [chunk]}


def with_relevance(options: Any) -> Any:
    """Return options with which a search also returns relevances. Leave invalid options for the database to refuse."""
    if options is not None and not isinstance(options, Mapping):
        return options
    given = dict(options or {})
    if given.get("min_relevance") is None:
        given["min_relevance"] = 0
    return given


def ordered_by_relevance(passages: list[Passage], relevance: Sequence[float] | None) -> list[Passage]:
    """Return passages whose score is the highest relevance from their place on, so that scores descend. Without
    relevances, return them unchanged."""
    if relevance is None or len(relevance) != len(passages):
        return passages
    scores = list(accumulate(reversed(relevance), max))[::-1]
    return [replace(passage, score=min(float(score), 1.0)) for passage, score in zip(passages, scores, strict=True)]


def passage_of_result(row: SearchResult, key: str) -> Passage:
    text = row.content if row.passage is None else row.passage
    return _passage(
        row.external_id, row.chunk_index, text, row.metadata, key, float(row.score),
        title=row.title, source=row.source_uri, speaker=row.speaker, category=row.category,
        importance=row.importance, occurred_at=row.occurred_at,
    )  # fmt: skip


def passages_of_document(document: Document, key: str) -> list[Passage]:
    return [
        _passage(
            document.external_id, chunk.chunk_index, chunk.content, {**document.metadata, **chunk.metadata}, key, None,
            title=document.title, source=document.source_uri, speaker=chunk.speaker, category=chunk.category,
            importance=chunk.importance, occurred_at=chunk.occurred_at,
        )
        for chunk in document.chunks
    ]  # fmt: skip


def _passage(
    external_id: str,
    chunk_index: int,
    text: str,
    stored: Mapping[str, Any],
    key: str,
    score: float | None,
    **columns: Any,
) -> Passage:
    metadata = {name: value for name, value in stored.items() if name not in KEYS}
    if any(isinstance(stored.get(name), dict) for name in KEYS):
        own = stored.get(key)
        return Passage(external_id, text, metadata, score, own if isinstance(own, dict) else None)
    # An answer cites these values.
    for name, value in columns.items():
        if value is not None:
            metadata.setdefault(name, value.isoformat() if isinstance(value, datetime) else value)
    metadata |= {"external_id": external_id, "chunk_index": chunk_index}
    return Passage(f"{external_id}#{chunk_index}" if chunk_index else external_id, text, metadata, score)


def _refuse_chunk_of_another(external_id: str, metadata: Mapping[str, Any]) -> None:
    """Refuse a chunk that `_passage` made from another program's document: writing it would replace the whole
    document."""
    document, chunk_index = metadata.get("external_id"), metadata.get("chunk_index")
    if chunk_index is not None and external_id in (document, f"{document}#{chunk_index}"):
        raise InvalidArgumentError(
            f"{external_id!r} is chunk {chunk_index} of document {document!r}, which was not written by this store",
            hint="give the copy another id: writing it under this id would replace the whole document",
        )


def _fits(value: Any, most_bytes: int) -> bool:
    return not isinstance(value, str) or len(value.encode("utf-8", "surrogatepass")) <= most_bytes


def _is_time(value: Any) -> bool:
    """Return whether the database accepts a time. Python accepts more forms of ISO 8601, and metadata may hold any
    text."""
    if isinstance(value, datetime):
        return True
    if not re.fullmatch(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", value):
        return False
    try:
        # Python 3.10 accepts neither a Z nor fractions of other than 3 or 6 digits.
        return bool(datetime.fromisoformat(re.sub(r"\.\d+|Z", "", value)))
    except ValueError:
        return False
