"""Read exports of Chroma, LanceDB, Qdrant, Elasticsearch and OpenSearch into a temporary table."""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from psycopg import sql

from pgbraid.errors import DimensionMismatchError, InvalidArgumentError, NotFoundError
from pgbraid.long_numbers import dumps, loads
from pgbraid.vectors import to_vector
from pgbraid_tools.errors import IngestError
from pgbraid_tools.files.library import library
from pgbraid_tools.files.records import MISSING, field_value, plain
from pgbraid_tools.imports.relation import ATTRIBUTES, MOST_BYTES, ORDER_KEYS, Relation, check_values, vector_schema

if TYPE_CHECKING:
    import psycopg

__all__ = ["FORMATS", "read_export"]

INPUT = "-"
MOST_LINE_BYTES = 64_000_000
PARQUET_ROWS = 500
_TEXT_NAMES = ("page_content", "text", "content", "document", "body")
_VECTOR_NAMES = ("vector", "embedding")
# LlamaIndex keeps a node as JSON under this key; in Qdrant its text is nowhere else.
_NODE = "_node_content"
_INTERNAL = (_NODE, "_node_type", "document_id", "doc_id", "ref_doc_id")
_DEFAULTS = {"title": ("title", "file_name"), "source_uri": ("source", "file_path", "url"), "document": ("ref_doc_id",)}
_COLUMNS = ("number", "document", "id", "content", "metadata", "vector", "position", *ATTRIBUTES)
# A backslash before it would make it the text \\u0000.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_CONTINUES = "correct the export; nothing was written"
# Names by which a user may mean a record's own id, and a vector without a name.
_OWN_IDS = ("id", "_id")
_OPTIONS = {"content": "text", "embedding": "vector"}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Point:
    """Hold a record of any format: its id, its fields, and its vectors by their names and its text, if these are no
    fields."""

    id: Any
    fields: Mapping[str, Any]
    vectors: Mapping[str, Any] = field(default_factory=dict)
    text: Any = MISSING


def _chroma(record: Mapping[str, Any]) -> Iterator[Point]:
    ids = record.get("ids")
    if isinstance(ids, list):
        columns = [record.get(name) or [None] * len(ids) for name in ("documents", "metadatas", "embeddings")]
        if any(not isinstance(column, list) or len(column) != len(ids) for column in columns):
            raise ValueError("documents, metadatas and embeddings are not as many as ids")
        for name, document, metadata, embedding in zip(ids, *columns, strict=True):
            if not isinstance(metadata, (Mapping, type(None))):
                raise ValueError(f"a metadata is of type {type(metadata).__name__}, not an object")
            yield Point(name, metadata or {}, {"": embedding}, document)
    else:
        yield Point(
            record.get("id"), _object(record, "metadata"), {"": record.get("embedding")}, record.get("document")
        )


def _qdrant(record: Mapping[str, Any]) -> Iterator[Point]:
    answer = record.get("result", record)
    points = answer.get("points") if isinstance(answer, Mapping) else None
    for point in [record] if points is None else points:
        vector = point.get("vector")
        yield Point(point.get("id"), _object(point, "payload"), vector if isinstance(vector, Mapping) else {"": vector})


def _elasticsearch(record: Mapping[str, Any]) -> Iterator[Point]:
    answer = record.get("hits")
    for hit in answer["hits"] if isinstance(answer, Mapping) else [record]:
        if "_source" not in hit:
            raise ValueError("it has no _source, which is there unless a search says _source: false")
        yield Point(hit.get("_id"), _object(hit, "_source"))


def _lancedb(record: Mapping[str, Any]) -> Iterator[Point]:
    yield Point(record.get("id"), {name: value for name, value in record.items() if name != "id"})


