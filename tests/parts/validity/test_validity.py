"""Superseded, expired and outdated documents; wrong times; two writers; maintenance."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from pgbraid.errors import InvalidArgumentError
from support.calls import full_text, one, semantic, set_tenant, upsert
from support.embedder import HashEmbedder
from support.validity import (
    ALWAYS,
    COLLECTION,
    INSTANTS,
    Connection,
    fact,
    ids,
    make,
    moment,
    supersede,
)

SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=25, derandomize=True
)


@pytest.fixture(scope="module")
def facts(shared_db: Connection) -> Connection:
    make(shared_db)
    return shared_db


@pytest.fixture
def own(db: Connection) -> Connection:
    make(db)
    return db


def test_validity_costs_nothing_where_it_is_not_used(db: Connection) -> None:
    make(db)
    upsert(db, [{"external_id": "a", "content": "apple", "metadata": {"valid_until": "tomorrow", "expires_at": 1}}])
    assert ids(full_text(db, "apple")) == {"a"}
    with pytest.raises(psycopg.DataError, match="have no validity") as refused:
        full_text(db, "apple", filters={"$as_of": "now"})
    assert "set_validity" in str(refused.value.diag.message_hint)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"valid_from": "2024-06-01", "valid_until": "2024-01-01"}, "later than valid_until"),
        ({"valid_from": "soon"}, 'valid_from of document "a" is "soon"'),
        ({"valid_until": 5}, 'valid_until of document "a" is 5'),
        ({"expires_at": "10000-01-01"}, "expires_at"),
        ({"valid_from": "infinity"}, "valid_from"),
        ({"valid_until": ["2024-01-01"]}, "valid_until"),
    ],
)
def test_wrong_times_are_refused(own: Connection, metadata: dict[str, Any], message: str) -> None:
    for write in (
        lambda: upsert(own, [{"external_id": "a", "content": "apple", "metadata": metadata}], COLLECTION),
        lambda: own.execute("select braid.update_metadata('a', %s, collection => 'facts')", (Jsonb(metadata),)),
        lambda: own.execute(
            "select braid.supersede_documents(%s, 'facts')",
            (Jsonb([{"external_id": "a", "content": "pear", "metadata": metadata}]),),
        ),
    ):
        with pytest.raises(psycopg.DataError) as refused:
            write()
        assert message in str(refused.value)
        assert refused.value.sqlstate == "22023"
        assert refused.value.diag.message_hint
        upsert(own, [{"external_id": "a", "content": "apple"}], COLLECTION)
    assert ids(full_text(own, "apple", collection=COLLECTION)) == {"a"}


@pytest.mark.parametrize("as_of", [5, "soon", "2024-13-01", True, ["2024-01-01"], {"$gt": "2024-01-01"}])
def test_wrong_times_of_searches_are_refused(own: Connection, as_of: Any) -> None:
    with pytest.raises(psycopg.DataError, match=r"\$as_of in filters") as refused:
        full_text(own, "apple", collection=COLLECTION, filters={"$as_of": as_of})
    assert refused.value.diag.message_hint


def test_chunks_have_no_validity_of_their_own(own: Connection) -> None:
    chunks = [{"content": "apple", "metadata": {"valid_from": "2024-01-01"}}]
    with pytest.raises(psycopg.DataError, match="a chunk of document"):
        upsert(own, [{"external_id": "a", "chunks": chunks}], COLLECTION)


def test_a_time_without_a_zone_is_in_the_time_zone_of_the_session(own: Connection) -> None:
    document = {"external_id": "a", "content": "apple", "metadata": {"valid_from": "2024-01-01"}}
    own.execute("set timezone = 'Asia/Tokyo'")
    assert upsert(own, [document], COLLECTION) == {"a": "inserted"}
    assert upsert(own, [document], COLLECTION) == {"a": "unchanged"}
    for time, found in (("2023-12-31T15:00:00Z", {"a"}), ("2023-12-31T14:59:59Z", set()), ("2024-01-01", {"a"})):
        assert ids(full_text(own, "apple", collection=COLLECTION, filters={"$as_of": time})) == found
    own.execute("set timezone = 'America/New_York'")
    assert ids(full_text(own, "apple", collection=COLLECTION, filters={"$as_of": "2023-12-31"})) == set()
    assert upsert(own, [document], COLLECTION) == {"a": "updated"}
    assert one(own, "select metadata ->> 'valid_from' from braid.list_documents('facts')").startswith(
        "2024-01-01T05:00"
    )


def test_documents_with_other_keys_keep_validity_off(db: Connection) -> None:
    db.execute("select braid.create_collection('facts', dimensions => 8, embedding_model => 'hash')")
    upsert(db, [{"external_id": "a", "content": "apple", "metadata": {"valid_from": "2024-01-01"}}], COLLECTION)
    with pytest.raises(psycopg.DataError, match='document "a" of collection "facts" has valid_from'):
        db.execute("select braid.set_validity('facts')")
    db.execute("select braid.update_metadata('a', '{\"valid_from\": \"2024-01-01T00:00:00.000000Z\"}', false, 'facts')")
    db.execute("select braid.set_validity('facts')")
    assert ids(full_text(db, "apple", collection=COLLECTION, filters={"$as_of": "2023-12-31T23:59:59Z"})) == set()
    db.execute("select braid.set_validity('facts', false)")
    with pytest.raises(psycopg.DataError, match="have no validity"):
        full_text(db, "apple", collection=COLLECTION, filters={"$as_of": "2024-01-01"})


def test_an_explanation_says_that_a_document_is_not_valid(own: Connection) -> None:
    upsert(
        own, [{"external_id": "a", "content": "apple", "metadata": {"valid_until": "2024-01-01T00:00Z"}}], COLLECTION
    )
    explained = one(
        own, "select braid.explain_search('apple', external_id => 'a', collection => 'facts') -> 'document'"
    )
    assert explained["outcome"] == "filtered"
    assert explained["chunks"][0]["failed_conditions"] == [{"$as_of": "now"}]


@SETTINGS
@given(starts=st.lists(st.sampled_from(INSTANTS), min_size=1, max_size=7), is_batch=st.booleans())
def test_superseded_facts_are_found_at_their_time(facts: Connection, starts: list[str], is_batch: bool) -> None:
    facts.execute("select braid.clear_collection('facts')")
    documents = [fact(f"apple {number}", start) for number, start in enumerate(starts)]
    model = {moment(start, ALWAYS): f"apple {number}" for number, start in enumerate(starts)}
    if is_batch:
        supersede(facts, *documents)
    else:
        for document in documents:
            supersede(facts, document)
    for time in INSTANTS:
        known = [start for start in model if start <= moment(time, ALWAYS)]
        rows = facts.execute(
            "select content from braid.full_text_search('apple', 100, %s, 'facts')", (Jsonb({"$as_of": time}),)
        ).fetchall()
        assert [row[0] for row in rows] == ([model[max(known)]] if known else [])
    stored = facts.execute("select external_id, metadata ->> 'valid_from' from braid.list_documents('facts', 100, "
                           "filters => '{\"$as_of\": null}')").fetchall()  # fmt: skip
    assert len(stored) == len(model)
    latest = max(stored, key=lambda row: row[1])
    assert [row[0] for row in stored if row[0] == "price"] == ["price"]
    assert latest[0] == "price"
    assert all(row[0] == f"price@{row[1]}" for row in stored if row != latest)


def test_the_same_fact_again_is_no_new_version(own: Connection) -> None:
    assert supersede(own, fact("apple")) == [("price", "inserted")]
    assert supersede(own, fact("apple")) == [("price", "unchanged")]
    assert supersede(own, fact("apple", source="mail")) == [("price", "updated")]
    assert supersede(own, fact("pear")) == [("price", "inserted")]
    assert one(own, "select count(*) from braid.list_documents('facts', filters => '{\"$as_of\": null}')") == 2
    rows = own.execute(
        "select content from braid.full_text_search('apple pear', collection => 'facts', options => '{}')"
    ).fetchall()
    assert rows == [("pear",)]


def test_the_same_fact_again_holds_now(own: Connection) -> None:
    """The same text counts as known only if the version that is valid now has it."""
    supersede(own, fact("apple", "2020-01-01", valid_until="2021-01-01"))
    assert supersede(own, fact("apple")) == [("price", "inserted")]
    assert ids(full_text(own, "apple", collection=COLLECTION)) == {"price"}
    supersede(own, fact("pear", "2999-01-01"))
    assert [row[1] for row in supersede(own, fact("apple"))] == ["updated"]
    assert one(own, "select count(*) from braid.list_documents('facts', filters => '{\"$as_of\": null}')") == 3


def test_a_superseded_fact_keeps_its_vector(own: Connection) -> None:
    supersede(own, {**fact("apple", "2024-01-01"), "embedding": [1.0, *([0.0] * 7)]})
    supersede(own, {**fact("pear", "2025-01-01"), "embedding": [0.0, 1.0, *([0.0] * 6)]})
    then = {"$as_of": "2024-06-01"}
    assert len(semantic(own, [1.0, *([0.0] * 7)], collection=COLLECTION, filters=then)) == 1
    assert one(own, "select count(*) from braid.list_embedding_jobs(collection => 'facts')") == 0


def test_ids_that_look_like_versions_are_left_alone(own: Connection) -> None:
    upsert(own, [{"external_id": "price@example.com", "content": "apple"}], COLLECTION)
    supersede(own, fact("apple", "2024-01-01"), fact("pear", "2025-01-01"))
    found = full_text(own, "apple", collection=COLLECTION)
    assert ids(found) == {"price@example.com"}


@pytest.mark.parametrize(
    ("starts", "taken"), [([None, None], ""), (["2025-01-01", "2024-01-01"], "2024-01-01T00:00:00.000000Z")]
)
def test_an_id_of_a_version_that_another_document_has(own: Connection, starts: list[str | None], taken: str) -> None:
    """Nothing is written if another document has the id that the former or the new version would get."""
    price = f"price@{taken}"
    upsert(own, [fact("apple", starts[0]), {"external_id": price, "content": "plum"}], COLLECTION)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=f'"{price}"') as refused:
        supersede(own, fact("pear", starts[1]))
    assert "another external_id" in str(refused.value.diag.message_hint)
    stored = own.execute("select external_id from braid.list_documents('facts', filters => '{\"$as_of\": null}')")
    assert {row[0] for row in stored} == {"price", price}
    own.execute("select braid.delete_document(%s, 'facts')", (price,))
    assert supersede(own, fact("pear", starts[1]))[0][1] == "inserted"


def test_two_writers_of_one_fact_leave_no_gap_and_no_overlap(
    own: Connection, other_session: Callable[..., AbstractContextManager[Connection]]
) -> None:
    starts = [f"2024-{month:02}-01T00:00:00Z" for month in range(1, 13)]
    failures: list[Exception] = []

    def write(mine: list[str]) -> None:
        try:
            with other_session(autocommit=True) as session:
                for start in mine:
                    supersede(session, fact(f"apple {start[5:7]}", start))
        except Exception as error:
            failures.append(error)

    mixed = random.Random(5).sample(starts, 12)
    writers = [threading.Thread(target=write, args=(mixed[place::3],)) for place in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    for start in starts:
        rows = own.execute(
            "select content from braid.full_text_search('apple', 100, %s, 'facts')", (Jsonb({"$as_of": start}),)
        ).fetchall()
        assert rows == [(f"apple {start[5:7]}",)]


def maintain(db: Connection) -> Any:
    return one(db, "select braid.maintain()")


def test_maintain_deletes_what_has_expired(own: Connection) -> None:
    upsert(
        own,
        [
            {"external_id": f"d{number}", "content": "apple", "metadata": {"expires_at": expiry}}
            for number, expiry in enumerate(["2024-01-01", "2999-01-01", "2023-05-01T10:00:00Z", None] * 120)
        ],
        COLLECTION,
    )
    before = ids(full_text(own, "apple", collection=COLLECTION))
    assert len(before) == 240
    assert one(own, "select braid.get_document('d0', 'facts')") is None
    # A call has a second for this, and deletes one batch at least.
    done = [maintain(own) for _ in range(3)]
    assert (sum(each["documents_expired"] for each in done), [each["warnings"] for each in done]) == (240, [[]] * 3)
    assert done[-1]["documents_expired"] == 0
    assert one(own, "select count(*) from braid.list_documents('facts', 1000)") == 240
    assert ids(full_text(own, "apple", collection=COLLECTION)) == before
    assert own.execute("select * from braid.check_index('facts')").fetchall() == []
    # Without the index that set_validity declared, all documents are read.
    own.execute("select braid.set_indexed_attributes('{}', 'facts')")
    upsert(own, [{"external_id": "e", "content": "apple", "metadata": {"expires_at": "2024-01-01"}}], COLLECTION)
    assert maintain(own)["documents_expired"] == 1


def test_a_document_that_a_writer_extends_is_not_deleted(
    own: Connection, other_session: Callable[..., AbstractContextManager[Connection]]
) -> None:
    upsert(own, [{"external_id": "a", "content": "apple", "metadata": {"expires_at": "2024-01-01"}}], COLLECTION)
    with other_session() as session:
        session.execute("select braid.update_metadata('a', '{\"expires_at\": null}', collection => 'facts')")
        assert maintain(own)["documents_expired"] == 0
    assert maintain(own)["documents_expired"] == 0
    assert ids(full_text(own, "apple", collection=COLLECTION)) == {"a"}


def test_maintenance_that_is_killed_leaves_all_or_nothing(
    own: Connection, other_session: Callable[..., AbstractContextManager[Connection]]
) -> None:
    upsert(
        own,
        [
            {"external_id": f"d{number}", "content": "apple", "metadata": {"expires_at": "2024-01-01"}}
            for number in range(300)
        ],
        COLLECTION,
    )
    with pytest.raises(psycopg.OperationalError), other_session() as session:
        done = one(session, "select braid.maintain('1 millisecond')")
        assert done["documents_expired"] > 0
        own.execute("select pg_terminate_backend(%s, 180000)", (session.info.backend_pid,))
        session.execute("select 1")
    assert one(own, "select count(*) from braid_store.documents") == 300
    deleted = 0
    while (done := one(own, "select braid.maintain('1 millisecond')"))["documents_expired"]:
        assert done["documents_expired"] <= 200
        deleted += done["documents_expired"]
    assert deleted == 300
    assert own.execute("select * from braid.check_index('facts')").fetchall() == []


def test_retention_counts_from_occurred_at(own: Connection) -> None:
    own.execute("select braid.set_validity('default', false, retention => '90 days')")
    now = datetime.now(timezone.utc)
    times = {"old": now - timedelta(days=91), "young": now - timedelta(days=89), "undated": None}
    upsert(
        own,
        [
            {"external_id": name, "content": "apple", "occurred_at": time.isoformat() if time else None}
            for name, time in times.items()
        ],
    )
    assert ids(full_text(own, "apple")) == set(times)
    assert maintain(own)["documents_expired"] == 1
    assert ids(full_text(own, "apple")) == {"young", "undated"}
    own.execute("select braid.set_validity('default', false)")
    assert one(own, "select parts -> 'retention_days' from braid.collections where name = 'default'") is None


@pytest.mark.parametrize("retention", ["0 days", "-1 day", "1 hour", "101 years"])
def test_wrong_retention_is_refused(own: Connection, retention: str) -> None:
    with pytest.raises(psycopg.DataError, match="retention is") as refused:
        own.execute("select braid.set_validity('facts', true, %s)", (retention,))
    assert refused.value.diag.message_hint


def test_what_expires_between_two_pages_is_not_on_the_second(own: Connection) -> None:
    upsert(own, [{"external_id": f"d{number}", "content": "apple"} for number in range(6)], COLLECTION)
    query = "select external_id, cursor from braid.full_text_search('apple', 3, collection => 'facts', options => %s)"
    first = own.execute(query, (Jsonb({"cursor": ""}),)).fetchall()
    unseen = sorted({f"d{number}" for number in range(6)} - ids(first))
    own.execute(
        "select braid.update_metadata(%s, '{\"expires_at\": \"2024-01-01\"}', collection => 'facts')", (unseen[0],)
    )
    second = own.execute(query, (Jsonb({"cursor": first[-1][1]}),)).fetchall()
    assert ids(second) == set(unseen[1:])


def test_a_tenant_supersedes_and_sees_its_own_facts(own: Connection, connect_as: Any, make_login: Any) -> None:
    own.execute("select braid.create_tenant('other')")
    supersede(own, fact("apple", "2024-01-01"), fact("pear", "2025-01-01"))
    set_tenant(own, "other")
    supersede(own, fact("apple other", "2024-01-01"))
    login = make_login("ana", "braid_writer")
    own.execute("select braid.add_tenant_member('other', %s)", (login,))
    session = connect_as(login)
    assert supersede(session, fact("plum", "2025-01-01")) == [("price", "inserted")]
    everything = {"$as_of": None}
    found = session.execute(
        "select content from braid.full_text_search('apple pear plum', 100, %s, 'facts')", (Jsonb(everything),)
    ).fetchall()
    assert sorted(found) == [("apple other",), ("plum",)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute("select braid.set_validity('facts', false)")


def test_python_supersedes_and_searches_at_a_time(client: pgbraid.Client) -> None:
    client.create_collection("notes")
    client.set_validity("notes")
    client.supersede_documents([fact("apple", "2024-01-01"), fact("pear", "2025-01-01")], collection="notes")
    found = client.search("apple", filters={"$as_of": "2024-06-01"}, collection="notes")
    assert [result.external_id for result in found] == ["price@2024-01-01T00:00:00.000000Z"]
    assert [result.external_id for result in client.search("apple pear", collection="notes")] == ["price"]
    with pytest.raises(InvalidArgumentError, match="valid_from") as refused:
        client.supersede_documents([fact("plum", "soon")], collection="notes")
    assert "ISO 8601" in str(refused.value)


def test_an_async_client_supersedes_and_searches_at_a_time(own: Connection, dsn: str) -> None:
    async def run() -> list[str]:
        async with pgbraid.connect_async(dsn, embedder=HashEmbedder()) as client:
            await client.create_collection("notes")
            await client.set_validity("notes")
            await client.supersede_documents([fact("apple", "2024-01-01"), fact("pear")], collection="notes")
            found = await client.search("apple", filters={"$as_of": "2024-06-01"}, collection="notes")
            return [result.content for result in found]

    assert asyncio.run(run()) == ["apple"]


def test_an_expired_document_does_not_exist(own: Connection) -> None:
    document = {"external_id": "a", "content": "apple", "embedding": [1.0] * 8}
    upsert(own, [document], COLLECTION)
    chunk = one(own, "select chunk_id from braid.full_text_search('apple', collection => 'facts')")
    own.execute("select braid.update_metadata('a', '{\"expires_at\": \"2024-01-01\"}', collection => 'facts')")
    assert one(own, "select braid.get_document('a', 'facts')") is None
    explained = one(own, "select braid.explain_search('apple', external_id => 'a', collection => 'facts')")
    assert explained["document"]["outcome"] == "absent"
    for query in (
        "select braid.similar_documents('a', collection => 'facts')",
        f"select braid.similar_chunks({chunk})",
        f"select braid.highlight({chunk}, 'apple')",
        f"select braid.explain_score('apple', '{{{chunk}}}', collection => 'facts')",
        f"select braid.arrange_results('{{{chunk}}}', '{{1}}', collection => 'facts')",
        f"select braid.arrange_context('{{{chunk}}}', '{{1}}', collection => 'facts')",
    ):
        with pytest.raises(psycopg.errors.UndefinedObject, match="does not exist"):
            own.execute(query)
    # Its id is free to be written again.
    assert upsert(own, [document], COLLECTION) == {"a": "updated"}
    assert ids(full_text(own, "apple", collection=COLLECTION)) == {"a"}


def test_standbys_answer_as_of(own: Connection) -> None:
    supersede(own, fact("apple", "2024-01-01"), fact("pear", "2025-01-01"))
    with own.transaction():
        own.execute("set transaction read only")
        assert len(full_text(own, "apple", collection=COLLECTION, filters={"$as_of": "2024-06-01"})) == 1
        assert one(own, "select braid.get_document('price', 'facts')")["chunks"][0]["content"] == "pear"


def test_documents_without_chunks_are_listed_expire_and_age(own: Connection) -> None:
    own.execute("select braid.set_validity('facts', true, '30 days')")
    bare = {"expired": {"expires_at": "2024-01-01"}, "ended": {"valid_until": "2024-01-01"}, "old": {}, "young": {}}
    upsert(
        own,
        [
            {
                "external_id": name,
                "content": "",
                "metadata": metadata,
                "occurred_at": "2024-01-01" if name == "old" else None,
            }
            for name, metadata in bare.items()
        ],
        COLLECTION,
    )  # fmt: skip
    assert one(own, "select count(*) from braid_store.chunks") == 0
    query = "select external_id from braid.list_documents('facts', 9, filters => %s)"
    assert ids(own.execute(query, (None,)).fetchall()) == {"old", "young"}
    for other in ({"$not": {"place": 7}}, {"place": {"$ne": 7}}, {"$and": [{"$as_of": None}, {"place": None}]}):
        assert own.execute(query, (Jsonb(other),)).fetchall() == []  # Such a condition is about chunks.
    assert ids(own.execute(query, (Jsonb({"$as_of": None}),)).fetchall()) == {"ended", "old", "young"}
    then = {"$as_of": "2023-01-01"}
    for times in (then, {"$and": [then]}, {"$or": [{"$as_of": "now"}, then]}):
        assert ids(own.execute(query, (Jsonb(times),)).fetchall()) == {"ended", "old", "young"}
    assert ids(own.execute(query, (Jsonb({"$not": then}),)).fetchall()) == set()
    assert [maintain(own)["documents_expired"] for _ in range(2)] == [2, 0]
    assert ids(own.execute("select external_id from braid_store.documents").fetchall()) == {"ended", "young"}
