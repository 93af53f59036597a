"""braid.measure_index_recall reports the index recall that a comparison with exact searches gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

import pgbraid
from pgbraid import embedded
from support import clone
from support.calls import one, vector
from support.nearest import Connection, Vector, maintain, set_threshold, store

NewDatabase = Callable[[], AbstractContextManager[str]]
DIMENSIONS = 16
SIZE = 1200


def drawn(count: int, seed: int) -> list[Vector]:
    return list(np.random.default_rng(seed).standard_normal((count, DIMENSIONS), np.float32))


@pytest.fixture(scope="module")
def filled(new_database: NewDatabase) -> Iterator[str]:
    """Yield the name of a database with a serving shard, whose index is poor enough to miss some vectors."""
    with new_database() as dsn:
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute(
                "select braid.create_collection('c', dimensions => %s, embedding_model => 'test', distance => 'l2')",
                (DIMENSIONS,),
            )
            db.execute("select braid.set_collection('c', '{\"hnsw_m\": 4, \"hnsw_ef_construction\": 8}')")
            set_threshold(db, 200, DIMENSIONS)
            store(db, {f"d{number:04}": row for number, row in enumerate(drawn(SIZE, 0))}, "c")
            maintain(db)
        yield str(conninfo_to_dict(dsn)["dbname"])


@pytest.fixture
def dsn(request: pytest.FixtureRequest, server: embedded.Server, new_database: NewDatabase) -> Iterator[str]:
    """Yield a database: a copy of `filled` if the test uses `vectors`, otherwise a new one."""
    if "vectors" in request.fixturenames:
        with clone(server, request.getfixturevalue("filled")) as name:
            yield server.dsn_for(name)
    else:
        with new_database() as new:
            yield new


@pytest.fixture
def vectors(db: Connection) -> list[Vector]:
    return drawn(SIZE, 0)


def measure(db: Connection, **arguments: Any) -> dict[str, Any]:
    row = db.execute(
        "select braid.measure_index_recall('c', query_count => %s, set_ef_search => %s)",
        (arguments.get("query_count", 100), arguments.get("set_ef_search", False)),
    ).fetchone()
    assert row is not None and row[0]["collection"] == "c"
    (index,) = row[0]["indexes"]
    assert isinstance(index, dict)
    return index


@pytest.mark.any_version
def test_without_queries_a_sample_of_what_is_stored_is_asked(db: Connection, vectors: list[Vector]) -> None:
    index = measure(db, query_count=50)
    assert index["queries"]["sample"] == sum(index["queries"].values()) == 50
    assert index["vectors"] == SIZE and index["is_indexed"] and index["embedding_model"] == "test"
    assert index["widths"][0]["index_recall_10"] < 1, "an index that misses nothing shows nothing"


@pytest.mark.any_version
def test_an_index_that_is_missing_is_told(db: Connection, vectors: list[Vector]) -> None:
    shard = measure(db)["shard"]
    db.execute(f"drop index braid_store.vectors_{shard}_hnsw")
    assert measure(db) == {"shard": shard, "embedding_model": "test", "vectors": SIZE, "is_indexed": False}


@pytest.mark.any_version
def test_without_an_index_there_is_nothing_to_measure(db: Connection) -> None:
    assert db.execute("select braid.measure_index_recall()").fetchone() == ({"collection": "default", "indexes": []},)


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
        shared_db.execute(f"select braid.measure_index_recall({arguments})")
    assert error.value.diag.message_primary == message and hint in (error.value.diag.message_hint or "")
    assert not error.value.diag.context or "measure_index_recall" in error.value.diag.context


def test_the_client(dsn: str, db: Connection, vectors: list[Vector]) -> None:
    with pgbraid.connect(dsn) as client:
        (index,) = client.measure_index_recall("c", query_count=30, set_ef_search=True)["indexes"]
        assert index["is_set"] and index["queries"]["sample"] == 30
        with pytest.raises(pgbraid.errors.InvalidArgumentError, match="query_count is 5"):
            client.measure_index_recall("c", query_count=5)


@pytest.mark.any_version
def test_very_many_equal_vectors_are_compared_and_not_kept(db: Connection) -> None:
    db.execute("select braid.create_collection('c', dimensions => %s, distance => 'l2')", (DIMENSIONS,))
    set_threshold(db, 200, DIMENSIONS)
    rows = drawn(60, 0)
    store(db, {f"d{number:04}": rows[number % 60] for number in range(400)}, "c")
    maintain(db)
    shard = one(db, "select id from braid_store.vector_shards")
    with db.transaction(force_rollback=True):
        # The shard gets 30,000 more vectors without any writer's work.
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
    recalls = call.format("query_index_recalls(s, v, %s::text[]::vector[], %s, %s::float8[], %s::float8[], 40)::text")
    alone = one(db, recalls, queries, *exact)
    assert "0.9" in alone, "an index that misses nothing shows nothing"

    def launched(count: int, workers: int) -> int:
        """Return how many parallel workers a shard of this many vectors requests."""
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
