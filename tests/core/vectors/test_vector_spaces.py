"""Every distance, dimension and storage gives numpy's exact results before a vector shard is made, and the same
after."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import set_tenant, upsert
from support.nearest import (
    Connection,
    Vector,
    as_stored,
    assert_nearest,
    index_recall,
    maintain,
    replace_embeddings,
    search,
    serving_shard,
    set_threshold,
    store,
)

pytestmark = [pytest.mark.tenant_of_its_own, pytest.mark.any_version]
DISTANCES = ("cosine", "inner_product", "l2")


def create(db: Connection, collection: str, dimensions: int, distance: str = "cosine", **settings: Any) -> None:
    db.execute(
        "select braid.create_collection(%s, dimensions => %s, distance => %s, settings => %s)",
        (collection, dimensions, distance, Jsonb(settings)),
    )


def made_up(count: int, dimensions: int, storage: str = "vector", seed: int = 0) -> dict[str, Vector]:
    """Return vectors, some of them twice, so that they tie."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, dimensions), np.float32)
    rows[1::7] = rows[0::7][: len(rows[1::7])]
    # External ids are not in the order of storage.
    names = rng.permutation(count)
    return {f"d{name:05}": as_stored(row, storage) for name, row in zip(names, rows, strict=True)}


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("dimensions", [1, 2, 384, 2000, 2001, 4000, 4001, 16000])
def test_small_collections_are_exact(db: Connection, dimensions: int, distance: str) -> None:
    storage = "vector" if dimensions <= 2000 else "halfvec" if dimensions <= 4000 else "binary"
    create(db, "c", dimensions, distance)
    assert db.execute("select vector_storage from braid.collections where name = 'c'").fetchone() == (storage,)
    vectors = made_up(40 if dimensions < 1000 else 16, dimensions, storage)
    store(db, vectors, "c")
    rng = np.random.default_rng(1)
    for count in (1, 5, 100):
        query = rng.standard_normal(dimensions, np.float32)
        hits, mode, warnings = search(db, query, "c", count)
        assert (mode, warnings) == ("exact", [])
        assert_nearest(hits, vectors, query, distance, count)


@pytest.mark.parametrize(
    ("dimensions", "distance", "storage"),
    [
        (2, "l2", "vector"),
        (24, "cosine", "vector"),
        (24, "inner_product", "vector"),
        (24, "l2", "halfvec"),
        (24, "cosine", "halfvec"),
        (24, "inner_product", "halfvec"),
        (256, "cosine", "binary"),
    ],
)
def test_a_shard_changes_no_score_and_finds_nearly_all(
    db: Connection, dimensions: int, distance: str, storage: str
) -> None:
    create(db, "c", dimensions, distance, vector_storage=storage)
    vectors = made_up(1200, dimensions, storage)
    store(db, vectors, "c")
    rng = np.random.default_rng(2)
    queries = rng.standard_normal((12, dimensions), np.float32)
    before = [search(db, query, "c")[0] for query in queries]
    for query, hits in zip(queries, before, strict=True):
        assert_nearest(hits, vectors, query, distance, 10)
    everything = search(db, queries[0], "c", 10_000)[0]

    set_threshold(db, 1000, dimensions)
    maintain(db)
    assert serving_shard(db, "c") is not None
    # More than half of the shard is requested, so all vectors are compared. The scores are equal to the last bit.
    hits, mode, _ = search(db, queries[0], "c", 10_000)
    assert mode == "exact"
    assert hits == everything
    found = []
    for query, exact in zip(queries, before, strict=True):
        hits, mode, warnings = search(db, query, "c")
        assert warnings == (["vector_index_unused"] if mode == "exact" else [])
        if storage == "binary":
            assert mode in ("hnsw", "exact")  # so few bits find too little in random vectors
        else:
            assert mode == "hnsw"
        assert set(hits) <= set(everything) or query is not queries[0]
        found.append(index_recall(hits, vectors, query, distance))
        assert [hit for hit in hits if hit in exact] == [hit for hit in exact if hit in hits]
    assert np.mean(found) >= 0.95


