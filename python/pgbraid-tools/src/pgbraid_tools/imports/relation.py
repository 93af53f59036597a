"""Describe rows to import, whichever tool they come from: a query that yields the same columns for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg import sql

from pgbraid.errors import DimensionMismatchError, InvalidArgumentError

if TYPE_CHECKING:
    import psycopg

__all__ = ["ATTRIBUTES", "ORDER_KEYS", "Counts", "Relation", "check_vectors", "count", "vector_schema"]

# Columns that a document or a chunk has beside its text; the query yields each of them.
ATTRIBUTES = ("title", "source_uri", "speaker", "category", "language", "importance", "occurred_at")
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


def check_vectors(relation: Relation, dimensions: int, collection: str) -> None:
    """Check, before anything is written, that every vector has the collection's dimensions and finite numbers."""
    found = relation.rows(
        """
        select length(embedding) - length(replace(embedding, ',', '')) + 1, count(*), min(id),
               bool_or(embedding ~* 'nan|inf|null')
        from ({rows}) r where embedding is not null group by 1 order by 2 desc
        """
    )
    for length, number, _, _ in found:
        if length != dimensions:
            raise DimensionMismatchError(
                f'{number} vectors have {length} dimensions, collection "{collection}" has {dimensions}',
                hint=f"create a collection of {length} dimensions, and name it with --collection",
            )
    if any(is_bad for *_, is_bad in found):
        ((name,),) = relation.rows("select min(id) from ({rows}) r where embedding ~* 'nan|inf|null'")
        raise InvalidArgumentError(
            f"the vector of row {name!r} has NaN, infinity or null", hint="correct the row, or set its vector to null"
        )


def vector_schema(connection: psycopg.Connection[Any]) -> str | None:
    """Return the schema of pgvector in a database; None if it is not installed there."""
    row = connection.execute(
        "select n.nspname from pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
    ).fetchone()
    return None if row is None else str(row[0])
