"""Describe rows to import, whichever tool they come from: a query that yields the same columns for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg import sql

from pgbraid.errors import DimensionMismatchError, InvalidArgumentError

if TYPE_CHECKING:
    import psycopg

__all__ = [
    "ATTRIBUTES",
    "MOST_BYTES",
    "ORDER_KEYS",
    "Counts",
    "Relation",
    "check_numbers",
    "check_rows",
    "check_values",
    "check_vectors",
    "count",
    "vector_schema",
]

# Columns that a document or a chunk has beside its text; the query yields each of them.
ATTRIBUTES = ("title", "source_uri", "speaker", "category", "language", "importance", "occurred_at")
# A title or an address that nobody asked for is left out if it is longer, in bytes.
MOST_BYTES = {"title": 4096, "source_uri": 8192}
# Rows that a write refuses: the condition, the problem and the hint. All are checked before the first is written.
_REFUSED = (
    ("coalesce(id, '') = ''", "no id", "name another column with --id-column"),
    ("octet_length(id) > 1024", "an id of more than 1024 bytes", "shorten it"),
    (
        # A document of many rows becomes several, whose names are longer.
        "octet_length(document) > 1000 and document <> id",
        "a document's name of more than 1000 bytes",
        "name another column with --document-column; with the id's column, each row is a document",
    ),
    (
        "octet_length(content) > 1000000 and embedding is not null",
        "more than 1000000 bytes of text for its vector",
        "set the vector to null: then the text is split into chunks, and embedded",
    ),
    (
        # The pattern of braid_store.least_word_count; fewer bytes cannot have as many words.
        "case when octet_length(content) > 65400 and embedding is not null then (select count(*) from regexp_matches("
        r"content, E'[A-Za-z0-9][^\\s\\u3400-\\u9fff]*|[\\u3400-\\u9fff]', 'g')) > 32700 end",
        "more than 32700 words of text for its vector",
        "set the vector to null: then the text is split into chunks, and embedded",
    ),
    (
        "octet_length(content) > 1000000 and document <> id",
        "more than 1000000 bytes of text, and is a chunk of a document",
        "name the id's column with --document-column: then the row is a document, and is split into chunks",
    ),
    ("octet_length(content) > 10000000", "more than 10000000 bytes of text", "divide it into several rows"),
    (
        "case when octet_length(metadata) > 400000 then pg_column_size(metadata::jsonb) > 1000000 end",
        "more than 1000000 bytes of metadata",
        "keep long values elsewhere",
    ),
    *(
        (f"octet_length({key}) > {most}", f"a {key} of more than {most} bytes", "shorten it, or name another column")
        for key, most in {**MOST_BYTES, "speaker": 1024, "category": 1024, "language": 1024}.items()
    ),
)
# The keys of the metadata by which the splitters of LangChain and LangChain.js tell a chunk's place in its document.
ORDER_KEYS = (("page",), ("loc", "pageNumber"), ("start_index",), ("loc", "lines", "from"))


@dataclass(frozen=True)
class Relation:
    """Describe rows to import, on a connection whose transaction sees them unchanged.

    `query` yields `document`, `id`, `content`, `metadata` as JSON, `embedding` as text, and ATTRIBUTES. `vector` is of
    pgvector's type, or null if this database has none. `position` and `place` order the chunks of a document. If
    `is_grouped`, rows of the same `document` are its chunks; else each row is a document.
    """

    connection: psycopg.Connection[Any]
    query: sql.Composable
    is_grouped: bool
    # The name of the text's column, for messages.
    text: str
    # These keys of the metadata, which only the other tool understands, are left out.
    internal: tuple[str, ...] = ()
    # Lines for the user about a source that can be imported, but may lack rows.
    warnings: tuple[str, ...] = ()

    def rows(self, query: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query in which {rows} stands for the rows to import."""
        import psycopg

        try:
            return self.connection.execute(sql.SQL(query).format(rows=self.query), arguments or None).fetchall()
        except psycopg.DataError as error:
            raise InvalidArgumentError(
                f"a row cannot be read: {error.diag.message_primary}",
                hint="correct the value in the table, or import a view that leaves it out",
            ) from error


@dataclass(frozen=True)
class Counts:
    """Count the rows to import: all with text, of these all with a vector, and the rows without text. `documents` is
    what the rows with text become."""

    documents: int
    with_text: int
    with_vector: int
    textless: int


