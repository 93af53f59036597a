"""Documents as the database takes them: JSON objects, in batches."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError, LimitExceededError

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Vectors

__all__ = [
    "batches",
    "bounded",
    "checked_records",
    "embedded_text",
    "encode_document",
    "to_json",
    "vector_literal",
    "vectors_literal",
]

CHUNK_KEYS = frozenset(
    ("content", "speaker", "category", "importance", "occurred_at", "language", "metadata", "embedding")
)
DOCUMENT_KEYS = CHUNK_KEYS | {"external_id", "title", "source_uri", "chunks"}
# JSON's escape of NUL, and not an escaped backslash before "u0000".
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
# The lists of braid_store.parse_query: white space, quotation marks, and what is more than punctuation.
_SPACES_AND_QUOTES = dict.fromkeys(
    map(
        ord,
        "\t\n\x0b\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
        "\u2028\u2029\u202f\u205f\u3000",
    ),
    " ",
) | dict.fromkeys(map(ord, "\u201c\u201d\u201e"), '"')
_CLAUSE = re.compile(r'([+-]*)(?:"([^"]*)"|([^" ]+))')
_WORD = re.compile(
    r"[^\x01-/:-@\[-`{-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\u2010-\u205e\u3001-\u3003\u3008-\u301f\uff01-\uff0f"
    r"\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)
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
    """What a query asks for in words, without its operators: clauses in their order, excluded words and phrases
    left out. The clauses are those of braid_store.parse_query, which documents the language."""
    text = query.translate(_SPACES_AND_QUOTES)
    if text.count('"') % 2:
        start, _, end = text.rpartition('"')
        text = f"{start}\u201d{end}"
    wanted = []
    for signs, phrase, word in _CLAUSE.findall(text):
        content = (phrase or word).replace("\u201d", " ").strip(" ")
        if signs == "-" or (not signs and word and content == "OR") or not _WORD.search(content):
            continue
        wanted.append(content.rstrip("* ") if word else content)
    return " ".join(wanted)
