"""Files as documents: Markdown and plain text, one document each, and JSON lines."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgbraid.errors import IngestError, InvalidArgumentError
from pgbraid.ingestion.documents import MOST_BATCH_BYTES, MOST_CONTENT_BYTES, check_document

__all__ = ["Item", "find_files", "read_files"]

MARKDOWN = (".md", ".markdown")
TEXT = (".txt",)
LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
SUFFIXES = MARKDOWN + TEXT + LINES


@dataclass(frozen=True)
class Item:
    """A document and where it stands, or what is wrong there. `line` is 1-based, None for a whole file."""

    file: Path
    line: int | None
    document: dict[str, Any] | None
    error: IngestError | None = None


def find_files(paths: Iterable[Path]) -> list[tuple[Path, Path]]:
    """(root, file) of every file to read, in order; folders recursively, without hidden and unknown files.

    A file named itself is its own root's. Raises IngestError for one that has another suffix.
    """
    found = []
    for path in paths:
        if path.is_dir():
            found += [(path, file) for file in sorted(path.rglob("*")) if _wanted(path, file)]
        elif path.name.lower().endswith(SUFFIXES):
            found.append((path.parent, path))
        else:
            raise IngestError("unknown kind of file", file=str(path), hint=f"known are {', '.join(SUFFIXES)}")
    return found


def _wanted(root: Path, file: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(root).parts)
    return not hidden and file.name.lower().endswith(SUFFIXES) and file.is_file()


def read_files(files: Iterable[tuple[Path, Path]]) -> Iterator[Item]:
    """Every document, checked as far as that goes without the database. A file without text gives none."""
    seen: dict[str, Path] = {}
    for root, file in files:
        items = _read_lines(file) if file.name.lower().endswith(LINES) else _read_text(root, file)
        for item in items:
            checked = _check(item)
            if checked.document is not None:
                external_id = str(checked.document["external_id"])
                if seen.setdefault(external_id, file) != file:
                    checked = _bad(file, item.line, f"{seen[external_id]} has the external_id {external_id!r} too")
            yield checked


def _read_text(root: Path, file: Path) -> Iterator[Item]:
    try:
        with file.open("rb") as opened:
            # No more than that and a byte order mark, whatever the file's size is by now.
            data = opened.read(MOST_CONTENT_BYTES + 4)
        if len(data) > MOST_CONTENT_BYTES + 3:
            yield _bad(
                file,
                None,
                f"{file.stat().st_size} bytes, and a document has at most {MOST_CONTENT_BYTES}",
                hint="divide the file into several, or leave it out with --skip-bad",
            )
            return
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield _bad(file, data.count(b"\n", 0, error.start) + 1, "not UTF-8", hint="convert the file to UTF-8")
        return
    except OSError as error:
        yield _bad(file, None, error.strerror or str(error))
        return
    if text.strip():
        title = _heading(text) if file.name.lower().endswith(MARKDOWN) else None
        document = {
            "external_id": file.relative_to(root).as_posix(),
            "title": title or file.stem,
            "content": text,
            "source_uri": file.resolve().as_uri(),
        }
        yield Item(file, None, document)


def _heading(text: str) -> str | None:
    without_code = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.search(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$|^(\S.*)\n=+[ \t]*$", without_code, re.MULTILINE)
    return (found[1] or found[2]) if found else None


def _read_lines(file: Path) -> Iterator[Item]:
    line = 0
    try:
        with gzip.open(file) if file.name.lower().endswith(".gz") else file.open("rb") as lines:
            while data := lines.readline(MOST_BATCH_BYTES + 1):
                line += 1
                if len(data) > MOST_BATCH_BYTES:
                    hint = "give the document less text, metadata or chunks"
                    yield _bad(file, line, f"a line of more than {MOST_BATCH_BYTES} bytes", hint=hint)
                    while data and not data.endswith(b"\n"):
                        data = lines.readline(MOST_BATCH_BYTES + 1)
                elif data.strip():
                    yield _parse_line(file, line, data)
    except (OSError, EOFError, zlib.error) as error:
        yield _bad(file, line + 1, f"cannot be read: {error}")


def _parse_line(file: Path, line: int, data: bytes) -> Item:
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _bad(file, line, "not UTF-8", hint="convert the file to UTF-8")
    except json.JSONDecodeError as error:
        return _bad(file, line, f"not JSON: {error.msg} at character {error.pos + 1}")
    except RecursionError:
        return _bad(file, line, "JSON nested too deeply")
    return Item(file, line, document)


def _check(item: Item) -> Item:
    if item.error is not None or item.document is None:
        return item if item.error else _bad(item.file, item.line, "null instead of a JSON object")
    try:
        check_document(item.document).encode()
    except InvalidArgumentError as error:
        return _bad(item.file, item.line, error.message, hint=error.hint)
    return item


def _bad(file: Path, line: int | None, message: str, hint: str | None = None) -> Item:
    return Item(file, line, None, IngestError(message, file=str(file), line=line, hint=hint))
