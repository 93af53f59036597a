"""What braid.measure_recall tells of an index is what one finds who asks it oneself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from math import ceil
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.json import Jsonb

import pgbraid
from pgbraid import embedded
from support import clone
from support.calls import one, set_tenant, vector
from support.nearest import Connection, Vector, maintain, set_threshold, store

NewDatabase = Callable[[], AbstractContextManager[str]]
DIMENSIONS = 16
SIZE = 1200


def drawn(count: int, seed: int) -> list[Vector]:
    return list(np.random.default_rng(seed).standard_normal((count, DIMENSIONS), np.float32))


@pytest.fixture(scope="module")
def filled(new_database: NewDatabase) -> Iterator[str]:
    """The name of a database with a shard that serves, with an index so poor that it misses some."""
    with new_database() as dsn:
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute(
                "select braid.create_collection('c', dimensions => %s, embedding_model => 'test', distance => 'l2')",
                (DIMENSIONS,),
            )
            db.execute("select braid.set_collection('c', '{\"hnsw_m\": 4, \"hnsw_ef_construction\": 8}')")
            db.execute("select braid.set_query_embeddings('c', 200)")
            set_threshold(db, 200, DIMENSIONS)
            store(db, {f"d{number:04}": row for number, row in enumerate(drawn(SIZE, 0))}, "c")
            maintain(db)
        yield str(conninfo_to_dict(dsn)["dbname"])


@pytest.fixture
def dsn(request: pytest.FixtureRequest, server: embedded.Server, new_database: NewDatabase) -> Iterator[str]:
    """Of a test that asks for `vectors`: of a copy of the database that has them."""
    if "vectors" in request.fixturenames:
        with clone(server, request.getfixturevalue("filled")) as name:
            yield server.dsn_for(name)
    else:
        with new_database() as new:
            yield new


@pytest.fixture
def vectors(db: Connection) -> list[Vector]:
    return drawn(SIZE, 0)


def ask(db: Connection, queries: list[Vector], prefix: str = "q") -> None:
    for number, query in enumerate(queries):
        db.execute(
            "select braid.store_query_embedding(%s, %s::vector, 'c')", (f"{prefix}{number}", str(query.tolist()))
        )


def measure(db: Connection, **arguments: Any) -> dict[str, Any]:
    row = db.execute(
        "select braid.measure_recall('c', query_count => %s, set_ef_search => %s)",
        (arguments.get("query_count", 100), arguments.get("set_ef_search", False)),
    ).fetchone()
    assert row is not None and row[0]["collection"] == "c"
    (index,) = row[0]["indexes"]
    assert isinstance(index, dict)
    return index


def asked_oneself(db: Connection, shard: int, vectors: list[Vector], query: Vector, width: int, count: int) -> float:
    """The share of the nearest that the index finds at this width."""
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


@pytest.mark.any_version
def test_recall_is_that_of_the_tenants_own_queries(db: Connection, vectors: list[Vector]) -> None:
    queries = drawn(40, 1)
    ask(db, queries)
    index = measure(db)
    assert index["queries"] == {"stored": 40, "query_sets": 0, "sample": 0}
    assert index["vectors"] == SIZE and index["is_indexed"] and index["embedding_model"] == "test"
    widths = {width["ef_search"]: width for width in index["widths"]}
    assert widths[40]["recall_10"] < 1, "an index that misses nothing shows nothing"
    for width in (40, 100):
        for count in (10, 100) if width == 100 else (10,):
            found = [asked_oneself(db, index["shard"], vectors, query, width, count) for query in queries]
            assert widths[width][f"recall_{count}"] == pytest.approx(np.mean(found), abs=1e-9)
            assert widths[width][f"error_{count}"] == pytest.approx(np.std(found, ddof=1) / 40**0.5, abs=1e-9)


@pytest.mark.any_version
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
    *before, last = index["widths"]
    assert last["recall_100"] < 1 and last["ef_search"] < SIZE / 4, "what finds all shows nothing"
    assert 1 - last["recall_10"] + last["error_10"] <= 0.0075 and last["recall_100"] - last["error_100"] >= 0.98
    for width in before:
        assert (
            1 - width["recall_10"] + width["error_10"] > 0.0075
            or width["recall_100"] - width["error_100"] < 0.98
            or width["ef_search"] < max(index["ef_search"], index["ef_search_100"])
        )
    assert index["suggested_ef_search"] <= index["suggested_ef_search_100"] == last["ef_search"]
    # Few queries get a margin, and never less than 64. One in 25 draws finds too little at any width to show it.
    for seed in range(2, 12):
        ask(db, drawn(29, seed), f"few{seed}-")
        few = measure(db, query_count=29)
        enough = [
            width["ef_search"]
            for width in few["widths"]
            if width["recall_10"] >= 0.985 and 1 - width["recall_10"] + width["error_10"] <= 0.0075
        ]
        if enough:
            break
    assert few["suggested_ef_search"] == max(64, ceil(1.25 * enough[0]))


@pytest.mark.any_version
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

    # Too narrow to be suggested, whatever the index is like.
    db.execute("update braid_store.vector_shards set ef_search = 41, ef_search_100 = 101, ef_search_fused = 41")
    before = used()
    measured = measure(db)
    names = ("ef_search", "ef_search_100", "ef_search_fused")
    assert used() == before == tuple(measured[name] for name in names) and not measured["is_set"]
    suggested = tuple(measured[f"suggested_{name}"] for name in names)
    assert not set(suggested) & set(before)
    widths = {width["ef_search"]: width["recall_10"] for width in measured["widths"]}
    # Where full text ranks as well, what was measured is enough, less its error.
    surely = [w["ef_search"] for w in measured["widths"] if w["recall_10"] - w["error_10"] >= 0.985]
    assert suggested[2] == min([*surely[:1], suggested[0] or 1000]) or suggested[0] is None
    if suggested[0] is not None:
        assert widths[suggested[0]] >= 0.97
    changed = measure(db, set_ef_search=True)
    assert changed["is_set"] and used() == suggested == tuple(changed[name] for name in names)
    # Nothing at all where so poor an index should not be used.
    assert changed["recall_10"] == widths.get(suggested[0])


@pytest.mark.any_version
def test_few_queries_are_filled_up_from_what_is_stored(db: Connection, vectors: list[Vector]) -> None:
    ask(db, drawn(3, 1))
    db.execute("select braid.create_query_set('s')")
    questions = [
        {"query_id": str(number), "text": "x", "embedding": query.tolist()} for number, query in enumerate(drawn(4, 2))
    ]
    db.execute("select braid.store_queries('s', %s, 'c')", (Jsonb(questions),))
    assert measure(db, query_count=50)["queries"] == {"stored": 3, "query_sets": 4, "sample": 43}
    # Of another tenant's queries nothing is asked.
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    ask(db, drawn(35, 3), "o")
    set_tenant(db, "default")
    assert measure(db)["queries"]["stored"] == 3


@pytest.mark.any_version
def test_the_last_used_come_first(db: Connection, vectors: list[Vector]) -> None:
    ask(db, drawn(40, 1), "old")
    new = drawn(10, 5)
    db.execute("update braid_store.query_embeddings set used_at = used_at - interval '1 day'")
    ask(db, new, "new")
    index = measure(db, query_count=10)
    assert index["queries"] == {"stored": 10, "query_sets": 0, "sample": 0}
    found = [asked_oneself(db, index["shard"], vectors, query, 40, 10) for query in new]
    assert index["widths"][0]["recall_10"] == pytest.approx(np.mean(found), abs=1e-9)


@pytest.mark.any_version
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
        assert index["queries"] == {"stored": count, "query_sets": 0, "sample": 0}
        # So small an index finds all at the lowest width.
        widths = index["suggested_ef_search"], index["suggested_ef_search_fused"]
        assert widths == (max(least, index["widths"][0]["ef_search"]),) * 2


@pytest.mark.any_version
def test_an_index_that_is_missing_is_told(db: Connection, vectors: list[Vector]) -> None:
    shard = measure(db)["shard"]
    db.execute(f"drop index braid_store.vectors_{shard}_hnsw")
    assert measure(db) == {"shard": shard, "embedding_model": "test", "vectors": SIZE, "is_indexed": False}


@pytest.mark.any_version
def test_without_an_index_there_is_nothing_to_measure(db: Connection) -> None:
    assert db.execute("select braid.measure_recall()").fetchone() == ({"collection": "default", "indexes": []},)


@pytest.mark.any_version
@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("query_count => 9", "query_count is 9", "Use 10 to 1000."),
        ("query_count => 29, set_ef_search => true", "query_count is 29", "Use 30 to 1000 with set_ef_search."),
        ("query_count => 1001", "query_count is 1001", "Use 10 to 1000."),
        ("query_count => null", "query_count is null", "Use 10 to 1000."),
        ("set_ef_search => null", "set_ef_search is null", "Use true"),
        ("'nothing'", 'collection "nothing" does not exist', "create_collection"),
    ],
)
def test_bad_input(shared_db: Connection, arguments: str, message: str, hint: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        shared_db.execute(f"select braid.measure_recall({arguments})")
    assert error.value.diag.message_primary == message and hint in (error.value.diag.message_hint or "")
    assert not error.value.diag.context or "measure_recall" in error.value.diag.context


def test_the_client(dsn: str, db: Connection, vectors: list[Vector]) -> None:
    ask(db, drawn(40, 1))
    with pgbraid.connect(dsn) as client:
        (index,) = client.measure_recall("c", query_count=30, set_ef_search=True)["indexes"]
        assert index["is_set"] and index["queries"]["stored"] == 30
        with pytest.raises(pgbraid.errors.InvalidArgumentError, match="query_count is 5"):
            client.measure_recall("c", query_count=5)


@pytest.mark.any_version
def test_very_many_equal_vectors_are_compared_and_not_kept(db: Connection) -> None:
    db.execute("select braid.create_collection('c', dimensions => %s, distance => 'l2')", (DIMENSIONS,))
    set_threshold(db, 200, DIMENSIONS)
    rows = drawn(60, 0)
    store(db, {f"d{number:04}": rows[number % 60] for number in range(400)}, "c")
    maintain(db)
    shard = one(db, "select id from braid_store.vector_shards")
    with db.transaction(force_rollback=True):
        # 30,000 more, which nobody has to write.
        db.execute(
            f"insert into braid_store.vectors_{shard} select tenant_id, 1000000 + 75 * chunk_id + n, embedding,"
            f" embedding_hash, true from braid_store.vectors_{shard}, generate_series(1, 75) n"
        )
        db.execute("set local temp_file_limit = '1MB'")
        found = db.execute(
            """
            select (e.found).counts, (e.found).tenth, (e.found).last
            from braid_store.vector_shards s
            join braid_store.vector_spaces v on v.id = s.vector_space_id,
                 lateral (select braid_store.exact_distances(s, v, %s::text[]::vector[]) as found) e
            """,
            ([vector(row) for row in drawn(100, 1)],),
        ).fetchall()
        copies = [
            db.execute(
                f"""
            select array_agg(n.distance order by n.distance)
            from (select embedding <-> %s::vector as distance from braid_store.vectors_{shard} order by 1 limit 100) n
            """,
                (vector(row),),
            ).fetchone()
            for row in drawn(100, 1)
        ]
    assert found == [([100] * 100, [d[9] for (d,) in filter(None, copies)], [d[99] for (d,) in filter(None, copies)])]


def test_workers_find_the_same(dsn: str, db: Connection, vectors: list[Vector], pg_version: int) -> None:
    queries = [vector(row) for row in drawn(41, 1)]
    call = """
        select braid_store.{}
        from braid_store.vector_shards s
        join braid_store.vector_spaces v on v.id = s.vector_space_id
        """
    (exact,) = db.execute(
        f"select e.* from ({call.format('exact_distances(s, v, %s::text[]::vector[]) as found')}) f,"
        " lateral (select (f.found).*) e",
        (queries,),
    ).fetchall()
    recalls = call.format("query_recalls(s, v, %s::text[]::vector[], %s, %s::float8[], %s::float8[], 40)::text")
    alone = one(db, recalls, queries, *exact)
    assert "0.9" in alone, "an index that misses nothing shows nothing"

    def launched(count: int, workers: int) -> int:
        """How many workers are asked for by as many vectors."""
        statistics = "select parallel_workers_to_launch from pg_stat_database where datname = current_database()"
        db.execute("update braid_store.vector_shards set vector_count = %s", (count,))
        db.execute("select pg_stat_force_next_flush()")
        before = one(db, statistics) if pg_version >= 18 else 0
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute(f"set max_parallel_workers_per_gather = {workers}")
            assert one(other, recalls, queries, *exact) == alone
            other.execute("select pg_stat_force_next_flush()")
        return one(db, statistics) - before if pg_version >= 18 else 0

    assert [launched(50_000, 0), launched(49_999, 2)] == [0, 0]
    assert launched(50_000, 2) > 0 or pg_version < 18