@pytest.mark.parametrize(("dimensions", "storage"), [(2000, "vector"), (4000, "halfvec"), (4001, "binary")])
def test_the_greatest_dimensions_of_each_storage_are_indexed(db: Connection, dimensions: int, storage: str) -> None:
    create(db, "c", dimensions)
    vectors = made_up(40, dimensions, storage)
    store(db, vectors, "c")
    set_threshold(db, 30, dimensions)
    maintain(db)
    shard = serving_shard(db, "c")
    assert shard is not None
    query = np.random.default_rng(3).standard_normal(dimensions, np.float32)
    hits, mode, _ = search(db, query, "c", 2)
    assert mode in ("hnsw", "exact") if storage == "binary" else mode == "hnsw"
    assert_nearest(hits, vectors, query, "cosine", 2)
    assert db.execute(f"select count(*) from braid_store.vectors_{shard}").fetchone() == (40,)


@pytest.mark.parametrize("promoted", [False, True])
def test_a_mismatch_names_the_collection_and_both_dimensions(db: Connection, promoted: bool) -> None:
    create(db, "c", 3)
    store(db, made_up(20, 3), "c")
    if promoted:
        set_threshold(db, 10, 3)
        maintain(db)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        search(db, [1, 0], "c")
    message = raised.value.diag.message_primary or ""
    assert message == 'query_embedding has 2 dimensions, collection "c" has 3'
    wrong = r'embedding of document "b" has 4 dimensions, .* "c" has 3'
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=wrong):
        upsert(
            db,
            [
                {"external_id": "a", "content": "x", "embedding": [1, 0, 0]},
                {"external_id": "b", "content": "x", "embedding": [1, 0, 0, 0]},
            ],
            "c",
        )
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=r'embedding 1 has 1 dimensions, .* "c" has 3'):
        replace_embeddings(db, {"d00000": [1]}, "c")


@pytest.mark.parametrize("wrong", ["[NaN,0,0]", "[Infinity,0,0]", "[1e39,0,0]", "[]", "[1,2", "many"])
def test_what_is_no_vector_is_refused(db: Connection, wrong: str) -> None:
    create(db, "c", 3)
    message = 'embedding of document "a" is not a vector'
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as raised:
        upsert(db, [{"external_id": "a", "content": "x", "embedding": wrong}], "c")
    assert raised.value.diag.message_hint
    with pytest.raises(psycopg.DataError):
        db.execute("select braid.semantic_search(%s::vector, collection => 'c')", (wrong,))


def refused(db: Connection, embedding: Any, what: str) -> None:
    """Check that an embedding is refused when written, when stored later, and when searched for."""
    for attempt in (
        lambda: store(db, {"new": embedding}, "c"),
        lambda: replace_embeddings(db, {"a": embedding}, "c"),
        lambda: search(db, embedding, "c"),
    ):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=what) as raised:
            attempt()
        assert raised.value.diag.message_hint


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("storage", ["vector", "halfvec"])
@pytest.mark.parametrize("promoted", [False, True])
def test_vectors_that_cannot_be_stored_or_measured(db: Connection, distance: str, storage: str, promoted: bool) -> None:
    create(db, "c", 3, distance, vector_storage=storage)
    store(db, {"a": [1, 2, 3], "b": [3, 2, 1], "c": [1, 0, 1]}, "c")
    if promoted:
        set_threshold(db, 2, 3)
        maintain(db)
        assert serving_shard(db, "c")
    if storage == "halfvec":
        refused(db, [1, 70000, 0], "has a number beyond 65504")
        store(db, {"large": [65504, -65504, 0]}, "c")
    else:
        refused(db, [1e19, 0, 0], "has a length of 1e\\+19, which is too great")
        store(db, {"large": [9e17, -3e17, 0]}, "c")
    if distance == "cosine":
        refused(db, [0, 0, 0], "is a zero vector, which has no cosine")
        refused(db, [1e-20, 0, 0], "is a zero vector, which has no cosine")
        if storage == "halfvec":
            refused(db, [1e-9, 0, 0], "is a zero vector, which has no cosine")
    else:
        store(db, {"zero": [0, 0, 0]}, "c")
    hits, _, _ = search(db, [1, -1, 0], "c", 10)
    assert "large" in dict(hits)
    assert all(np.isfinite(value) for _, value in hits)
    maintain(db)
    assert search(db, [1, -1, 0], "c", 10)[0] == hits


