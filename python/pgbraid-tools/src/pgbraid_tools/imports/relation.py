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
    "check_rows",
    "check_vectors",
    "count",
    "vector_schema",
]

# Columns that a document or a chunk has beside its text; the query yields each of them.
ATTRIBUTES = ("title", "source_uri", "speaker", "category", "language", "importance", "occurred_at")
# A title or an address that nobody asked for is left out if it is longer, in bytes.
MOST_BYTES = {"title": 4096, "source_uri": 8192}
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

    def rows(self, query: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query in which {rows} stands for the rows to import."""
        return self.connection.execute(sql.SQL(query).format(rows=self.query), arguments or None).fetchall()


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
    for condition, problem, hint in (
        ("octet_length(document) > 1024 or octet_length(id) > 1024", "an id of more than 1024 bytes", "shorten it"),
        (
            "octet_length(content) > 1000000 and embedding is not null",
            "more than 1000000 bytes of text for its vector",
            "set the vector to null: then the text is split into chunks, and embedded",
        ),
    ):
        ((name,),) = relation.rows("select min(id) from ({rows}) r where content <> '' and (" + condition + ")")
        if name is not None:
            raise InvalidArgumentError(f"row {name[:100]!r} has {problem}", hint=hint)
    twice = relation.rows(
        "select id, count(*) from ({rows}) r where content <> '' group by 1 having count(*) > 1 limit 1"
    )
    for name, number in twice:
        raise InvalidArgumentError(f"the id {name!r} is there {number} times", hint="leave one of the rows out")


def check_vectors(relation: Relation, dimensions: int, distance: str, collection: str) -> None:
    """Check, before anything is written, that every vector has the collection's dimensions and finite numbers, and an
    angle if the distance is cosine."""
    found = relation.rows(
        """
        select length(embedding) - length(replace(embedding, ',', '')) + 1, count(*),
               min(id) filter (where embedding ~* 'nan|inf|null'), min(id) filter (where embedding !~ '[1-9]')
        from ({rows}) r where embedding is not null and content <> '' group by 1 order by 2 desc
        """
    )
    for length, number, _, _ in found:
        if length != dimensions:
            raise DimensionMismatchError(
                f'{number} vectors have {length} dimensions, collection "{collection}" has {dimensions}',
                hint=f"create a collection of {length} dimensions, and name it with --collection",
            )
    for _, _, unfinite, zero in found:
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


def vector_schema(connection: psycopg.Connection[Any]) -> str | None:
    """Return the schema of pgvector in a database; None if it is not installed there."""
    row = connection.execute(
        "select n.nspname from pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
    ).fetchone()
    return None if row is None else str(row[0])
