"""In every state of a vector shard, searches give what numpy gives."""

from __future__ import annotations

import random
import threading
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from psycopg.types.json import Jsonb

from support import OtherSession
from support.calls import one, set_tenant
from support.examples import examples
from support.nearest import (
    Connection,
    Vector,
    assert_nearest,
    assert_shard_tables,
    begin_shard,
    index_recall,
    maintain,
    maintain_as_far_as_possible,
    maintain_once,
    nearest,
    pass_a_day,
    replace_embeddings,
    search,
    serving_shard,
    set_threshold,
    shard_tables,
    shards,
    store,
    written_count,
)
from support.waiting import until

pytestmark = pytest.mark.tenant_of_its_own
DIMENSIONS = 6
SIZE = 300
Vectors = dict[str, Vector]


def made_up(count: int, seed: int = 0, prefix: str = "d") -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS), np.float32)
    return {f"{prefix}{number:04}": row for number, row in enumerate(rows)}


@pytest.fixture
def collection(db: Connection) -> str:
    db.execute("select braid.create_collection('c', dimensions => %s, distance => 'l2')", (DIMENSIONS,))
    set_threshold(db, 200, DIMENSIONS)
    return "c"


@pytest.fixture
def vectors(db: Connection, collection: str) -> Vectors:
    """Store vectors in a shard that serves."""
    stored = made_up(SIZE)
    store(db, stored, collection)
    maintain(db)
    assert serving_shard(db, collection) is not None and written_count(db, collection) == 0
    return stored


def delete(db: Connection, external_ids: list[str]) -> None:
    db.execute("select braid.delete_documents(%s, 'c')", (external_ids,))


def maintain_until(db: Connection, state: str) -> None:
    """Maintain until a shard is in this state, and leave later work undone."""
    if state == "copying":
        begin_shard(db, "c", 100)
    for _ in range(5):
        if state in {found for _, found in shards(db, "c")}:
            return
        db.execute("select braid.maintain('60 s')")
    raise AssertionError(shards(db, "c"))