def _object(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise ValueError(f"{name} is of type {type(value).__name__}, not an object")
    return value or {}


@dataclass
class _Left:
    """Tell what answers of an engine say of records that they do not have."""

    matches: int = 0
    has_next: bool = False

    def look(self, record: Mapping[str, Any]) -> None:
        hits, result = record.get("hits"), record.get("result")
        if isinstance(hits, Mapping):
            shards = record.get("_shards")
            if record.get("timed_out") is True or (isinstance(shards, Mapping) and shards.get("failed")):
                raise ValueError("the search timed out, or some of its shards failed")
            total = hits.get("total")
            matches = total.get("value") if isinstance(total, Mapping) else total
            self.matches = max(self.matches, matches if isinstance(matches, int) else 0)
        elif isinstance(result, Mapping):
            self.has_next = result.get("next_page_offset") is not None

    def warnings(self, number: int) -> tuple[str, ...]:
        if self.matches > number:
            return (f"the engine says that {self.matches} records match, and the export has {number}: write all pages",)
        return ("the last answer of the export has a next_page_offset: write all pages",) if self.has_next else ()


FORMATS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Point]]] = {
    "chroma": _chroma,
    "lancedb": _lancedb,
    "qdrant": _qdrant,
    "elasticsearch": _elasticsearch,
}


def read_export(
    connection: psycopg.Connection[Any],
    source: str,
    format_name: str,
    given: Mapping[str, str],
    dimensions: int,
    distance: str,
) -> Relation:
    """Copy an export into a temporary table of the open transaction, and return its rows. Raise IngestError, which
    names the line, for anything that cannot be imported, so that nothing is written before all is read."""
    schema = vector_schema(connection)
    assert schema is not None
    connection.execute(
        sql.SQL(
            "create temporary table pgbraid_import (number bigint, document text, id text, content text, metadata text,"
            " vector {}.vector, position jsonb, {}) on commit drop"
        ).format(
            sql.Identifier(schema), sql.SQL(", ").join(sql.SQL("{} text").format(sql.Identifier(n)) for n in ATTRIBUTES)
        )
    )
    copy = sql.SQL("copy pg_temp.pgbraid_import ({}) from stdin").format(
        sql.SQL(", ").join(map(sql.Identifier, _COLUMNS))
    )
    reader = _Reader(source, given, dimensions, distance)
    with connection.cursor() as cursor, cursor.copy(copy) as rows:
        for row in reader.rows(FORMATS[format_name]):
            rows.write_row(row)
    connection.execute("analyze pg_temp.pgbraid_import")
    columns = {
        "embedding": sql.SQL("vector::text"),
        "place": sql.SQL("number"),
        "importance": sql.SQL("importance::float8"),
    }
    names = ("document", "id", "content", "metadata", "embedding", "vector", "position", "place", *ATTRIBUTES)
    query = sql.SQL("select {} from pg_temp.pgbraid_import").format(
        sql.SQL(", ").join(
            sql.SQL("{} as {}").format(columns.get(name, sql.Identifier(name)), sql.Identifier(name)) for name in names
        )
    )
    relation = Relation(
        connection, query, reader.is_grouped, reader.text_name, warnings=reader.left.warnings(reader.number)
    )
    check_values(relation, "pgbraid_import")
    return relation


