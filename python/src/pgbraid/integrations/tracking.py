"""The documents of a run of `index`: their ids, and what became of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from pgbraid.arguments import to_json
from pgbraid.errors import InvalidArgumentError

__all__ = ["Cleanup", "IndexingCounts", "Seen"]

Cleanup = Literal["incremental", "full"]


class IndexingCounts(TypedDict):
    """What became of the documents. `num_updated` are those of the same id with another text or other metadata."""

    num_added: int
    num_updated: int
    num_deleted: int
    num_skipped: int


class Seen:
    """What came in this run."""

    def __init__(self, key: str, cleanup: Cleanup | None) -> None:
        self.ids: set[str] = set()
        self.sources: set[str] = set()
        self._key = key
        self._cleanup = cleanup
        self._whole: set[bytes] = set()
        # By source and text, how often it came.
        self._places: dict[bytes, int] = {}

    def add(self, record: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The record as it is to be written; None if the same one came before. One whose `external_id` is empty gets
        one by source and text, so that it is the same document in the next run."""
        source = record["metadata"][self._key].get("source")
        if source is not None:
            self.sources.add(source)
        elif self._cleanup == "incremental":
            raise InvalidArgumentError(
                f"a document has no source: {record['chunks'][0]['content'][:100]!r}",
                hint="give each one in its metadata, or use cleanup='full'",
            )
        whole = _digest(to_json(record, "metadata"))
        if whole in self._whole:
            return None
        self._whole.add(whole)
        external_id = record["external_id"]
        if not external_id:
            # Texts that come twice from a source differ in their metadata, such as the page.
            text = _digest(json.dumps([source, record["chunks"][0]["content"]]))
            place = self._places.get(text, 0)
            self._places[text] = place + 1
            external_id = f"{text.hex()}-{place}" if place else text.hex()
        self.ids.add(external_id)
        return {**record, "external_id": external_id}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:20]
