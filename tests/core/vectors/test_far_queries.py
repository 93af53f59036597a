"""If an index's results lie farther from the query than usual, the search repeats with more effort. An index without
a path to the nearest vectors returns far ones as if they were the nearest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, vector
from support.nearest import Connection, Vector, chunk_ids, maintain, nearest, search, set_threshold, store

pytestmark = [pytest.mark.tenant_of_its_own, pytest.mark.any_version]
DIMENSIONS = 32
SIZE = 3000
SEED = 32
Rng = np.random.Generator
Recalls = np.ndarray[Any, Any]


def unit(rows: np.ndarray[Any, Any]) -> Vector:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def around(centres: np.ndarray[Any, Any], rng: Rng, spread: float = 0.05) -> Vector:
    return np.asarray(centres + spread * rng.standard_normal(centres.shape) / np.sqrt(DIMENSIONS), np.float32)


def tight_clusters(rng: Rng) -> Vector:
    """Return 30 clusters, each larger than the width of the index scan."""
    return around(unit(rng.standard_normal((30, DIMENSIONS)))[rng.integers(30, size=SIZE)], rng)


def one_far_cluster(rng: Rng) -> Vector:
    """Return vectors of which a tenth lies opposite to the others, in the middle of the ids."""
    centre = np.eye(1, DIMENSIONS)[0]
    rows = np.repeat(centre[None], SIZE, axis=0)
    rows[1400:1700] *= -1
    return around(rows, rng, 0.3)


def duplicates(rng: Rng) -> Vector:
    """Return clusters in which every vector occurs three times."""
    return np.repeat(tight_clusters(rng)[: SIZE // 3], 3, axis=0)


def drifting(rng: Rng) -> Vector:
    """Return vectors that move away from the start with growing id."""
    path = np.cumsum(rng.standard_normal((SIZE // 100, DIMENSIONS)), axis=0)
    return around(unit(path)[np.arange(SIZE) // 100], rng)


def uniform(rng: Rng) -> Vector:
    return np.asarray(rng.standard_normal((SIZE, DIMENSIONS)), np.float32)


def indexed(db: Connection, rows: Vector, width: int) -> dict[str, Vector]:
    """Store vectors in a shard whose index is searched with a given width, whatever was measured; the distance that
    counts as far is measured anew."""
    db.execute("select braid.create_collection('c', dimensions => %s)", (DIMENSIONS,))
    set_threshold(db, 1000, DIMENSIONS)
    vectors = {f"d{number:04}": row for number, row in enumerate(rows)}
    store(db, vectors, "c")
    maintain(db)
    db.execute(
        "update braid_store.vector_shards s"
        " set ef_search = %(width)s, ef_search_100 = 100, ef_search_fused = %(width)s,"
        " (far_distance, far_ef_search) = (select f.far_distance, f.far_ef_search from braid_store.vector_spaces v,"
        "   braid_store.measure_far(s, v, array[%(width)s], '{infinity}', '{}') f where v.id = s.vector_space_id)",
        {"width": width},
    )
    return vectors


def answer(
    db: Connection,
    query: Vector,
    options: dict[str, Any] | None = None,
    filters: dict[str, str] | None = None,
) -> tuple[list[str], str]:
    row = db.execute(
        "select braid.search_json(query_embedding => %s::vector, collection => 'c', options => %s, filters => %s)",
        (vector(query), Jsonb(options or {}), filters and Jsonb(filters)),
    ).fetchone()
    assert row is not None
    return [hit["external_id"] for hit in row[0]["results"]], row[0]["stats"]["semantic_mode"]


def recalls(
    db: Connection,
    vectors: dict[str, Vector],
    queries: Vector,
    distance: str = "cosine",
    filters: dict[str, str] | None = None,
    **options: Any,
) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Return for each query the mode, and the share of the ten nearest vectors that was found. Any vector at an
    equal distance counts."""
    found, modes = [], []
    for query in queries:
        hits, mode = answer(db, query, options, filters)
        scores = dict(nearest(vectors, query, distance))
        tenth = sorted(scores.values())[-10]
        found.append(sum(scores[hit] >= tenth - 1e-5 * max(1, abs(tenth)) for hit in hits) / 10)
        modes.append(mode)
    return np.array(found), modes


def far(rng: Rng, count: int) -> Vector:
    return np.asarray(rng.standard_normal((count, DIMENSIONS)), np.float32)


