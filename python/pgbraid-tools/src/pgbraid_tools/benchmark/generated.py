"""Generate texts of made-up words whose frequencies fall as in real texts, and vectors in clusters."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pgbraid.install.state import Connection

__all__ = ["COLLECTION", "DIMENSIONS", "fill"]

COLLECTION = "generated"
DIMENSIONS = 384
WORDS, VOCABULARY, CLUSTERS, BATCH = 100, 20_000, 200, 500
SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]


def fill(connection: Connection, count: int, seed: int = 0) -> None:
    """Write `count` documents of 100 words with vectors of 384 dimensions into the collection `generated`, and index
    them."""
    connection.execute(
        "select braid.create_collection(%s, text_config => 'simple', dimensions => %s, embedding_model => 'generated')",
        (COLLECTION, DIMENSIONS),
    )
    for documents, vectors in _batches(count, random.Random(seed)):
        connection.execute(
            "select count(*) from braid.upsert_embedded_documents(%s::jsonb, (select array_agg(v::text::"
            + _vector_type(connection)
            + " order by n) from unnest(%s::text[]) with ordinality u (v, n)), %s)",
            (json.dumps(documents), vectors, COLLECTION),
        )
    connection.execute("call braid.run_maintenance()")
    connection.execute("vacuum analyze")


def _vector_type(connection: Connection) -> Any:
    from psycopg import sql

    row = connection.execute(
        "select n.nspname from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace"
        " where e.extname = 'vector'"
    ).fetchone()
    return sql.Identifier(row[0] if row else "public", "vector").as_string(connection)


def _batches(count: int, rng: random.Random) -> Iterator[tuple[list[dict[str, Any]], list[str]]]:
    words = [_word(rank) for rank in range(VOCABULARY)]
    shares = list(accumulate(1 / (rank + 2) for rank in range(VOCABULARY)))
    centres = [[rng.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in range(CLUSTERS)]
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        documents = [
            {
                "external_id": f"text-{number}",
                "content": " ".join(rng.choices(words, cum_weights=shares, k=WORDS)),
                "embedding": number - first + 1,
            }
            for number in numbers
        ]
        vectors = [
            "[" + ",".join(f"{value + rng.gauss(0, 0.7):.3f}" for value in rng.choice(centres)) + "]" for _ in numbers
        ]
        yield documents, vectors


def _word(rank: int) -> str:
    syllables = [SYLLABLES[rank % len(SYLLABLES)]]
    while rank := rank // len(SYLLABLES):
        syllables.append(SYLLABLES[rank % len(SYLLABLES)])
    return "".join(syllables) + SYLLABLES[len(syllables)]
