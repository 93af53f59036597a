"""Upserts, metadata changes and deletes do what they should, and change nothing else."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import full_text, one, semantic, set_tenant, upsert, vector

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
DERIVED = ("postings_a", "forward_rows", "segments", "segment_chunks", "chunk_vectors", "embedding_jobs")
TABLES = ("documents", "chunks", *DERIVED)
UNIT = [1.0] + [0.0] * 383


def rows(db: Connection, *tables: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the position of every row and the transaction that wrote it: both stay equal only if nothing was
    written."""
    return {
        table: db.execute(f"select tableoid, ctid, xmin::text from braid_store.{table} order by 1, 2").fetchall()
        for table in tables
    }


@pytest.fixture
def filled(db: Connection) -> Connection:
    upsert(
        db,
        [
            {
                "external_id": "a",
                "content": "amber river",
                "title": "First",
                "speaker": "Ana",
                "category": "x",
                "importance": 0.5,
                "occurred_at": "2026-03-01T12:00:00Z",
                "language": "en",
                "source_uri": "https://example.org/a",
                "metadata": {"k": 1, "deep": {"n": None}},
            },
            {"external_id": "b", "content": "basket river", "embedding": UNIT},
            {
                "external_id": "c",
                "metadata": {"k": 3},
                "category": "x",
                "chunks": [
                    {"content": "candle one", "speaker": "Ben", "category": "y", "metadata": {"own": 1}},
                    {"content": "candle two", "embedding": UNIT[::-1], "importance": 2},
                ],
            },
        ],
    )
    return db


def test_what_was_given_comes_back(filled: Connection) -> None:
    row = filled.execute(
        "select external_id, chunk_index, title, content, source_uri, speaker, category, importance, "
        "occurred_at = '2026-03-01T12:00:00Z', metadata from braid.full_text_search('amber')"
    ).fetchone()
    expected = ("a", 0, "First", "amber river", "https://example.org/a", "Ana", "x", 0.5, True)
    assert row == (*expected, {"k": 1, "deep": {"n": None}})


def test_chunks_have_attributes_of_their_own(filled: Connection) -> None:
    found = filled.execute(
        "select chunk_index, speaker, category, importance, metadata "
        "from braid.full_text_search('candle') order by chunk_index"
    ).fetchall()
    assert found == [(0, "Ben", "y", None, {"k": 3, "own": 1}), (1, None, "x", 2.0, {"k": 3})]
    assert semantic(filled, UNIT[::-1])[0][:2] == ("c", 1)


def test_status_of_each_document(filled: Connection) -> None:
    given = {"external_id": "a", "content": "amber river", "title": "First", "metadata": {"k": 1}}
    assert upsert(filled, [given]) == {"a": "replaced"}
    assert upsert(filled, [given]) == {"a": "unchanged"}
    assert upsert(filled, [{**given, "metadata": {"k": 2}}]) == {"a": "updated"}
    assert upsert(filled, [{**given, "metadata": {"k": 2}, "category": "z"}]) == {"a": "updated"}
    assert upsert(filled, [{**given, "title": "Second"}, {"external_id": "n", "content": "new"}]) == {
        "a": "replaced",
        "n": "inserted",
    }


def test_the_rows_of_a_write(db: Connection) -> None:
    written = db.execute(
        "select external_id, status, chunk_count, document_id is not null from braid.upsert_documents(%s)",
        (Jsonb([{"external_id": "z", "content": "z"}, {"external_id": "a", "content": "word " * 600}]),),
    ).fetchall()
    assert [(row[0], row[1], row[3]) for row in written] == [("z", "inserted", True), ("a", "inserted", True)]
    assert written[0][2] == 1
    assert written[1][2] == one(db, "select count(*) from braid_store.chunks") - 1 > 1
    assert upsert(db, []) == {}


def test_the_same_again_writes_nothing(filled: Connection) -> None:
    documents: list[dict[str, Any]] = [
        {"external_id": "one", "content": "amber", "title": "T", "metadata": {"a": [1, 2]}, "importance": 1},
        {"external_id": "two", "content": "basket", "embedding": UNIT},
        {"external_id": "three", "chunks": [{"content": "c1"}, {"content": "c2", "embedding": UNIT}]},
    ]
    upsert(filled, documents)
    before = rows(filled, *TABLES)
    assert set(upsert(filled, documents).values()) == {"unchanged"}
    assert rows(filled, *TABLES) == before


def test_one_document_again_writes_nothing(db: Connection) -> None:
    call = (
        "select (braid.upsert_document('d', 'text', title => 'T', metadata => '{\"a\": null}', "
        "importance => 0.1, occurred_at => '2026-01-01 00:00+02', embedding => %s)).status"
    )
    assert one(db, call, vector(UNIT)) == "inserted"
    before = rows(db, *TABLES)
    # The same time is now written in another time zone.
    db.execute("set timezone = 'Asia/Tokyo'")
    assert one(db, call, vector(UNIT)) in ("unchanged", "updated")
    assert rows(db, *DERIVED) == {table: before[table] for table in DERIVED}