def test_a_shard_of_great_numbers_is_made(db: Connection) -> None:
    """A shard of large numbers is made: the queries that measure its index recall lie beside the vectors, and must
    not leave the type's range."""
    for storage, greatest in (("halfvec", 65504), ("vector", 5e17)):
        create(db, storage, 3, "l2", vector_storage=storage)
        rng = np.random.default_rng(4)
        vectors = {f"d{n}": as_stored(row) for n, row in enumerate(greatest * rng.choice([-1, 1], (30, 3)))}
        store(db, vectors, storage)
    set_threshold(db, 20, 3)
    maintain(db)
    for storage in ("halfvec", "vector"):
        assert serving_shard(db, storage) is not None
        assert len(search(db, [1, 1, 1], storage, 30)[0]) == 30


@pytest.mark.parametrize("promoted", [False, True])
def test_counts_filters_and_tenants(db: Connection, promoted: bool) -> None:
    create(db, "c", 8)
    vectors = made_up(60, 8)
    store(db, vectors, "c", speaker="Ana")
    for tenant in ("empty", "small"):
        db.execute("select braid.create_tenant(%s)", (tenant,))
    before = set_tenant(db, "small")
    store(db, {"own": [1] * 8}, "c")
    upsert(db, [{"external_id": "plain", "content": "without a vector"}], "c")
    set_tenant(db, before)
    if promoted:
        set_threshold(db, 50, 8)
        maintain(db)
        assert serving_shard(db, "c") is not None
    query = np.ones(8, np.float32)
    for count in (10, 60, 61, 10_000):
        hits, _, _ = search(db, query, "c", count)
        assert_nearest(hits, vectors, query, "cosine", count)
    for filters in ({"speaker": "Nobody"}, {"external_id": "none"}, {"topic": 1}):
        assert search(db, query, "c", filters=filters)[0] == []
    hits, _, _ = search(db, query, "c", 60, {"speaker": "Ana"})
    assert_nearest(hits, vectors, query, "cosine", 60)
    set_tenant(db, "empty")
    assert search(db, query, "c") == ([], "exact", [])
    set_tenant(db, "small")
    hits, mode, warnings = search(db, query, "c")
    assert ([name for name, _ in hits], mode, warnings) == (["own"], "exact", ["chunks_not_embedded"])


