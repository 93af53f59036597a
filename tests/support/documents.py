"""What tests read of documents."""

from __future__ import annotations

from typing import Any

from pgbraid.stored import Document


def contents(document: Document) -> list[str]:
    """Return the texts of its chunks in order."""
    return [chunk.content for chunk in document.chunks]


def own(document: Document) -> dict[str, Any]:
    """Return the metadata without what tells where the document comes from."""
    return {key: value for key, value in document.metadata.items() if key != "ingest"}
