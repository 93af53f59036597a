"""List a source's documents in the database, grouped by file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.stored import ListedDocument

__all__ = [
    "INPUT_PATH",
    "KEY",
    "StoredFile",
    "file_id",
    "file_of_document",
    "known_origins",
    "origin",
    "pages",
    "stored_files",
    "stored_part_ids",
]

# The metadata key that marks a document as ingested. Its value is {"source", "path"}, with "row" added for a row that
# has an id. A file's last document also has {"hash", "documents"}, by which the next run knows that the file is
# complete and unchanged.
KEY = "ingest"
# The path recorded for standard input.
INPUT_PATH = "-"
PAGE = 10_000


@dataclass
class StoredFile:
    documents: int = 0
    # The number of its documents that are rows with ids.
    rows: int = 0
    source_uri: str | None = None
    # These three come from the file's last document.
    last_id: str | None = None
    hash: str | None = None
    expected: int = 0

    def is_whole(self, file_hash: str) -> bool:
        return self.hash == file_hash and self.documents == self.expected

    def add(self, document: ListedDocument) -> None:
        self.documents += 1
        self.source_uri = self.source_uri or document.source_uri
        found = origin(document)
        self.rows += "row" in found
        if "hash" in found:
            self.last_id, self.hash = document.external_id, str(found["hash"])
            self.expected = found["documents"] if isinstance(found.get("documents"), int) else 0


def file_id(source: str, path: str) -> str:
    """Return the external_id of a file, which is also the prefix of the external_ids of its documents."""
    return f"{source}{path}" if source.endswith("/") else f"{source}/{path}"


def origin(document: ListedDocument) -> dict[str, Any]:
    """Return the recorded source and path of a document; empty if `pgbraid ingest` did not write it."""
    found = document.metadata.get(KEY)
    return found if isinstance(found, dict) else {}


def pages(client: Client, collection: str, after: str, prefix: str = "") -> Iterator[ListedDocument]:
    """Yield the documents after the external_id `after`, in order, while their external_ids begin with `prefix`."""
    last: str | None = after or None
    count = 100 if prefix else PAGE
    while True:
        page = client.list_documents(collection, match_count=count, after=last)
        for document in page:
            if not document.external_id.startswith(prefix):
                return
            yield document
        if len(page) < count:
            return
        last, count = page[-1].external_id, PAGE


def stored_files(
    client: Client, collection: str, prefix: str, only: str | None = None
) -> tuple[dict[str, StoredFile], set[str]]:
    """Return the files whose documents begin with `prefix`, or only the file `only`, by external_id; and a set of
    external_ids with the same prefix that belong to no such file."""
    files: dict[str, StoredFile] = {}
    others: set[str] = set()
    start = prefix if only is None else only
    for document in pages(client, collection, _just_before(start), start):
        name = file_of_document(document)
        if (only is None or name == only) and name is not None and document.external_id.startswith(name):
            files.setdefault(name, StoredFile()).add(document)
        else:
            others.add(document.external_id)
    return files, others


def stored_part_ids(client: Client, collection: str, name: str) -> Iterator[str]:
    """Yield the external_ids of a file's documents, without its rows that have ids: these are deleted by --prune."""
    for document in pages(client, collection, _just_before(name), name):
        if file_of_document(document) == name and "row" not in origin(document):
            yield document.external_id


def known_origins(
    client: Client, collection: str, external_ids: Sequence[str]
) -> dict[str, tuple[dict[str, Any], str | None]]:
    """Return the origin and source_uri of each of these documents that is stored, by external_id."""
    from pgbraid.client.session import TENANT, parsed

    rows = client._session.rows(
        "list_documents",
        f"""
        select (
          select coalesce(jsonb_agg(jsonb_build_array(d.external_id, d.metadata -> %(key)s::text, d.source_uri)), '[]')
          from unnest(%(ids)s::text[], %(before)s::text[]) i (id, before)
          cross join lateral braid.list_documents(collection => %(collection)s::text, match_count => 1,
                                                  after => i.before) d
          where d.external_id = i.id)::text
        from {TENANT}
        """,
        ids=list(external_ids),
        before=list(map(_just_before, external_ids)),
        collection=collection,
        key=KEY,
    )
    return {name: (came if isinstance(came, dict) else {}, uri) for name, came, uri in parsed(rows)[0]}


def file_of_document(document: ListedDocument) -> str | None:
    """Return the external_id of the file that a document was made from."""
    found = origin(document)
    source, path = found.get("source"), found.get("path")
    if not isinstance(source, str) or not isinstance(path, str):
        return None
    return source if path == INPUT_PATH else file_id(source, path)


def _just_before(text: str) -> str:
    """Return a text that sorts just before `text` in byte order, with next to nothing between them."""
    last = ord(text[-1]) - 1
    # D800 to DFFF are surrogates, not characters.
    last = 0xD7FF if 0xD800 <= last <= 0xDFFF else last
    return text[:-1] + (chr(last) if last > 0 else "") + ("\U0010ffff" if last > 0 else "")
