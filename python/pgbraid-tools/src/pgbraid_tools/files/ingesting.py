"""Ingest files into a collection in batches, and delete documents of vanished files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pgbraid.errors import MissingExtraError
from pgbraid_tools.errors import IngestError
from pgbraid_tools.files.batches import Batch, BatchWriter, Waiting
from pgbraid_tools.files.drafts import Draft, FieldRules, Input, NoText
from pgbraid_tools.files.kinds import reader_version
from pgbraid_tools.files.library import HINT
from pgbraid_tools.files.pruning import Seen
from pgbraid_tools.files.reader_process import ReaderProcess
from pgbraid_tools.files.report import Report
from pgbraid_tools.files.sources import Source, shown, still_there
from pgbraid_tools.files.stored import KEY, StoredFile, stored_files, stored_part_ids
from pgbraid_tools.files.walking import Found, LeftOut, Root

if TYPE_CHECKING:
    from pgbraid.client import Client

__all__ = ["Ingestion", "Options"]

HASH_PIECE = 1 << 20
SMALL_BYTES = 20_000
SMALL_FILES = 50
MOST_PROBLEMS = 10
DELETE_BATCH = 1_000


@dataclass(frozen=True)
class Options:
    fields: FieldRules = field(default_factory=lambda: FieldRules({}))
    encoding: str | None = None
    strict: bool = False
    dry_run: bool = False
    prune: bool = False
    reader: str | None = None
    delimiter: str | None = None
    # The number of connections that write in parallel.
    jobs: int = 1


class Ingestion:
    def __init__(
        self,
        client: Client,
        collection: str,
        options: Options,
        report: Report,
        chunk_tokens: int,
        progress: Callable[[int], object],
        connect: Callable[[], Client] | None = None,
    ) -> None:
        self._client = client
        self._collection = collection
        self._options = options
        self._report = report
        self.chunk_tokens = chunk_tokens
        self._progress = progress
        self._bytes = 0
        # Documents of other origin whose external_ids begin like the external_ids of a source's files.
        self._others: set[str] = set()
        # Small files, which the reader process reads in one request.
        self._small: list[tuple[Source, Input, str]] = []
        self._seen = Seen()
        self._reader = ReaderProcess()
        # _folders maps each source to its folders; _empty holds sources in which nothing was found; _unreadable holds
        # folders that could not be read.
        self._folders: dict[str, list[Path]] = {}
        self._empty: set[str] = set()
        self._unreadable: list[Path] = []
        self._writer = BatchWriter(
            client,
            collection,
            self._written,
            connect=connect,
            jobs=options.jobs,
            all_or_nothing=options.strict,
            dry_run=options.dry_run,
        )

    @contextmanager
    def open(self) -> Iterator[None]:
        """Run the ingestion within this context; on exit it cancels running writes and ends the reader process."""
        with self._writer.open(), closing(self._reader):
            yield

    def run(self, roots: Sequence[Root], found: Sequence[Found | LeftOut], unreadable: Sequence[Path]) -> None:
        """Index files. In strict mode, raise IngestError at the first problem."""
        stored = self._stored(roots)
        for file in found:
            if isinstance(file, LeftOut):
                self._leave_out(file)
            else:
                known = stored.get(file.external_id)
                if known is None and file.root.file is not None:
                    known = self._stored_file(file.external_id)
                self._file(file, known)
        self._read_small()
        self._writer.flush()
        self._progress(self._bytes)
        for root in roots:
            self._folders.setdefault(root.source, []).extend([] if root.file else [root.folder])
        if not any(isinstance(file, Found) for file in found):
            self._empty.update(root.source for root in roots)
        self._unreadable += unreadable

    def add_file(self, source: Source, file: Input) -> None:
        """Index a file outside any folder, such as standard input."""
        source.stored = self._stored_file(source.external_id)
        self._seen.add(source)
        self._read_file(source, file)
        self._read_small()
        if source.no_text:
            self._seen.add_incomplete(source)
        self._writer.flush()
        self._progress(self._bytes)

    def add_rows(self, source: Source, drafts: Iterator[Draft]) -> None:
        """Index the rows of a query, each with an id of its own."""
        self._seen.add(source)
        self._read(source, drafts, None)
        self._writer.flush()
        self._folders.setdefault(source.source, [])
        if source.no_text:
            self._empty.add(source.source)

    def prune(self) -> None:
        """Delete documents that have vanished from the sources. Call it last, because every file that was not read
        counts as vanished."""
        self._delete(
            self._seen.vanished(self._client, self._collection, self._folders, self._unreadable, empty=self._empty)
        )

    def _stored(self, roots: Sequence[Root]) -> dict[str, StoredFile]:
        stored: dict[str, StoredFile] = {}
        for prefix in {root.prefix for root in roots if root.file is None}:
            files, others = stored_files(self._client, self._collection, prefix)
            stored.update(files)
            self._others |= others
        return stored

    def _stored_file(self, external_id: str) -> StoredFile | None:
        files, others = stored_files(self._client, self._collection, "", external_id)
        self._others |= others
        return files.get(external_id)

    def _leave_out(self, left_out: LeftOut) -> None:
        name = shown(left_out.path)
        if left_out.failed:
            self._fail(IngestError(left_out.kind, file=name, hint="correct the file, or leave it out with --exclude"))
            self._report.failed += 1
        else:
            self._report.note_skipped(name, left_out.kind)

    def _fail(self, error: IngestError, source: Source | None = None) -> None:
        """Report a problem. After MOST_PROBLEMS problems of one source, the rest are only counted."""
        if self._options.strict:
            raise error
        if source is not None:
            source.problems += 1
            if source.problems > MOST_PROBLEMS:
                source.untold += 1
                return
        self._report.say_problem(error.message, error.hint)

    def _file(self, found: Found, stored: StoredFile | None) -> None:
        uri = found.path.as_uri()
        source = Source(
            shown(found.path),
            found.external_id,
            found.root.source,
            found.place,
            found.size,
            stored,
            uri,
            is_named=found.root.is_named,
        )
        self._seen.add(source)
        if stored and stored.source_uri not in (None, uri) and still_there(stored.source_uri):
            hint = "give each folder a --source of its own"
            self._give_up(
                source, IngestError(f"its external_id belongs to {stored.source_uri}", file=source.name, hint=hint)
            )
            return
        # The name says what a source code file is about; its first lines do not.
        title = found.place if found.kind == "code" else found.path.name.removesuffix(found.path.suffix)
        file = Input(
            found.path,
            source.name,
            found.size,
            found.kind,
            title,
            self._options.fields.fields(found.place),
            self._options.encoding,
            self.chunk_tokens,
            self._options.reader,
            self._options.delimiter,
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
                    hint="change the file's permissions, or leave it out with --exclude",
                ),
            )
            return
        if source.stored and source.stored.is_whole(file_hash):
            self._report.note_unchanged(source.name)
            self._bytes += file.size
            self._progress(self._bytes)
        elif file.size > SMALL_BYTES:
            self._read_small()
            for drafts in self._reader.read([file]):
                self._read(source, drafts, file_hash)
        else:
            self._small.append((source, file, file_hash))
            if len(self._small) == SMALL_FILES:
                self._read_small()

    def _read_small(self) -> None:
        small, self._small = self._small, []
        for (source, _, file_hash), drafts in zip(
            small, self._reader.read([file for _, file, _ in small]), strict=True
        ):
            self._read(source, drafts, file_hash)

    def _give_up(self, source: Source, error: IngestError) -> None:
        self._fail(error, source)
        source.is_read = True
        self._bytes += source.size
        self._finish(source)

    def _read(self, source: Source, drafts: Iterator[Draft], file_hash: str | None) -> None:
        self._forget_hash(source)
        self._seen.add_read(source)
        last: Waiting | None = None
        count = 0
        try:
            for draft in drafts:
                if draft.error is not None:
                    self._fail(draft.error, source)
                    continue
                if draft.lacking:
                    # Without the hash, the next run reads the file again, perhaps with the missing library.
                    file_hash = None
                    self._report.say_lacking(draft.lacking, HINT)
                    continue
                if draft.warning:
                    self._report.say(f"warning: {source.name}: {draft.warning}")
                    continue
                if draft.skipped:
                    source.textless += 1
                    continue
                made = self._document(source, draft)
                if made is None:
                    continue
                if made.has_own_id or made.row is not None:
                    self._writer.add(made)
                    continue
                count += 1
                if last is not None:
                    self._writer.add(last)
                last = made
        except NoText as error:
            source.no_text = str(error)
        except (IngestError, MissingExtraError) as error:
            if isinstance(error, MissingExtraError):
                error = IngestError(error.message, file=source.name, hint=error.hint)
            self._fail(error, source)
        if last is not None:
            if not source.problems and file_hash:
                last.document["metadata"][KEY] |= {"hash": file_hash, "documents": count}
            self._writer.add(last)
        source.is_read = True
        self._bytes += source.size
        if not source.waiting:
            self._finish(source)

    def _forget_hash(self, source: Source) -> None:
        """Remove the stored hash of a file with several documents: the file is incomplete until its last new
        document is written."""
        stored = source.stored
        if stored and stored.hash and stored.last_id and stored.documents > 1 and not self._options.dry_run:
            self._client.update_metadata(
                stored.last_id, {KEY: {"source": source.source, "path": source.path}}, collection=self._collection
            )

    def _document(self, source: Source, draft: Draft) -> Waiting | None:
        values = dict(draft.values)
        has_own_id = "external_id" in values
        if not has_own_id:
            values["external_id"] = f"{source.external_id}#{draft.place}" if draft.place else source.external_id
        external_id = str(values["external_id"])
        problem = None
        if not has_own_id and external_id in self._others:
            problem = "belongs to a document that does not come from this file"
        elif (has_own_id or draft.row is not None) and not self._seen.is_new_id(external_id):
            problem = "came before"
        if problem:
            hint = "give this document another external_id, or delete the other document with pgbraid delete"
            self._fail(
                IngestError(f"external_id {external_id!r} {problem}", file=source.name, line=draft.line, hint=hint),
                source,
            )
            return None
        if source.stored is not None and not has_own_id:
            source.ids.add(external_id)
        metadata = values.get("metadata")
        if metadata is None or isinstance(metadata, Mapping):
            origin = {"source": source.source, "path": source.path}
            row = {} if draft.row is None else {"row": draft.row}
            values["metadata"] = {**(metadata or {}), KEY: {**origin, **row}}
        if source.source_uri and not values.get("source_uri"):
            values["source_uri"] = source.source_uri
        position = self._bytes + min(draft.position, source.size)
        return Waiting(values, source, draft.line, has_own_id, draft.row, position)

    def _written(self, batch: Batch) -> None:
        self._report.written += batch.summary
        for waiting, error in batch.refused:
            self._fail(error, waiting.source)
        for source in {id(waiting.source): waiting.source for waiting in batch.documents}.values():
            if source.is_read and not source.waiting:
                self._finish(source)
        self._progress(batch.documents[-1].position)

    def _finish(self, source: Source) -> None:
        self._report.textless += source.textless
        if source.untold:
            self._report.say(f"failed: {source.name}: and {source.untold} more")
        if source.problems:
            self._seen.add_incomplete(source)
            self._report.failed += 1
            return
        stale = self._stale(source)
        if source.no_text and not source.written:
            self._report.note_skipped(source.name, source.no_text)
        else:
            self._report.note_indexed(source.name)
        self._delete(stale)

    def _stale(self, source: Source) -> list[str]:
        """Return the external_ids of documents that the file no longer has, because it has fewer parts now."""
        stored = source.stored
        if stored is None or stored.documents == stored.rows:
            return []
        if stored.documents == 1 and stored.last_id in source.ids:
            return []
        ids = stored_part_ids(self._client, self._collection, source.external_id)
        return [external_id for external_id in ids if external_id not in source.ids]

    def _delete(self, external_ids: list[str]) -> None:
        for start in range(0, len(external_ids), DELETE_BATCH):
            batch = external_ids[start : start + DELETE_BATCH]
            if not self._options.dry_run:
                self._client.delete_documents(batch, collection=self._collection)
            self._report.note_deleted(batch)


def _file_hash(file: Input) -> str:
    """Return a hash of the reader's version and the file's bytes. It is cut to 128 bits, as the metadata of each
    chunk holds it."""
    digest = hashlib.sha256(reader_version(file).encode())
    with file.open() as source:
        while piece := source.read(HASH_PIECE):
            digest.update(piece)
    return digest.hexdigest()[:32]
