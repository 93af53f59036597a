"""Define the input and output of readers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from pgbraid_tools.errors import IngestError

__all__ = ["MOST_DOCUMENT_CHARACTERS", "MOST_WHOLE_BYTES", "Draft", "FieldRules", "Fields", "Input", "NoText"]

# A longer text becomes several documents, which bounds the memory that client and server need.
MOST_DOCUMENT_CHARACTERS = 1_000_000
MOST_HELD_BYTES = 100_000
# The limit for formats that can only be read as a whole.
MOST_WHOLE_BYTES = 20_000_000


class NoText(Exception):  # noqa: N818
    """Raised when a file holds nothing to index; the message says why."""


@dataclass(frozen=True)
class Fields:
    """Map the columns or keys of a record to the keys of its document. A dot in a name leads into an object."""

    id: str | None = None
    text: tuple[str, ...] = ()
    title: str | None = None
    speaker: str | None = None
    occurred_at: str | None = None
    category: str | None = None
    importance: str | None = None
    language: str | None = None
    source_uri: str | None = None
    # None takes all remaining columns.
    metadata: tuple[str, ...] | None = None


class FieldRules:
    """Choose the field mapping of each file, from rules for all files and rules for name or path patterns."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        """Take, for each field of Fields, names such as "answer", or "faq*.xlsx=answer" for matching files only."""
        self._plain: dict[str, list[str]] = {}
        self._patterned: list[tuple[str, str, str]] = []
        self._unused: set[str] = set()
        for kind, names in given.items():
            for name in names:
                pattern, equals, column = name.partition("=")
                if equals and _PATTERN.search(pattern):
                    self._patterned.append((kind, pattern, column))
                    self._unused.add(pattern)
                else:
                    self._plain.setdefault(kind, []).append(name)
        self._of_all = _fields(self._plain)

    def fields(self, place: str) -> Fields:
        """Return the fields of the file at this path. Rules with a pattern take precedence over rules for all files."""
        found: dict[str, list[str]] = {}
        for kind, pattern, column in self._patterned:
            if fnmatchcase(place, pattern) or fnmatchcase(place.rpartition("/")[2], pattern):
                self._unused.discard(pattern)
                found.setdefault(kind, []).append(column)
        return _fields({**self._plain, **found}) if found else self._of_all

    def unused(self) -> list[str]:
        """Return the patterns that matched no file."""
        return sorted(self._unused)


_PATTERN = re.compile(r"[*?\[./]")


def _fields(given: Mapping[str, Sequence[str]]) -> Fields:
    values: dict[str, Any] = {}
    for kind, names in given.items():
        if names:
            values[kind] = tuple(names) if kind in ("text", "metadata") else names[-1]
    return Fields(**values)


@dataclass(frozen=True)
class Input:
    """Describe a file to read, and how to read it. `name` is for messages; `kind` is the name of its format."""

    path: Path
    name: str
    size: int
    kind: str
    title: str
    fields: Fields = field(default_factory=Fields)
    encoding: str | None = None
    chunk_tokens: int = 240
    # A key of kinds.READERS; None is pgbraid's own reader.
    reader: str | None = None
    # The delimiter of CSV; None detects it.
    delimiter: str | None = None
    _held: list[bytes] = field(default_factory=list, repr=False, compare=False)

    def open(self) -> BinaryIO:
        """Open the file's bytes. A small file is read from disk once, and then served from memory."""
        if self.size > MOST_HELD_BYTES:
            return self.path.open("rb")
        if not self._held:
            with self.path.open("rb") as source:
                self._held.append(source.read())
        return BytesIO(self._held[0])

    def error(self, message: str, *, line: int | None = None, hint: str | None = None) -> IngestError:
        return IngestError(message, file=self.name, line=line, hint=hint)

    def too_large(self, limit: int, hint: str) -> IngestError:
        return self.error(f"{self.size} bytes, and a file of this kind has at most {limit}", hint=hint)


@dataclass(frozen=True)
class Draft:
    """Hold a document without an external_id, unless the file gave one, which is then in `values`.

    `place` distinguishes the documents of one file; `row` is the row's id in the file. `position` counts the bytes read
    up to the end of this document.

    A draft can also report a problem: `error` is a part that could not be read, and `skipped` a part without text.
    `lacking` names an optional library that would read the file better; `warning` says what was not read as intended.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    place: str | None = None
    position: int = 0
    line: int | None = None
    error: IngestError | None = None
    skipped: bool = False
    lacking: str | None = None
    warning: str | None = None
    row: str | None = None
