"""Check documents, and encode them in batches: the documents as JSON, and their embeddings as a separate list."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pgbraid._background import in_background
from pgbraid.arguments import to_json
from pgbraid.errors import RENAMED_ARGUMENTS, InvalidArgumentError, LimitExceededError
from pgbraid.stored import FailedDocument
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgvector import Vector

CHUNK_KEYS = frozenset(
    ("content", "speaker", "category", "importance", "occurred_at", "language", "metadata", "embedding", "sparse")
) | {"token_vectors"}
DOCUMENT_KEYS = CHUNK_KEYS | {
    *("external_id", "title", "source_uri", "access", "chunks", "turns", "chunk_tokens", "overlap_tokens", "format"),
}
# Each batch becomes a segment of the full-text index, with a row for each of its lexemes. Texts of 150 words fill a
# batch's bytes with 3,500 documents. Compared with batches of 2,000, this makes two thirds of the rows, and takes a
# ninth less CPU.
BATCH_DOCUMENTS = 5000
BATCH_BYTES = 4_000_000
BATCH_EMBEDDING_BYTES = 16_000_000
# More threads would take turns on one core.
_PREPARING = threading.BoundedSemaphore(4)
# Limits of braid_store.check_sizes; the database checks them as well.
MOST_CONTENT_BYTES = 10_000_000
MOST_BATCH_BYTES = 64_000_000


@dataclass
class CheckedDocument:
    """Hold a document with its embeddings. They are read only once, because the caller may give iterators."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)
    # Its index among the documents given, from 0.
    index: int = 0
    embeddings: list[Vector] = field(default_factory=list)
    # The embeddings belong to these dicts: the document itself or some of its chunks.
    embedded: list[dict[str, Any]] = field(default_factory=list)

    def encode(self, first_place: int = 1) -> str:
        """Return the document as JSON, with a number in place of each embedding: its position among the vectors of
        the batch, counted from `first_place`."""
        for place, values in enumerate(self.embedded, first_place):
            values["embedding"] = place
        return to_json(self.values, self.name)

    def take_embedding(self, values: dict[str, Any], name: str) -> None:
        embedding = values.get("embedding")
        if embedding is not None:
            read = _parse_vector if isinstance(embedding, str) else to_vector
            self.embeddings.append(read(embedding, name))
            self.embedded.append(values)
        tokens = values.get("token_vectors")
        if tokens is not None and not isinstance(tokens, (str, bytes, Mapping)):
            values["token_vectors"] = [
                vector if isinstance(vector, str) else _as_text(to_vector(vector, f"{name} token {number}"))
                for number, vector in enumerate(tokens, 1)
            ]


@dataclass
class Batch:
    """Hold documents as JSON texts, in which an embedding is the number of its vector in `embeddings`, from 1."""

    texts: list[str] = field(default_factory=list)
    embeddings: list[Vector] = field(default_factory=list)
    text_bytes: int = 0
    embedding_bytes: int = 0
    documents: list[CheckedDocument] = field(default_factory=list)

    def halves(self) -> Iterator[Batch]:
        """Yield two batches, with half of the documents each."""
        middle = len(self.documents) // 2
        for documents in (self.documents[:middle], self.documents[middle:]):
            half = Batch()
            for document in documents:
                half.add(document)
            yield half

    def naming(self, error: InvalidArgumentError) -> InvalidArgumentError:
        """Return the error with the index of the document that it names."""
        for document in self.documents:
            named = str(document.values["external_id"])[:100]
            if f'"{named}"' in error.message or f"'{named}'" in error.message:
                return naming(error, document.index)
        return error

    def add(self, document: CheckedDocument) -> bool:
        """Add a document if there is room; return whether there was. An empty batch has room for any document."""
        if len(self.texts) == BATCH_DOCUMENTS:
            return False
        text = document.encode(len(self.embeddings) + 1)
        text_bytes = self.text_bytes + byte_length(text)
        embedding_bytes = self.embedding_bytes + sum(4 * vector.dimensions() for vector in document.embeddings)
        if self.texts and (text_bytes > BATCH_BYTES or embedding_bytes > BATCH_EMBEDDING_BYTES):
            return False
        self.texts.append(text)
        self.documents.append(document)
        self.embeddings += document.embeddings
        self.text_bytes, self.embedding_bytes = text_bytes, embedding_bytes
        return True


def naming(error: InvalidArgumentError, index: int) -> InvalidArgumentError:
    """Return the error with the index of its document among the documents given."""
    return type(error)(f"{error.message} (documents[{index}])", hint=error.hint, sqlstate=error.sqlstate)


def failure(error: InvalidArgumentError, index: int, document: Any) -> FailedDocument:
    """Return what to report of a document that is left out."""
    external_id = document.get("external_id") if isinstance(document, Mapping) else None
    return FailedDocument(index, None if external_id is None else str(external_id), error.message, error.hint)


def batches(documents: Iterable[Mapping[str, Any]], failed: list[FailedDocument] | None = None) -> Iterator[Batch]:
    """Yield the documents in batches bounded by number and size. Add documents that cannot be sent to `failed`; without
    it, raise the first one's InvalidArgumentError."""
    batch = Batch()
    for index, document in enumerate(documents):
        try:
            checked = check_document(document, index + 1)
            checked.index = index
            if not batch.add(checked):
                yield batch
                batch = Batch()
                batch.add(checked)
        except InvalidArgumentError as error:
            if failed is None:
                raise naming(error, index) from error
            failed.append(failure(error, index, document))
    if batch.texts:
        yield batch


