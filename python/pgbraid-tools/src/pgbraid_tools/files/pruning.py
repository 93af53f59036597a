"""Which documents of a source have no file, or record, any more."""

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
    """What was there in this run: files, and hashes of the external_ids of documents that brought an id."""

    _ids: set[int] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)
    # Files all of whose documents were read. Others had not changed, or failed.
    _read: set[str] = field(default_factory=set)
    _incomplete: set[str] = field(default_factory=set)
    _started: float = field(default_factory=time.time)

    def add(self, source: Source) -> None:
        self._files.add(file_id(source.source, source.path))

    def add_read(self, source: Source) -> None:
        self._read.add(file_id(source.source, source.path))

    def add_incomplete(self, source: Source) -> None:
        """Some of its documents were not read, so that none of them can be said to be gone."""
        self._incomplete.add(file_id(source.source, source.path))

    def is_new_id(self, external_id: str) -> bool:
        # Two hashes of 64 bits that are equal by chance are not to be expected.
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
        """The external_ids of documents that are gone from these sources. Raises IngestError if some are from a source
        of which nothing was found."""
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
                # Those that brought no id went with the file, or with its part.
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
                f"nothing was found, and {missing} documents come from there: they are kept",
                file=", ".join(source for source in folders if source in empty),
                hint="is a disk missing? to delete them, use pgbraid delete",
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
        # It is there. It was left out on purpose if it was there when the folder was read.
        return any(file.is_relative_to(folder) for folder in folders) and changed < self._started - 2
