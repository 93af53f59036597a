"""Replacements, many small writes, and concurrent writers leave the right sparse terms."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, upsert
from support.waiting import until

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]


@pytest.fixture
def empty(db: Connection) -> Connection:
    db.execute(
        "select braid.create_collection('s', dimensions => 3, embedding_model => 'test',"
        " ranking => '{\"smoothing\": 0}')"
    )
    return db


def store(db: Connection, terms: Mapping[int, Mapping[str, float]]) -> None:
    db.execute(
        "select braid.store_sparse_terms(%s::bigint[], %s, 's')",
        (list(terms), Jsonb([dict(t) for t in terms.values()])),
    )


def found(db: Connection, **query: float) -> dict[str, float]:
    rows = db.execute(
        "select content, score from braid.hybrid_search(collection => 's', match_count => 1000, options => %s)",
        (Jsonb({"sparse": query}),),
    )
    return dict(rows.fetchall())


def ids_of(db: Connection) -> dict[str, int]:
    return dict(db.execute("select content, id from braid_store.chunks order by id").fetchall())


def assert_sound(db: Connection) -> None:
    assert db.execute("select * from braid.check_index('s')").fetchall() == []


@pytest.mark.any_version
def test_a_replaced_document_keeps_the_terms_of_its_unchanged_chunks(empty: Connection) -> None:
    first = {"external_id": "d", "chunks": [{"content": "one"}, {"content": "two"}, {"content": "three"}]}
    upsert(empty, [first], "s")
    ids = ids_of(empty)
    store(empty, {ids["one"]: {"a": 1}, ids["two"]: {"a": 2}, ids["three"]: {"a": 3}})
    second = {
        "external_id": "d",
        "chunks": [{"content": "new"}, {"content": "three", "sparse": {"b": 1}}, {"content": "two"}],
    }
    assert upsert(empty, [second], "s") == {"d": "replaced"}
    assert found(empty, a=1) == {"two": 2} and found(empty, b=1) == {"three": 1}
    third = {"external_id": "d", "chunks": [{"content": "two", "sparse": {}}, {"content": "three"}]}
    assert upsert(empty, [third], "s") == {"d": "replaced"}
    assert found(empty, a=1) == {} and found(empty, b=1) == {"three": 1}
    assert one(empty, "select count(*) from braid_store.sparse_rows") == 1
    # A text that is split keeps its terms, too, unless it comes with {}.
    upsert(empty, [{"external_id": "t", "content": "text"}], "s")
    store(empty, {ids_of(empty)["text"]: {"c": 4}})
    assert upsert(empty, [{"external_id": "t", "content": "text", "language": "fr"}], "s") == {"t": "replaced"}
    assert found(empty, c=1) == {"text": 4}
    assert upsert(empty, [{"external_id": "t", "content": "text", "sparse": {}}], "s") == {"t": "replaced"}
    assert found(empty, c=1) == {}
    assert_sound(empty)


@pytest.mark.any_version
def test_many_unchanged_chunks_keep_their_terms(empty: Connection) -> None:
    def document(last: str) -> dict[str, Any]:
        return {
            "external_id": "d",
            "chunks": [{"content": f"text {number}"} for number in range(300)] + [{"content": last}],
        }

    upsert(empty, [document("x")], "s")
    store(empty, {chunk_id: {"a": number + 1} for number, chunk_id in enumerate(ids_of(empty).values())})
    before = found(empty, a=1)
    assert upsert(empty, [document("y")], "s") == {"d": "replaced"}
    assert len(before) == 301 and found(empty, a=1) == {name: s for name, s in before.items() if name != "x"}
    assert_sound(empty)


def test_small_writes_leave_few_rows_to_read_one_by_one(empty: Connection) -> None:
    """Small writes leave few rows to read one by one, without maintain(), and however often a chunk is written."""
    upsert(empty, [{"external_id": f"d{number}", "content": f"text {number}"} for number in range(30)], "s")
    ids = list(ids_of(empty).values())
    waiting = "select count(*) from braid_store.unindexed_sparse_rows"
    for number in range(20):
        store(empty, {chunk_id: {"a": number + 1, f"b{place}": 1} for place, chunk_id in enumerate(ids)})
        assert one(empty, waiting) < 256
    assert set(found(empty, a=1).values()) == {20.0}
    assert len(found(empty, a=1)) == 30
    assert_sound(empty)
    # A row that another session has locked stays for that session, and nobody waits.
    with psycopg.connect(empty.info.dsn) as other:
        other.execute("select from braid_store.unindexed_sparse_rows for update")
        for number in range(10):
            store(empty, {chunk_id: {"a": number + 50} for chunk_id in ids})
    assert one(empty, waiting) < 512
    assert set(found(empty, a=1).values()) == {59.0}
    assert_sound(empty)


def wait_for_locks(db: Connection, count: int) -> None:
    until(lambda: one(db, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'") >= count)


def test_writers_of_the_same_chunks_do_not_deadlock(empty: Connection, dsn: str) -> None:
    upsert(empty, [{"external_id": f"d{number}", "content": f"text {number}"} for number in range(3)], "s")
    one_id, two, three = ids_of(empty).values()
    store(empty, {one_id: {"a": 1}, two: {"a": 1}, three: {"a": 1}})
    problems: list[Exception] = []

    def write(terms: Mapping[int, Mapping[str, float]]) -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                store(connection, terms)
        except Exception as error:
            problems.append(error)

    with psycopg.connect(dsn) as holder:
        holder.execute("select from braid_store.sparse_rows where chunk_id = %s for update", (three,))
        first = threading.Thread(target=write, args=({one_id: {"a": 2}, two: {}, three: {"a": 2}},))
        first.start()
        wait_for_locks(empty, 1)
        second = threading.Thread(target=write, args=({one_id: {}, two: {"a": 3}},))
        second.start()
        wait_for_locks(empty, 2)
    first.join()
    second.join()
    assert not problems
    assert found(empty, a=1) == {"text 2": 2, "text 1": 3}
    assert_sound(empty)


def test_a_term_that_comes_during_a_merge_leaves_no_list_without_segment(empty: Connection, dsn: str) -> None:
    upsert(
        empty,
        [{"external_id": f"d{number}", "content": f"text {number}", "sparse": {"a": 1}} for number in range(20)],
        "s",
    )
    chunk_id = next(iter(ids_of(empty).values()))
    answers: list[Any] = []

    def maintain() -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            answers.append(one(connection, "select braid.maintain()"))

    with psycopg.connect(dsn) as holder:
        holder.execute("lock table braid_store.segment_chunks in share row exclusive mode")
        thread = threading.Thread(target=maintain)
        thread.start()
        wait_for_locks(empty, 1)
        # Only the writer that holds the lock can write now.
        store(holder, {chunk_id: {"new": 5}})
    thread.join()
    assert answers
    assert found(empty, new=1) == {"text 0": 5}
    assert_sound(empty)
    # The next merges remove everything that the first segment had.
    empty.execute("select braid.maintain()")
    empty.execute("select braid.delete_documents(array(select 'd' || n from generate_series(0, 19) n), 's')")
    while not one(empty, "select braid.maintain() -> 'complete'"):
        pass
    assert one(empty, "select count(*) from braid_store.postings where collection_id < 0") == 0


def many(prefix: str, count: int, terms: Mapping[str, float]) -> list[dict[str, Any]]:
    return [{"external_id": f"{prefix}-{n}", "content": f"{prefix}-{n}", "sparse": terms} for n in range(count)]


def listed(db: Connection) -> list[int]:
    return [row[0] for row in db.execute("select chunk_count from braid_store.segments where collection_id < 0")]


def test_merges_drop_replaced_terms(empty: Connection) -> None:
    upsert(empty, many("d", 600, {"a": 1}), "s")
    store(empty, {key: {"b": 2} for key in list(ids_of(empty).values())[:400]})
    assert sorted(listed(empty)) == [400, 600]
    empty.execute("select braid.maintain()")
    assert sorted(listed(empty)) == [200, 400]
    assert len(found(empty, a=1)) == 200 and len(found(empty, b=1)) == 400
    assert_sound(empty)


def test_merges_keep_terms_that_replace_others_meanwhile(empty: Connection, dsn: str) -> None:
    """A merge that began after the writer got its segment's id writes a segment with a larger id, and older terms."""
    for batch in range(8):
        upsert(empty, many(str(batch), 260, {"a": 1}), "s")
    with psycopg.connect(dsn) as writer:
        store(writer, {key: {"a": 2, "b": 5} for key in list(ids_of(empty).values())[:300]})
        empty.execute("select braid.maintain()")
        assert listed(empty) == [2080]
    assert set(found(empty, b=1).values()) == {5.0} and len(found(empty, b=1)) == 300
    assert_sound(empty)
    store(empty, {key: {} for key in list(ids_of(empty).values())[300:]})
    empty.execute("select braid.maintain()")
    # The merged segment still lists the 300 chunks, because its id is larger than any that the writer saw.
    assert sorted(listed(empty)) == [300, 300]
    assert set(found(empty, a=1).values()) == {2.0} and len(found(empty, b=1)) == 300
    assert_sound(empty)


