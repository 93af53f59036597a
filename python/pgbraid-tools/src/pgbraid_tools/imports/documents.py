"""Turn rows to import into documents; rows of one document become its chunks, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from psycopg import sql

from pgbraid.errors import InvalidArgumentError
from pgbraid.long_numbers import dumps, loads
from pgbraid_tools.imports.relation import ATTRIBUTES, Relation

__all__ = ["ROW_ID", "documents"]

FETCH = 500
# The key of a chunk's metadata that holds the id of its row.
ROW_ID = "import_id"
# Attributes that a document has once; a chunk has the others.
_OF_DOCUMENT = ("title", "source_uri")
# A document with more becomes several, since each is written at once.
MOST_CHUNKS = 1_000
MOST_CHARACTERS = 4_000_000
_KEYS = ("document", "id", "content", "metadata", "embedding", *ATTRIBUTES)


def documents(relation: Relation, ids: set[str] | None) -> Iterator[dict[str, Any]]:
    """Yield the rows that have text as documents, and add the documents' ids to `ids`."""
    query = sql.SQL("select {} from ({}) r where content <> ''{}").format(
        sql.SQL(", ").join(map(sql.Identifier, _KEYS)),
        relation.query,
        sql.SQL(" order by document, position, place, id" if relation.is_grouped else ""),
    )
    with relation.connection.cursor(name="pgbraid_import") as cursor:
        cursor.itersize = FETCH
        rows = (dict(zip(_KEYS, row, strict=True)) for row in cursor.execute(query))
        for document in _documents(rows, relation):
            if ids is not None:
                ids.add(document["external_id"])
            yield document


def _documents(rows: Iterable[dict[str, Any]], relation: Relation) -> Iterator[dict[str, Any]]:
    if not relation.is_grouped:
        yield from (_single(row, relation) for row in rows)
        return
    for external_id, group in groupby(rows, key=lambda row: row["document"]):
        part: list[dict[str, Any]] = []
        part_number, characters = 1, 0
        for row in group:
            if part and (len(part) == MOST_CHUNKS or characters + len(row["content"]) > MOST_CHARACTERS):
                yield _whole(external_id, part_number, part, relation)
                part, characters = [], 0
                part_number += 1
            part.append(row)
            characters += len(row["content"])
        yield _whole(external_id, part_number, part, relation)


def _single(row: Mapping[str, Any], relation: Relation) -> dict[str, Any]:
    document = {key: row[key] for key in ("content", "embedding", *ATTRIBUTES) if row[key] is not None}
    document["external_id"] = row["id"]
    if row["metadata"] is not None:
        document["metadata"] = _metadata(row, relation)
    return document


def _whole(external_id: str, part_number: int, rows: list[dict[str, Any]], relation: Relation) -> dict[str, Any]:
    """Return the document, or a part of it, that has these rows as chunks. Metadata that all have is the document's."""
    if part_number == len(rows) == 1 and rows[0]["id"] == external_id:
        return _single(rows[0], relation)
    own = [_metadata(row, relation) for row in rows]
    # Values are compared as JSON, because Python's True equals 1.
    written = [{key: dumps(value, str) for key, value in one.items()} for one in own]
    common = {key: value for key, value in own[0].items() if all(one.get(key) == written[0][key] for one in written)}
    chunks = [
        {
            **{
                key: row[key]
                for key in ("content", "embedding", *ATTRIBUTES)
                if row[key] is not None and key not in _OF_DOCUMENT
            },
            "metadata": {**{key: value for key, value in metadata.items() if key not in common}, ROW_ID: row["id"]},
        }
        for row, metadata in zip(rows, own, strict=True)
    ]
    document: dict[str, Any] = {
        "external_id": external_id if part_number == 1 else f"{external_id}#part-{part_number}",
        "chunks": chunks,
        "metadata": common,
    }
    for key in _OF_DOCUMENT:
        found = next((row[key] for row in rows if row[key] is not None), None)
        if found is not None:
            document[key] = found
    return document


def _metadata(row: Mapping[str, Any], relation: Relation) -> dict[str, Any]:
    """Return the metadata of a row. Raise InvalidArgumentError for values that Python cannot read."""
    if row["metadata"] is None:
        return {}
    try:
        found = loads(row["metadata"])
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"metadata of {row['id'][:100]!r} cannot be read: {str(error)[:100]}",
            hint="nest the metadata less deeply",
        ) from error
    if not isinstance(found, dict):
        return {} if found is None else {"metadata": found}
    return {key: value for key, value in found.items() if key not in relation.internal}
