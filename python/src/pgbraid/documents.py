"""Documents as the database takes them: JSON objects, in batches."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Vectors

__all__ = ["batches", "embedded_text", "encode_document", "to_json", "vector_literal", "vectors_literal"]

CHUNK_KEYS = frozenset(
    ("content", "speaker", "category", "importance", "occurred_at", "language", "metadata", "embedding")
)
DOCUMENT_KEYS = CHUNK_KEYS | {"external_id", "title", "source_uri", "chunks"}
# JSON's escape of NUL, and not an escaped backslash before "u0000".
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
BATCH_DOCUMENTS = 500
BATCH_BYTES = 4_000_000


def batches(documents: Iterable[Mapping[str, Any]]) -> Iterator[list[str]]:
    """The documents as JSON texts, in batches bounded by number and size."""
    batch: list[str] = []
    size = 0
    for number, document in enumerate(documents, 1):
        encoded = encode_document(document, number)
        if batch and (len(batch) == BATCH_DOCUMENTS or size + len(encoded) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(encoded)
        size += len(encoded)
    if batch:
        yield batch


def encode_document(document: Mapping[str, Any], number: int = 1) -> str:
    """One document as JSON. Raises InvalidArgumentError naming the document and the key; the database checks
    more."""
    if not isinstance(document, Mapping):
        raise InvalidArgumentError(
            f"document {number} is a {type(document).__name__}, not a dict", hint=_keys_hint(DOCUMENT_KEYS)
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
    _encode_embedding(values, name)
    if isinstance(values.get("chunks"), Sequence) and not isinstance(values["chunks"], str):
        values["chunks"] = [_chunk(chunk, f"{name} chunk {index}") for index, chunk in enumerate(values["chunks"], 1)]
    encoded = to_json(values, name)
    if _NUL.search(encoded):
        raise InvalidArgumentError(f"{name} contains NUL (0x00)", hint="remove it: PostgreSQL has no NUL")
    return encoded


def _chunk(chunk: Any, name: str) -> dict[str, Any]:
    if not isinstance(chunk, Mapping):
        raise InvalidArgumentError(f"{name} is a {type(chunk).__name__}, not a dict", hint=_keys_hint(CHUNK_KEYS))
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


def to_json(value: Any, name: str) -> str:
    """JSON with datetimes in ISO form and numpy's values as plain ones. Raises InvalidArgumentError naming
    `name`."""
    try:
        encoded = json.dumps(value, default=_encode, allow_nan=False, ensure_ascii=False)
        # A lone surrogate cannot be sent.
        encoded.encode()
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"{name} cannot be sent: {error}", hint="use JSON's types, datetimes and arrays"
        ) from error
    return encoded


def _encode(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not JSON")


def vector_literal(vector: Any, name: str) -> str:
    """A vector (any sequence of numbers, numpy's too) as pgvector's text form.

    Raises InvalidArgumentError for anything else, and for NaN and infinity.
    """
    numbers = vector.tolist() if hasattr(vector, "tolist") else vector
    try:
        values = [float(value) for value in numbers]
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            f"the embedding of {name} is not a vector", hint="give one sequence of numbers"
        ) from error
    if not values:
        raise InvalidArgumentError(f"the embedding of {name} is empty", hint="give one sequence of numbers")
    if not all(map(math.isfinite, values)):
        raise InvalidArgumentError(
            f"the embedding of {name} contains NaN or infinite numbers", hint="give finite numbers"
        )
    return "[" + ",".join(map(repr, values)) + "]"


def vectors_literal(vectors: Vectors) -> str:
    """Vectors as PostgreSQL's text form of an array of them."""
    return "{" + ",".join(f'"{vector_literal(vector, "a chunk")}"' for vector in vectors) + "}"


def embedded_text(query: str) -> str:
    """The query without its operators: excluded words and phrases left out, `+` and quotation marks
    removed."""
    wanted = re.sub(r'(?<!\S)-(?:"[^"]*"|\S+)', " ", query)
    return " ".join(re.sub(r'(?<!\S)\+(?=\S)|"', " ", wanted).split())
