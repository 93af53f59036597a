"""Read tables of PostgreSQL: of one's own, and as LangChain, LlamaIndex and Supabase's guides make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from psycopg import sql

from pgbraid.errors import InvalidArgumentError, NotFoundError
from pgbraid_tools.imports.relation import ATTRIBUTES, MOST_BYTES, ORDER_KEYS, Relation, check_numbers, vector_schema

if TYPE_CHECKING:
    import psycopg

__all__ = ["LAYOUTS", "read_table"]


@dataclass(frozen=True)
class Layout:
    """Describe the tables of a tool. `columns` has a column, or a key of the metadata, for each key of a row; of
    several, the first that a row has. `table` is the table's name, with {} for the name given."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    table: str = "{}"
    internal: tuple[str, ...] = ()
    # All columns that are left become metadata.
    keeps_others: bool = False


def _columns(
    content: str, metadata: str, *ids: str, document: str = "source", **more: str
) -> dict[str, tuple[str, ...]]:
    """Return the columns of a framework's table, and the keys of its metadata that fill a document's columns."""
    return {
        "id": ids,
        "content": (content,),
        "metadata": (metadata,),
        "embedding": ("embedding",),
        "document": (document,),
        "title": ("title", "file_name"),
        "source_uri": ("source", "file_path", "url"),
        **{key: (name,) for key, name in more.items()},
    }


LANGCHAIN = "langchain"
LAYOUTS = {
    "table": Layout(),
    LANGCHAIN: Layout(_columns("document", "cmetadata", "id", "custom_id"), table="langchain_pg_embedding"),
    "langchain-postgres": Layout(_columns("content", "langchain_metadata", "langchain_id"), keeps_others=True),
    "supabase": Layout(_columns("content", "metadata", "id")),
    "llamaindex": Layout(
        _columns("text", "metadata_", "node_id", document="ref_doc_id", order="id"),
        table="data_{}",
        internal=("_node_content", "_node_type", "document_id", "doc_id", "ref_doc_id"),
    ),
}
# These must be columns; the others may be keys of the metadata.
_OWN_COLUMNS = ("id", "content", "metadata", "embedding")
_OPTIONS = {"content": "text", "embedding": "vector"}
# The SQL that casts a value to the type of a document's key. Other keys are text.
_FORMS = {"importance": "({})::float8", "occurred_at": "to_json(({})::timestamptz) #>> '{{}}'"}
# Kinds of relations whose rows have a place in a file.
_STORED = "rpm"
# Columns for an index, which hold the text once more.
_DERIVED = "tsvector"
# Types whose values are vectors of numbers.
_VECTORS = ("vector", "halfvec")
_JSON = ("json", "jsonb")