def check(db: Connection, vectors: Vectors, seed: int = 9) -> None:
    """Check that a search for all rows is exact, and that searches for 10 rows have a mean index recall of 0.95."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(5):
        query = rng.standard_normal(DIMENSIONS, np.float32)
        hits, mode, _ = search(db, query, "c", 10_000)
        assert mode.startswith("exact")
        assert_nearest(hits, vectors, query, "l2", 10_000)
        hits, mode, _ = search(db, query, "c", 10)
        assert len(hits) == min(10, len(vectors))
        found.append(index_recall(hits, vectors, query, "l2"))
    assert np.mean(found) >= 0.95


def test_promotion(db: Connection, collection: str) -> None:
    vectors = made_up(SIZE)
    few = dict(list(vectors.items())[:150])
    store(db, few, collection)
    maintain(db)
    assert shards(db, collection) == []
    store(db, vectors, collection)
    maintain(db)
    assert written_count(db, collection) == 0
    assert [state for _, state in shards(db, collection)] == ["serving"]
    assert search(db, [1] * DIMENSIONS, collection)[1] == "hnsw"
    check(db, vectors)
    assert maintain(db) == 1


@pytest.mark.any_version
def test_an_index_is_searched_no_wider_than_it_has_to_be(db: Connection, vectors: Vectors) -> None:
    """The narrowest scan, of 40, finds the whole sample in few vectors of few dimensions, but queries may be harder.
    For the 100 nearest, the scan must be at least as wide."""
    row = db.execute(
        "select ef_search, ef_search_100, ef_search_fused, index_recall from braid_store.vector_shards"
    ).fetchone()
    assert row is not None and row[:3] == (64, 100, 64) and row[3] >= 0.985


@pytest.mark.any_version
def test_a_large_index_is_measured_with_more_questions(db: Connection, vectors: Vectors) -> None:
    asked = "select (measurement #> '{queries,sample}')::int from braid_store.vector_shards"
    assert one(db, asked) == 100
    db.execute(
        "select braid_store.calibrate_shard(jsonb_populate_record(s, '{\"vector_count\": 50000}'))"
        " from braid_store.vector_shards s"
    )
    assert one(db, asked) == 200
    # All queries ask for the 10 nearest, and half of them for the 100 nearest as well.
    measured = (
        "select m ->> 'index_recall_100'"
        " from braid_store.vector_shards, jsonb_array_elements(measurement -> 'widths') m"
    )
    found = [10_000 * float(found) for (found,) in db.execute(measured)]
    assert found[:3] == pytest.approx([4000, 5000, 6400]) and found[-1] == pytest.approx(round(found[-1]))


def hybrid_mode(
    db: Connection,
    text: str = "words of d0001",
    match_count: int = 10,
    weights: tuple[float, float] = (0.6, 0.4),
    options: dict[str, Any] | None = None,
) -> str:
    row = db.execute(
        "select braid.search_json(%s, %s::vector, %s, %s, %s, collection => 'c', options => %s)"
        " #>> '{stats,semantic_mode}'",
        (text, str([0] * DIMENSIONS), match_count, *weights, Jsonb(options or {})),
    ).fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.any_version
def test_a_hybrid_search_is_as_wide_as_its_page_needs(db: Connection, vectors: Vectors) -> None:
    """A hybrid search is as wide as its page needs. pgvector's widest scan is 1000, so a search for the 100 nearest
    would not use the index here."""
    db.execute("update braid_store.vector_shards set ef_search_100 = 5000")
    assert hybrid_mode(db) == "hnsw"
    assert hybrid_mode(db, match_count=100) == "exact"
    assert hybrid_mode(db, options={"collapse": True}) == "exact"


@pytest.mark.any_version
def test_where_full_text_fills_the_page_a_hybrid_search_is_narrower(db: Connection, vectors: Vectors) -> None:
    db.execute("update braid_store.vector_shards set ef_search = 5000, ef_search_100 = 5000")
    assert search(db, [0] * DIMENSIONS, "c", 10)[1] == "exact"
    assert hybrid_mode(db) == "hnsw"
    # Semantic search must supply more of the page: vectors weigh more, or full text finds one chunk or none.
    assert hybrid_mode(db, weights=(0.5, 0.5)) == "exact"
    assert hybrid_mode(db, text="0001") == "exact"
    assert hybrid_mode(db, text="nothing") == "exact"
    assert hybrid_mode(db, options={"ranking": {"neighbour_weight": 0.3}}) == "exact"
    assert hybrid_mode(db, options={"ranking": {"normalisation": "minmax"}}) == "exact"
    assert hybrid_mode(db, options={"ranking": {"fusion": "rrf"}}, weights=(1, 0.1)) == "exact"
    # An earlier version did not measure this width.
    db.execute("update braid_store.vector_shards set ef_search_fused = null")
    assert hybrid_mode(db) == "exact"


@pytest.mark.any_version
def test_where_full_text_fills_the_page_fewer_pages_of_the_index_are_read(db: Connection, vectors: Vectors) -> None:
    db.execute("update braid_store.vector_shards set ef_search = 1000, ef_search_100 = 1000, ef_search_fused = 64")

    def pages(text: str) -> int:
        statistics = "select sum(idx_blks_hit + idx_blks_read) from pg_statio_all_indexes where indexrelname ~ '_hnsw$'"
        found = []
        for _ in range(2):
            db.execute("select pg_stat_force_next_flush()")
            found.append(one(db, statistics))
            assert hybrid_mode(db, text=text) == "hnsw"
        return int(found[1] - found[0])

    assert pages("words of d0001") < 0.85 * pages("nothing")


@pytest.mark.any_version
def test_only_the_tenant_that_has_many_gets_a_shard(db: Connection, vectors: Vectors) -> None:
    tenant = one(db, "select current_setting('braid.tenant')")
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    other = made_up(50, seed=1)
    store(db, other, "c")
    maintain(db)
    assert written_count(db, "c") == 50
    check(db, other)
    set_tenant(db, tenant)
    check(db, vectors)


def test_what_is_written_since_is_found_at_once_and_absorbed(db: Connection, vectors: Vectors) -> None:
    shard = serving_shard(db, "c")
    new = made_up(40, seed=1, prefix="new")
    store(db, new, "c")
    check(db, vectors | new)
    query = next(iter(new.values()))
    assert search(db, query, "c", 1)[0][0][0] == "new0000"
    maintain(db)
    assert (serving_shard(db, "c"), written_count(db, "c")) == (shard, 0)
    check(db, vectors | new)
    assert search(db, query, "c", 1)[1] == "hnsw"


@pytest.mark.any_version
def test_much_at_once_makes_a_new_shard(db: Connection, vectors: Vectors) -> None:
    shard = serving_shard(db, "c")
    new = made_up(1100, seed=1, prefix="new")
    store(db, new, "c")
    maintain(db)
    assert serving_shard(db, "c") not in (None, shard)
    assert written_count(db, "c") == 0
    check(db, vectors | new)


@pytest.mark.any_version
def test_a_replaced_embedding_overrides_the_shards(db: Connection, vectors: Vectors) -> None:
    replaced = {external_id: vectors[external_id] + 50 for external_id in list(vectors)[::9]}
    replace_embeddings(db, replaced, "c")
    vectors |= replaced
    check(db, vectors)
    query = np.full(DIMENSIONS, 50, np.float32)
    hits, _, _ = search(db, query, "c", len(replaced))
    assert_nearest(hits, vectors, query, "l2", len(replaced))
    maintain(db)
    assert written_count(db, "c") == 0
    check(db, vectors)
    hits, _, _ = search(db, query, "c", len(replaced))
    assert {external_id for external_id, _ in hits} == set(replaced)


@pytest.mark.any_version
def test_neighbours_that_moved_away_do_not_hide_those_that_stayed(db: Connection, collection: str) -> None:
    """Neighbours that moved away do not hide neighbours that stayed: the index still leads to the former, whose new
    vectors are far and must not fill the page."""
    center = np.full(DIMENSIONS, 10, np.float32)
    rng = np.random.default_rng(3)
    close = {f"close{n:03}": center + rng.normal(0, 0.01, DIMENSIONS).astype(np.float32) for n in range(150)}
    beside = {f"beside{n:03}": center + rng.normal(0, 1, DIMENSIONS).astype(np.float32) for n in range(150)}
    store(db, close | beside, collection)
    maintain(db)
    moved = {external_id: -vector for external_id, vector in close.items()}
    replace_embeddings(db, moved, collection)
    hits, _, _ = search(db, center, collection, 10)
    # One may be missed, because an index's links are random.
    assert len(hits) == 10 and index_recall(hits, moved | beside, center, "l2") >= 0.9


@pytest.mark.any_version
@pytest.mark.parametrize("state", ["copying", "indexing", "serving"])
def test_deletes_and_replacements_in_every_state(db: Connection, collection: str, state: str) -> None:
    vectors = made_up(SIZE)
    store(db, vectors, collection)
    maintain_until(db, state)
    # Deleted neighbours of a query would hide the others if they stayed in the index.
    query = np.zeros(DIMENSIONS, np.float32)
    gone = [external_id for external_id, _ in nearest(vectors, query, "l2", 60)]
    delete(db, gone)
    vectors = {external_id: vector for external_id, vector in vectors.items() if external_id not in gone}
    replaced = {external_id: vectors[external_id] + 3 for external_id in list(vectors)[::5]}
    replace_embeddings(db, replaced, "c")
    vectors |= replaced
    for _ in range(10):
        check(db, vectors)
        hits, _, _ = search(db, query, "c", 10)
        assert_nearest(hits, vectors, query, "l2", 10)
        if db.execute("select braid.maintain('10 minutes') ->> 'complete'").fetchone() == ("true",):
            break
    check(db, vectors)
    # No vector of a deleted chunk is left in the shard, and after a vacuum none is in the index.
    shard = serving_shard(db, "c")
    db.execute(f"vacuum braid_store.vectors_{shard}")
    assert search(db, query, "c", 10)[1] == "hnsw"
    assert db.execute(f"select count(*) from braid_store.vectors_{shard}").fetchone() == (len(vectors),)


def test_a_delete_that_ends_after_the_shard_serves(
    db: Connection, other_session: OtherSession, collection: str
) -> None:
    """A delete that began before the shard served does not know the new shard: the vector stays there, and searches
    skip it."""
    vectors = made_up(SIZE)
    store(db, vectors, collection)
    maintain_until(db, "indexing")
    query = np.zeros(DIMENSIONS, np.float32)
    gone = [external_id for external_id, _ in nearest(vectors, query, "l2", 12)]
    with other_session() as other:
        other.execute("set transaction isolation level repeatable read")
        other.execute("select count(*) from braid_store.vector_shards")
        db.execute("select braid.maintain('10 minutes')")
        assert serving_shard(db, "c") is not None
        db.execute("set statement_timeout = '3min'")
        delete(other, gone)
        other.commit()
    vectors = {external_id: vector for external_id, vector in vectors.items() if external_id not in gone}
    check(db, vectors)
    hits, _, _ = search(db, query, "c", 10)
    assert_nearest(hits, vectors, query, "l2", 10)
    maintain(db)
    check(db, vectors)


@pytest.mark.any_version
def test_demotion(db: Connection, vectors: Vectors) -> None:
    external_ids = list(vectors)
    replace_embeddings(db, {external_ids[-1]: [7] * DIMENSIONS}, "c")
    vectors[external_ids[-1]] = np.full(DIMENSIONS, 7, np.float32)
    delete(db, external_ids[:-50])
    left = {external_id: vectors[external_id] for external_id in external_ids[-50:]}
    check(db, left)
    maintain(db)
    assert serving_shard(db, "c") is None
    assert written_count(db, "c") == 50
    check(db, left)
    maintain(db)
    assert_shard_tables(db, set())
    assert shards(db, "c") == []


@pytest.mark.any_version
@pytest.mark.parametrize("budget", ["60 s", "2 ms"])
def test_a_shard_whose_documents_are_all_gone_is_dropped(db: Connection, vectors: Vectors, budget: str) -> None:
    delete(db, list(vectors))
    for _ in range(30):
        db.execute("select braid.maintain(%s)", (budget,))
    maintain(db)
    maintain(db)
    assert_shard_tables(db, set())
    assert shards(db, "c") == []


@pytest.mark.any_version
def test_vectors_on_the_border_do_not_go_to_and_fro(db: Connection, vectors: Vectors) -> None:
    shard = serving_shard(db, "c")
    external_ids = list(vectors)
    delete(db, external_ids[:-120])
    maintain(db)
    assert serving_shard(db, "c") == shard


@pytest.mark.any_version
@pytest.mark.parametrize("change", ['{"hnsw_m": 8}', '{"hnsw_ef_construction": 120}', '{"vector_storage": "halfvec"}'])
def test_other_settings_make_a_new_shard(db: Connection, vectors: Vectors, change: str) -> None:
    shard = serving_shard(db, "c")
    db.execute("select braid.set_collection('c', %s)", (change,))
    assert search(db, [0] * DIMENSIONS, "c")[1] == "hnsw"
    maintain(db)
    assert serving_shard(db, "c") not in (None, shard)
    assert search(db, [0] * DIMENSIONS, "c")[1] == "hnsw"
    if "halfvec" in change:
        vectors = {i: vector.astype(np.float16).astype(np.float32) for i, vector in vectors.items()}
    check(db, vectors)
    maintain(db)
    assert_shard_tables(db, {f"vectors_{serving_shard(db, 'c')}"})


@pytest.mark.any_version
@pytest.mark.parametrize(
    "damage", ["drop index {}", "update pg_index set indisvalid = false where indexrelid = '{}'::regclass"]
)
def test_a_lost_index_is_told_and_made_anew(db: Connection, vectors: Vectors, damage: str) -> None:
    shard = serving_shard(db, "c")
    db.execute(damage.format(f"braid_store.vectors_{shard}_hnsw"))
    query = np.zeros(DIMENSIONS, np.float32)
    hits, mode, warnings = search(db, query, "c", 10)
    assert (mode, warnings) == ("exact", ["vector_index_missing"])
    assert_nearest(hits, vectors, query, "l2", 10)
    row = db.execute("select braid.search_json('words', collection => 'c') -> 'warnings'").fetchone()
    assert row == ([],)
    pass_a_day(db)
    maintain(db)
    assert serving_shard(db, "c") not in (None, shard)
    hits, mode, warnings = search(db, query, "c", 10)
    assert (mode, warnings) == ("hnsw", [])
    check(db, vectors)


@pytest.mark.any_version
def test_clearing_retires_the_shard(db: Connection, vectors: Vectors) -> None:
    assert db.execute("select braid.clear_collection('c')").fetchone() == (SIZE,)
    assert [state for _, state in shards(db, "c")] == ["retired"]
    assert search(db, [0] * DIMENSIONS, "c") == ([], "exact", [])
    again = made_up(SIZE, seed=5)
    store(db, again, "c")
    check(db, again)
    maintain(db)
    check(db, again)
    maintain(db)
    assert_shard_tables(db, {f"vectors_{serving_shard(db, 'c')}"})


@pytest.mark.any_version
def test_clearing_while_a_shard_is_made(db: Connection, collection: str) -> None:
    for state in ("copying", "indexing"):
        store(db, made_up(SIZE), collection)
        maintain_until(db, state)
        db.execute("select braid.clear_collection('c')")
        assert {found for _, found in shards(db, "c")} == {"retired"}
        assert search(db, [0] * DIMENSIONS, "c")[0] == []
    maintain(db)
    maintain(db)
    assert_shard_tables(db, set())
    assert shards(db, "c") == []


@pytest.mark.any_version
def test_a_dropped_collection_is_gone_at_once_and_reaped_in_batches(db: Connection, vectors: Vectors) -> None:
    assert db.execute("select braid.drop_collection('c')").fetchone() == (True,)
    with pytest.raises(psycopg.errors.UndefinedObject):
        search(db, [0] * DIMENSIONS, "c")
    with pytest.raises(psycopg.errors.UndefinedObject):
        store(db, made_up(1), "c")
    # A new collection of the same name is another collection.
    db.execute("select braid.create_collection('c', dimensions => %s, distance => 'l2')", (DIMENSIONS,))
    own = made_up(10, seed=4)
    store(db, own, "c")
    check(db, own)
    calls = 0
    while db.execute("select braid.maintain('2 ms') ->> 'complete'").fetchone() == ("false",):
        calls += 1
        assert calls < 200
        check(db, own)
    maintain(db)
    assert_shard_tables(db, set())
    assert db.execute("select count(*) from braid_store.vector_shards").fetchone() == (0,)
    assert db.execute("select count(*) from braid_store.documents").fetchone() == (10,)
    check(db, own)


def test_a_shard_is_kept_for_those_who_may_still_read_it(
    db: Connection, other_session: OtherSession, vectors: Vectors
) -> None:
    first = f"vectors_{serving_shard(db, 'c')}"
    with other_session() as reader:
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("select 1 from braid.collections")
        db.execute("select braid.set_collection('c', '{\"hnsw_m\": 8}')")
        assert not maintain_as_far_as_possible(db)
        second = f"vectors_{serving_shard(db, 'c')}"
        delete(db, list(vectors)[:100])
        assert not maintain_as_far_as_possible(db)
        assert shard_tables(db) == {first, second}
        check(reader, vectors)
        reader.commit()
        check(reader, dict(list(vectors.items())[100:]))
        reader.commit()
        maintain(db)
        assert_shard_tables(db, {second})


def test_a_reader_keeps_its_snapshot_from_before_the_promotion_and_through_the_demotion(
    db: Connection, other_session: OtherSession, collection: str
) -> None:
    vectors = made_up(SIZE)
    store(db, vectors, collection)
    with other_session() as early, other_session() as late:
        for reader in (early, late):
            reader.execute("set transaction isolation level repeatable read")
        early.execute("select 1 from braid.collections")
        maintain(db)
        check(early, vectors)
        late.execute("select 1 from braid.collections")
        delete(db, list(vectors)[:280])
        assert not maintain_as_far_as_possible(db)
        assert serving_shard(db, "c") is None
        for reader in (early, late):
            check(reader, vectors)
    check(db, dict(list(vectors.items())[280:]))


def test_a_shard_in_use_by_an_idle_transaction_is_left(
    db: Connection, other_session: OtherSession, vectors: Vectors
) -> None:
    """Maintenance does not wait for an idle transaction that holds a lock on a shard and no snapshot."""
    with other_session() as reader:
        check(reader, vectors)
        db.execute("select braid.set_collection('c', '{\"hnsw_m\": 8}')")
        db.execute("set statement_timeout = '3min'")
        assert not maintain_as_far_as_possible(db)
        assert len(shard_tables(db)) == 2
        check(reader, vectors)
        reader.rollback()
        maintain(db)
        assert_shard_tables(db, {f"vectors_{serving_shard(db, 'c')}"})


def test_maintenance_waits_for_no_writer(db: Connection, other_session: OtherSession, collection: str) -> None:
    """Maintenance waits for no writer when it copies, absorbs, forgets copied vectors or gives vectors back; and it
    keeps their writes."""
    vectors = made_up(SIZE)
    external_ids = list(vectors)
    store(db, vectors, collection)
    db.execute("set statement_timeout = '3min'")
    with other_session() as writer:
        for number in range(3):
            replaced = {external_ids[-1 - number]: np.full(DIMENSIONS, 20 + number, np.float32)}
            replace_embeddings(writer, replaced, "c")
            delete(writer, [external_ids[number]])
            maintain_as_far_as_possible(db)
            check(db, vectors)
            writer.commit()
            vectors |= replaced
            del vectors[external_ids[number]]
            check(db, vectors)
            if number == 0:
                assert serving_shard(db, "c") is not None
                delete(db, external_ids[10:-20])
                vectors = {i: vector for i, vector in vectors.items() if i not in external_ids[10:-20]}
        maintain(db)
        check(db, vectors)
        assert serving_shard(db, "c") is None
        assert written_count(db, "c") == len(vectors)


def test_an_update_of_the_vectors_does_not_bring_back_a_deleted_one(
    db: Connection, other_session: OtherSession, vectors: Vectors
) -> None:
    """A delete is under way while its vector is given back, and the vector stays deleted."""
    external_ids = list(vectors)
    delete(db, external_ids[60:])
    with other_session() as other:
        delete(other, external_ids[:5])
        maintain(db)
        other.commit()
    maintain(db)
    left = {external_id: vectors[external_id] for external_id in external_ids[5:60]}
    check(db, left)
    assert serving_shard(db, "c") is None and written_count(db, "c") == len(left)


def test_writers_wait_for_a_second_of_maintenance_at_most(db: Connection, vectors: Vectors) -> None:
    """Writers wait for maintenance for a second at most, however much time and work it has."""
    shard = serving_shard(db, "c")
    # Moving 50 vectors takes half a second.
    db.execute(
        "create function braid_store.delay() returns trigger language plpgsql as"
        " 'begin perform pg_sleep(0.01); return old; end'"
    )
    db.execute(
        "create trigger delay before delete on braid_store.chunk_vectors"
        " for each row execute function braid_store.delay()"
    )
    new = made_up(250, seed=1, prefix="new")
    store(db, new, "c")
    done = maintain_once(db, "10 minutes")
    assert 1 <= done["vector_steps"] <= 3 and not done["complete"]
    assert serving_shard(db, "c") == shard and 250 - 3 * 50 <= written_count(db, "c") < 250
    check(db, vectors | new)
    db.execute("drop trigger delay on braid_store.chunk_vectors")
    maintain(db)
    assert written_count(db, "c") == 0


def test_nobody_waits_while_an_index_is_made(db: Connection, other_session: OtherSession, collection: str) -> None:
    """While an index is made, neither a clear, nor the writers behind it, nor another maintain() waits; cleared
    vectors do not come back."""
    store(db, made_up(SIZE), collection)
    maintain_until(db, "indexing")
    [(shard, _)] = shards(db, "c")
    results: list[dict[str, Any]] = []

    def make_index() -> None:
        with other_session(autocommit=True) as maintainer:
            results.append(maintain_once(maintainer))

    with other_session() as holder:
        # While this lock is held, no index can be made, and nobody waits for it.
        holder.execute(f"lock table braid_store.vectors_{shard} in row exclusive mode")
        db.execute("set statement_timeout = '3min'")
        done = maintain_once(db)
        assert "lock timeout" in done["warnings"][0] and not done["complete"]
        holder.rollback()
        # The index build lasts until this table exists.
        db.execute(
            "create function braid_store.delay() returns trigger language plpgsql as"
            " 'begin while not exists (select from pg_class where relname = ''over'') loop"
            " perform pg_sleep(0.02); end loop; return null; end'"
        )
        db.execute(
            "create trigger delay before update of ef_search on braid_store.vector_shards"
            " for each statement execute function braid_store.delay()"
        )
        maintainer = threading.Thread(target=make_index, daemon=True)
        maintainer.start()
        query = "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
        until(lambda: one(db, query))
        done = maintain_once(db)
        assert done["vector_steps"] == 0 and not done["complete"]
        assert db.execute("select braid.clear_collection('c')").fetchone() == (SIZE,)
        new = made_up(SIZE, seed=1, prefix="new")
        store(db, new, "c")
        holder.execute("create table public.over ()")
        holder.commit()
        maintainer.join()
    db.execute("drop trigger delay on braid_store.vector_shards")
    assert [done["complete"] for done in results] == [False]
    check(db, new)
    assert (shard, "serving") not in shards(db, "c")
    maintain(db)
    check(db, new)
    assert_shard_tables(db, {f"vectors_{serving_shard(db, 'c')}"})


@pytest.mark.any_version
def test_a_tenant_that_fails_keeps_no_other_from_being_maintained(db: Connection, vectors: Vectors) -> None:
    db.execute(f"alter table braid_store.vectors_{serving_shard(db, 'c')} add constraint no check (false) not valid")
    new = made_up(20, seed=1, prefix="new")
    store(db, new, "c")
    tenant = one(db, "select current_setting('braid.tenant')")
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    others = made_up(SIZE, seed=2)
    store(db, others, "c")
    for _ in range(4):
        done = maintain_once(db)
        assert not done["complete"]
    [warning] = done["warnings"]
    assert f'tenant "{tenant}" in collection "c"' in warning and '"no"' in warning and "23514" in warning
    check(db, others)
    assert search(db, [0] * DIMENSIONS, "c")[1] == "hnsw"
    set_tenant(db, tenant)
    check(db, vectors | new)
    db.execute(f"alter table braid_store.vectors_{shards(db, 'c')[0][0]} drop constraint no")
    maintain(db)
    assert written_count(db, "c") == 0
    check(db, vectors | new)


def test_maintenance_is_not_complete_while_another_session_is_at_it(
    db: Connection, other_session: OtherSession, collection: str
) -> None:
    store(db, made_up(SIZE), collection)
    with other_session() as other:
        maintain_once(other)
        done = maintain_once(db)
        assert done["vector_steps"] == 0 and not done["complete"]
        other.rollback()
    done = maintain_once(db)
    assert done["vector_steps"] > 0 and not done["complete"]


@pytest.mark.any_version
@pytest.mark.parametrize(("memory", "is_enough"), [("4MB", False), ("6MB", True)])
def test_too_little_memory_for_the_graph_is_told(db: Connection, collection: str, memory: str, is_enough: bool) -> None:
    """A warning predicts too little memory for the graph exactly when pgvector itself would notice, after the time
    is lost."""
    db.execute("update braid_store.collections set hnsw_m = 50, hnsw_ef_construction = 100 where name = 'c'")
    store(db, made_up(700), collection)
    maintain_until(db, "indexing")
    notices: list[str] = []
    db.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
    db.execute("select set_config('maintenance_work_mem', %s, false)", (memory,))
    warnings = maintain_once(db)["warnings"]
    assert any("no longer fits into maintenance_work_mem" in notice for notice in notices) != is_enough
    assert [f"maintenance_work_mem is {memory}" in warning for warning in warnings] == [True] * (not is_enough)


def test_a_step_reads_no_more_of_a_shard_than_it_moves(db: Connection, collection: str) -> None:
    """A step reads no more of a shard than it moves. Otherwise moving a shard would take quadratic time."""
    size = 2500
    store(db, made_up(size), collection)
    maintain_until(db, "serving")

    def rows_read() -> int:
        db.execute("select pg_stat_force_next_flush()")
        row = db.execute(
            "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = %s",
            (f"vectors_{serving_shard(db, 'c')}",),
        ).fetchone()
        assert row is not None
        return int(row[0])

    before = rows_read()
    while written_count(db, "c"):
        maintain_once(db)
    assert size <= rows_read() - before < 1.3 * size
    before = rows_read()
    db.execute("select braid.rebuild_vector_index('c')")
    maintain_once(db)
    assert {state for _, state in shards(db, "c")} == {"serving", "indexing"}
    assert size <= rows_read() - before < 1.3 * size


def test_a_search_leaves_pgvectors_settings_as_they_are(
    db: Connection, other_session: OtherSession, vectors: Vectors
) -> None:
    query = "select current_setting('hnsw.ef_search'), current_setting('hnsw.iterative_scan')"
    with other_session() as reader:
        assert search(reader, [0] * DIMENSIONS, "c")[1] == "hnsw"
        assert reader.execute(query).fetchone() == ("40", "off")
        reader.execute("set hnsw.ef_search = 7; set hnsw.iterative_scan = strict_order")
        reader.commit()
        hits, _, _ = search(reader, [0] * DIMENSIONS, "c")
        assert index_recall(hits, vectors, np.zeros(DIMENSIONS, np.float32), "l2") >= 0.9
        assert reader.execute(query).fetchone() == ("7", "strict_order")


class ShardHistory(RuleBasedStateMachine):
    """Generate any order of writes, replacements, deletes and small steps of maintenance."""

    db: Connection
    number = 0

    @initialize()
    def begin(self) -> None:
        ShardHistory.number += 1
        self.collection = f"history{ShardHistory.number}"
        self.db.execute(
            "select braid.create_collection(%s, dimensions => 4, distance => 'l2',"
            " settings => '{\"hnsw_ef_construction\": 32}')",
            (self.collection,),
        )
        self.vectors: Vectors = {}
        self.query = np.zeros(4, np.float32)

    @rule(seed=st.integers(0, 1000), count=st.integers(1, 60), first=st.integers(0, 150))
    def write(self, seed: int, count: int, first: int) -> None:
        rows = np.random.default_rng(seed).integers(-9, 9, (count, 4)).astype(np.float32)
        written = {f"d{first + n}": row for n, row in enumerate(rows)}
        store(self.db, written, self.collection)
        self.vectors |= written

    @rule(seed=st.integers(0, 1000), share=st.floats(0.02, 0.5))
    def replace(self, seed: int, share: float) -> None:
        rng = random.Random(seed)
        chosen = [i for i in self.vectors if rng.random() < share]
        replaced = {i: np.array([rng.randint(-9, 9) for _ in range(4)], np.float32) for i in chosen}
        replace_embeddings(self.db, replaced, self.collection)
        self.vectors |= replaced

    @rule(seed=st.integers(0, 1000), share=st.floats(0.02, 0.95))
    def delete(self, seed: int, share: float) -> None:
        rng = random.Random(seed)
        chosen = [i for i in self.vectors if rng.random() < share]
        self.db.execute("select braid.delete_documents(%s, %s)", (chosen, self.collection))
        for external_id in chosen:
            del self.vectors[external_id]

    @rule(hnsw_m=st.integers(4, 6))
    def change_settings(self, hnsw_m: int) -> None:
        self.db.execute("update braid_store.collections set hnsw_m = %s where name = %s", (hnsw_m, self.collection))

    @rule(calls=st.integers(1, 6), budget=st.sampled_from(["3 ms", "10 ms", "30 ms", "60 s"]))
    def maintain(self, calls: int, budget: str) -> None:
        for _ in range(calls):
            self.db.execute("select braid.maintain(%s)", (budget,))

    @rule(count=st.integers(1, 100))
    def begin_a_shard(self, count: int) -> None:
        if {state for _, state in shards(self.db, self.collection)}.isdisjoint({"copying", "indexing"}):
            begin_shard(self.db, self.collection, count)

    @rule(seed=st.integers(0, 1000))
    def look_elsewhere(self, seed: int) -> None:
        self.query = np.random.default_rng(seed).integers(-9, 9, 4).astype(np.float32)

    @invariant()
    def all_are_found(self) -> None:
        hits, mode, _ = search(self.db, self.query, self.collection, 10_000)
        assert mode.startswith("exact")
        assert_nearest(hits, self.vectors, self.query, "l2", 10_000)
        assert len(search(self.db, self.query, self.collection, 5)[0]) == min(5, len(self.vectors))

    def teardown(self) -> None:
        if not hasattr(self, "vectors"):
            return
        maintain(self.db)
        maintain(self.db)
        self.all_are_found()
        shard = serving_shard(self.db, self.collection)
        assert (shard is None) or len(self.vectors) >= 40
        if shard is None:
            assert written_count(self.db, self.collection) == len(self.vectors)
        else:
            row = self.db.execute(f"select count(*) from braid_store.vectors_{shard}").fetchone()
            assert row is not None and row[0] + written_count(self.db, self.collection) == len(self.vectors)
        self.db.execute("select braid.drop_collection(%s)", (self.collection,))


def test_histories(db: Connection) -> None:
    set_threshold(db, 80, 4)
    ShardHistory.db = db
    run_state_machine_as_test(
        ShardHistory,
        settings=settings(
            max_examples=examples(12),
            stateful_step_count=12,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
