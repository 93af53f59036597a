"""What readers take and give."""

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

# A longer text becomes several documents, so that neither side holds more than this of it.
MOST_DOCUMENT_CHARACTERS = 1_000_000
MOST_HELD_BYTES = 100_000
# Of files that can only be read as a whole.
MOST_WHOLE_BYTES = 20_000_000


class NoText(Exception):  # noqa: N818
    """There is nothing to index in a file; the message says why."""


@dataclass(frozen=True)
class Fields:
    """Which columns, or keys, of a record become which keys of its document. A dot leads into an object."""

    id: str | None = None
    text: tuple[str, ...] = ()
    title: str | None = None
    speaker: str | None = None
    occurred_at: str | None = None
    category: str | None = None
    importance: str | None = None
    language: str | None = None
    source_uri: str | None = None
    # None: all that are left.
    metadata: tuple[str, ...] | None = None


class FieldRules:
    """Which fields are what, for all files or for those whose name or path fits a pattern."""

    def __init__(self, given: Mapping[str, Sequence[str]]) -> None:
        """`given` has, for each field of Fields, names such as answer or faq*.xlsx=answer."""
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
        """Return the fields of the file at this path. What a pattern says goes before what is said for all."""
        found: dict[str, list[str]] = {}
        for kind, pattern, column in self._patterned:
            if fnmatchcase(place, pattern) or fnmatchcase(place.rpartition("/")[2], pattern):
                self._unused.discard(pattern)
                found.setdefault(kind, []).append(column)
        return _fields({**self._plain, **found}) if found else self._of_all

    def unused(self) -> list[str]:
        """Return the patterns that no file has fitted."""
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
    """A file to read, and how. `name` is for messages, `kind` the name of its format."""

    path: Path
    name: str
    size: int
    kind: str
    title: str
    fields: Fields = field(default_factory=Fields)
    encoding: str | None = None
    chunk_tokens: int = 240
    # Of kinds.READERS; None: pgbraid's own.
    reader: str | None = None
    # Of CSV; None: found out.
    delimiter: str | None = None
    _held: list[bytes] = field(default_factory=list, repr=False, compare=False)

    def open(self) -> BinaryIO:
        """Its bytes. A small file is opened once, however often it is read."""
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
    """A document that has no external_id yet, unless it brought its own (`values` has it then).

    `place` tells it from other documents of its file; `row` is the id that the file has for it. `position` is how many
    bytes of the file were read for it and those before. With `error`, it is a part of the file that could not be read;
    with `skipped`, one without text; with `lacking`, what the file would be read better with; with `warning`, what of
    the file is not read as it was meant.
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