def test_nulls_are_the_same_as_absent_keys(db: Connection) -> None:
    upsert(db, [{"external_id": "a", "content": "amber"}])
    before = rows(db, *TABLES)
    assert upsert(db, [{"external_id": "a", "content": "amber", "title": None, "speaker": None, "metadata": None}]) == {
        "a": "unchanged"
    }
    assert rows(db, *TABLES) == before


def test_replacing_leaves_nothing_of_the_old_text(filled: Connection) -> None:
    ids = one(filled, "select array_agg(c.id order by c.id) from braid_store.chunks c")
    upsert(filled, [{"external_id": "b", "content": "candle"}, {"external_id": "c", "content": "new"}])
    assert [hit[:2] for hit in full_text(filled, "candle")] == [("b", 0)]
    assert full_text(filled, "basket") == []
    assert semantic(filled, UNIT) == []
    # Ids are never reused.
    assert one(filled, "select min(c.id) from braid_store.chunks c where c.content = 'new'") > max(ids)


def test_the_last_of_the_same_id_in_a_batch_wins(db: Connection) -> None:
    batch = [
        {"external_id": "a", "content": "first"},
        {"external_id": "b", "content": "other"},
        {"external_id": "a", "content": "second"},
        {"external_id": "a", "content": "third"},
    ]
    statuses = db.execute("select external_id, status from braid.upsert_documents(%s)", (Jsonb(batch),))
    assert statuses.fetchall() == [
        ("a", "superseded"),
        ("b", "inserted"),
        ("a", "superseded"),
        ("a", "inserted"),
    ]
    assert [hit[0] for hit in full_text(db, "third")] == ["a"]
    assert full_text(db, "first second") == []
    assert one(db, "select count(*) from braid_store.chunks") == 2


def test_metadata_changes_touch_no_index(filled: Connection) -> None:
    before = rows(filled, *DERIVED)

    def metadata(query: str) -> list[Any]:
        found = filled.execute("select metadata from braid.full_text_search(%s) order by chunk_index", (query,))
        return [row[0] for row in found]

    def update(*values: Any) -> bool:
        return bool(one(filled, "select braid.update_metadata(%s, %s, %s)", *values))

    assert update("a", Jsonb({"new": [1], "deep": {"m": None}}), False)
    assert metadata("amber") == [{"k": 1, "new": [1], "deep": {"m": None}}]
    assert update("a", Jsonb({"k": None, "absent": None}), False)
    assert metadata("amber") == [{"new": [1], "deep": {"m": None}}]
    assert update("a", Jsonb({"only": True, "gone": None}), True)
    assert metadata("amber") == [{"only": True}]
    assert full_text(filled, "amber", filters={"only": True})
    assert not full_text(filled, "amber", filters={"k": 1})
    # A chunk's own keys stay.
    assert update("c", Jsonb({"k": 4, "own": 7}), False)
    assert metadata("candle") == [{"k": 4, "own": 1}, {"k": 4, "own": 7}]
    assert not update("absent", Jsonb({"k": 1}), False)
    assert rows(filled, *DERIVED) == before
    for wrong in (Jsonb("{}"), Jsonb([]), None):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
            update("a", wrong, False)
        assert raised.value.diag.message_hint
    # The upsert compares a document with the last given text, not with its present state.
    assert upsert(filled, [{"external_id": "b", "content": "basket river", "embedding": UNIT}]) == {"b": "unchanged"}


def test_attributes_change_without_new_chunks(filled: Connection) -> None:
    given = {"external_id": "b", "content": "basket river", "embedding": UNIT, "category": "new", "importance": 3}
    before = rows(filled, *DERIVED)
    assert upsert(filled, [given]) == {"b": "updated"}
    assert rows(filled, *DERIVED) == before
    assert [hit[0] for hit in full_text(filled, "basket", filters={"category": "new"})] == ["b"]


def test_delete(filled: Connection) -> None:
    assert one(filled, "select braid.delete_document('b')") is True
    assert one(filled, "select braid.delete_document('b')") is False
    assert full_text(filled, "basket") == []
    assert [hit[:2] for hit in semantic(filled, UNIT)] == [("c", 1)]
    assert upsert(filled, [{"external_id": "b", "content": "basket"}]) == {"b": "inserted"}


