"""A shard with single precision gets an index over halfvec if halfvec can hold its vectors and tell them apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.calls import one
from support.nearest import (
    Connection,
    Vector,
    assert_nearest,
    index_recall,
    maintain,
    search,
    serving_shard,
    set_threshold,
    store,
)
from support.roles import owner_role

pytestmark = pytest.mark.tenant_of_its_own
DIMENSIONS = 6
CLASSES = {"cosine": "cosine", "inner_product": "ip", "l2": "l2"}


def made_up(count: int, seed: int = 0, offset: float = 0, spread: float = 1, prefix: str = "d") -> dict[str, Vector]:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)) * spread + offset
    return {f"{prefix}{number:04}": row for number, row in enumerate(rows.astype(np.float32))}


def indexed(db: Connection, vectors: dict[str, Vector], distance: str) -> None:
    db.execute(
        "select braid.create_collection('c', dimensions => %s, distance => %s,"
        ' settings => \'{"vector_storage": "vector"}\')',
        (DIMENSIONS, distance),
    )
    set_threshold(db, 200, DIMENSIONS)
    store(db, vectors, "c")
    maintain(db)


def shard_of(db: Connection) -> dict[str, Any]:
    (shard,) = one(db, "select braid.status('c') #> '{collections,0,vectors,shards}'")
    return dict(shard)


def forget_far_distance(db: Connection) -> None:
    """Take the index's answer however far it is: the distance that counts as far depends on the random graph."""
    with db.transaction():
        db.execute(f"set local role {owner_role(db)}")
        db.execute("update braid_store.vector_shards set far_distance = null, far_ef_search = null")


def definition(db: Connection) -> str:
    return str(one(db, f"select pg_get_indexdef('braid_store.vectors_{serving_shard(db, 'c')}_hnsw'::regclass)"))


def read_by_index(db: Connection, query: Vector, count: int = 10) -> bool:
    """Tell whether the index alone answers the search, without a scan of the shard."""
    scans = f"select pg_stat_get_xact_numscans('braid_store.vectors_{serving_shard(db, 'c')}'::regclass)"
    with db.transaction():
        before = one(db, scans)
        assert search(db, query, "c", count)[1] == "hnsw"
        return bool(one(db, scans) == before)


@pytest.mark.parametrize("distance", CLASSES)
@pytest.mark.parametrize("length", [1e-1, 1, 1e3])
def test_the_index_is_over_halfvec_and_the_scores_are_not(db: Connection, distance: str, length: float) -> None:
    vectors = made_up(300, spread=length)
    indexed(db, vectors, distance)
    assert shard_of(db)["index_type"] == "halfvec"
    assert f"halfvec_{CLASSES[distance]}_ops" in definition(db)
    found = []
    for number in range(8):
        query = list(made_up(8, 1, spread=length).values())[number]
        assert read_by_index(db, query)
        hits, _, _ = search(db, query, "c")
        exact, mode, _ = search(db, query, "c", 10_000)
        assert mode == "exact"
        assert_nearest(exact, vectors, query, distance, 10_000)
        # The scores are equal to the last bit, and the order is exact.
        assert hits == [hit for hit in exact if hit in hits]
        found.append(index_recall(hits, vectors, query, distance))
    assert np.mean(found) >= 0.985


@pytest.mark.any_version
def test_an_older_shard_keeps_its_index_until_it_is_rebuilt(db: Connection) -> None:
    vectors = made_up(300)
    indexed(db, vectors, "cosine")
    shard = serving_shard(db, "c")
    with db.transaction():
        db.execute(f"set local role {owner_role(db)}")
        db.execute(f"drop index braid_store.vectors_{shard}_hnsw")
        db.execute(
            f"create index vectors_{shard}_hnsw on braid_store.vectors_{shard}"
            " using hnsw (embedding vector_cosine_ops) where not is_duplicate"
        )
        db.execute("update braid_store.vector_shards set index_type = null where id = %s", (shard,))
    query = np.ones(DIMENSIONS, np.float32)
    store(db, {"large": 1e6 * query}, "c")
    vectors["large"] = 1e6 * query
    maintain(db)
    assert "index_type" not in shard_of(db) and serving_shard(db, "c") == shard
    assert read_by_index(db, query)
    assert search(db, query, "c")[0][0][0] == "large"
    db.execute("select braid.delete_document('large', 'c')")
    db.execute("select braid.rebuild_vector_index('c')")
    maintain(db)
    assert shard_of(db)["index_type"] == "halfvec" and serving_shard(db, "c") != shard
    assert read_by_index(db, query)


