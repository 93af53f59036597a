"""Normalisation `centroid` starts from a mean similarity, which is exact for small parts and which maintain() keeps
for larger ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import set_tenant, vector
from support.nearest import maintain, pass_a_day, replace_embeddings, set_threshold, store

Connection = psycopg.Connection[Any]
QUERY = np.array([1.0, -2.0, 0.5, 3.0])


def make(count: int, seed: int, shift: float = 0.0) -> dict[str, npt.NDArray[np.float64]]:
    vectors = np.random.default_rng(seed).integers(-16, 17, (count, 4)) / 8 + shift
    vectors[~vectors.any(axis=1)] = 1
    return {f"{seed}-{number}": row for number, row in enumerate(vectors)}


def mean_similarity(vectors: dict[str, npt.NDArray[np.float64]], distance: str) -> float:
    rows = np.array(list(vectors.values()))
    if distance == "l2":
        return float(1 / (1 + np.sqrt(((rows - QUERY) ** 2).sum(axis=1).mean())))
    products = rows @ QUERY
    if distance == "cosine":
        products = products / np.linalg.norm(rows, axis=1) / np.linalg.norm(QUERY)
    return float(products.mean())


def found(db: Connection) -> float:
    row = db.execute(
        "select braid.search_json('words', %s::vector, fusion => 'convex', collection => 'v', options => %s)"
        " #> '{stats,fusion,semantic,collection_mean}'",
        (vector(QUERY), Jsonb({"explain": True, "ranking": {"normalisation": "centroid"}})),
    ).fetchone()
    assert row is not None
    return float(row[0])


def kept(db: Connection) -> list[int]:
    return [count for (count,) in db.execute("select vector_count from braid_store.centroids order by 1").fetchall()]


@pytest.mark.parametrize("distance", ["cosine", "inner_product", "l2"])
def test_the_mean_similarity(db: Connection, distance: str) -> None:
    db.execute(
        "select braid.create_collection('v', dimensions => 4, distance => %s, embedding_model => 'test')", (distance,)
    )
    vectors = make(900, 1)
    store(db, vectors, "v")
    maintain(db)
    # The mean is measured at each search, so it is never out of date.
    assert kept(db) == []
    assert found(db) == pytest.approx(mean_similarity(vectors, distance), rel=1e-9)

    vectors |= make(200, 2, shift=1)
    store(db, make(200, 2, shift=1), "v")
    maintain(db)
    assert kept(db) == [1100]
    expected = mean_similarity(vectors, distance)
    assert found(db) == pytest.approx(expected, rel=1e-5)

    # Less than a tenth of new vectors changes nothing, neither before maintain() nor after it.
    before = found(db)
    store(db, make(50, 3, shift=5), "v")
    maintain(db)
    assert found(db) == before
    vectors |= make(50, 3, shift=5)
    vectors |= make(100, 4, shift=5)
    store(db, make(100, 4, shift=5), "v")
    assert found(db) == before
    maintain(db)
    assert kept(db) == [1250]
    assert found(db) == pytest.approx(mean_similarity(vectors, distance), rel=1e-5)

    # The number of vectors is the same, but the vectors changed: maintain() measures the mean anew after a day.
    changed = {name: row + 1 for name, row in vectors.items()}
    replace_embeddings(db, changed, "v")
    maintain(db)
    assert found(db) == pytest.approx(mean_similarity(vectors, distance), rel=1e-5)
    pass_a_day(db)
    maintain(db)
    assert found(db) == pytest.approx(mean_similarity(changed, distance), rel=1e-5)


def test_of_a_vector_shard(db: Connection) -> None:
    db.execute("select braid.create_collection('v', dimensions => 4, embedding_model => 'test')")
    set_threshold(db, 500, 4)
    few = make(700, 1)
    store(db, few, "v")
    maintain(db)
    assert kept(db) == []
    assert found(db) == pytest.approx(mean_similarity(few, "cosine"), rel=1e-6)
    vectors = few | make(800, 2, shift=1)
    store(db, make(800, 2, shift=1), "v")
    maintain(db)
    # The mean covers the vectors that the call before has moved; a change of less than a tenth makes no new mean.
    maintain(db)
    assert kept(db) == [pytest.approx(1500, rel=0.1)]
    # The latest vectors have not moved into the shard, so the mean leaves them out.
    assert found(db) == pytest.approx(mean_similarity(vectors, "cosine"), rel=0.05)


def test_each_tenant_has_its_own(db: Connection) -> None:
    db.execute("select braid.create_collection('v', dimensions => 4, embedding_model => 'test')")
    db.execute("select braid.create_tenant('other')")
    parts = {"default": make(1100, 1, shift=2), "other": make(1200, 2, shift=-2)}
    for tenant, vectors in parts.items():
        set_tenant(db, tenant)
        store(db, vectors, "v")
    maintain(db)
    assert kept(db) == [1100, 1200]
    for tenant, vectors in parts.items():
        set_tenant(db, tenant)
        assert found(db) == pytest.approx(mean_similarity(vectors, "cosine"), rel=1e-5)
    db.execute("select braid.clear_collection('v')")
    assert kept(db) == [1100]
    db.execute("select braid.drop_collection('v')")
    maintain(db)
    assert kept(db) == []
