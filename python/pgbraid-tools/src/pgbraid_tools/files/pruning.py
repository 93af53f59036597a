"""Find the documents of a source that no longer have a file or record."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pgbraid_tools.errors import IngestError
from pgbraid_tools.files.sources import Source, file_of
from pgbraid_tools.files.stored import file_id, file_of_document, origin, pages

if TYPE_CHECKING:
    from pgbraid.client import Client

__all__ = ["Seen"]


@dataclass
class Seen:
    """Record the files seen in this run, and hashes of the external_ids that the user gave."""

    _ids: set[int] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)
    # Files that were read in this run; the other files were unchanged or failed.
    _read: set[str] = field(default_factory=set)
    _incomplete: set[str] = field(default_factory=set)
    _started: float = field(default_factory=time.time)

    def add(self, source: Source) -> None:
        self._files.add(file_id(source.source, source.path))

    def add_read(self, source: Source) -> None:
        self._read.add(file_id(source.source, source.path))

    def add_incomplete(self, source: Source) -> None:
        """Mark a file as partly read, so that none of its documents counts as vanished."""
        self._incomplete.add(file_id(source.source, source.path))

    def is_new_id(self, external_id: str) -> bool:
        # A collision of two 64-bit hashes is improbable enough to ignore.
        number = hash(("id", external_id))
        if number in self._ids:
            return False
        self._ids.add(number)
        return True

    def vanished(
        self,
        client: Client,
        collection: str,
        folders: Mapping[str, Sequence[Path]],
        unreadable: Sequence[Path],
        *,
        empty: AbstractSet[str],
    ) -> list[str]:
        """Return the external_ids of documents that have vanished from these sources. Raise IngestError if one comes
        from a source in which nothing was found."""
        vanished: list[str] = []
        missing = 0
        for document in pages(client, collection, ""):
            came = origin(document)
            source, path = came.get("source"), came.get("path")
            if not isinstance(source, str) or not isinstance(path, str):
                continue
            external_id = document.external_id
            file = file_id(source, path)
            if file in self._files:
                # Documents without an id of their own were already deleted with their file, or with their part of it.
                is_part = external_id.startswith(str(file_of_document(document))) and "row" not in came
                is_known = file not in self._read or file in self._incomplete
                if is_part or is_known or hash(("id", external_id)) in self._ids:
                    continue
            elif source not in folders or not self._is_gone(document.source_uri, folders[source], unreadable):
                continue
            vanished.append(external_id)
            missing += source in empty
        if missing:
            raise IngestError(
                f"no file was found, so the {missing} documents of this source are kept",
                file=", ".join(source for source in folders if source in empty),
                hint="check whether a disk is missing; to delete these documents, use pgbraid delete",
            )
        return vanished

    def _is_gone(self, source_uri: str | None, folders: Sequence[Path], unreadable: Sequence[Path]) -> bool:
        file = file_of(source_uri)
        if file is None:
            return bool(folders)
        if any(file.is_relative_to(folder) for folder in unreadable):
            return False
        try:
            changed = file.lstat().st_ctime
        except FileNotFoundError:
            return True
        except OSError:
            return False
        # The file still exists. If it did not change during this run, the walk left it out on purpose.
        return any(file.is_relative_to(folder) for folder in folders) and changed < self._started - 2
