"""What a source has in the database: the files that its documents were made of."""

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

# The key of the metadata by which a document is known to be a source's: {"source", "path"}, for a row with an id also
# {"row"}, and in the last document of a file {"hash", "documents"}, so that a file is known to be unchanged, and to be
# there as a whole.
KEY = "ingest"
# Of standard input, which has no path.
INPUT_PATH = "-"
PAGE = 10_000


@dataclass
class StoredFile:
    documents: int = 0
    # Those of them that are rows with ids.
    rows: int = 0
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
        self.rows += "row" in found
        if "hash" in found:
            self.last_id, self.hash = document.external_id, str(found["hash"])
            self.expected = found["documents"] if isinstance(found.get("documents"), int) else 0


def file_id(source: str, path: str) -> str:
    """Return the external_id of a file of a source, with which those of its documents begin."""
    return f"{source}{path}" if source.endswith("/") else f"{source}/{path}"


def origin(document: ListedDocument) -> dict[str, Any]:
    """Where a document comes from; empty if `pgbraid ingest` did not write it."""
    found = document.metadata.get(KEY)
    return found if isinstance(found, dict) else {}


def pages(client: Client, collection: str, after: str, prefix: str = "") -> Iterator[ListedDocument]:
    """All documents behind `after`, as long as they begin with `prefix`."""
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
    """Return the files whose documents begin with `prefix`, or only that one, by external_id; and the external_ids of
    documents that begin so, too, and are not of these files."""
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
    """The external_ids of the documents of a file, but for rows that have ids: these go with --prune."""
    for document in pages(client, collection, _just_before(name), name):
        if file_of_document(document) == name and "row" not in origin(document):
            yield document.external_id


def known_origins(
    client: Client, collection: str, external_ids: Sequence[str]
) -> dict[str, tuple[dict[str, Any], str | None]]:
    """Return what is told of where these documents come from, and their source_uri, of those that are stored."""
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
    """The external_id of the file that a document was made of."""
    found = origin(document)
    source, path = found.get("source"), found.get("path")
    if not isinstance(source, str) or not isinstance(path, str):
        return None
    return source if path == INPUT_PATH else file_id(source, path)


def _just_before(text: str) -> str:
    """A text that comes before `text`, by its bytes, with next to nothing in between."""
    last = ord(text[-1]) - 1
    # There are no characters from D800 to DFFF.
    last = 0xD7FF if 0xD800 <= last <= 0xDFFF else last
    return text[:-1] + (chr(last) if last > 0 else "") + ("\U0010ffff" if last > 0 else "")
