"""A model of validity: which documents are valid at a time, by comparing instants."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

Connection = psycopg.Connection[Any]
Document = dict[str, Any]

COLLECTION = "facts"
NEVER = datetime.max.replace(tzinfo=timezone.utc)
ALWAYS = datetime.min.replace(tzinfo=timezone.utc)
# Few instants, so that bounds meet often; one of them in three zones.
INSTANTS = [
    "2024-01-01T00:00:00Z",
    "2024-01-01T01:00:00+01:00",
    "2023-12-31T19:00:00-05:00",
    "2024-06-01T00:00:00.000001Z",
    "2024-06-01T00:00:00Z",
    "2999-01-01T00:00:00Z",
]


def moment(text: str | None, otherwise: datetime) -> datetime:
    if text in (None, "infinity", "-infinity"):
        return otherwise
    return datetime.fromisoformat(str(text).replace("Z", "+00:00"))


def expected(documents: list[Document], filters: dict[str, Any] | None) -> set[str]:
    """Return the documents that are valid at the time that filters name, and have not expired."""
    now = datetime.now(timezone.utc)
    as_of = (filters or {}).get("$as_of", "now")
    found = set()
    for document in documents:
        metadata = document["metadata"]
        time = now if as_of == "now" else moment(as_of, now)
        is_valid = moment(metadata.get("valid_from"), ALWAYS) <= time < moment(metadata.get("valid_until"), NEVER)
        if (as_of is None or is_valid) and now < moment(metadata.get("expires_at"), NEVER):
            found.add(document["external_id"])
    return found


def make(db: Connection, name: str = COLLECTION) -> None:
    db.execute("select braid.create_collection(%s, dimensions => 8, embedding_model => 'hash')", (name,))
    db.execute("select braid.set_validity(%s)", (name,))


def written(places: list[tuple[Any, Any, Any]]) -> list[Document]:
    documents = []
    for number, (start, end, expiry) in enumerate(places):
        metadata: dict[str, Any] = {
            key: value
            for key, value in (("valid_from", start), ("valid_until", end), ("expires_at", expiry))
            if value != "absent"
        }
        if moment(metadata.get("valid_from"), ALWAYS) > moment(metadata.get("valid_until"), NEVER):
            metadata["valid_from"], metadata["valid_until"] = metadata["valid_until"], metadata["valid_from"]
        documents.append(
            {
                "external_id": f"d{number}",
                "content": f"apple w{'bcdfghjkl'[number]}",
                "occurred_at": f"2024-02-0{number % 9 + 1}T00:00:00Z",
                "embedding": [1.0, *([0.1 * number] * 7)],
                "sparse": {"fruit": 1.0},
                "metadata": metadata | {"name": f"d{number}", "talk": "one"},
            }
        )
    return documents


def ids(rows: list[tuple[Any, ...]]) -> set[str]:
    return {row[0] for row in rows}


def supersede(db: Connection, *documents: Document) -> list[tuple[str, str]]:
    return db.execute(
        "select external_id, status from braid.supersede_documents(%s, 'facts')", (Jsonb(list(documents)),)
    ).fetchall()


def fact(content: str, start: str | None = None, **metadata: Any) -> Document:
    if start:
        metadata["valid_from"] = start
    return {"external_id": "price", "content": content, "metadata": metadata}
