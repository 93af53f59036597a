"""Shape the answers of the tools, as text for a model and as data for a program."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pgbraid.long_numbers import dumps
from pgbraid.results import SearchResult
from pgbraid.stored import Document, FacetValue, GrepMatches, KeyValues, ListedDocument
from pgbraid.timelines import TimelineTurn

__all__ = [
    "PASSAGE",
    "Answer",
    "collections_answer",
    "document_answer",
    "documents_answer",
    "facets_answer",
    "grep_answer",
    "keys_answer",
    "results_answer",
    "turns_answer",
]

# The maximum of characters of a passage, and of its metadata as JSON, to spare an agent's context; `read` reads on.
PASSAGE = 2_000
# The maximum of characters of all chunks in one answer of `read`.
PAGE = 50_000
# The maximum of characters of a value in a list of keys.
VALUE = 60


class Answer(NamedTuple):
    """Hold an answer in both forms, of which the caller gets one."""

    data: dict[str, Any]
    text: str


def results_answer(rows: Sequence[SearchResult], warnings: Sequence[Mapping[str, Any]]) -> Answer:
    passages = [_passage(row) for row in rows]
    notes = _messages(warnings)
    return Answer({"results": passages, "warnings": notes}, _text([*map(_shown, passages)] or ["no results"], notes))


def turns_answer(turns: Sequence[TimelineTurn], warnings: Sequence[Mapping[str, Any]]) -> Answer:
    rows = [{**_passage(turn), "conversation": turn.conversation, "is_match": turn.is_match} for turn in turns]
    notes = _messages(warnings)
    return Answer({"turns": rows, "warnings": notes}, _text([*map(_shown, rows)] or ["no turns"], notes))


def grep_answer(found: GrepMatches, *, is_listing: bool = False) -> Answer:
    """Return the matches of a pattern; of a listing, the passages that filters let pass."""
    matches = [
        _present(
            external_id=match.external_id,
            chunk_index=match.chunk_index,
            content="\n".join(match.excerpts),
            title=match.title,
            speaker=match.speaker,
            occurred_at=_time(match.occurred_at),
            source_uri=match.source_uri,
            metadata=_bounded(match.metadata),
        )
        for match in found.matches
    ]
    notes = []
    if found.next_after is not None:
        more = f"there may be more ({found.stopped_by})"
        notes.append(f"{more}: narrow the filters" if is_listing else f"{more}: go on with after={found.next_after}")
    data = {"results" if is_listing else "matches": matches, "warnings": notes}
    if not is_listing:
        data |= _present(next_after=found.next_after, scanned_count=found.scanned_count)
    nothing = f"no match in {found.scanned_count} chunks"
    return Answer(data, _text([*map(_shown, matches)] or [nothing], notes))


def facets_answer(found: Mapping[str, Sequence[FacetValue]]) -> Answer:
    data = {key: [{"value": value.value, "count": value.count} for value in values] for key, values in found.items()}
    lines = [f"{key}: {_counted(values) or 'no values'}" for key, values in data.items()]
    return Answer({"facets": data}, "\n".join(lines))


def keys_answer(rows: Sequence[KeyValues]) -> Answer:
    data, lines = [], []
    for row in rows:
        known = {"key": row.key, "distinct_count": row.distinct_count, "minimum": row.minimum, "maximum": row.maximum}
        data.append({**known, "top_values": row.top_values})
        is_all = len(row.top_values) == row.distinct_count
        span = "" if is_all else f"{row.distinct_count} values, {_value(row.minimum)} to {_value(row.maximum)}: "
        lines.append(f"{row.key}: {span}{_counted(row.top_values)}{'' if is_all else ', …'}")
    return Answer({"keys": data}, "\n".join(lines) or "no keys")


def documents_answer(rows: Sequence[ListedDocument], is_full: bool) -> Answer:
    documents = [
        _present(
            external_id=row.external_id,
            title=row.title,
            occurred_at=_time(row.occurred_at),
            source_uri=row.source_uri,
            chunk_count=row.chunk_count,
            metadata=_bounded(row.metadata),
        )
        for row in rows
    ]
    notes = [f'there may be more: go on with after="{rows[-1].external_id}"'] if is_full else []
    lines = [
        " · ".join(
            [f"[{row['external_id']}]"]
            + [row[name] for name in ("title", "occurred_at") if row.get(name) not in (None, row["external_id"])]
            + [f"{row['chunk_count']} chunk{'s' * (row['chunk_count'] != 1)}"]
        )
        for row in documents
    ]
    data: dict[str, Any] = {"documents": documents}
    if is_full:
        data["next_after"] = rows[-1].external_id
    return Answer(data, _text(["\n".join(lines) or "no documents"], notes))


def collections_answer(collections: Sequence[Mapping[str, Any]]) -> Answer:
    rows = [{name: of[name] for name in ("name", "documents", "chunks")} for of in collections]
    lines = [f"{row['name']}: {row['documents']} documents, {row['chunks']} chunks" for row in rows]
    return Answer({"collections": rows}, "\n".join(lines) or "no collections")


def document_answer(document: Document) -> Answer:
    chunks: list[dict[str, Any]] = []
    left = PAGE
    for chunk in document.chunks:
        if chunks and len(chunk.content) > left:
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
    data = _present(
        external_id=document.external_id,
        title=document.title,
        source_uri=document.source_uri,
        occurred_at=_time(document.occurred_at),
        metadata=_bounded(document.metadata),
        chunk_count=document.chunk_count,
        chunks=chunks,
    )
    notes = []
    if not chunks:
        notes.append(f"the document has {document.chunk_count} chunks")
    elif (following := chunks[-1]["chunk_index"] + 1) < document.chunk_count:
        data["next_chunk"] = following
        notes.append(f"chunk {following} of {document.chunk_count} follows: read {document.external_id}#{following}")
    shown = [_shown({"external_id": document.external_id, **chunk}) for chunk in chunks]
    if document.title not in (None, document.external_id) and shown:
        shown[0] = f"{document.title}\n{shown[0]}"
    return Answer(data, _text([*shown] or ["no chunks there"], notes, label="note"))


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


def _counted(values: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{_value(value['value'])} ({value['count']})" for value in values)


def _value(value: Any) -> str:
    shown = value if isinstance(value, str) else dumps(value, str)
    return shown if len(shown) <= VALUE else f"{shown[:VALUE]}…"


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
    # A title that repeats the id costs the agent and tells nothing.
    told = (passage.get(name) for name in ("title", "speaker", "occurred_at"))
    origin += [each for each in told if each not in (None, passage["external_id"])]
    rest = " […]" if passage.get("is_cut") else ""
    return f"{' · '.join(origin)}\n{passage['content']}{rest}"


def _text(blocks: Sequence[str], notes: Sequence[str], label: str = "warning") -> str:
    return "\n\n".join([*blocks, *(f"{label}: {note}" for note in notes)])