def hide(db: Connection, names: list[str]) -> None:
    """Take vectors out of the index of their shard, as if its graph had no path to them. Graphs are random, so tests
    cannot ask for one without a path."""
    shard = one(db, "select id from braid_store.vector_shards where state = 'serving'")
    hidden = [number for name, number in chunk_ids(db, "c").items() if name in names]
    db.execute(
        f"update braid_store.vectors_{shard} set is_duplicate = true where chunk_id = any(%s)",
        (hidden,),
    )
    db.execute(f"reindex index braid_store.vectors_{shard}_hnsw")


def measure(db: Connection, width: int, own_queries: list[str] | None = None) -> None:
    """Set the width of all searches, and measure which distance counts as far, always with the same queries."""
    db.execute("select setseed(0.5)")
    db.execute(
        "update braid_store.vector_shards s"
        " set ef_search = %(width)s, ef_search_100 = %(width)s, ef_search_fused = %(width)s,"
        " (far_distance, far_ef_search) = (select f.far_distance, f.far_ef_search from braid_store.vector_spaces v,"
        "   braid_store.measure_far(s, v, array[%(width)s], '{infinity}', %(own)s::text[]::vector[]) f"
        "   where v.id = s.vector_space_id)",
        {"width": width, "own": own_queries or []},
    )


def islands(db: Connection, rows: Vector, distance: str, storage: str, hidden: slice) -> dict[str, Vector]:
    """Store 400 vectors, and hide some of them. Searches are as wide as the index, so that they find all others."""
    db.execute(
        "select braid.create_collection('c', dimensions => %s, distance => %s, settings => %s)",
        (DIMENSIONS, distance, Jsonb({"vector_storage": storage})),
    )
    set_threshold(db, 300, DIMENSIONS)
    vectors = {f"d{number:04}": row for number, row in enumerate(rows)}
    store(db, vectors, "c", metadata={"kind": "a"})
    maintain(db)
    hide(db, [*vectors][hidden])
    return vectors


@pytest.mark.parametrize(
    ("distance", "storage"),
    [
        ("cosine", "vector"),
        ("l2", "vector"),
        ("inner_product", "vector"),
        ("cosine", "halfvec"),
        ("inner_product", "halfvec"),
        ("cosine", "binary"),
        ("inner_product", "binary"),
    ],
)
def test_queries_far_from_tight_clusters(db: Connection, distance: str, storage: str) -> None:
    rng = np.random.default_rng(SEED)
    rows = unit(around(np.repeat(unit(rng.standard_normal((40, DIMENSIONS))), 10, axis=0), rng, 0.3))
    # Every fourth cluster is an island.
    vectors = islands(db, rows, distance, storage, slice(0, 100))
    measure(db, 320)
    queries = far(rng, 60)
    for filters in (None, {"kind": "a"}):
        assert recalls(db, vectors, queries, distance, filters)[0].min() == 1
    # This is what the index alone finds.
    alone, _ = recalls(db, vectors, queries, distance, ef_search=320)
    assert (alone < 0.7).sum() >= 5
    # A hybrid search asks the index in the same way.
    lost = queries[int(alone.argmin())]
    hybrid = one(
        db,
        "select braid.search_json('words', %s::vector, collection => 'c', fusion => 'rrf')",
        vector(lost),
    )
    assert hybrid["stats"]["semantic_mode"] == "exact_after_hnsw"
    # Queries similar to indexed vectors cost no more than before, and queries similar to hidden ones are compared.
    for similar, expected in (
        (rows[100::10], "hnsw"),
        (rows[:100:10], "exact_after_hnsw"),
    ):
        found, modes = recalls(db, vectors, unit(around(similar, rng, 0.1)), distance)
        assert found.min() == 1 and set(modes) == {expected}


def test_a_few_short_vectors_that_the_index_has_lost_among_long_ones(db: Connection) -> None:
    """By the inner product, long vectors need not find themselves. Still, queries for which only short vectors are near
    find them."""
    rng = np.random.default_rng(SEED)
    short = np.repeat(np.eye(1, DIMENSIONS), 5, axis=0)
    long = 5 * unit(np.pad(rng.standard_normal((395, DIMENSIONS - 1)), ((0, 0), (1, 0))))
    vectors = islands(db, around(np.concatenate([short, long]), rng, 0.3), "inner_product", "vector", slice(0, 5))
    measure(db, 40)
    found, modes = recalls(db, vectors, around(short, rng, 0.1), "inner_product")
    assert found.min() == 1 and set(modes) == {"exact_after_hnsw"}
    _, modes = recalls(db, vectors, around(long[::20], rng), "inner_product")
    assert modes.count("hnsw") > 0.8 * len(modes)