def read_table(
    connection: psycopg.Connection[Any], source: str, layout_name: str, given: Mapping[str, str]
) -> Relation:
    """Return the rows of a table. `given` names columns, or keys of the metadata, for keys of a row. Raise
    NotFoundError, and InvalidArgumentError for a name that the table lacks."""
    layout = LAYOUTS[layout_name]
    table = _Table.described(connection, layout.table, source)
    names = {**layout.columns, **{key: (name,) for key, name in given.items()}}
    for key in ("id", "content"):
        if key not in names:
            option = f"--{_OPTIONS.get(key, key)}-column"
            raise InvalidArgumentError(f"{option} is missing", hint=f"the table's columns are {', '.join(table.types)}")
    table = table.with_metadata(next((name for name in names.get("metadata", ()) if name in table.types), None))
    for key, name in given.items():
        table.check(connection, source, key, name)
    expressions = {
        key: table.first(key, candidates) for key, candidates in names.items() if key not in ("document", "order")
    }
    for key in MOST_BYTES.keys() & expressions.keys() - given.keys():
        expressions[key] = sql.SQL("case when octet_length({0}) between 1 and {1} then {0} end").format(
            expressions[key], MOST_BYTES[key]
        )
    id_name = next(name for name in names["id"] if name in table.types)
    is_grouped = "document" in names and names["document"] != (id_name,)
    document = table.first("document", names["document"]) if is_grouped else sql.NULL
    schema = vector_schema(connection)
    embedding = table.own("embedding", names.get("embedding", ()))
    vector_type = next((table.types[name] for name in names.get("embedding", ()) if name in table.types), None)
    columns = {
        # LlamaIndex writes None where a node comes from no document.
        "document": sql.SQL("coalesce(nullif(nullif({}, ''), 'None'), {})").format(document, expressions["id"]),
        "id": expressions["id"],
        "content": expressions["content"],
        "metadata": table.metadata(names if layout.keeps_others else None),
        "embedding": expressions.get("embedding", sql.NULL),
        "vector": sql.NULL
        if schema is None or embedding is None
        else sql.SQL("{}::{}.vector").format(
            expressions["embedding"] if vector_type in _JSON else embedding, sql.Identifier(schema)
        ),
        "position": table.position(names.get("order", ())),
        "place": sql.SQL("t.ctid") if table.is_stored else sql.SQL("null::tid"),
        **{key: expressions.get(key, sql.NULL) for key in ATTRIBUTES},
    }
    selected = sql.SQL(", ").join(
        sql.SQL("{} as {}").format(value, sql.Identifier(name)) for name, value in columns.items()
    )
    query: sql.Composable = sql.SQL("select {} from {} t").format(selected, table.name)
    if layout_name == LANGCHAIN:
        query += sql.SQL(" where t.collection_id = {}").format(_langchain_collection(connection, table.schema, source))
    relation = Relation(connection, query, is_grouped, names["content"][0], layout.internal)
    if vector_type is not None and vector_type not in _VECTORS:
        check_numbers(relation)
    return relation