class _Reader:
    """Read an export as rows of the temporary table."""

    def __init__(self, source: str, given: Mapping[str, str], dimensions: int, distance: str) -> None:
        self.name = "standard input" if source == INPUT else source
        self.is_grouped = False
        self.text_name = given.get("content", "text")
        self._path = None if source == INPUT else Path(source)
        self._given = given
        self._dimensions = dimensions
        self._distance = distance
        self.number = 0
        self.left = _Left()
        # Names that the user gave and some record has, and all names of fields.
        self._known: set[str] = set()
        self._names: dict[str, None] = {}
        if self._path is not None and (not self._path.exists() or self._path.is_dir()):
            raise NotFoundError(
                f"there is no file {source!r}", hint="write the path of the export, or - for standard input"
            )

    def rows(self, points_of: Callable[[Mapping[str, Any]], Iterator[Point]]) -> Iterator[tuple[Any, ...]]:
        for line, record in self._records():
            try:
                if not isinstance(record, Mapping):
                    raise ValueError(f"it is of type {type(record).__name__}, not an object")
                self.left.look(record)
                points = list(points_of(record))
            except (ValueError, AttributeError, TypeError, KeyError) as error:
                raise self._error(
                    line, f"not a record of this format: {error}", "--format names the tool that wrote it"
                ) from error
            for point in points:
                self.number += 1
                yield self._row(point, line)
        if not self.number:
            raise self._error(None, "it has no record", "write the export again")
        for key, name in self._given.items():
            if name not in self._known:
                option = _OPTIONS.get(key, key.replace("_", "-"))
                raise self._error(
                    None, f"no record has {name!r}", f"correct --{option}-key; there are {_names(self._names)}"
                )

    def _records(self) -> Iterator[tuple[int, Any]]:
        if self._path is not None and self._path.suffix == ".parquet":
            yield from self._parquet()
            return
        try:
            yield from self._lines()
        except (OSError, EOFError, zlib.error) as error:
            raise self._error(None, f"cannot be read: {error}", "write the export again") from error

    def _lines(self) -> Iterator[tuple[int, Any]]:
        with closing(self._open()) as stream:
            for line, text in enumerate(iter(lambda: stream.readline(MOST_LINE_BYTES + 1), b""), 1):
                if len(text) > MOST_LINE_BYTES:
                    raise self._error(
                        line, f"the line has more than {MOST_LINE_BYTES} bytes", "export fewer records a line"
                    )
                if not text.strip():
                    continue
                try:
                    record = loads(text)
                except (ValueError, RecursionError) as error:
                    hint = "write one JSON object a line (JSON lines), as jq -c does"
                    if text.startswith(_UTF_16):
                        hint = "write it again as UTF-8, for it is UTF-16"
                    raise self._error(line, f"not JSON: {str(error)[:100]}", hint) from error
                for one in record if isinstance(record, list) else (record,):
                    yield line, one

    def _open(self) -> IO[bytes]:
        if self._path is None:
            return sys.stdin.buffer
        return cast("IO[bytes]", gzip.open(self._path)) if self._path.suffix == ".gz" else self._path.open("rb")

    def _parquet(self) -> Iterator[tuple[int, Any]]:
        parquet = library("pyarrow.parquet", "Parquet")
        arrow = library("pyarrow", "Parquet")
        try:
            with parquet.ParquetFile(self._path) as source:
                number = 0
                for batch in source.iter_batches(batch_size=PARQUET_ROWS, use_threads=False):
                    for record in batch.to_pylist():
                        number += 1
                        yield number, record
        except arrow.ArrowException as error:
            raise self._error(None, f"damaged, or no Parquet: {error}", "write it again") from error

    def _row(self, point: Point, line: int) -> tuple[Any, ...]:
        outer = dict(point.fields)
        fields = outer
        inner = outer.get("metadata")
        if isinstance(inner, Mapping):
            # The fields of inner metadata become metadata, except if a field outside has the same name.
            same = {name: value for name, value in inner.items() if name in outer}
            fields = {**inner, **{name: value for name, value in outer.items() if name != "metadata"}}
            if same:
                fields["metadata"] = same
        self._names.update(dict.fromkeys(list(fields)[:100]) if len(self._names) < 100 else {})
        taken = set()

        def value_of(key: str, names: Sequence[str] = ()) -> Any:
            given = self._given.get(key)
            for name in names if given is None else (given,):
                for scope in (outer, fields):
                    found = field_value(scope, name)
                    if found is not MISSING:
                        taken.add(name)
                        self._known.add(name)
                        return found
            return None

        content = self._content(point, value_of, fields, line)
        vector = self._vector(point, value_of, fields, line)
        given_id = value_of("id") if "id" in self._given else None
        if given_id is None and self._given.get("id", "id") in _OWN_IDS:
            given_id = point.id
        if given_id is None or given_id == "" or isinstance(given_id, (dict, list)):
            raise self._error(line, "the record has no id", f"name its field with --id-key; there are {_names(fields)}")
        row_id = str(given_id)
        internal = _INTERNAL if _NODE in fields else ()
        kept = {name: value for name, value in fields.items() if name not in taken and name not in internal}
        self._known.update(name for name in _OWN_IDS if point.id is not None)
        document = value_of("document", _DEFAULTS["document"])
        if document is not None and document != "None" and str(document) != row_id:
            self.is_grouped = True
        else:
            document = row_id
        attributes = {key: _text(value_of(key, _DEFAULTS.get(key, ()))) for key in ATTRIBUTES}
        for key, most in MOST_BYTES.items():
            value = attributes[key]
            if key not in self._given and value is not None and len(value.encode(errors="surrogatepass")) > most:
                attributes[key] = None
        position = (
            [plain(value_of("order"))]
            if "order" in self._given
            else [
                plain(found) if (found := field_value(fields, ".".join(path))) is not MISSING else None
                for path in ORDER_KEYS
            ]
        )
        return tuple(
            self._checked(value, line)
            for value in (
                self.number, str(document), row_id, content, self._json(kept, line),
                vector, self._json(position, line), *attributes.values(),
            )
        )  # fmt: skip

    def _content(self, point: Point, value_of: Callable[..., Any], fields: Mapping[str, Any], line: int) -> str:
        given = self._given.get("content")
        value = None if point.text is MISSING or given not in (None, "document") else point.text
        if value is not None:
            self._known.add("document")
        else:
            value = value_of("content", _TEXT_NAMES)
        if value is None and isinstance(fields.get(_NODE), str):
            try:
                value = json.loads(fields[_NODE]).get("text")
            except (ValueError, AttributeError, RecursionError):
                value = None
        if isinstance(value, str):
            return value
        if value is not None:
            raise self._error(line, f"the text is of type {type(value).__name__}", "name its field with --text-key")
        # A record without the field that the user named has no text, and is counted so.
        if given is None and point.text is MISSING and all(name not in fields for name in _TEXT_NAMES):
            raise self._error(
                line, "nothing says which field is the text", f"name it with --text-key; there are {_names(fields)}"
            )
        return ""

    def _vector(self, point: Point, value_of: Callable[..., Any], fields: Mapping[str, Any], line: int) -> str | None:
        """Return a record's vector as text. Sparse vectors, which are objects, are left out."""
        dense = {name: one for name, one in point.vectors.items() if one is not None and not isinstance(one, Mapping)}
        wanted = self._given.get("embedding")
        named = "" if wanted in _VECTOR_NAMES and wanted not in point.vectors else wanted
        if named is not None and named in point.vectors:
            self._known.add(str(wanted))
            value = dense.get(named)
            if value is None and point.vectors[named] is not None:
                raise self._error(line, f"the vector {wanted!r} is sparse", "choose a dense one with --vector-key")
        elif wanted is None and len(dense) > 1:
            raise self._error(line, f"the record has the vectors {_names(dense)}", "choose one with --vector-key")
        elif wanted is None and dense:
            (value,) = dense.values()
        else:
            value = value_of("embedding", _VECTOR_NAMES)
        if value is None:
            alike = [name for name, one in fields.items() if isinstance(one, list) and len(one) == self._dimensions > 1]
            alike = [
                name for name in alike if all(isinstance(number, (int, float, Decimal)) for number in fields[name])
            ]
            if alike and wanted is None:
                hint = f"name the vector with --vector-key {alike[0]}"
                raise self._error(line, f"{alike[0]!r} holds {self._dimensions} numbers", hint)
            return None
        try:
            vector = to_vector(value, "the record")
        except InvalidArgumentError as error:
            raise self._error(line, error.message, error.hint or _CONTINUES) from error
        length = vector.dimensions()
        if self._distance == "cosine" and not any(vector.to_list()):
            raise self._error(
                line,
                "the vector is zero, which has no cosine",
                "leave it out, or use a collection with another distance",
            )
        if length != self._dimensions:
            raise DimensionMismatchError(
                f"{self.name}:{line}: the vector has {length} dimensions, the collection has {self._dimensions}",
                hint=f"create a collection of {length} dimensions, and name it with --collection",
            )
        return f"[{','.join(f'{number:.9g}' for number in vector.to_list())}]"

    def _json(self, value: Any, line: int) -> str:
        try:
            text = dumps(plain(value), str, ensure_ascii=False, allow_nan=False)
        except (ValueError, RecursionError) as error:
            raise self._error(line, f"the metadata cannot be read: {str(error)[:100]}", _CONTINUES) from error
        if _NUL.search(text):
            raise self._error(line, "the metadata has the character NUL", _CONTINUES)
        return text

    def _checked(self, value: Any, line: int) -> Any:
        """Return a value that PostgreSQL can store as text."""
        if isinstance(value, str):
            if "\0" in value:
                raise self._error(line, "a text has the character NUL", _CONTINUES)
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise self._error(line, f"a text is not valid Unicode: {error.reason}", _CONTINUES) from error
        return value

    def _error(self, line: int | None, message: str, hint: str) -> IngestError:
        return IngestError(message, file=self.name, line=line, hint=hint)


def _names(fields: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, list(fields)[:20])) or "none"


def _text(value: Any) -> str | None:
    known = plain(value)
    if known is None or known == "" or (isinstance(known, float) and not math.isfinite(known)):
        return None
    return known if isinstance(known, str) else dumps(known, str, ensure_ascii=False)
