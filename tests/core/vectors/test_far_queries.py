"""If an index's results lie farther from the query than usual, the search repeats with more effort. An index without
a path to the nearest vectors returns far ones as if they were the nearest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, vector
from support.nearest import Connection, Vector, maintain, nearest, search, set_threshold, store

pytestmark = [pytest.mark.tenant_of_its_own, pytest.mark.any_version]
DIMENSIONS = 32
SIZE = 3000
SEED = 32
Rng = np.random.Generator


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


def indexed(db: Connection, rows: Vector, distance: str = "cosine", width: int = 64) -> dict[str, Vector]:
    """Store vectors in a shard whose index is searched with a given width, whatever was measured; the distance that
    counts as far is measured anew."""
    db.execute("select braid.create_collection('c', dimensions => %s, distance => %s)", (DIMENSIONS, distance))
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


def answer(db: Connection, query: Vector, options: dict[str, Any] | None = None) -> tuple[list[str], str]:
    row = db.execute(
        "select braid.search_json(query_embedding => %s::vector, collection => 'c', options => %s)",
        (vector(query), Jsonb(options or {})),
    ).fetchone()
    assert row is not None
    return [hit["external_id"] for hit in row[0]["results"]], row[0]["stats"]["semantic_mode"]


def recalls(
    db: Connection, vectors: dict[str, Vector], queries: Vector, distance: str = "cosine", **options: Any
) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Return for each query the mode, and the share of the ten nearest vectors that was found. Any vector at an
    equal distance counts."""
    found, modes = [], []
    for query in queries:
        hits, mode = answer(db, query, options)
        scores = dict(nearest(vectors, query, distance))
        tenth = sorted(scores.values())[-10]
        found.append(sum(scores[hit] >= tenth - 1e-5 * max(1, abs(tenth)) for hit in hits) / 10)
        modes.append(mode)
    return np.array(found), modes


def far(rng: Rng, count: int) -> Vector:
    return np.asarray(rng.standard_normal((count, DIMENSIONS)), np.float32)


@pytest.mark.parametrize("distance", ["cosine", "l2", "inner_product"])
def test_queries_far_from_tight_clusters(db: Connection, distance: str) -> None:
    rng = np.random.default_rng(SEED)
    vectors = indexed(db, tight_clusters(rng), distance)
    queries = far(rng, 60)
    found, _ = recalls(db, vectors, queries, distance)
    assert (found < 0.7).sum() <= 1 and found.mean() >= 0.97
    # Measure what the index alone finds with this ef_search.
    alone, _ = recalls(db, vectors, queries, distance, ef_search=64)
    assert (alone < 0.7).sum() >= 5
    # Queries similar to the vectors cost no more than before.
    usual = around(np.array(list(vectors.values()))[rng.integers(SIZE, size=60)], rng)
    found, modes = recalls(db, vectors, usual, distance)
    assert found.mean() >= 0.97 and modes.count("hnsw") >= 50


def test_queries_of_an_island(db: Connection) -> None:
    rng = np.random.default_rng(SEED)
    vectors = indexed(db, one_far_cluster(rng))
    island = around(np.array(list(vectors.values()))[rng.integers(1400, 1700, size=30)], rng)
    found, _ = recalls(db, vectors, island)
    assert found.mean() >= 0.9 and (found < 0.7).sum() == 0
    found, _ = recalls(db, vectors, far(rng, 30))
    assert found.mean() >= 0.95 and (found < 0.7).sum() == 0


@pytest.mark.parametrize("made_up", [duplicates, drifting, uniform])
def test_other_data(db: Connection, made_up: Any) -> None:
    rng = np.random.default_rng(SEED)
    rows = made_up(rng)
    vectors = indexed(db, rows)
    usual = around(rows[rng.integers(SIZE, size=30)], rng)
    for queries in (usual, far(rng, 60)):
        found, modes = recalls(db, vectors, queries)
        assert found.mean() >= 0.97 and (found < 0.7).sum() <= 1, modes


@pytest.mark.parametrize("made_up", [tight_clusters, one_far_cluster, duplicates, uniform])
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
        assert found.mean() >= 0.97 and (found < 0.7).sum() <= 1, modes


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
