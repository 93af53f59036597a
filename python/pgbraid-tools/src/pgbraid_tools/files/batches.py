"""Write documents to the database in batches, over several connections in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import psycopg

from pgbraid.errors import ConflictError, ConnectionLostError, InvalidArgumentError
from pgbraid.stored import WriteSummary
from pgbraid_tools.errors import IngestError
from pgbraid_tools.files.sources import Source, file_of
from pgbraid_tools.files.stored import KEY, file_id, known_origins

if TYPE_CHECKING:
    from pgbraid.client import Client

__all__ = ["Batch", "BatchWriter", "Waiting"]

# These limits also bound the work that each connection loses if the program is killed.
BATCH_DOCUMENTS = 1_000
BATCH_CHARACTERS = 2_000_000
SECONDS_TO_CANCEL = 5
TRIES = 5


@dataclass(frozen=True)
class Waiting:
    document: dict[str, Any]
    source: Source
    line: int | None
    # True if the external_id was chosen by the user; documents of other sources may have the same one.
    has_own_id: bool
    # The id that a row has within its file.
    row: str | None
    # Bytes read from all files up to the end of this document, for the progress bar.
    position: int

    @property
    def external_id(self) -> str:
        return str(self.document["external_id"])

    def is_of_another(self, known: Mapping[str, tuple[Mapping[str, Any], str | None]]) -> bool:
        """Return whether a stored document of another source has this external_id. `known` maps each stored
        external_id to its origin and source_uri."""
        return self.external_id in known and not self.source.is_of(*known[self.external_id])


@dataclass
class Batch:
    documents: list[Waiting] = field(default_factory=list)
    characters: int = 0
    summary: WriteSummary = field(default_factory=WriteSummary)
    refused: list[tuple[Waiting, IngestError]] = field(default_factory=list)


class BatchWriter:
    """Collect documents and write them in batches; call `done` with each finished batch, in the thread that calls `add`
    or `flush`.

    With one job, batches are written through `client`; with more, in parallel through connections that `connect` opens.
    With `all_or_nothing`, the first refused document raises IngestError and ends the run.
    """

    def __init__(
        self,
        client: Client,
        collection: str,
        done: Callable[[Batch], object],
        *,
        connect: Callable[[], Client] | None = None,
        jobs: int = 1,
        all_or_nothing: bool = False,
        dry_run: bool = False,
    ) -> None:
        self._client = client
        self._collection = collection
        self._done = done
        self._connect = connect
        self._jobs = jobs if connect is not None and not all_or_nothing else 1
        self._all_or_nothing = all_or_nothing
        self._dry_run = dry_run
        self._batch = Batch()
        self._writing: set[Future[Batch]] = set()
        self._threads: ThreadPoolExecutor | None = None
        self._clients: list[Client] = []
        self._free: SimpleQueue[Client] = SimpleQueue()
        # True after a batch found stored documents with the user's ids; the next batch then looks its ids up first.
        self._expects_known = False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Provide a context; on exit, cancel the running writes and close the connections that this writer opened."""
        try:
            yield
        finally:
            if self._writing:
                for client in self._clients:
                    with suppress(psycopg.Error):
                        client.connection.cancel_safe(timeout=SECONDS_TO_CANCEL)
            if self._threads is not None:
                self._threads.shutdown(cancel_futures=True)
            self._writing.clear()
            for client in self._clients:
                client.close()

    def add(self, waiting: Waiting) -> None:
        size = _characters(waiting.document)
        batch = self._batch
        if batch.documents and (len(batch.documents) >= BATCH_DOCUMENTS or batch.characters + size > BATCH_CHARACTERS):
            self._send()
        self._batch.documents.append(waiting)
        self._batch.characters += size
        waiting.source.waiting += 1

    def flush(self) -> None:
        """Write all pending documents, and wait until they are written."""
        if self._batch.documents:
            self._send(is_last=True)
        while self._writing:
            self._take()

    def _send(self, *, is_last: bool = False) -> None:
        batch, self._batch = self._batch, Batch()
        if self._dry_run:
            own = [waiting for waiting in batch.documents if waiting.has_own_id]
            known = known_origins(self._client, self._collection, [w.external_id for w in own]) if own else {}
            batch.refused = [
                (waiting, _belongs_to_another(waiting, *known[waiting.external_id]))
                for waiting in own
                if waiting.is_of_another(known)
            ]
            self._finish(batch)
            return
        # A file's last document records that the file is complete, so it must be written after all its other documents.
        while any(_is_last_of_file(w) and w.source.in_flight for w in batch.documents) and self._writing:
            self._take()
        while len(self._writing) >= self._jobs:
            self._take()
        if self._jobs == 1 or (is_last and not self._writing) or not self._has_free():
            self._finish(self._write(self._client, batch))
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._jobs, "ingest")
        for waiting in batch.documents:
            waiting.source.in_flight += 1
        self._writing.add(self._threads.submit(self._write_free, batch))

    def _has_free(self) -> bool:
        """Return whether a connection is free, and open one if none is. If the server refuses more, the writer
        continues with fewer."""
        if self._free.empty() and self._connect is not None:
            try:
                self._clients.append(self._connect())
            except ConnectionLostError:
                self._jobs = max(len(self._clients), 1)
            else:
                self._free.put(self._clients[-1])
        return not self._free.empty()

    def _take(self) -> None:
        """Wait until at least one running batch is written, and finish it."""
        done, self._writing = wait(self._writing, return_when=FIRST_COMPLETED)
        # Handle failed batches last: their exception must not hide the batches that succeeded.
        for future in sorted(done, key=lambda future: future.exception() is not None):
            batch = future.result()
            for waiting in batch.documents:
                waiting.source.in_flight -= 1
            self._finish(batch)

    def _write_free(self, batch: Batch) -> Batch:
        client = self._free.get()
        try:
            return self._write(client, batch)
        finally:
            self._free.put(client)

    def _write(self, client: Client, batch: Batch) -> Batch:
        self._write_all(client, batch, batch.documents)
        return batch

    def _write_all(self, client: Client, batch: Batch, documents: list[Waiting]) -> None:
        """Write documents in one transaction. If the database refuses one, split the batch in halves until that
        document is alone."""
        _unmark(documents, [waiting for waiting, _ in batch.refused])
        try:
            self._store(client, batch, documents)
        except InvalidArgumentError as error:
            if len(documents) > 1 and not self._all_or_nothing:
                middle = len(documents) // 2
                self._write_all(client, batch, documents[:middle])
                self._write_all(client, batch, documents[middle:])
                return
            problem = IngestError(error.message, file=documents[0].source.name, line=documents[0].line, hint=error.hint)
            if self._all_or_nothing:
                raise problem from error
            batch.refused.append((documents[0], problem))

    def _store(self, client: Client, batch: Batch, documents: list[Waiting]) -> None:
        """Write documents in one transaction, and refuse each document that would replace one of another source."""
        own = [waiting for waiting in documents if waiting.has_own_id]
        if not own:
            batch.summary += self._add(client, documents)
            return
        others = [waiting for waiting in documents if not waiting.has_own_id]
        for attempt in range(TRIES):
            known: dict[str, tuple[dict[str, Any], str | None]] = {}
            ids = [w.external_id for w in own] if self._expects_known or attempt else []
            if ids:
                known = known_origins(client, self._collection, ids)
            refused = [waiting for waiting in own if waiting.is_of_another(known)]
            allowed = [waiting for waiting in own if not waiting.is_of_another(known)]
            _unmark(documents, refused)
            with suppress(_NotAsLookedUp), client.transaction():
                summary = self._add(client, others)
                written = self._add(client, allowed)
                if written.inserted != sum(w.external_id not in known for w in allowed):
                    # Another run wrote one in the meantime, or the ids were not looked up.
                    raise _NotAsLookedUp
                break
        else:
            raise ConflictError(
                "other runs write the same documents",
                hint="wait until the other runs have ended, and run this command again",
            )
        self._expects_known = bool(known)
        batch.summary += summary + written
        for waiting in refused:
            problem = _belongs_to_another(waiting, *known[waiting.external_id])
            if self._all_or_nothing:
                raise problem
            batch.refused.append((waiting, problem))

    def _add(self, client: Client, documents: list[Waiting]) -> WriteSummary:
        if not documents:
            return WriteSummary()
        return client.add_documents([waiting.document for waiting in documents], collection=self._collection)

    def _finish(self, batch: Batch) -> None:
        for waiting in batch.documents:
            waiting.source.waiting -= 1
            waiting.source.written += 1
        self._done(batch)


