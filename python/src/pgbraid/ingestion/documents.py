"""Documents as the database takes them: JSON objects, in batches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pgbraid.arguments import to_json
from pgbraid.errors import InvalidArgumentError, LimitExceededError
from pgbraid.vectors import vector_literal

__all__ = ["batches", "bounded", "checked_records", "encode_document"]

CHUNK_KEYS = frozenset(
    ("content", "speaker", "category", "importance", "occurred_at", "language", "metadata", "embedding")
)
DOCUMENT_KEYS = CHUNK_KEYS | {"external_id", "title", "source_uri", "chunks"}
# JSON's escape of NUL, and not an escaped backslash before "u0000".
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
BATCH_DOCUMENTS = 500
BATCH_BYTES = 4_000_000
# The limits of braid_store.check_sizes, which the database checks as well.
MOST_CONTENT_BYTES = 10_000_000
MOST_BATCH_BYTES = 64_000_000


def batches(documents: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    """The documents as JSON texts, in batches bounded by number and size."""
    return bounded(encode_document(document, number) for number, document in enumerate(documents, 1))


def bounded(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in batches bounded by number and size."""
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
    """The length of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def checked_records(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are not empty. Raises InvalidArgumentError for the first one that is no JSON, such as the last of
    a file that was cut off."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                json.loads(line)
            except json.JSONDecodeError as error:
                raise InvalidArgumentError(
                    f"line {number} is not JSON: {error.msg} (character {error.colno})",
                    hint="give the lines of an export, whole and unchanged",
                ) from error
            except RecursionError as error:
                raise InvalidArgumentError(f"line {number} is JSON nested too deeply") from error
            yield line


def encode_document(document: Mapping[str, Any], number: int = 1) -> str:
    """One document as JSON. Raises InvalidArgumentError naming the document and the key; the database checks
    more."""
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
    values = dict(document)
    content = values.get("content")
    if isinstance(content, str) and len(content) > MOST_CONTENT_BYTES // 4:
        _check_content(content, name)
    _encode_embedding(values, name)
    if isinstance(values.get("chunks"), Sequence) and not isinstance(values["chunks"], str):
        values["chunks"] = [_chunk(chunk, f"{name} chunk {index}") for index, chunk in enumerate(values["chunks"], 1)]
    encoded = to_json(values, name)
    if _NUL.search(encoded):
        raise InvalidArgumentError(f"{name} contains NUL (0x00)", hint="remove it: PostgreSQL has no NUL")
    return encoded


def _check_content(content: str, name: str) -> None:
    # A lone surrogate is refused below.
    size = len(content.encode(errors="surrogatepass"))
    if size > MOST_CONTENT_BYTES:
        raise LimitExceededError(
            f"content of {name} has {size} bytes, more than {MOST_CONTENT_BYTES}",
            hint="divide the document into several",
            sqlstate="54000",
        )


def _chunk(chunk: Any, name: str) -> dict[str, Any]:
    if not isinstance(chunk, Mapping):
        raise InvalidArgumentError(f"{name} is of type {type(chunk).__name__}, not dict", hint=_keys_hint(CHUNK_KEYS))
    _check_keys(chunk, CHUNK_KEYS, name)
    values = dict(chunk)
    _encode_embedding(values, name)
    return values


def _encode_embedding(values: dict[str, Any], name: str) -> None:
    embedding = values.get("embedding")
    # pgvector's text form goes as it is.
    if embedding is not None and not isinstance(embedding, str):
        values["embedding"] = vector_literal(embedding, name)


def _check_keys(values: Mapping[str, Any], known: frozenset[str], name: str) -> None:
    for key in values:
        if key not in known:
            raise InvalidArgumentError(f"{name} has an unknown key {key!r}", hint=_keys_hint(known))


def _keys_hint(known: frozenset[str]) -> str:
    return f"the keys are {', '.join(sorted(known))}; put others into metadata"