@pytest.mark.usefixtures("dsn")
def test_delete_of_many(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('other')")
    set_tenant(filled, "other")
    upsert(filled, [{"external_id": "a", "content": "amber"}])
    set_tenant(filled, "default")
    many = "select braid.delete_documents(%s::text[])"
    assert filled.execute(many, (["b", "a", "b", "nobody", None],)).fetchone() == (2,)
    assert full_text(filled, "amber basket") == []
    assert {hit[0] for hit in full_text(filled, "candle")} == {"c"}
    for none in (["a", "b"], [], None):
        assert filled.execute(many, (none,)).fetchone() == (0,)
    assert filled.execute("select * from braid.check_index()").fetchall() == []
    set_tenant(filled, "other")
    assert len(full_text(filled, "amber")) == 1


@pytest.mark.usefixtures("dsn")
def test_clear_is_of_ones_own_part(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('other'), braid.create_collection('second')")
    upsert(filled, [{"external_id": "a", "content": "amber"}], "second")
    set_tenant(filled, "other")
    upsert(filled, [{"external_id": "a", "content": "amber", "embedding": UNIT}])
    set_tenant(filled, "default")
    assert one(filled, "select braid.clear_collection()") == 3
    assert full_text(filled, "amber basket candle") == []
    assert semantic(filled, UNIT) == []
    assert one(filled, "select braid.clear_collection()") == 0
    assert len(full_text(filled, "amber", collection="second")) == 1
    set_tenant(filled, "other")
    assert len(full_text(filled, "amber")) == len(semantic(filled, UNIT)) == 1


@pytest.mark.usefixtures("dsn")
def test_drop_is_of_every_tenants_part(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('other'), braid.create_collection('second')")
    for tenant in ("default", "other"):
        set_tenant(filled, tenant)
        upsert(filled, [{"external_id": "a", "content": "amber", "embedding": UNIT}], "second")
    collection_id = one(filled, "select id from braid_store.collections where name = 'second'")
    assert one(filled, "select braid.drop_collection('second')") is True
    assert one(filled, "select braid.drop_collection('second')") is False
    assert one(filled, "select braid.maintain() ->> 'complete'") == "true"
    for table in (*TABLES, "tombstones"):
        left = f"select count(*) from braid_store.{table} where collection_id = %s"
        assert one(filled, left, collection_id) == 0, table
    with pytest.raises(psycopg.errors.UndefinedObject) as raised:
        full_text(filled, "amber", collection="second")
    assert raised.value.diag.message_hint
    set_tenant(filled, "default")
    assert len(full_text(filled, "river")) == 2
    # A later collection of the same name is a new collection.
    filled.execute("select braid.create_collection('second')")
    assert full_text(filled, "amber", collection="second") == []


def test_many_chunks_of_a_document_fit_into_memory(db: Connection) -> None:
    """No step holds all chunks of a document once per chunk: they would take 500 megabytes, and spill to temporary
    files."""
    upsert(db, [{"external_id": "a", "chunks": [{"content": f"{n} " + "amber river " * 30} for n in range(1_200)]}])
    db.execute("select pg_stat_force_next_flush()")
    temporary = one(db, "select temp_bytes from pg_stat_database where datname = current_database()")
    assert temporary < 100_000_000


def test_a_savepoint_rolled_back_in_the_middle(db: Connection) -> None:
    with db.transaction():
        upsert(db, [{"external_id": f"d{n}", "content": f"river w{n}"} for n in range(5)])
        with db.transaction(force_rollback=True):
            upsert(db, [{"external_id": f"d{n}", "content": "gone"} for n in range(3, 9)])
            db.execute("select braid.delete_document('d0')")
            assert len(full_text(db, "river")) == 2
        with pytest.raises(psycopg.errors.InvalidParameterValue), db.transaction():
            upsert(db, [{"external_id": "e", "content": "gone"}, {"external_id": ""}])
        upsert(db, [{"external_id": "last", "content": "river"}])
    assert {hit[0] for hit in full_text(db, "river")} == {"d0", "d1", "d2", "d3", "d4", "last"}
    assert full_text(db, "gone") == []
    assert one(db, "select count(*) from braid_store.embedding_jobs") == 6


def test_a_time_written_in_another_way_changes_nothing(db: Connection) -> None:
    def status(**arguments: str) -> str:
        found = db.execute(
            "select status from braid.upsert_document('a', 'b', occurred_at => %(occurred_at)s::timestamptz)", arguments
        ).fetchone()
        assert found
        return str(found[0])

    assert status(occurred_at="2026-03-01T12:00:00Z") == "inserted"
    db.execute("set timezone = 'Asia/Tokyo'")
    assert status(occurred_at="2026-03-01T13:00:00+01:00") == "unchanged"
    documents = '[{"external_id": "a", "content": "b", "occurred_at": "2026-03-01 12:00:00+00"}]'
    assert db.execute("select status from braid.upsert_documents(%s)", (documents,)).fetchone() == ("unchanged",)
    assert status(occurred_at="2026-03-01T12:00:01Z") == "updated"


@pytest.mark.parametrize(
    ("key", "hint"), [("metadata", "Give an object or null."), ("chunks", "Give an array"), ("title", "Give a string")]
)
def test_the_hint_names_the_types_of_a_value(db: Connection, key: str, hint: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        upsert(db, [{"external_id": "a", key: 7}])
    assert (raised.value.diag.message_hint or "").startswith(hint)


@pytest.mark.parametrize("call", ["delete_document('a', 'none')", "delete_documents('{a}', 'none')"])
def test_a_deletion_from_no_collection_is_refused(db: Connection, call: str) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject) as raised:
        db.execute(f"select braid.{call}".encode())
    assert raised.value.diag.message_hint
