"""What a source has in the database: the files that its documents were made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.stored import ListedDocument

__all__ = ["KEY", "StoredFile", "origin", "pages", "stored_files", "stored_part_ids"]

# The key of the metadata by which a document is known to be a source's: {"source", "path"}, and in the last document of
# a file also {"hash", "documents"}, so that a file is known to be unchanged, and to be there as a whole.
KEY = "ingest"
PAGE = 10_000


@dataclass
class StoredFile:
    documents: int = 0
    source_uri: str | None = None
    # Of the last document.
    last_id: str | None = None
    hash: str | None = None
    expected: int = 0

    def is_whole(self, file_hash: str) -> bool:
        return self.hash == file_hash and self.documents == self.expected

    def add(self, document: ListedDocument) -> None:
        self.documents += 1
        self.source_uri = self.source_uri or document.source_uri
        found = origin(document)
        if "hash" in found:
            self.last_id, self.hash = document.external_id, str(found["hash"])
            self.expected = found["documents"] if isinstance(found.get("documents"), int) else 0


def origin(document: ListedDocument) -> dict[str, Any]:
    """Where a document comes from; empty if `pgbraid ingest` did not write it."""
    found = document.metadata.get(KEY)
    return found if isinstance(found, dict) else {}


def pages(client: Client, collection: str, after: str, prefix: str = "") -> Iterator[ListedDocument]:
    """All documents behind `after`, as long as they begin with `prefix`."""
    last: str | None = after or None
    limit = 100 if prefix else PAGE
    while True:
        page = client.list_documents(collection, limit=limit, after=last)
        for document in page:
            if not document.external_id.startswith(prefix):
                return
            yield document
        if len(page) < limit:
            return
        last, limit = page[-1].external_id, PAGE


def stored_files(client: Client, collection: str, prefix: str, only: str | None = None) -> dict[str, StoredFile]:
    """By external_id, the files whose documents begin with `prefix`; or only that file."""
    files: dict[str, StoredFile] = {}
    if only is not None:
        prefix = only
    for document in pages(client, collection, _just_before(prefix), prefix):
        path = origin(document).get("path")
        if only is not None:
            file_id = only
            if not (document.external_id == only or document.external_id.startswith(f"{only}#")):
                continue
        elif isinstance(path, str) and document.external_id.startswith(f"{prefix}{path}"):
            file_id = f"{prefix}{path}"
        else:
            file_id = document.external_id
        files.setdefault(file_id, StoredFile()).add(document)
    return files


def stored_part_ids(client: Client, collection: str, file_id: str) -> Iterator[str]:
    """The external_ids of the documents of a file."""
    for document in pages(client, collection, _just_before(file_id), file_id):
        if document.external_id == file_id or document.external_id.startswith(f"{file_id}#"):
            yield document.external_id


def _just_before(text: str) -> str:
    """A text that comes before `text`, by its bytes, with next to nothing in between."""
    last = ord(text[-1]) - 1
    # There are no characters from D800 to DFFF.
    last = 0xD7FF if 0xD800 <= last <= 0xDFFF else last
    return text[:-1] + (chr(last) if last > 0 else "") + ("\U0010ffff" if last > 0 else "")
