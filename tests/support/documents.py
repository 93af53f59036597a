"""Read parts of a document that tests compare."""

from __future__ import annotations

from typing import Any

from pgbraid.stored import Document


def contents(document: Document) -> list[str]:
    """Return the texts of a document's chunks in order."""
    return [chunk.content for chunk in document.chunks]


def own(document: Document) -> dict[str, Any]:
    """Return a document's metadata without the entries about its source."""
    return {key: value for key, value in document.metadata.items() if key != "ingest"}