def test_far_queries_where_distances_do_not_separate(db: Connection) -> None:
    """Most queries of the tenant are answered well, and the bad answers are nearer than most good ones. So distances do
    not separate them. Still, an answer that is farther than all good ones is not believed."""
    rng = np.random.default_rng(SEED)
    centres = np.eye(DIMENSIONS)[:20]
    near_hidden, far_hidden = (
        unit(centres[0] + 0.3 * np.eye(DIMENSIONS)[30]),
        np.eye(DIMENSIONS)[31],
    )
    rows = np.concatenate([np.repeat([near_hidden, far_hidden], 4, axis=0), np.repeat(centres, 20, axis=0)[:392]])
    # No vector need find itself by its inner product, because others are longer.
    rows = around(rows, rng, 0.1) * np.linspace(0.95, 1, len(rows), dtype=np.float32)[:, None]
    vectors = islands(db, rows, "inner_product", "vector", slice(0, 8))
    good = around(np.repeat(centres[1:19], 14, axis=0), rng, 0.8)
    bad = np.asarray([near_hidden, 2 * near_hidden, 3 * far_hidden], np.float32)
    measure(db, 390, [vector(query) for query in (*good, *bad)])
    found, modes = recalls(db, vectors, np.concatenate([good[::8], bad[2:]]), "inner_product")
    assert found.min() == 1 and modes == ["hnsw"] * len(good[::8]) + ["exact_after_hnsw"]


def chosen(db: Connection, found: Recalls, recalls: Recalls, queries: int, questions: int) -> tuple[Any, ...]:
    row = db.execute(
        "select far_distance, relaxed_distance from braid_store.choose_far_distance(%s, %s, %s, %s, 'infinity')",
        (found.tolist(), recalls.tolist(), queries, questions),
    ).fetchone()
    assert row is not None
    return tuple(row)


def test_a_few_bad_answers_that_look_good_do_not_hide_that_far_ones_are_bad(
    shared_db: Connection,
) -> None:
    """80 questions, 40 queries beside the vectors, 100 away from them, and no stored vectors."""
    found = np.concatenate(
        [
            np.linspace(0.1, 0.3, 80),
            np.linspace(0.31, 0.5, 40),
            np.linspace(0.6, 0.8, 100),
        ]
    )
    index_recalls = np.ones(220)
    # One question has no good answer, and two queries beside.
    index_recalls[[10, 80, 81]] = 0
    distance, relaxed = chosen(shared_db, found, index_recalls, 220, 80)
    assert distance < found[10] and relaxed == float("inf")
    index_recalls[120::4] = 0
    distance, relaxed = chosen(shared_db, found, index_recalls, 220, 80)
    assert distance < found[10] and relaxed == found[79]
    # With more bad answers among the questions, the smaller distance stays.
    index_recalls[20:24] = 0
    assert chosen(shared_db, found, index_recalls, 220, 80) == (distance, None)


@pytest.mark.parametrize("made_up", [tight_clusters, one_far_cluster, duplicates, drifting, uniform])
def test_what_calibration_chooses(db: Connection, made_up: Any) -> None:
    """Both kinds of queries are found with the widths that maintenance chose."""
    rng = np.random.default_rng(SEED)
    rows = made_up(rng)
    db.execute("select braid.create_collection('c', dimensions => %s)", (DIMENSIONS,))
    set_threshold(db, 1000, DIMENSIONS)
    vectors = {f"d{number:04}": row for number, row in enumerate(rows)}
    store(db, vectors, "c")
    maintain(db)
    for queries in (around(rows[rng.integers(SIZE, size=60)], rng), far(rng, 60)):
        found, modes = recalls(db, vectors, queries)
        assert found.mean() >= 0.95 and (found < 0.7).sum() <= 3, modes


