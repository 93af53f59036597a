"""Shape the answers of the tools: structured data with a schema, and text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mcp.types import CallToolResult, TextContent
from typing_extensions import NotRequired, TypedDict

from pgbraid.results import SearchResult
from pgbraid.stored import Document
from pgbraid.timelines import TimelineTurn

__all__ = [
    "Deleted",
    "DocumentAnswer",
    "ExplanationAnswer",
    "Results",
    "Stored",
    "Turns",
    "answer",
    "document_answer",
    "results_answer",
    "turns_answer",
]

# The maximum of characters of a passage, and of its metadata as JSON, to spare an agent's context; get_document reads
# on.
PASSAGE = 2_000
# The maximum of characters of all chunks in one answer of get_document.
PAGE = 50_000


class Passage(TypedDict):
    external_id: str
    chunk_index: int
    content: str
    is_cut: NotRequired[bool]
    title: NotRequired[str]
    speaker: NotRequired[str]
    occurred_at: NotRequired[str]
    source_uri: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    score: NotRequired[float]


class Results(TypedDict):
    results: list[Passage]
    warnings: list[str]


class Turn(Passage):
    conversation: str
    is_match: bool


class Turns(TypedDict):
    turns: list[Turn]
    warnings: list[str]


class Chunk(TypedDict):
    chunk_index: int
    content: str
    is_cut: NotRequired[bool]
    speaker: NotRequired[str]
    occurred_at: NotRequired[str]


class DocumentAnswer(TypedDict):
    external_id: str
    title: NotRequired[str]
    source_uri: NotRequired[str]
    occurred_at: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    chunk_count: int
    chunks: list[Chunk]
    next_chunk: NotRequired[int]


class ExplanationAnswer(TypedDict):
    explanation: str
    outcome: NotRequired[str]


class Stored(TypedDict):
    external_id: str
    status: str
    warnings: list[str]


class Deleted(TypedDict):
    deleted: int


def answer(structured: Mapping[str, Any], text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=dict(structured))


def results_answer(rows: Sequence[SearchResult], warnings: Sequence[Mapping[str, Any]]) -> CallToolResult:
    passages = [_passage(row) for row in rows]
    notes = _messages(warnings)
    return answer({"results": passages, "warnings": notes}, _text([*map(_shown, passages)] or ["no results"], notes))


def turns_answer(turns: Sequence[TimelineTurn], warnings: Sequence[Mapping[str, Any]]) -> CallToolResult:
    rows = [{**_passage(turn), "conversation": turn.conversation, "is_match": turn.is_match} for turn in turns]
    notes = _messages(warnings)
    return answer({"turns": rows, "warnings": notes}, _text([*map(_shown, rows)] or ["no turns"], notes))


def document_answer(document: Document, first: int, count: int) -> CallToolResult:
    chunks: list[dict[str, Any]] = []
    left = PAGE
    for chunk in document.chunks:
        if chunk.chunk_index < first:
            continue
        if len(chunks) == count or (chunks and len(chunk.content) > left):
            break
        chunks.append(
            _present(
                chunk_index=chunk.chunk_index,
                content=chunk.content[:PAGE],
                is_cut=True if len(chunk.content) > PAGE else None,
                speaker=chunk.speaker,
                occurred_at=_time(chunk.occurred_at),
            )
        )
        left -= len(chunk.content)
    found = _present(
        external_id=document.external_id,
        title=document.title,
        source_uri=document.source_uri,
        occurred_at=_time(document.occurred_at),
        metadata=_bounded(document.metadata),
        chunk_count=len(document.chunks),
        chunks=chunks,
    )
    notes = []
    if chunks and chunks[-1]["chunk_index"] < document.chunks[-1].chunk_index:
        found["next_chunk"] = chunks[-1]["chunk_index"] + 1
        notes.append(f"there is more: ask with first_chunk {found['next_chunk']}")
    shown = [_shown({"external_id": document.external_id, **chunk}) for chunk in chunks]
    return answer(found, _text([*shown] or ["no chunks there"], notes))


def _passage(row: SearchResult | TimelineTurn) -> dict[str, Any]:
    content = row.content
    return _present(
        external_id=row.external_id,
        chunk_index=row.chunk_index,
        content=content[:PASSAGE],
        is_cut=True if len(content) > PASSAGE else None,
        title=row.title,
        speaker=row.speaker,
        occurred_at=_time(row.occurred_at),
        source_uri=row.source_uri,
        metadata=_bounded(row.metadata),
        score=row.score,
    )


def _bounded(metadata: dict[str, Any]) -> dict[str, Any] | None:
    return metadata if metadata and len(json.dumps(metadata, default=str)) <= PASSAGE else None


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _time(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()


def _messages(warnings: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(warning.get("message", warning.get("code"))) for warning in warnings]


def _shown(passage: Mapping[str, Any]) -> str:
    """Return the passage's source, for citing, followed by its text."""
    origin = [f"[{passage['external_id']}#{passage['chunk_index']}]"]
    origin += [passage[name] for name in ("title", "speaker", "occurred_at") if name in passage]
    rest = " […]" if passage.get("is_cut") else ""
    return f"{' · '.join(origin)}\n{passage['content']}{rest}"


def _text(blocks: Sequence[str], warnings: Sequence[str]) -> str:
    return "\n\n".join([*blocks, *(f"warning: {warning}" for warning in warnings)])
