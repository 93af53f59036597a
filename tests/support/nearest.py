"""Compute exact nearest neighbours independently, and share the steps that tests of vector shards repeat."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg.types.json import Jsonb

from support.calls import upsert, vector
from support.roles import owner_role
from support.waiting import PATIENCE, until

Connection = psycopg.Connection[Any]
Vector = npt.NDArray[np.float32]
Hits = list[tuple[str, float]]
# The tolerance is relative to a vector's length, because pgvector sums in single precision.
TOLERANCE = 1e-5


def as_stored(embedding: npt.ArrayLike, storage: str = "vector") -> Vector:
    stored = np.asarray(embedding, np.float32)
    return stored.astype(np.float16).astype(np.float32) if storage == "halfvec" else stored


def scores(vectors: Mapping[str, Vector], query: Vector, distance: str) -> dict[str, float]:
    """Return the score of each vector. Equal vectors have equal scores, because each one is summed separately."""
    if not vectors:
        return {}
    a, b = np.stack([*vectors.values()]).astype(np.float64), np.asarray(query).astype(np.float64)
    if distance == "l2":
        found = 1 / (1 + np.sqrt(((a - b) ** 2).sum(axis=1)))
    else:
        found = (a * b).sum(axis=1)
        if distance == "cosine":
            found /= np.sqrt((a * a).sum(axis=1)) * np.linalg.norm(b)
    return dict(zip(vectors, found.tolist(), strict=True))


def nearest(vectors: Mapping[str, Vector], query: Vector, distance: str, count: int = 10_000) -> Hits:
    """Return (external_id, score) of the nearest, ties by external_id."""
    found = scores(vectors, query, distance)
    return sorted(found.items(), key=lambda item: (-item[1], item[0].encode()))[:count]


def assert_nearest(hits: Hits, vectors: Mapping[str, Vector], query: Vector, distance: str, count: int) -> None:
    """Check that the hits are the nearest, in order; two may swap places only if their scores cannot be told apart."""
    right = scores(vectors, query, distance)
    expected = sorted(right.values(), reverse=True)[:count]
    assert len(hits) == len({external_id for external_id, _ in hits}) == len(expected)
    tolerance = TOLERANCE * max(1.0, *map(abs, expected)) if expected else 0
    for (external_id, found), best in zip(hits, expected, strict=True):
        # The comparison equals pytest.approx, which takes a hundred times as long.
        allowed = max(tolerance, 1e-6 * abs(best))
        assert abs(found - best) <= allowed and abs(found - right[external_id]) <= allowed, external_id
    for (first, first_score), (second, second_score) in pairwise(hits):
        assert first_score >= second_score
        if first_score - second_score <= 4 * tolerance and np.array_equal(vectors[first], vectors[second]):
            assert first_score == second_score and first.encode() < second.encode()


def index_recall(hits: Hits, vectors: Mapping[str, Vector], query: Vector, distance: str) -> float:
    """Return the share of the nearest that was found."""
    expected = {external_id for external_id, _ in nearest(vectors, query, distance, len(hits))}
    return len(expected & {external_id for external_id, _ in hits}) / max(len(expected), 1)


def store(db: Connection, vectors: Mapping[str, npt.ArrayLike], collection: str, **fields: Any) -> None:
    """Store one chunk per document. A document is written again only if its content or its vector differs."""
    documents = [
        {"external_id": name, "content": f"words of {name}", "embedding": vector(np.asarray(embedding)), **fields}
        for name, embedding in vectors.items()
    ]
    for start in range(0, len(documents), 1000):
        upsert(db, documents[start : start + 1000], collection)


def chunk_ids(db: Connection, collection: str) -> dict[str, int]:
    rows = db.execute(
        "select d.external_id, c.id from braid_store.documents d join braid_store.chunks c on c.document_id = d.id"
        " join braid_store.collections k on k.id = d.collection_id join braid_store.tenants t on t.id = d.tenant_id"
        " where k.name = %s and t.key = coalesce(nullif(current_setting('braid.tenant', true), ''), 'default')",
        (collection,),
    )
    return dict(rows.fetchall())


def replace_embeddings(db: Connection, vectors: Mapping[str, npt.ArrayLike], collection: str) -> None:
    ids = chunk_ids(db, collection)
    db.execute(
        "select braid.store_embeddings(%s, %s::text[]::vector[], %s)",
        ([ids[i] for i in vectors], [vector(np.asarray(v)) for v in vectors.values()], collection),
    )


def search(
    db: Connection, query: npt.ArrayLike, collection: str, count: int = 10, filters: Any = None
) -> tuple[Hits, str, list[str]]:
    """Return (external_id, score) of the hits, the mode of the semantic search, and the codes of the warnings."""
    row = db.execute(
        "select braid.search_json(query_embedding => %s::vector, match_count => %s, collection => %s, filters => %s)",
        (vector(np.asarray(query)), count, collection, None if filters is None else Jsonb(filters)),
    ).fetchone()
    assert row is not None
    hits = [(hit["external_id"], hit["score"]) for hit in row[0]["results"]]
    return hits, row[0]["stats"]["semantic_mode"], [warning["code"] for warning in row[0]["warnings"]]


def set_threshold(db: Connection, vectors: int, dimensions: int) -> None:
    """Set the number of vectors of these dimensions from which a shard is made."""
    db.execute("update braid_store.vector_settings set exact_rows = %s", (-(-vectors * (dimensions + 200) // 584),))
    # braid.calibrate() notes all collections, too.
    db.execute("select braid_store.note_collection(id) from braid_store.collections")


def pass_a_day(db: Connection) -> None:
    """Make the dates that maintenance compares a day older."""
    db.execute("update braid_store.centroids set computed_at = computed_at - interval '25 hours'")
    db.execute("update braid_store.due_parts set due_at = due_at - interval '25 hours'")


def maintain(db: Connection, budget: str = "10 minutes", patience: float = PATIENCE) -> int:
    """Run maintain() until no work is left, not even a shard that waits for autovacuum's snapshot; return the number
    of calls."""
    deadline = time.monotonic() + patience
    number = 0
    while time.monotonic() < deadline:
        number += 1
        done = maintain_once(db, budget)
        if done["complete"]:
            return number
        if not done["vector_steps"]:
            time.sleep(0.01)
    raise AssertionError(f"maintain() was not complete after {number} calls: {done}")


def maintain_as_far_as_possible(db: Connection) -> bool:
    """Run maintain() until only work that waits for other sessions is left; return whether no work is left."""
    while True:
        done = maintain_once(db)
        if not any(count for what, count in done.items() if what not in ("warnings", "complete")):
            return bool(done["complete"])


def maintain_once(db: Connection, budget: str = "10 minutes") -> dict[str, Any]:
    row = db.execute("select braid.maintain(%s)", (budget,)).fetchone()
    assert row is not None
    return dict(row[0])


def begin_shard(db: Connection, collection: str, count: int) -> None:
    """Begin a shard as a maintain() does that runs out of time after copying `count` vectors."""
    row = db.execute("select braid_calls.session_tenant_id()").fetchone()
    assert row is not None
    arguments = {"tenant": row[0], "collection": collection, "count": count}
    with db.transaction():
        db.execute(f"set local role {owner_role(db)}")
        db.execute(
            "select braid_store.create_shard(%(tenant)s, c) from braid_store.collections c"
            " where c.name = %(collection)s",
            arguments,
        )
        db.execute(
            "select braid_store.copy_vectors(m, (select s.id from braid_store.vector_shards s where s.state = 'serving'"
            " and (s.tenant_id, s.collection_id) = (m.tenant_id, m.collection_id)), %(count)s)"
            " from braid_store.vector_shards m join braid_store.collections c on c.id = m.collection_id"
            " where c.name = %(collection)s and m.state = 'copying' and m.tenant_id = %(tenant)s",
            arguments,
        )
        # Work that maintain() leaves stays noted.
        db.execute(
            "select braid_store.note_due(%(tenant)s, c.id) from braid_store.collections c"
            " where c.name = %(collection)s",
            arguments,
        )


def shards(db: Connection, collection: str) -> list[tuple[int, str]]:
    """Return (id, state) of the vector shards of all tenants."""
    return db.execute(
        "select s.id, s.state from braid_store.vector_shards s join braid_store.collections c on c.id = s.collection_id"
        " where c.name = %s order by s.id",
        (collection,),
    ).fetchall()


def serving_shard(db: Connection, collection: str) -> int | None:
    serving = [shard_id for shard_id, state in shards(db, collection) if state == "serving"]
    assert len(serving) <= 1
    return serving[0] if serving else None


def shard_tables(db: Connection) -> set[str]:
    rows = db.execute(
        "select relname from pg_class where relnamespace = 'braid_store'::regnamespace and relkind = 'r'"
        " and relname ~ '^vectors_[0-9]+$'"
    )
    return {name for (name,) in rows}


def assert_shard_tables(db: Connection, expected: set[str]) -> None:
    """Check the tables of shards after maintenance, which keeps a shard while any snapshot, even autovacuum's, may
    read it."""

    def are_there() -> bool:
        maintain(db)
        return shard_tables(db) == expected

    until(lambda: shard_tables(db) == expected or are_there(), lambda: shard_tables(db))


def written_count(db: Connection, collection: str) -> int:
    """Return how many vectors are still in the table that writes use."""
    row = db.execute(
        "select count(*) from braid_store.chunk_vectors v join braid_store.collections c on c.id = v.collection_id"
        " where c.name = %s",
        (collection,),
    ).fetchone()
    assert row is not None
    return int(row[0])
