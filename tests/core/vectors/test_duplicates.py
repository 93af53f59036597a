"""One of several equal vectors represents all in a shard's index, and each is found like any other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support import OtherSession
from support.nearest import (
    Connection,
    Vector,
    maintain,
    maintain_as_far_as_possible,
    nearest,
    replace_embeddings,
    search,
    serving_shard,
    set_threshold,
    store,
    written_count,
)

pytestmark = pytest.mark.tenant_of_its_own
DIMENSIONS = 6
Vectors = dict[str, Vector]


def made_up() -> Vectors:
    """Return 250 distinct vectors, 200 equal ones of one kind and 60 of another."""
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((250, DIMENSIONS), np.float32)
    equal = {f"yes{n:03}": np.full(DIMENSIONS, 0.25, np.float32) for n in range(200)}
    others = {f"no{n:03}": np.full(DIMENSIONS, -0.25, np.float32) for n in range(60)}
    return equal | others | {f"d{n:03}": row for n, row in enumerate(rows)}


YES, NO = np.full(DIMENSIONS, 0.25, np.float32), np.full(DIMENSIONS, -0.25, np.float32)


@pytest.fixture(params=["vector", "halfvec"])
def vectors(db: Connection, request: pytest.FixtureRequest) -> Vectors:
    """Store the vectors in a shard that serves."""
    db.execute(
        "select braid.create_collection('c', dimensions => %s, distance => 'l2',"
        " settings => jsonb_build_object('vector_storage', %s::text))",
        (DIMENSIONS, request.param),
    )
    set_threshold(db, 200, DIMENSIONS)
    stored = made_up()
    if request.param == "halfvec":
        stored = {name: row.astype(np.float16).astype(np.float32) for name, row in stored.items()}
    store(db, stored, "c")
    maintain(db)
    return stored


def check(db: Connection, vectors: Vectors, count: int = 40, filters: dict[str, Any] | None = None) -> None:
    """Check that the index finds the nearest vectors, around the equal ones and elsewhere."""
    missed = 0
    for query in (YES, NO, YES + 0.1, NO - 0.1, np.zeros(DIMENSIONS, np.float32), *list(vectors.values())[-3:]):
        hits, mode, _ = search(db, query, "c", count, filters)
        assert mode == ("hnsw" if filters is None else "hnsw_filtered")
        found = [name for name, _ in hits]
        assert len(found) == len(set(found)) == count and set(found) <= vectors.keys()
        expected = nearest(vectors, query, "l2", count)
        missed += (
            sum(abs(score - best) > 1e-5 for (_, score), (_, best) in zip(hits, expected, strict=True)) > count / 10
        )
    assert missed <= 1


def indexed(db: Connection) -> int:
    """Return how many vectors the index holds."""
    row = db.execute(
        f"select count(*) from braid_store.vectors_{serving_shard(db, 'c')} where not is_duplicate"
    ).fetchone()
    assert row is not None
    return int(row[0])


def delete(db: Connection, names: list[str]) -> None:
    db.execute("select braid.delete_documents(%s, 'c')", (names,))


@pytest.mark.any_version
def test_each_is_found(db: Connection, vectors: Vectors) -> None:
    assert indexed(db) == 252
    check(db, vectors)
    names = {name for name, _ in search(db, YES, "c", 200)[0]}
    assert names == {name for name in vectors if name.startswith("yes")}


@pytest.mark.any_version
def test_deleting_the_one_in_the_index_leaves_the_others(db: Connection, vectors: Vectors) -> None:
    for gone in (["yes000", "no000"], ["yes001"], [f"yes{n:03}" for n in range(2, 150)]):
        delete(db, gone)
        vectors = {name: row for name, row in vectors.items() if name not in gone}
        check(db, vectors)
    maintain(db)
    check(db, vectors)


@pytest.mark.any_version
def test_nothing_stays_when_all_are_deleted(db: Connection, vectors: Vectors) -> None:
    delete(db, ["no000"])
    delete(db, [name for name in vectors if name.startswith("no") and name != "no000"])
    delete(db, [name for name in vectors if name.startswith("yes")])
    row = db.execute(f"select count(*) from braid_store.vectors_{serving_shard(db, 'c')}").fetchone()
    assert row == (250,)
    check(db, {name: row for name, row in vectors.items() if name.startswith("d")})


@pytest.mark.any_version
def test_one_that_fails_the_filter_does_not_hide_the_others(db: Connection, vectors: Vectors) -> None:
    """A vector that fails the filter does not hide its equals, although the first of them represents all in the
    index."""
    names = list(vectors)
    for n, name in enumerate(names):
        db.execute("select braid.update_metadata(%s, %s, collection => 'c')", (name, Jsonb({"kept": n % 3 != 0})))
    check(db, {name: vectors[name] for n, name in enumerate(names) if n % 3}, filters={"kept": True})


@pytest.mark.any_version
def test_replaced_and_new_vectors(db: Connection, vectors: Vectors) -> None:
    """Some vectors in the index are replaced, others become equal, and one gets another's former value: all are
    found."""
    for replaced in (
        {"yes000": NO, "no000": np.full(DIMENSIONS, 2, np.float32)},
        {"yes001": YES + 1, "no001": YES, "d000": YES, "d001": np.full(DIMENSIONS, 2, np.float32)},
        {name: np.full(DIMENSIONS, 3, np.float32) for name in vectors if name.startswith("no")},
    ):
        shard = serving_shard(db, "c")
        replace_embeddings(db, replaced, "c")
        vectors = vectors | replaced
        check(db, vectors)
        new = {f"again{len(vectors)}{n}": YES for n in range(15)}
        store(db, new, "c")
        vectors = vectors | new
        maintain(db)
        assert serving_shard(db, "c") == shard and written_count(db, "c") == 0
        check(db, vectors)
        assert indexed(db) <= len({row.tobytes() for row in vectors.values()}) + 1


def test_a_delete_while_vectors_are_absorbed(db: Connection, other_session: OtherSession, vectors: Vectors) -> None:
    """While vectors are absorbed, another session deletes the last of a kind without having seen the new one of that
    kind."""
    alone = {"alone": np.full(DIMENSIONS, 5, np.float32)}
    store(db, alone, "c")
    maintain(db)
    store(db, {"second": alone["alone"]}, "c")
    with other_session() as maintainer:
        maintainer.execute("select braid.maintain('10 minutes')")
        db.execute("set statement_timeout = '3min'")
        with other_session() as other:
            other.execute("set lock_timeout = '200 ms'")
            with pytest.raises(psycopg.Error):
                other.execute("select braid.delete_documents('{alone}', 'c')")
        maintainer.commit()
    delete(db, ["alone"])
    hits, mode, _ = search(db, alone["alone"], "c", 1)
    assert (hits[0][0], mode) == ("second", "hnsw")


def test_a_delete_that_waits_for_the_first_duplicate_of_a_shard(db: Connection, other_session: OtherSession) -> None:
    """A delete waits for the first duplicate of a shard; when it began, the shard had no duplicates."""
    db.execute("select braid.create_collection('c', dimensions => %s, distance => 'l2')", (DIMENSIONS,))
    set_threshold(db, 200, DIMENSIONS)
    vectors = {name: row for name, row in made_up().items() if name.startswith("d")}
    store(db, vectors, "c")
    maintain(db)
    store(db, {"second": vectors["d000"]}, "c")
    with other_session() as maintainer, ThreadPoolExecutor(1) as pool:
        maintainer.execute("select braid.maintain('10 minutes')")
        deleted = pool.submit(delete, db, ["d000"])
        while not maintainer.execute("select from pg_locks where not granted").fetchall():
            assert not deleted.done()
        maintainer.commit()
        deleted.result()
    assert search(db, vectors["d000"], "c", 1)[:2] == ([("second", 1.0)], "hnsw")


def test_a_vector_that_comes_while_the_one_in_the_index_is_deleted(
    db: Connection, other_session: OtherSession, vectors: Vectors
) -> None:
    """A new vector arrives while its equal in the index is being deleted. Maintenance does not wait for the delete, so
    two equal vectors are in the index."""
    with other_session() as other:
        delete(other, ["yes000"])
        store(db, {"new": YES}, "c")
        maintain_as_far_as_possible(db)
        other.commit()
    assert written_count(db, "c") == 0
    vectors = {name: row for name, row in vectors.items() if name != "yes000"} | {"new": YES}
    check(db, vectors)
    names = [name for name, _ in search(db, YES, "c", 200)[0]]
    assert sorted(names) == sorted(name for name in vectors if name.startswith(("yes", "new")))


@pytest.mark.any_version
def test_demotion(db: Connection, vectors: Vectors) -> None:
    left = {name: row for name, row in vectors.items() if name.startswith(("no", "d00"))}
    delete(db, [name for name in vectors if name not in left])
    maintain(db)
    assert serving_shard(db, "c") is None and written_count(db, "c") == len(left)
    assert {name for name, _ in search(db, NO, "c", 60)[0]} == {name for name in left if name.startswith("no")}