class _NotAsLookedUp(Exception):  # noqa: N818
    """Raised when a document appeared or vanished between the lookup of its id and the write."""


def _belongs_to_another(waiting: Waiting, origin: Mapping[str, Any], source_uri: str | None) -> IngestError:
    owner = "a document that pgbraid ingest did not write"
    if origin:
        owner = f"a document of {file_of(source_uri) or file_id(str(origin.get('source')), str(origin.get('path')))}"
    return IngestError(
        f"external_id {waiting.external_id!r} belongs to {owner}",
        file=waiting.source.name,
        line=waiting.line,
        hint="leave out --id-column, so that rows get ids of their own; or load files that replace each other's rows"
        " with the same --source; or delete the stored documents with pgbraid delete",
    )


def _unmark(documents: list[Waiting], refused: list[Waiting]) -> None:
    """Remove the "complete" mark from each file that has a refused document, so that the next run reads the file
    again."""
    sources = {id(waiting.source) for waiting in refused}
    for waiting in documents:
        if (waiting.source.problems or id(waiting.source) in sources) and _is_last_of_file(waiting):
            origin = waiting.document["metadata"][KEY]
            waiting.document["metadata"][KEY] = {"source": origin["source"], "path": origin["path"]}


def _is_last_of_file(waiting: Waiting) -> bool:
    metadata = waiting.document.get("metadata")
    origin = metadata.get(KEY) if isinstance(metadata, Mapping) else None
    return isinstance(origin, Mapping) and "hash" in origin


def _characters(document: Mapping[str, Any]) -> int:
    content = document.get("content")
    size = len(content) if isinstance(content, str) else 0
    for parts, text in (("chunks", "content"), ("turns", "text")):
        if isinstance(document.get(parts), list):
            size += sum(len(str(part.get(text) or "")) + 50 for part in document[parts] if isinstance(part, Mapping))
    return size + 300