def test_spaces_side_by_side(db: Connection) -> None:
    """Every collection is searched by its own dimensions and distance, with or without a shard."""
    spaces = {
        "cosine8": (8, "cosine", "vector"),
        "l2of8": (8, "l2", "halfvec"),
        "product2": (2, "inner_product", "vector"),
        "cosine3": (3, "cosine", "vector"),
    }
    vectors = {}
    for number, (name, (dimensions, distance, storage)) in enumerate(spaces.items()):
        create(db, name, dimensions, distance, vector_storage=storage)
        vectors[name] = made_up(150 if number < 2 else 80, dimensions, storage, seed=number)
        store(db, vectors[name], name)
    set_threshold(db, 100, 8)
    maintain(db)
    assert serving_shard(db, "cosine8") and serving_shard(db, "l2of8")
    for name, (dimensions, distance, _) in spaces.items():
        query = np.random.default_rng(5).standard_normal(dimensions, np.float32)
        hits, _, _ = search(db, query, name, 80)
        assert_nearest(hits, vectors[name], query, distance, 80)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"dimensions": 0}, "dimensions is '0'"),
        ({"dimensions": 16001}, "dimensions is '16001'"),
        ({"dimensions": 3, "distance": "manhattan"}, "distance is 'manhattan'"),
        ({"dimensions": 3, "vector_storage": "float"}, 'settings: vector_storage is "float"'),
        ({"dimensions": 2001, "vector_storage": "vector"}, "vector_storage is 'vector'"),
        ({"dimensions": 4001, "vector_storage": "halfvec"}, "vector_storage is 'halfvec'"),
        ({"dimensions": 3, "hnsw_m": 1}, "settings: hnsw_m is 1"),
        ({"dimensions": 3, "hnsw_m": 101}, "settings: hnsw_m is 101"),
        ({"dimensions": 3, "hnsw_m": -2147483648}, "settings: hnsw_m is -2147483648"),
        ({"dimensions": 3, "hnsw_m": None}, "settings: hnsw_m is null"),
        ({"dimensions": 3, "hnsw_ef_construction": 3}, "settings: hnsw_ef_construction is 3"),
        ({"dimensions": 3, "hnsw_m": 40, "hnsw_ef_construction": 64}, "hnsw_ef_construction is '64'"),
        ({"dimensions": 3, "hnsw_ef_construction": 1001}, "settings: hnsw_ef_construction is 1001"),
    ],
)
def test_settings_are_checked(shared_db: Connection, settings: dict[str, Any], named: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        create(shared_db, "c", **settings)
    assert raised.value.diag.message_primary == named
    assert raised.value.diag.message_hint


def test_the_settings_reach_the_index(db: Connection) -> None:
    create(db, "c", 3, "l2", vector_storage="halfvec", hnsw_m=7, hnsw_ef_construction=33)
    store(db, made_up(20, 3), "c")
    set_threshold(db, 10, 3)
    maintain(db)
    index = f"braid_store.vectors_{serving_shard(db, 'c')}_hnsw"
    row = db.execute("select pg_get_indexdef(%s::regclass)", (index,)).fetchone()
    assert row is not None
    for part in ("hnsw", "halfvec_l2_ops", "m='7'", "ef_construction='33'"):
        assert part in row[0]


def test_a_collection_keeps_how_its_index_is_built(db: Connection) -> None:
    """A collection that an older version created is unchanged for a program that creates it again with defaults."""
    given: dict[str, int]
    for name, given, expected in (("old", {"hnsw_ef_construction": 64}, 64), ("new", {}, 100), ("dense", {}, 160)):
        hnsw_m = 80 if name == "dense" else 16
        create(db, name, 3, "l2", hnsw_m=hnsw_m, **given)
        create(db, name, 3, "l2", hnsw_m=hnsw_m)
        row = db.execute("select hnsw_ef_construction from braid.collections where name = %s", (name,)).fetchone()
        assert row == (expected,)
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            create(db, name, 3, "l2", hnsw_m=hnsw_m, hnsw_ef_construction=300)


def test_a_change_to_halfvec_that_some_vector_does_not_fit_is_refused(db: Connection) -> None:
    """A change to halfvec that some vector does not fit is refused. Otherwise maintenance would fail at it again and
    again, for every tenant."""
    create(db, "c", 3, "l2")
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    vectors = made_up(20, 3)
    store(db, vectors, "c")
    set_threshold(db, 10, 3)
    change = "select braid.set_collection('c', '{\"vector_storage\": \"halfvec\"}')"
    for promoted in (False, True):
        store(db, {"large": [0, -70000, 1]}, "c")
        if promoted:
            maintain(db)
            assert serving_shard(db, "c")
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="beyond 65504") as raised:
            db.execute(change)
        assert raised.value.diag.message_hint
        db.execute("select braid.delete_document('large', 'c')")
    db.execute(change)
    maintain(db)
    row = db.execute("select storage from braid_store.vector_shards where state = 'serving'").fetchone()
    assert row == ("halfvec",)


def test_a_gap_between_ids_hides_no_matches_of_a_filter(db: Connection) -> None:
    """A gap between ids hides no matches of a filter: other tenants' chunks lie between a tenant's, and the filter
    is tried on a sample of its vectors."""
    create(db, "c", 4)
    vectors = made_up(300, 4)
    first, second = dict(list(vectors.items())[:200]), dict(list(vectors.items())[200:])
    store(db, first, "c", metadata={"part": "early"})
    db.execute("alter table braid_store.chunks alter column id restart with 10000000")
    store(db, second, "c", metadata={"part": "late"})
    for name, part in (("early", first), ("late", second)):
        # All vectors are compared: the search does not take the filter for a very selective one and look up chunks one
        # by one.
        query = np.ones(4, np.float32)
        hits, mode, _ = search(db, query, "c", filters={"part": name})
        assert mode == "exact"
        assert_nearest(hits, part, query, "cosine", 10)