def test_metadata_is_listed_again_for_chunks_with_terms(empty: Connection) -> None:
    upsert(empty, [{**made, "metadata": {"n": 1}} for made in many("d", 1100, {"a": 1})], "s")
    assert one(empty, "select braid.maintain() -> 'complete'")
    empty.execute(
        "select braid.update_metadata(external_id, '{\"n\": 2}', collection => 's')"
        " from braid_store.documents where id % 20 = 0"
    )
    assert one(empty, "select braid.maintain() -> 'complete'")
    assert_sound(empty)


@pytest.mark.any_version
def test_weights_may_differ_as_much_as_they_are_allowed_to(empty: Connection) -> None:
    least, most = 1e-6, 1e6
    small = {f"t{number}": least for number in range(30)}
    upsert(
        empty,
        [
            {
                "external_id": f"d{number}",
                "content": f"text {number}",
                "sparse": {"big": most} if number < 300 else small,
            }
            for number in range(600)
        ],
        "s",
    )
    scores = found(empty, **dict.fromkeys(small, least), big=most)
    assert len(scores) == 600
    assert sorted(set(scores.values())) == pytest.approx([30 * least * least, most * most], rel=1e-6)
    # The query has the other extreme.
    scores = found(empty, **dict.fromkeys(small, most), big=least)
    assert sorted(set(scores.values())) == pytest.approx([1, 30])
    chunk_id = ids_of(empty)["text 0"]
    for wrong in (least / 2, most * 2):
        with pytest.raises(psycopg.Error, match='the weight of "a"') as caught:
            store(empty, {chunk_id: {"a": wrong}})
        assert caught.value.diag.message_hint and "1e-6 to 1e6" in caught.value.diag.message_hint


