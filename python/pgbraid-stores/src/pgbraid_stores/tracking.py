"""Track the documents of a run of `index`: their ids and outcomes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from pgbraid.arguments import to_json
from pgbraid.errors import InvalidArgumentError

__all__ = ["Cleanup", "IndexingCounts", "Seen", "StableIds"]

Cleanup = Literal["incremental", "full"]


class IndexingCounts(TypedDict):
    """Count the outcomes. `num_updated` counts documents of a known id with another text or other metadata."""

    num_added: int
    num_updated: int
    num_deleted: int
    num_skipped: int


class StableIds:
    """Derive ids from source and text, so that a text is the same document in every run."""

    def __init__(self) -> None:
        # The number of times that each text came.
        self._places: dict[bytes, int] = {}

    def next_of(self, source: str | None, text: str) -> str:
        # If a source has the same text twice, the metadata differs, such as the page.
        digest = _digest(json.dumps([source, text]))
        place = self._places.get(digest, 0)
        self._places[digest] = place + 1
        return f"{digest.hex()}-{place}" if place else digest.hex()


class Seen:
    """Record the documents of a run."""

    def __init__(self, key: str, cleanup: Cleanup | None) -> None:
        self.ids: set[str] = set()
        self.sources: set[str] = set()
        self._key = key
        self._cleanup = cleanup
        self._whole: set[bytes] = set()
        self._stable = StableIds()

    def add(self, record: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the record to write, or None if an equal one came before. A record with an empty `external_id` gets
        a stable one."""
        source = record["metadata"][self._key].get("source")
        if source is not None:
            self.sources.add(source)
        elif self._cleanup == "incremental":
            raise InvalidArgumentError(
                f"a document has no source: {record['chunks'][0]['content'][:100]!r}",
                hint="give each document a source in its metadata, or use cleanup='full'",
            )
        whole = _digest(to_json(record, "metadata"))
        if whole in self._whole:
            return None
        self._whole.add(whole)
        external_id = record["external_id"] or self._stable.next_of(source, record["chunks"][0]["content"])
        self.ids.add(external_id)
        return {**record, "external_id": external_id}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:20]
