"""Track a file or query while its documents are written to a collection."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pgbraid_tools.files.stored import StoredFile, file_id

__all__ = ["QUERY", "Source", "file_of", "shown", "still_there"]


# The source and path recorded for a query's rows.
QUERY = "query"


@dataclass
class Source:
    """Hold a file or query, its stored documents, and counts of documents and problems in this run."""

    name: str
    # The external_id of its document, or the prefix if it has several; rows with ids of their own do without.
    external_id: str
    source: str
    path: str
    size: int
    stored: StoredFile | None = None
    source_uri: str | None = None
    # True if the user named `source`; a file may then replace rows that came with another file of the same source.
    is_named: bool = False
    # Documents of other sources whose external_ids begin with this source's prefix.
    others: AbstractSet[str] = frozenset()
    # waiting counts documents that are not written yet; in_flight counts the ones among them that a connection is
    # writing.
    waiting: int = 0
    in_flight: int = 0
    written: int = 0
    problems: int = 0
    # Problems beyond MOST_PROBLEMS, which are counted but not reported.
    untold: int = 0
    textless: int = 0
    is_read: bool = False
    no_text: str | None = None
    ids: set[str] = field(default_factory=set)

    def is_of(self, origin: Mapping[str, Any], source_uri: str | None) -> bool:
        """Return whether a document of this source may replace the stored document."""
        source, path = origin.get("source"), origin.get("path")
        if not isinstance(source, str) or not isinstance(path, str):
            return False
        if file_id(source, path) == file_id(self.source, self.path):
            return True
        # The stored document came with another file of this source. That file brings the same ids on purpose, or was
        # renamed.
        return source == self.source and (self.is_named or still_there(source_uri) is False)


def shown(path: Path) -> str:
    """Return a path as valid Unicode: bytes that are not UTF-8, which could not be printed or sent, become `?`."""
    return str(path).encode("utf-8", "replace").decode()


def file_of(source_uri: str | None) -> Path | None:
    from urllib.parse import unquote, urlsplit

    if not source_uri or not source_uri.startswith("file://"):
        return None
    return Path(unquote(urlsplit(source_uri).path, errors="surrogateescape"))


def still_there(source_uri: str | None) -> bool | None:
    """Return whether the file at this address exists; None if the address is not a file's."""
    file = file_of(source_uri)
    return None if file is None else file.exists()