@dataclass(frozen=True)
class _Table:
    name: sql.Identifier
    schema: str
    types: Mapping[str, str]
    is_stored: bool
    metadata_column: str | None = None

    @classmethod
    def described(cls, connection: psycopg.Connection[Any], pattern: str, source: str) -> _Table:
        """Describe the table of this name, or of the tool's own name for it."""
        import psycopg

        rows = []
        names = [pattern.format(source), source if "{}" in pattern else pattern]
        # A name such as Document is a table's exact name, too, though SQL reads it as document.
        names += [".".join(f'"{part}"' for part in name.split(".")) for name in names if '"' not in name]
        for name in names:
            try:
                with connection.transaction():
                    rows = connection.execute(
                        """
                        select n.nspname, c.relname, c.relkind, a.attname, t.typname
                        from pg_catalog.pg_class c
                        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                        join pg_catalog.pg_type t on t.oid = a.atttypid
                        where c.oid = pg_catalog.to_regclass(%s)
                        order by a.attnum
                        """,
                        (name,),
                    ).fetchall()
            except (psycopg.ProgrammingError, psycopg.NotSupportedError, psycopg.DataError) as error:
                if name == names[-1]:
                    raise InvalidArgumentError(
                        f"{source!r} is not a table's name", hint="write table or schema.table"
                    ) from error
            if rows:
                break
        if not rows:
            raise NotFoundError(
                f"table {names[0]!r} does not exist",
                hint="write the table with its schema: schema.table; its database is --source-dsn",
            )
        schema, relation, kind = rows[0][:3]
        kind = kind.decode() if isinstance(kind, bytes) else kind
        return cls(sql.Identifier(schema, relation), schema, {row[3]: row[4] for row in rows}, kind in _STORED)

    def with_metadata(self, column: str | None) -> _Table:
        return replace(self, metadata_column=column)

    def check(self, connection: psycopg.Connection[Any], source: str, key: str, name: str) -> None:
        """Check that a name given by the user is a column, or a key that some row's metadata has."""
        if name in self.types:
            return
        if key not in _OWN_COLUMNS and self.metadata_column is not None:
            exists = sql.SQL("select exists (select from {} t where {} is not null)").format(
                self.name, self._json(name.split("."))
            )
            ((is_there,),) = connection.execute(exists).fetchall()
            if is_there:
                return
        raise InvalidArgumentError(
            f"table {source!r} has no column {name!r}", hint=f"its columns are {', '.join(self.types)}"
        )

    def own(self, key: str, candidates: Sequence[str]) -> sql.Composable | None:
        found = next((name for name in candidates if name in self.types), None)
        if found is None and candidates and key in ("id", "content"):
            raise InvalidArgumentError(
                f"the table has no column {candidates[0]!r}",
                hint=f"name it with --{_OPTIONS.get(key, key)}-column; the columns are {', '.join(self.types)}",
            )
        return None if found is None else sql.Identifier("t", found)

    def first(self, key: str, candidates: Sequence[str]) -> sql.Composable:
        """Return the value of a key: a column's, or the first of some keys of the metadata."""
        found = next((name for name in candidates if name in self.types), None)
        if key in _OWN_COLUMNS or found is not None:
            column = self.own(key, candidates)
            if column is None:
                return sql.NULL
            assert found is not None
            # Arrays of numbers become JSON arrays, the text form of vectors.
            form = "to_json({})::text" if self.types[found].startswith("_") else "{}::text"
            if key == "embedding" and self.types[found] in _JSON:
                form = "({} #>> '{{}}')"
            return sql.SQL(_FORMS.get(key, form)).format(column)
        if self.metadata_column is None:
            return sql.NULL
        texts: list[sql.Composable] = [
            sql.SQL("({} #>> '{{}}')").format(self._json(name.split("."))) for name in candidates
        ]
        value = sql.SQL("coalesce({})").format(sql.SQL(", ").join(texts))
        return sql.SQL(_FORMS.get(key, "{}")).format(value)

    def position(self, candidates: Sequence[str]) -> sql.Composable:
        """Return a JSON array by which the chunks of a document are ordered."""
        columns = [name for name in candidates if name in self.types]
        if columns:
            values: list[sql.Composable] = [sql.SQL("to_jsonb({})").format(sql.Identifier("t", one)) for one in columns]
        elif self.metadata_column is None:
            return sql.SQL("null::jsonb")
        else:
            values = [self._json(path) for path in [name.split(".") for name in candidates] or ORDER_KEYS]
        return sql.SQL("jsonb_build_array({})").format(sql.SQL(", ").join(values))

    def metadata(self, used: Mapping[str, Sequence[str]] | None) -> sql.Composable:
        """Return the metadata as JSON; with the columns that are not `used`, if there are any."""
        own = sql.NULL if self.metadata_column is None else sql.Identifier("t", self.metadata_column)
        if used is None:
            return sql.SQL("{}::jsonb::text").format(own)
        left_out = [name for key in _OWN_COLUMNS for name in used.get(key, ())]
        left_out += [name for name, kind in self.types.items() if kind == _DERIVED]
        return sql.SQL("(jsonb_strip_nulls(to_jsonb(t) - {}::text[]) || coalesce({}::jsonb, '{{}}'))::text").format(
            left_out, own
        )

    def _json(self, path: Sequence[str]) -> sql.Composable:
        assert self.metadata_column is not None
        return sql.SQL("({}::jsonb #> {}::text[])").format(sql.Identifier("t", self.metadata_column), list(path))


def _langchain_collection(connection: psycopg.Connection[Any], schema: str, source: str) -> sql.Composable:
    """Return the id of LangChain's collection of this name."""
    query = sql.SQL("select name, uuid::text from {}").format(sql.Identifier(schema, "langchain_pg_collection"))
    found = dict(connection.execute(query).fetchall())
    if source not in found:
        names = ", ".join(sorted(map(str, found))[:20]) or "none"
        raise NotFoundError(f"LangChain has no collection {source!r}", hint=f"its collections are {names}")
    return sql.SQL("{}::uuid").format(found[source])