def batches_ahead(
    documents: Sequence[Mapping[str, Any]], failed: list[FailedDocument] | None = None
) -> Iterator[Batch]:
    """Yield as `batches` does, and prepare each next batch in a thread while the caller stores the current one. Use
    no thread if documents have iterators, because a thread would run the caller's code."""
    made = batches(documents, failed)
    if not all(map(_is_there, documents)):
        yield from made
        return
    batch = next(made, None)
    count = 0
    while batch is not None:
        count += len(batch.texts)
        if count + len(failed or ()) >= len(documents):
            yield batch
            return
        following = in_background(lambda: next(made, None), places=_PREPARING)
        yield batch
        batch = following.result()


def _is_there(document: Any) -> bool:
    """Return whether a document has no iterator, such as turns from a cursor."""
    if not isinstance(document, dict):
        return False
    chunks, turns = document.get("chunks"), document.get("turns")
    return (
        (chunks is None or (isinstance(chunks, (list, tuple)) and not any(map(_has_iterator, chunks))))
        and (turns is None or isinstance(turns, (list, tuple)))
        and not _has_iterator(document)
    )


def _has_iterator(values: Any) -> bool:
    return not isinstance(values, dict) or any(
        hasattr(values.get(key), "__next__") for key in ("embedding", "token_vectors")
    )


def bounded(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield texts in batches bounded by number and size."""
    batch: list[str] = []
    size = 0
    for text in texts:
        bytes_more = byte_length(text)
        if batch and (len(batch) == BATCH_DOCUMENTS or size + bytes_more > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += bytes_more
    if batch:
        yield batch


def byte_length(text: str) -> int:
    """Return the length of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def checked_records(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are not empty. Raise InvalidArgumentError for the first line that is not JSON, such as the
    last line of a truncated file."""
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise InvalidArgumentError(
                f"line {number} is of type {type(line).__name__}, not str",
                hint="give the lines of an export, unchanged",
            )
        if line.strip():
            try:
                json.loads(line, parse_constant=_no_constant, parse_int=str)
            except ValueError as error:
                problem = f"it has {error}"
                if isinstance(error, json.JSONDecodeError):
                    problem = f"{error.msg} (character {error.colno})"
                hint = "give the lines of an export, complete and unchanged"
                raise InvalidArgumentError(f"line {number} is not JSON: {problem}", hint=hint) from error
            except RecursionError as error:
                raise InvalidArgumentError(f"line {number} is JSON nested too deeply") from error
            yield line


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def check_document(document: Mapping[str, Any], number: int = 1) -> CheckedDocument:
    """Return the checked document. Raise InvalidArgumentError naming document and key; the database checks more."""
    if not isinstance(document, Mapping):
        raise InvalidArgumentError(
            f"document {number} is of type {type(document).__name__}, not dict", hint=_keys_hint(DOCUMENT_KEYS)
        )
    external_id = document.get("external_id")
    if external_id is None or external_id == "":
        raise InvalidArgumentError(
            f"document {number} has no external_id",
            hint="give each document your own id for it, 1 to 1024 bytes long",
        )
    name = f"document {str(external_id)[:100]!r}"
    _check_keys(document, DOCUMENT_KEYS, name)
    checked = CheckedDocument(name, dict(document))
    values = checked.values
    content = values.get("content")
    if isinstance(content, str) and len(content) > MOST_CONTENT_BYTES // 4:
        _check_content(content, name)
    checked.take_embedding(values, name)
    if isinstance(values.get("chunks"), Sequence) and not isinstance(values["chunks"], str):
        values["chunks"] = [
            _chunk(chunk, f"{name} chunk {index}", checked) for index, chunk in enumerate(values["chunks"], 1)
        ]
    if isinstance(values.get("turns"), Iterable) and not isinstance(values["turns"], (str, Mapping)):
        values["turns"] = list(values["turns"])
    return checked


def _check_content(content: str, name: str) -> None:
    # surrogatepass counts a lone surrogate, which is refused later.
    size = len(content.encode(errors="surrogatepass"))
    if size > MOST_CONTENT_BYTES:
        raise LimitExceededError(
            f"content of {name} has {size} bytes, more than {MOST_CONTENT_BYTES}",
            hint="divide the document into several",
            sqlstate="54000",
        )


def _chunk(chunk: Any, name: str, document: CheckedDocument) -> dict[str, Any]:
    if not isinstance(chunk, Mapping):
        raise InvalidArgumentError(f"{name} is of type {type(chunk).__name__}, not dict", hint=_keys_hint(CHUNK_KEYS))
    _check_keys(chunk, CHUNK_KEYS, name)
    values = dict(chunk)
    document.take_embedding(values, name)
    return values


def _as_text(vector: Vector) -> str:
    """Return pgvector's text form, with more digits than half precision has."""
    return f"[{','.join(f'{number:.6g}' for number in vector.to_list())}]"


def _parse_vector(text: str, name: str) -> Vector:
    """Parse pgvector's text form, [1,2,3]; its numbers need not be JSON's: .5 and 1. are accepted, too."""
    inner = text.strip()
    try:
        if not (inner.startswith("[") and inner.endswith("]")) or "_" in inner:
            raise ValueError(inner[:100])
        numbers = [float(number) for number in inner[1:-1].split(",")] if inner[1:-1].strip() else []
    except ValueError as error:
        raise InvalidArgumentError(
            f"the embedding of {name} is not a vector", hint="give one sequence of numbers"
        ) from error
    return to_vector(numbers, name)


def _check_keys(values: Mapping[str, Any], known: frozenset[str], name: str) -> None:
    for key in values:
        if key not in known:
            new = RENAMED_ARGUMENTS.get(key)
            hint = f"it is called {new} now" if new in known else _keys_hint(known)
            raise InvalidArgumentError(f"{name} has an unknown key {key!r}", hint=hint)


def _keys_hint(known: frozenset[str]) -> str:
    return f"the keys are {', '.join(sorted(known))}; put other keys into metadata"