@pytest.mark.parametrize("distance", CLASSES)
def test_what_halfvec_cannot_hold_is_stored_and_found(db: Connection, distance: str) -> None:
    vectors = made_up(300)
    indexed(db, vectors, distance)
    query = np.eye(1, DIMENSIONS, dtype=np.float32)[0]
    vectors |= {"large": 1e6 * query, "small": 1e-6 * query}
    store(db, {name: vectors[name] for name in ("large", "small")}, "c")
    exact = search(db, query, "c", 10_000)[0]
    assert_nearest(exact, vectors, query, distance, 10_000)
    assert search(db, query, "c")[0] == exact[:10]
    # The vectors have moved into a shard whose index can hold them.
    row = db.execute("select braid.maintain('1 hour')").fetchone()
    assert row is not None and row[0]["warnings"] == []
    maintain(db)
    assert shard_of(db)["index_type"] == "vector" and shard_of(db)["vectors"] == 302
    assert f"vector_{CLASSES[distance]}_ops" in definition(db) and "halfvec" not in definition(db)
    assert read_by_index(db, query)
    assert search(db, query, "c")[0][0] == exact[0]
    # The shard's successors do not try halfvec again, until a rebuild asks for it.
    db.execute("select braid.set_collection('c', '{\"hnsw_m\": 8}')")
    maintain(db)
    assert shard_of(db)["index_type"] == "vector"
    db.execute("select braid.delete_documents('{large,small}', 'c')")
    db.execute("select braid.rebuild_vector_index('c')")
    maintain(db)
    assert shard_of(db)["index_type"] == "halfvec"


@pytest.mark.any_version
def test_vectors_that_halfvec_cannot_tell_apart_are_indexed_as_they_are(db: Connection) -> None:
    """Vectors that halfvec cannot tell apart are indexed in single precision: between 4,996, 5,000 and 5,004 it has
    no numbers."""
    vectors = made_up(300, offset=5000, spread=0.1)
    indexed(db, vectors, "l2")
    assert shard_of(db)["index_type"] == "vector"
    query = np.full(DIMENSIONS, 5000, np.float32)
    assert read_by_index(db, query)
    hits, _, _ = search(db, query, "c")
    assert index_recall(hits, vectors, query, "l2") >= 0.9


@pytest.mark.any_version
@pytest.mark.parametrize("distance", CLASSES)
def test_queries_of_any_length_are_answered(db: Connection, distance: str) -> None:
    vectors = made_up(300)
    indexed(db, vectors, distance)
    for length in (1e-6, 1e6, 1e12):
        query = np.full(DIMENSIONS, length, np.float32)
        hits, mode, _ = search(db, query, "c")
        assert mode == ("exact_after_hnsw" if distance == "l2" and length > 1 else "hnsw")
        assert index_recall(hits, vectors, query, distance) >= 0.9 or distance == "l2"
    (measured,) = one(db, "select braid.measure_index_recall('c') -> 'indexes'")
    assert measured["index_recall_10"] >= 0.9


@pytest.mark.any_version
@pytest.mark.parametrize("distance", CLASSES)
def test_a_few_vectors_that_halfvec_cannot_tell_apart_are_compared_as_they_are(db: Connection, distance: str) -> None:
    """A few vectors that halfvec cannot tell apart are compared in single precision: they are so rare that the
    sample that measures the index has hardly one."""
    rng = np.random.default_rng(3)
    centre = np.full(DIMENSIONS, 40 if distance == "l2" else DIMENSIONS**-0.5)
    alike = (centre + rng.standard_normal((48, DIMENSIONS)) * 0.004).astype(np.float32)
    vectors = made_up(2000, 1, spread=0.2) | {f"e{number:02}": row for number, row in enumerate(alike[:40])}
    # The levels of a graph are random, and about one index in twelve is rejected. Take the first of six that is not.
    for _ in range(6):
        indexed(db, vectors, distance)
        if shard_of(db)["index_type"] == "halfvec":
            break
        db.execute("select braid.drop_collection('c')")
        maintain(db)
    assert shard_of(db)["index_type"] == "halfvec"
    forget_far_distance(db)
    found = []
    for query in alike[40:]:
        hits, _, _ = search(db, query, "c")
        exact = search(db, query, "c", 10_000)[0]
        assert hits == [hit for hit in exact if hit in hits]
        found.append(len(set(hits) & set(exact[:10])) / 10)
    assert np.mean(found) >= 0.985
    # The index finds the other vectors, even if some are equal, or equal except for rounding.
    assert read_by_index(db, next(iter(vectors.values())))
    equal = np.eye(1, DIMENSIONS, dtype=np.float32)[0]
    for prefix, noise in (("f", 0), ("g", 1e-8)):
        rows = equal * (1 if prefix == "f" else -1) + rng.standard_normal((40, DIMENSIONS)) * noise
        store(db, {f"{prefix}{number:02}": row for number, row in enumerate(rows)}, "c")
    maintain(db)
    forget_far_distance(db)
    for query in (equal, -equal):
        assert read_by_index(db, query)


@pytest.mark.any_version
def test_an_index_over_halfvec_that_finds_less_than_is_promised_is_rejected(db: Connection) -> None:
    indexed(db, made_up(300), "cosine")
    for index_recall_of_ten, is_rejected in ((0.986, False), (0.984, True)):
        with db.transaction(force_rollback=True):
            db.execute(f"set local role {owner_role(db)}")
            db.execute(
                "update braid_store.vector_shards set state = 'indexing', index_recall = %s", (index_recall_of_ten,)
            )
            rejected = one(db, "select array_agg(braid_store.reject_index(s)) from braid_store.vector_shards s")
            assert rejected == [is_rejected]
            assert one(db, "select index_type from braid_store.vector_shards") == (
                "vector" if is_rejected else "halfvec"
            )
