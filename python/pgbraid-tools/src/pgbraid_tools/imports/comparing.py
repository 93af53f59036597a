"""Compare the collection with the rows that were imported: their numbers, and what searches find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg import sql

from pgbraid_tools.imports.documents import ROW_ID
from pgbraid_tools.imports.relation import Relation, vector_schema

if TYPE_CHECKING:
    import pgbraid

__all__ = ["NEAREST", "Overlap", "compare_searches"]

NEAREST = 10
_OPERATORS = {"cosine": "<=>", "l2": "<->", "inner_product": "<#>"}


@dataclass(frozen=True)
class Overlap:
    """Tell how many of the nearest rows semantic searches of the collection find: of each search, by a row's vector."""

    found: list[int]
    nearest: int

    def __str__(self) -> str:
        mean = sum(self.found) / len(self.found)
        return (
            f"{len(self.found)} searches by a row's vector find {mean:.1f} of the {self.nearest} nearest rows"
            f" (the worst finds {min(self.found)})"
        )


def compare_searches(
    relation: Relation, client: pgbraid.Client, collection: str, distance: str, sample: int
) -> Overlap | None:
    """Search the collection by the vectors of some rows, and compare with the exact order of the rows by the same
    distance. Rows as near as the last one count as well. Return None if the rows' database has no pgvector."""
    schema = vector_schema(relation.connection)
    if schema is None:
        return None
    chosen = relation.rows(
        "select embedding, count(*) over () from ({rows}) r where content <> '' and embedding is not null"
        " order by md5(id) limit %s",
        sample,
    )
    nearest = min(NEAREST, int(chosen[0][1]))
    distances = sql.SQL(
        """
        with near as materialized (
          select id, vector operator({schema}.{operator}) {query}::{schema}.vector as distance
          from ({rows}) r where content <> '' and vector is not null
        )
        select count(distinct id) from near
        where id = any({found}) and distance <= (select distance from near order by 1 limit 1 offset {last})
        """
    )
    found = []
    for embedding, _ in chosen:
        results = client.search(
            embedding=_vector(embedding), mode="semantic", match_count=nearest, collection=collection
        )
        query = distances.format(
            schema=sql.Identifier(schema),
            operator=sql.SQL(_OPERATORS[distance]),
            query=embedding,
            rows=relation.query,
            found=[str(row.metadata.get(ROW_ID, row.external_id)) for row in results],
            last=nearest - 1,
        )
        ((number,),) = relation.connection.execute(query).fetchall()
        found.append(int(number))
    return Overlap(found, nearest)


def _vector(text: str) -> list[float]:
    return [float(number) for number in text.strip("[]").split(",")]