def test_a_merge_is_begun_within_a_budget_only_if_it_fits(empty: Connection) -> None:
    for batch in range(8):
        upsert(
            empty,
            [
                {"external_id": f"{batch}-{n}", "content": f"{batch}-{n}", "sparse": {f"t{t}": 1 for t in range(10)}}
                for n in range(256)
            ],
            "s",
        )
    empty.execute("update braid_store.upkeep_rates set postings_per_second = 1000")
    done = one(empty, "select braid.maintain('5 s')")
    assert not done["complete"] and done["seconds_needed"] > 20
    assert one(empty, "select count(*) from braid_store.segments where collection_id < 0") == 8
    done = one(empty, "select braid.maintain()")
    assert done["complete"] and "seconds_needed" not in done
    assert one(empty, "select count(*) from braid_store.segments where collection_id < 0") == 1
    assert_sound(empty)


def test_a_failure_leaves_the_merges_of_full_text(empty: Connection) -> None:
    upsert(empty, [{"external_id": f"d{n}", "content": f"text {n}", "sparse": {"a": 1}} for n in range(100)], "s")
    empty.execute("select braid.delete_documents(%s, 's')", ([f"d{n}" for n in range(50)],))
    empty.execute(
        "create function braid_store.fail() returns trigger language plpgsql as"
        " $$ begin raise exception 'no sparse segment'; end $$"
    )
    empty.execute(
        "create trigger fail before insert on braid_store.segments for each row when (new.collection_id < 0)"
        " execute function braid_store.fail()"
    )
    done = one(empty, "select braid.maintain()")
    assert done["merges"] == 1 and not done["complete"] and "no sparse segment" in str(done["warnings"])
    empty.execute("drop trigger fail on braid_store.segments")
    assert one(empty, "select braid.maintain() -> 'complete'")
    assert one(empty, "select count(*) from braid_store.unindexed_sparse_rows") == 0
    assert_sound(empty)


def test_a_visit_does_not_count_all_chunks(empty: Connection) -> None:
    upsert(empty, [{"external_id": f"d{n}", "content": f"text {n}", "sparse": {"a": 1}} for n in range(1000)], "s")
    empty.execute("select braid.maintain()")
    read = (
        "select idx_tup_fetch + idx_scan from pg_stat_xact_all_tables where relid = 'braid_store.sparse_rows'::regclass"
    )
    with empty.transaction():
        upsert(empty, [{"external_id": "one", "content": "x"}], "s")
        before = one(empty, read)
        empty.execute("select braid.maintain()")
        assert one(empty, read) - before < 700
    empty.execute("select braid.delete_documents(array(select 'd' || n from generate_series(1, 600) n), 's')")
    empty.execute("select braid.maintain()")
    assert one(empty, "select chunk_count from braid_store.segments where collection_id < 0") == 400
    assert_sound(empty)


@pytest.mark.any_version
def test_a_search_tells_that_many_terms_wait(empty: Connection) -> None:
    upsert(empty, [{"external_id": f"d{n}", "content": f"text {n}"} for n in range(201)], "s")
    ids = list(ids_of(empty).values())
    search = """select braid.search_json('x', collection => 's', options => '{"sparse": {"a": 1}}') -> 'warnings'"""
    # Writers index waiting rows only under READ COMMITTED.
    with empty.transaction():
        empty.execute("set transaction isolation level repeatable read")
        for number in range(10):
            store(empty, {chunk_id: {"a": number + 1} for chunk_id in ids})
    assert "sparse_terms_not_indexed" in str(one(empty, search))
    store(empty, {ids[0]: {"a": 1}})
    assert "sparse_terms_not_indexed" not in str(one(empty, search))
