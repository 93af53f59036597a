"""With stored queries, braid.measure_index_recall reports what a comparison with exact searches gives."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import pytest
from core.vectors.test_index_types import CLASSES, indexed, made_up
from core.vectors.test_index_types import DIMENSIONS as INDEXED_DIMENSIONS
from core.vectors.test_measure_index_recall import DIMENSIONS, SIZE, drawn, dsn, filled, measure, vectors

from support.calls import one, set_tenant, vector
from support.nearest import Connection, Vector, maintain, set_threshold, store

pytestmark = pytest.mark.any_version
__all__ = ["dsn", "filled", "vectors"]


@pytest.fixture
def db(db: Connection) -> Connection:
    """Return a database that stores query embeddings; if the test uses `vectors`, it is a copy of `filled`."""
    if one(db, "select exists (select from braid.collections where name = 'c')"):
        db.execute("select braid.set_query_embeddings('c', 200)")
    return db


def ask(db: Connection, queries: list[Vector], prefix: str = "q") -> None:
    for number, query in enumerate(queries):
        db.execute(
            "select braid.store_query_embedding(%s, %s::vector, 'c')", (f"{prefix}{number}", str(query.tolist()))
        )


def asked(index: dict[str, Any]) -> dict[str, int]:
    """Return the number of queries of each source that gave any."""
    return {source: count for source, count in index["queries"].items() if count}


def asked_oneself(db: Connection, shard: int, vectors: list[Vector], query: Vector, width: int, count: int) -> float:
    """Return the share of the nearest vectors that the index finds at this width."""
    with db.transaction():
        db.execute("set local enable_seqscan = off; set local enable_sort = off; set local enable_bitmapscan = off")
        db.execute(f"set local hnsw.ef_search = {width}")
        rows = db.execute(
            f"select embedding <-> %(q)s::vector from braid_store.vectors_{shard} where not is_duplicate"
            f" order by embedding <-> %(q)s::vector limit {count}",
            {"q": str(query.tolist())},
        ).fetchall()
    nearest = np.sort([np.linalg.norm(vector.astype(float) - query) for vector in vectors])[:count]
    return sum(1 for (distance,) in rows if distance <= nearest[-1] + 1e-5) / count


def test_index_recall_is_that_of_the_tenants_own_queries(db: Connection, vectors: list[Vector]) -> None:
    queries = drawn(40, 1)
    ask(db, queries)
    index = measure(db)
    assert asked(index) == {"stored": 40}
    assert index["vectors"] == SIZE and index["is_indexed"] and index["embedding_model"] == "test"
    widths = {width["ef_search"]: width for width in index["widths"]}
    assert widths[40]["index_recall_10"] < 1, "an index that misses nothing shows nothing"
    for width in (40, 100):
        for count in (10, 100) if width == 100 else (10,):
            found = [asked_oneself(db, index["shard"], vectors, query, width, count) for query in queries]
            assert widths[width][f"index_recall_{count}"] == pytest.approx(np.mean(found), abs=1e-9)
            assert widths[width][f"error_{count}"] == pytest.approx(np.std(found, ddof=1) / 40**0.5, abs=1e-9)


def test_widths_end_where_wider_ones_could_change_nothing(db: Connection) -> None:
    db.execute(
        "select braid.create_collection('c', dimensions => %s, embedding_model => 'test', distance => 'l2')",
        (DIMENSIONS,),
    )
    db.execute("select braid.set_collection('c', '{\"hnsw_m\": 6, \"hnsw_ef_construction\": 16}')")
    db.execute("select braid.set_query_embeddings('c', 200)")
    set_threshold(db, 200, DIMENSIONS)
    store(db, {f"d{number:04}": row for number, row in enumerate(drawn(SIZE, 0))}, "c")
    maintain(db)
    ask(db, drawn(100, 1))
    index = measure(db, set_ef_search=True)
    index = measure(db)
    # The widths in use are measured in any case, up to a quarter of the vectors.
    widest = min(max(index["ef_search"], index["ef_search_100"], index["far_ef_search"] or 0), 250)
    are_enough = [
        1 - width["index_recall_10"] + width["error_10"] <= 0.0075
        and width["index_recall_100"] - width["error_100"] >= 0.98
        and width["ef_search"] >= widest
        for width in index["widths"]
    ]
    assert are_enough == [False] * (len(are_enough) - 1) + [True]
    assert index["widths"][-2]["index_recall_100"] < 1, "what finds all shows nothing"
    for_100 = [w["ef_search"] for w in index["widths"] if w["index_recall_100"] - w["error_100"] >= 0.98]
    assert index["suggested_ef_search_100"] == max(index["suggested_ef_search"], for_100[0])
    # Few queries get a margin, and at least 64. One in 25 samples finds too little at every width to show this.
    for seed in range(2, 12):
        ask(db, drawn(29, seed), f"few{seed}-")
        few = measure(db, query_count=29)
        enough = [
            width["ef_search"] for width in few["widths"] if width["index_recall_10"] - width["error_10"] >= 0.985
        ]
        if enough and few["suggested_far_distance"] is None:
            break
    assert few["suggested_ef_search"] == max(64, ceil(1.5 * enough[0]))


def test_what_is_suggested_is_set_if_told_to(db: Connection, vectors: list[Vector]) -> None:
    ask(db, drawn(40, 1))

    def used() -> tuple[Any, ...]:
        row = db.execute(
            "select s -> 'ef_search', v.ef_search_100, v.ef_search_fused"
            " from jsonb_array_elements(braid.status('c') #> '{collections,0,vectors,shards}') s,"
            " braid_store.vector_shards v"
        ).fetchone()
        assert row is not None
        return tuple(row)

    # These widths are too narrow to be suggested for any index.
    db.execute("update braid_store.vector_shards set ef_search = 41, ef_search_100 = 101, ef_search_fused = 41")
    before = used()
    measured = measure(db)
    names = ("ef_search", "ef_search_100", "ef_search_fused")
    assert used() == before == tuple(measured[name] for name in names) and not measured["is_set"]
    suggested = tuple(measured[f"suggested_{name}"] for name in names)
    assert not set(suggested) & set(before)
    widths = {width["ef_search"]: width["index_recall_10"] for width in measured["widths"]}
    surely = [w["ef_search"] for w in measured["widths"] if w["index_recall_10"] - w["error_10"] >= 0.985]
    # Far answers are searched again, so a narrower width can be enough.
    assert suggested[0] == suggested[2] and (suggested[0] is None or suggested[0] <= min([*surely, 1000]))
    if measured["suggested_far_distance"] is None and suggested[0] is not None:
        assert widths[suggested[0]] >= 0.97
    changed = measure(db, set_ef_search=True)
    assert changed["is_set"] and used() == suggested == tuple(changed[name] for name in names)
    # No width is suggested for an index too poor to use.
    assert (changed["index_recall_10"] is None) == (suggested[0] is None)


def test_far_answers_count_as_searched_again(db: Connection, vectors: list[Vector]) -> None:
    queries = drawn(60, 1)
    ask(db, queries)
    exact = [np.sort(np.linalg.norm(np.array(vectors, float) - query, axis=1))[9] for query in queries]
    for far_ef_search in (150, None):
        db.execute(
            "update braid_store.vector_shards set ef_search = 40, far_distance = %s, far_ef_search = %s",
            (float(np.median(exact)), far_ef_search),
        )
        index = measure(db)
        assert 0.4 < index["far_share"] < 0.8 and index["far_ef_search"] == far_ef_search
        found = [
            np.mean([distance <= tenth + 1e-5 for distance in distances])
            for query, tenth in zip(queries, exact, strict=True)
            for distances in [
                [
                    np.linalg.norm(vectors[int(row[0][1:])].astype(float) - query)
                    for row in db.execute(
                        "select external_id from braid.semantic_search(%s::vector, 10, collection => 'c')",
                        (vector(query),),
                    )
                ]
            ]
        ]
        assert index["index_recall_10"] == pytest.approx(np.mean(found), abs=1e-9)
        alone = next(w["index_recall_10"] for w in index["widths"] if w["ef_search"] == 40)
        assert alone < index["index_recall_10"]


def test_few_queries_are_filled_up_from_what_is_stored(db: Connection, vectors: list[Vector]) -> None:
    ask(db, drawn(3, 1))
    assert asked(measure(db, query_count=50)) == {"stored": 3, "sample": 47}
    # Another tenant's queries are not used.
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    ask(db, drawn(35, 3), "o")
    set_tenant(db, "default")
    assert measure(db)["queries"]["stored"] == 3


def test_the_last_used_come_first(db: Connection, vectors: list[Vector]) -> None:
    ask(db, drawn(40, 1), "old")
    new = drawn(10, 5)
    db.execute("update braid_store.query_embeddings set used_at = used_at - interval '1 day'")
    ask(db, new, "new")
    index = measure(db, query_count=10)
    assert asked(index) == {"stored": 10}
    found = [asked_oneself(db, index["shard"], vectors, query, 40, 10) for query in new]
    assert index["widths"][0]["index_recall_10"] == pytest.approx(np.mean(found), abs=1e-9)


def test_few_queries_that_find_all_get_a_least_width(db: Connection) -> None:
    db.execute(
        "select braid.create_collection('c', dimensions => %s, embedding_model => 'test', distance => 'l2')",
        (DIMENSIONS,),
    )
    db.execute("select braid.set_query_embeddings('c', 200)")
    set_threshold(db, 200, DIMENSIONS)
    store(db, {f"d{number}": row for number, row in enumerate(drawn(300, 0))}, "c")
    maintain(db)
    ask(db, drawn(40, 1))
    for count, least in ((10, 64), (29, 64), (30, 0)):
        index = measure(db, query_count=count)
        assert asked(index) == {"stored": count}
        # An index this small finds everything at the lowest width.
        widths = index["suggested_ef_search"], index["suggested_ef_search_fused"]
        assert widths == (max(least, index["widths"][0]["ef_search"]),) * 2


@pytest.mark.parametrize("distance", CLASSES)
def test_a_query_far_away_is_measured(db: Connection, distance: str) -> None:
    indexed(db, made_up(300), distance)
    db.execute("select braid.set_query_embeddings('c')")
    far_away = np.full(INDEXED_DIMENSIONS, 1e6, np.float32)
    db.execute("select braid.store_query_embedding('far away', %s, 'c')", (vector(far_away),))
    (measured,) = one(db, "select braid.measure_index_recall('c') -> 'indexes'")
    assert measured["queries"]["stored"] == 1 and measured["index_recall_10"] >= 0.9