def count(relation: Relation) -> Counts:
    ((rows, with_text, vectors),) = relation.rows(
        "select count(*), count(*) filter (where content <> ''), count(embedding) filter (where content <> '')"
        " from ({rows}) r"
    )
    documents = with_text
    if relation.is_grouped:
        ((documents,),) = relation.rows("select count(distinct document) from ({rows}) r where content <> ''")
    return Counts(documents, with_text, vectors, rows - with_text)


def check_rows(relation: Relation) -> None:
    """Check, before anything is written, what the database would refuse in the middle of an import."""
    found = relation.rows(
        "select "
        + ", ".join(f"min(coalesce(id, '')) filter (where {condition})" for condition, _, _ in _REFUSED)
        # These casts fail for a text that is no number or time.
        + ", count(importance), count(occurred_at) from ({rows}) r where content <> ''"
    )
    for name, (_, problem, hint) in zip(found[0], _REFUSED, strict=False):
        if name is not None:
            row = f"row {name[:100]!r}" if name else "a row"
            raise InvalidArgumentError(f"{row} has {problem}", hint=hint)
    twice = relation.rows(
        "select id, count(*) from ({rows}) r where content <> '' group by 1 having count(*) > 1 limit 1"
    )
    for name, number in twice:
        raise InvalidArgumentError(
            f"the id {name!r} is there {number} times",
            hint="leave one of the rows out; for a key of several columns, import a view that joins them into one",
        )


def check_vectors(relation: Relation, dimensions: int, distance: str, collection: str) -> None:
    """Check, before anything is written, that every vector has the collection's dimensions and finite numbers, and an
    angle if the distance is cosine."""
    found = relation.rows(
        """
        select length(embedding) - length(replace(embedding, ',', '')) + 1, count(*), min(id),
               min(id) filter (where embedding ~* 'nan|inf|null'), min(id) filter (where embedding !~ '[1-9]')
        from ({rows}) r where embedding is not null and content <> '' group by 1 order by 2 desc
        """
    )
    for length, number, name, _, _ in found:
        if length != dimensions:
            vectors = "1 vector has" if number == 1 else f"{number} vectors have"
            raise DimensionMismatchError(
                f'{vectors} {length} dimensions, as of row {name!r}; collection "{collection}" has {dimensions}',
                hint=f"create a collection of {length} dimensions, and name it with --collection",
            )
    for _, _, _, unfinite, zero in found:
        if unfinite is not None:
            raise InvalidArgumentError(
                f"the vector of row {unfinite!r} has NaN, infinity or null",
                hint="correct the row, or set its vector to null",
            )
        if zero is not None and distance == "cosine":
            raise InvalidArgumentError(
                f"the vector of row {zero!r} is zero, which has no cosine",
                hint="set the vector to null, or use a collection with another distance",
            )


def check_numbers(relation: Relation) -> None:
    """Check that vectors of a type other than pgvector's are lists of numbers."""
    ((name,),) = relation.rows(
        "select min(id) from ({rows}) r where content <> '' and embedding !~* %s",
        r"^\[\s*[-+.\d][-+.,e\d\s]*\]$|nan|inf|null",
    )
    if name is not None:
        raise InvalidArgumentError(
            f"the vector of row {name!r} is no list of numbers",
            hint="name a column of the type vector, halfvec or an array of numbers with --vector-column",
        )


def check_values(relation: Relation, table: str) -> None:
    """Check that a temporary table's texts are numbers and times where they have to be."""
    for key, kind, hint in (
        ("importance", "float8", "write a number"),
        ("occurred_at", "timestamptz", "write a time such as 2026-03-01T12:00:00Z"),
    ):
        for name, value in relation.connection.execute(
            sql.SQL("select id, {key} from pg_temp.{} where not pg_input_is_valid({key}, {}) limit 1").format(
                sql.Identifier(table), kind, key=sql.Identifier(key)
            )
        ):
            raise InvalidArgumentError(f"{key} of row {name!r} is {value[:100]!r}", hint=hint)


def vector_schema(connection: psycopg.Connection[Any]) -> str | None:
    """Return the schema of pgvector in a database; None if it is not installed there."""
    row = connection.execute(
        "select n.nspname from pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
    ).fetchone()
    return None if row is None else str(row[0])