def test_a_workload_that_is_far_is_not_compared_exactly_if_a_wider_search_finds_all(db: Connection) -> None:
    """A workload of far queries is not compared exactly if a wider scan finds everything; questions can differ in
    kind from passages."""
    rng = np.random.default_rng(SEED)
    vectors = indexed(db, uniform(rng), width=10)
    assert one(db, "select far_ef_search from braid_store.vector_shards where state = 'serving'") > 10
    found, modes = recalls(db, vectors, far(rng, 60))
    assert set(modes) == {"hnsw"} and found.mean() >= 0.95
    alone, _ = recalls(db, vectors, far(rng, 60), ef_search=10)
    assert alone.mean() < 0.95


@pytest.fixture
def vectors(db: Connection) -> Iterator[dict[str, Vector]]:
    """Yield vectors around one direction, and one vector far from them. Results farther than .5 are suspect."""
    rng = np.random.default_rng(SEED)
    rows = around(np.repeat(np.eye(1, DIMENSIONS), 600, axis=0), rng, 0.3)
    db.execute("select braid.create_collection('c', dimensions => %s)", (DIMENSIONS,))
    set_threshold(db, 500, DIMENSIONS)
    stored = {f"d{number:04}": row for number, row in enumerate(rows)}
    store(db, stored, "c", metadata={"kind": "a"})
    maintain(db)
    widths(db, 0.5, None)
    yield stored


def widths(db: Connection, far_distance: float | None, far_ef_search: int | None) -> None:
    db.execute(
        "update braid_store.vector_shards set ef_search = 64, ef_search_100 = 100, ef_search_fused = 64,"
        " far_distance = %s, far_ef_search = %s where state = 'serving'",
        (far_distance, far_ef_search),
    )


NEAR, FAR = np.eye(2, DIMENSIONS, dtype=np.float32)


def test_what_is_beyond_the_distance_is_compared_exactly_or_searched_more_widely(
    db: Connection, vectors: dict[str, Vector]
) -> None:
    assert answer(db, NEAR)[1] == "hnsw"
    hits, mode = answer(db, FAR)
    assert mode == "exact_after_hnsw"
    assert hits == [external_id for external_id, _ in nearest(vectors, FAR, "cosine", 10)]
    widths(db, 0.5, 150)
    assert answer(db, FAR)[1] == "hnsw"
    # A caller's explicit width is used.
    widths(db, 0.5, None)
    assert answer(db, FAR, {"ef_search": 64})[1] == "hnsw"


def test_under_a_filter_it_counts_how_far_the_nearest_of_all_is(db: Connection, vectors: dict[str, Vector]) -> None:
    kind = {"kind": "a"}
    assert search(db, NEAR, "c", filters=kind)[1] == "hnsw_filtered"
    assert search(db, FAR, "c", filters=kind)[1] == "exact_after_hnsw_filtered"
    # Half of the vectors pass, and they are farther than .5; the others are near the query.
    both = (NEAR + FAR) / np.sqrt(2, dtype=np.float32)
    rng = np.random.default_rng(SEED)
    other = {f"e{number:04}": row for number, row in enumerate(around(np.repeat(FAR[None], 600, axis=0), rng, 0.3))}
    store(db, other, "c", metadata={"kind": "b"})
    maintain(db)
    widths(db, 0.5, None)
    assert nearest(vectors, FAR, "cosine", 10)[-1][1] < 0.5 < nearest(other, FAR, "cosine", 10)[-1][1]
    assert search(db, both, "c", filters=kind)[1] == "hnsw_filtered"
    hits, mode, _ = search(db, FAR, "c", filters=kind)
    assert mode in ("hnsw_filtered", "exact_after_hnsw_filtered") and len(hits) == 10


def test_what_is_written_since_counts(db: Connection, vectors: dict[str, Vector]) -> None:
    """Queries about new vectors find them beside the index's results, and do not search the index again."""
    assert answer(db, FAR)[1] == "exact_after_hnsw"
    rng = np.random.default_rng(SEED)
    new = {f"n{number}": row for number, row in enumerate(around(np.repeat(FAR[None], 20, axis=0), rng, 0.3))}
    store(db, new, "c")
    hits, mode = answer(db, FAR)
    assert mode == "hnsw" and set(hits) <= set(new)


def test_a_hybrid_search(db: Connection, vectors: dict[str, Vector]) -> None:
    """Hybrid searches decide like semantic ones."""
    found = one(
        db,
        "select braid.search_json('words', %s::vector, collection => 'c', fusion => 'rrf')",
        vector(FAR),
    )
    assert found["stats"]["semantic_mode"] == "exact_after_hnsw"
