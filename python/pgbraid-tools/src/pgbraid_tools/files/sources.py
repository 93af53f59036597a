"""A file, or query, on its way into a collection."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pgbraid_tools.files.stored import StoredFile, file_id

__all__ = ["QUERY", "Source", "file_of", "shown", "still_there"]


# The source and path of a query's rows.
QUERY = "query"


@dataclass
class Source:
    """What was written of it, and what went wrong."""

    name: str
    # Of its documents that have no id of their own.
    external_id: str
    source: str
    path: str
    size: int
    stored: StoredFile | None = None
    source_uri: str | None = None
    # Whether the user gave `source` its name, so that a file may replace rows that came with another file of it.
    is_named: bool = False
    # Documents that are not of this source, though their external_ids begin like its own.
    others: AbstractSet[str] = frozenset()
    # Documents that are not written yet, and those of them that a connection is writing.
    waiting: int = 0
    in_flight: int = 0
    written: int = 0
    problems: int = 0
    # Problems that were not told, as there were too many.
    untold: int = 0
    textless: int = 0
    is_read: bool = False
    no_text: str | None = None
    ids: set[str] = field(default_factory=set)

    def is_of(self, origin: Mapping[str, Any], source_uri: str | None) -> bool:
        """Return whether a stored document may be replaced by one of this source."""
        source, path = origin.get("source"), origin.get("path")
        if not isinstance(source, str) or not isinstance(path, str):
            return False
        if file_id(source, path) == file_id(self.source, self.path):
            return True
        # Another file of this source, which brings the same ids on purpose, or was renamed.
        return source == self.source and (self.is_named or still_there(source_uri) is False)


def shown(path: Path) -> str:
    """A path as it can be printed and sent."""
    return str(path).encode("utf-8", "replace").decode()


def file_of(source_uri: str | None) -> Path | None:
    from urllib.parse import unquote, urlsplit

    if not source_uri or not source_uri.startswith("file://"):
        return None
    return Path(unquote(urlsplit(source_uri).path, errors="surrogateescape"))


def still_there(source_uri: str | None) -> bool | None:
    """Return whether the file of this address is there; None if it is no file's address."""
    file = file_of(source_uri)
    return None if file is None else file.exists()
