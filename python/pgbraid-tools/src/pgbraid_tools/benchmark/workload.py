"""Choose the queries: from a query set, or made of the collection's own words and vectors."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from pgbraid.embedders import Embedder
    from pgbraid.install.state import Connection

__all__ = ["Collection", "Query", "made_queries", "queries_of_set", "read_collection"]

WORD = re.compile(r"[^\W\d_]{3,}")
# Questions lie beside documents, not on them. So a query vector is a stored vector plus a random vector of one and a
# half times its length.
NOISE = 1.5
RANDOM_DOCUMENTS = """
with recursive pages as (
  select array(select d.external_id from braid.list_documents(%(collection)s, 10000) d) as ids
  union all
  select array(select d.external_id from braid.list_documents(%(collection)s, 10000, p.ids[10000]) d)
  from pages p where cardinality(p.ids) = 10000
)
select i.id from pages p, unnest(p.ids) i (id) order by random() limit %(count)s
"""
# Exports the first document after a given external id.
EXPORT = "select braid.export_tenant(%s, %s, 1) -> 'document' -> 'chunks'"


@dataclass(frozen=True)
class Collection:
    name: str
    embedding_model: str
    dimensions: int
    distance: str
    text_config: str
    documents: int
    chunks: int


@dataclass(frozen=True)
class Query:
    text: str
    vector: str


def read_collection(connection: Connection, name: str) -> Collection:
    row = connection.execute("select braid.status(%s) -> 'collections' -> 0", (name,)).fetchone()
    if row is None or row[0] is None:
        raise NotFoundError(f"there is no collection {name!r}", hint="pgbraid status lists them")
    found = row[0]
    if not found["chunks"]:
        raise NotFoundError(
            f"the collection {name!r} has no documents of this tenant",
            hint="name another with --collection and --tenant, or measure generated texts with --generate 10000",
        )
    keys = ("name", "embedding_model", "dimensions", "distance", "text_config", "documents", "chunks")
    return Collection(**{key: found[key] for key in keys})


def made_queries(connection: Connection, collection: Collection, count: int, seed: int = 0) -> list[Query]:
    """Return queries of two to five words of a random chunk, each with a vector near another random chunk's."""
    rng = random.Random(seed)
    texts: list[str] = []
    vectors: list[list[float]] = []
    with connection.transaction():
        connection.execute("select setseed(%s)", (rng.random(),))
        # Take twice as many documents, because some have no words, or no embedding yet. Small collections repeat
        # documents.
        documents = connection.execute(RANDOM_DOCUMENTS, {"collection": collection.name, "count": 2 * count}).fetchall()
        for (after,) in islice(cycle(documents), 2 * count):
            if len(texts) >= count and len(vectors) >= count:
                break
            exported = connection.execute(EXPORT, (collection.name, after)).fetchone()
            if exported is None:
                # No document follows the last one, so begin with the first again.
                exported = connection.execute(EXPORT, (collection.name, "")).fetchone()
            for chunk in rng.sample(exported[0], 1) if exported and exported[0] else []:
                words = list(dict.fromkeys(WORD.findall(chunk["content"])))
                if words:
                    texts.append(" ".join(rng.sample(words, min(len(words), rng.randint(2, 5)))))
                vector = chunk["embeddings"].get(collection.embedding_model)
                if vector is not None:
                    vectors.append(json.loads(vector))
    if not texts or not vectors:
        missing = "words of three letters" if not texts else "embeddings"
        raise NotFoundError(
            f"the documents of {collection.name!r} that were looked at have no {missing}",
            hint="run: pgbraid work --once" if not vectors else "give queries with --query-set",
        )
    return [
        Query(texts[place % len(texts)], _near(vectors[place % len(vectors)], rng, collection.distance))
        for place in range(count)
    ]


def _near(vector: Sequence[float], rng: random.Random, distance: str) -> str:
    length = sum(value * value for value in vector) ** 0.5
    spread = NOISE * length / len(vector) ** 0.5
    moved = [value + rng.gauss(0, spread) for value in vector]
    if distance != "l2":
        # Keep the length: a model's vectors all have about the same length.
        factor = length / (sum(value * value for value in moved) ** 0.5 or 1.0)
        moved = [value * factor for value in moved]
    return "[" + ",".join(f"{value:.6g}" for value in moved) + "]"


def queries_of_set(
    connection: Connection, collection: Collection, query_set: str, count: int, embedders: Sequence[Embedder]
) -> tuple[list[Query], int]:
    """Return queries of a query set, and how many of them have made-up vectors. A query takes the vector stored for its
    text, else the vector of an embedder for the model, else a stored chunk's."""
    rows = connection.execute("select query_text from braid.list_queries(%s, %s)", (query_set, count)).fetchall()
    texts = [text for (text,) in rows if text.strip()]
    if not texts:
        raise InvalidArgumentError(
            f"the query set {query_set!r} has no queries", hint="store queries with braid.store_queries"
        )
    embedder = next((one for one in embedders if one.model_name == collection.embedding_model), None)
    vectors: list[str | None] = []
    for text in texts:
        row = connection.execute("select braid.get_query_embedding(%s, %s)::text", (text, collection.name)).fetchone()
        vectors.append(row[0] if row else None)
        if vectors[-1] is None and embedder is not None:
            vectors[-1] = _text(embedder.embed_query(text))
    missing = vectors.count(None)
    made = iter(made_queries(connection, collection, missing) if missing else [])
    return [
        Query(text, vector if vector is not None else next(made).vector)
        for text, vector in zip(texts, vectors, strict=True)
    ], missing


def _text(vector: Any) -> str:
    values = vector.to_list() if hasattr(vector, "to_list") else list(vector)
    return "[" + ",".join(f"{float(value):.7g}" for value in values) + "]"
