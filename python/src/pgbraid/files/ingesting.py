"""Brings files into a collection, in batches, and takes away what has vanished."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgbraid.errors import IngestError, InvalidArgumentError, MissingExtraError
from pgbraid.files.drafts import Draft, Fields, Input, NoText
from pgbraid.files.kinds import read, reader_version
from pgbraid.files.library import HINT
from pgbraid.files.report import Report
from pgbraid.files.stored import KEY, StoredFile, origin, pages, stored_files, stored_part_ids
from pgbraid.files.walking import Found, LeftOut, Root

if TYPE_CHECKING:
    from pgbraid.client import Client

__all__ = ["Ingestion", "Options", "Source"]

# What is lost at most when the program is ended.
BATCH_DOCUMENTS = 1_000
BATCH_CHARACTERS = 2_000_000
HASH_PIECE = 1 << 20
DELETE_BATCH = 1_000


@dataclass(frozen=True)
class Options:
    fields: Fields = field(default_factory=Fields)
    encoding: str | None = None
    strict: bool = False
    dry_run: bool = False
    prune: bool = False


@dataclass
class Source:
    """One file, or query, on its way: what was written of it, and what went wrong."""

    name: str
    # Of its documents that have no id of their own.
    external_id: str
    source: str
    path: str
    size: int
    stored: StoredFile | None = None
    source_uri: str | None = None
    waiting: int = 0
    written: int = 0
    problems: int = 0
    textless: int = 0
    is_read: bool = False
    no_text: str | None = None
    ids: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Waiting:
    document: dict[str, Any]
    source: Source
    line: int | None
    # Bytes of all files, up to the end of this document.
    position: int


class Ingestion:
    def __init__(
        self,
        client: Client,
        collection: str,
        options: Options,
        report: Report,
        chunk_tokens: int,
        progress: Callable[[int], object],
    ) -> None:
        self._client = client
        self._collection = collection
        self._options = options
        self._report = report
        self.chunk_tokens = chunk_tokens
        self._progress = progress
        self._batch: list[_Waiting] = []
        self._characters = 0
        self._bytes = 0
        # Hashes of the ids that came with the documents, to find those that come twice, or not any more.
        self._own_ids: set[int] = set()
        self._seen: set[tuple[str, str]] = set()
        self._incomplete: set[tuple[str, str]] = set()
        self._started = time.time()

    def run(self, roots: Sequence[Root], found: Sequence[Found | LeftOut], unreadable: Sequence[Path]) -> None:
        """Index files, then delete what has vanished if that is asked for. Raises IngestError in strict mode."""
        stored = self._stored(roots)
        for file in found:
            if isinstance(file, LeftOut):
                self._leave_out(file)
            else:
                known = stored.get(file.external_id)
                if known is None and file.root.file is not None:
                    only = stored_files(self._client, self._collection, file.root.prefix, file.external_id)
                    known = only.get(file.external_id)
                self._file(file, known)
                self._bytes += file.size
        self._write()
        self._progress(self._bytes)
        if self._options.prune and roots:
            folders = {
                root.source: [r.folder for r in roots if r.source == root.source and not r.file] for root in roots
            }
            self._prune(folders, any(isinstance(file, Found) for file in found), unreadable)

    def add_file(self, source: Source, file: Input) -> None:
        """Index a file that is in no folder: what came by standard input."""
        only = stored_files(self._client, self._collection, "", source.external_id)
        source.stored = only.get(source.external_id)
        self._read_file(source, file)
        self._bytes += source.size
        self._write()
        self._progress(self._bytes)

    def add_rows(self, source: Source, drafts: Iterator[Draft]) -> None:
        """Index the rows of a query, which have ids of their own."""
        self._seen.add((source.source, source.path))
        self._read(source, drafts, None)
        self._write()
        if self._options.prune:
            self._prune({source.source: []}, not source.no_text, ())

    def _stored(self, roots: Sequence[Root]) -> dict[str, StoredFile]:
        stored: dict[str, StoredFile] = {}
        for prefix in {root.prefix for root in roots if root.file is None}:
            stored.update(stored_files(self._client, self._collection, prefix))
        return stored

    def _leave_out(self, left_out: LeftOut) -> None:
        name = _shown(left_out.path)
        if left_out.failed:
            self._fail(IngestError(left_out.kind, file=name, hint="correct it, or leave it out with --exclude"))
            self._report.failed += 1
        else:
            self._report.note_skipped(name, left_out.kind)

    def _fail(self, error: IngestError | MissingExtraError) -> None:
        if self._options.strict:
            raise error
        self._report.say_problem(error.message, error.hint)

    def _file(self, found: Found, stored: StoredFile | None) -> None:
        self._seen.add((found.root.source, found.place))
        uri = found.path.as_uri()
        source = Source(_shown(found.path), found.external_id, found.root.source, found.place, found.size, stored, uri)
        if stored and stored.source_uri not in (None, uri) and _still_there(stored.source_uri):
            hint = "give each folder a --source of its own"
            self._give_up(
                source, IngestError(f"its external_id is that of {stored.source_uri}", file=source.name, hint=hint)
            )
            return
        # The name says what a program's text is about, its first lines do not.
        title = found.place if found.kind == "code" else found.path.name.removesuffix(found.path.suffix)
        file = Input(
            found.path,
            source.name,
            found.size,
            found.kind,
            title,
            self._options.fields,
            self._options.encoding,
            self.chunk_tokens,
        )
        self._read_file(source, file)

    def _read_file(self, source: Source, file: Input) -> None:
        try:
            file_hash = _file_hash(file)
        except OSError as error:
            self._give_up(
                source,
                IngestError(
                    f"cannot be read: {error.strerror or error}",
                    file=source.name,
                    hint="see to its permissions, or leave it out with --exclude",
                ),
            )
            return
        if source.stored and source.stored.is_whole(file_hash):
            self._report.note_unchanged(source.name)
            self._progress(self._bytes + file.size)
            return
        self._read(source, read(file), file_hash)

    def _give_up(self, source: Source, error: IngestError | MissingExtraError) -> None:
        self._fail(error)
        source.problems += 1
        source.is_read = True
        self._finish(source)

    def _read(self, source: Source, drafts: Iterator[Draft], file_hash: str | None) -> None:
        self._forget_hash(source)
        last: _Waiting | None = None
        count = 0
        try:
            for draft in drafts:
                if draft.error is not None:
                    self._fail(draft.error)
                    source.problems += 1
                    continue
                if draft.lacking:
                    # Not marked as whole, so that it is read again when that is there.
                    file_hash = None
                    self._report.say_lacking(draft.lacking, HINT)
                    continue
                if draft.skipped:
                    source.textless += 1
                    continue
                made = self._document(source, draft)
                if made is None:
                    continue
                if "external_id" in draft.values:
                    self._add(made)
                    continue
                count += 1
                if last is not None:
                    self._add(last)
                last = made
        except NoText as error:
            source.no_text = str(error)
        except (IngestError, MissingExtraError) as error:
            if isinstance(error, MissingExtraError):
                error = IngestError(error.message, file=source.name, hint=error.hint)
            self._fail(error)
            source.problems += 1
        except OSError as error:
            self._fail(IngestError(f"cannot be read: {error.strerror or error}", file=source.name))
            source.problems += 1
        if last is not None:
            if not source.problems and file_hash:
                last.document["metadata"][KEY] |= {"hash": file_hash, "documents": count}
            self._add(last)
        source.is_read = True
        if not source.waiting:
            self._finish(source)

    def _forget_hash(self, source: Source) -> None:
        """A file of several documents is not whole until the last of the new ones has been written."""
        stored = source.stored
        if stored and stored.hash and stored.last_id and stored.documents > 1 and not self._options.dry_run:
            self._client.update_metadata(
                stored.last_id, {KEY: {"source": source.source, "path": source.path}}, collection=self._collection
            )

    def _document(self, source: Source, draft: Draft) -> _Waiting | None:
        values = dict(draft.values)
        if "external_id" in values:
            # Two hashes of 64 bits that are equal by chance are not to be expected.
            number = hash(("id", str(values["external_id"])))
            if number in self._own_ids:
                self._fail(
                    IngestError(
                        f"external_id {str(values['external_id'])!r} came before", file=source.name, line=draft.line
                    )
                )
                source.problems += 1
                return None
            self._own_ids.add(number)
        else:
            values["external_id"] = f"{source.external_id}#{draft.place}" if draft.place else source.external_id
            if source.stored is not None:
                source.ids.add(values["external_id"])
        metadata = values.get("metadata")
        if metadata is None or isinstance(metadata, Mapping):
            values["metadata"] = {**(metadata or {}), KEY: {"source": source.source, "path": source.path}}
        if source.source_uri and not values.get("source_uri"):
            values["source_uri"] = source.source_uri
        return _Waiting(values, source, draft.line, self._bytes + min(draft.position, source.size))

    def _add(self, waiting: _Waiting) -> None:
        size = _characters(waiting.document)
        if self._batch and (len(self._batch) >= BATCH_DOCUMENTS or self._characters + size > BATCH_CHARACTERS):
            self._write()
        self._batch.append(waiting)
        self._characters += size
        waiting.source.waiting += 1

    def _write(self) -> None:
        batch, self._batch, self._characters = self._batch, [], 0
        if not batch:
            return
        if not self._options.dry_run:
            self._write_all(batch)
        for waiting in batch:
            waiting.source.waiting -= 1
            waiting.source.written += 1
        for source in {id(waiting.source): waiting.source for waiting in batch}.values():
            if source.is_read and not source.waiting:
                self._finish(source)
        self._progress(batch[-1].position)

    def _write_all(self, batch: list[_Waiting]) -> None:
        """In one transaction; if the database refuses a document, in halves, until it stands alone."""
        try:
            self._report.written += self._client.add_documents(
                [waiting.document for waiting in batch], collection=self._collection
            )
        except InvalidArgumentError as error:
            if len(batch) == 1 or self._options.strict:
                self._fail(IngestError(error.message, file=batch[0].source.name, line=batch[0].line, hint=error.hint))
                batch[0].source.problems += 1
                return
            middle = len(batch) // 2
            self._write_all(batch[:middle])
            self._write_all(batch[middle:])

    def _finish(self, source: Source) -> None:
        self._report.textless += source.textless
        if source.problems:
            self._incomplete.add((source.source, source.path))
            self._report.failed += 1
            return
        stale = self._stale(source)
        if source.no_text and not source.written:
            self._report.note_skipped(source.name, source.no_text)
        else:
            self._report.note_indexed(source.name)
        self._delete(stale)

    def _stale(self, source: Source) -> list[str]:
        """Documents that the file had once and has no more, as it has fewer parts."""
        if source.stored is None or (source.stored.documents == 1 and source.stored.last_id in source.ids):
            return []
        ids = stored_part_ids(self._client, self._collection, source.external_id)
        return [external_id for external_id in ids if external_id not in source.ids]

    def _delete(self, external_ids: list[str]) -> None:
        for start in range(0, len(external_ids), DELETE_BATCH):
            batch = external_ids[start : start + DELETE_BATCH]
            if not self._options.dry_run:
                self._client.delete_documents(batch, collection=self._collection)
            self._report.note_deleted(batch)

    def _prune(self, folders: Mapping[str, Sequence[Path]], found: bool, unreadable: Sequence[Path]) -> None:
        """Delete the documents of these sources whose file, or record, is not there any more."""
        vanished: list[str] = []
        for document in pages(self._client, self._collection, ""):
            came = origin(document)
            source, path = came.get("source"), came.get("path")
            if not isinstance(source, str) or source not in folders or not isinstance(path, str):
                continue
            external_id = document.external_id
            if (source, path) in self._seen:
                # Those without an id of their own went with the file, or with its part.
                own = not external_id.startswith((f"{source}/{path}", f"{source}{path}"))
                if own and (source, path) not in self._incomplete and hash(("id", external_id)) not in self._own_ids:
                    vanished.append(external_id)
            elif self._has_vanished(document.source_uri, folders[source], unreadable):
                vanished.append(external_id)
        if vanished and not found:
            raise IngestError(
                f"nothing was found, and {len(vanished)} documents come from there: they are kept",
                file=", ".join(folders),
                hint="is a disk missing? to delete them, use pgbraid delete",
            )
        self._delete(vanished)

    def _has_vanished(self, source_uri: str | None, folders: Sequence[Path], unreadable: Sequence[Path]) -> bool:
        file = _file_of(source_uri)
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


def _characters(document: Mapping[str, Any]) -> int:
    chunks = document.get("chunks")
    content = document.get("content")
    size = len(content) if isinstance(content, str) else 0
    if isinstance(chunks, list):
        size += sum(len(str(chunk.get("content") or "")) + 50 for chunk in chunks if isinstance(chunk, Mapping))
    return size + 300


def _file_hash(file: Input) -> str:
    """Of all that decides on its documents. Cut to 128 bits: it is in the metadata of chunks."""
    digest = hashlib.sha256(reader_version(file).encode())
    with file.path.open("rb") as source:
        while piece := source.read(HASH_PIECE):
            digest.update(piece)
    return digest.hexdigest()[:32]


def _shown(path: Path) -> str:
    """A path as it can be printed and sent."""
    return str(path).encode("utf-8", "replace").decode()


def _file_of(source_uri: str | None) -> Path | None:
    from urllib.parse import unquote, urlsplit

    if not source_uri or not source_uri.startswith("file://"):
        return None
    return Path(unquote(urlsplit(source_uri).path, errors="surrogateescape"))


def _still_there(source_uri: str | None) -> bool:
    file = _file_of(source_uri)
    return file is not None and file.exists()
