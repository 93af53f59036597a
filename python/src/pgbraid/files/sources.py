"""A file, or query, on its way into a collection."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pgbraid.files.stored import StoredFile

__all__ = ["Source", "file_of", "shown", "still_there"]


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
    # Documents that are not written yet, and those of them that a connection is writing.
    waiting: int = 0
    in_flight: int = 0
    written: int = 0
    problems: int = 0
    textless: int = 0
    is_read: bool = False
    no_text: str | None = None
    ids: set[str] = field(default_factory=set)


def shown(path: Path) -> str:
    """A path as it can be printed and sent."""
    return str(path).encode("utf-8", "replace").decode()


def file_of(source_uri: str | None) -> Path | None:
    from urllib.parse import unquote, urlsplit

    if not source_uri or not source_uri.startswith("file://"):
        return None
    return Path(unquote(urlsplit(source_uri).path, errors="surrogateescape"))


def still_there(source_uri: str | None) -> bool:
    file = file_of(source_uri)
    return file is not None and file.exists()
