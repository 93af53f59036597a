"""maintain() lists which chunks of large segments have which metadata values, so that filters on undeclared keys
need not read all chunks. Results stay exact after any later write."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from core.plans.reading import COUNTS
from psycopg.types.json import Jsonb

from support.calls import one, upsert
from support.nearest import maintain

Connection = psycopg.Connection[Any]
SIZE = 3000
LONG = "https://example.com/" + "x" * 80
SOME = [number / 7 for number in range(2000, 4000, 10)]
OPTIONS = {"ranking": {"statistics_scope": "collection"}}
Metadata = dict[str, Any]


def metadata(number: int, version: int = 0) -> Metadata:
    dice = random.Random(f"{number} {version}")
    values: Metadata = {
        "number": number % 100,
        "unique": number / 7,
        "code": f"{number % 50:02}",
        "date": f"2026-{1 + number % 12:02}-{1 + number % 28:02}",
        "is_new": number % 90 == 0,
        "tags": dice.sample(["red", "green", "blue", number % 200, True], 2),
        "url": f"{LONG}/{number % 100}",
        "author": {"name": f"n{number % 80}", "age": number % 70},
        "mixed": [number % 60, str(number % 60), {"a": 1}, None, number % 60 == 0][number % 5],
    }
    if number % 100 == 0:
        values["large"] = [10**400, 9007199254740992, 9007199254740993, -1e-320][number % 400 // 100]
    if number % 70 == 0:
        values["many"] = list(range(number, number + 100))
    if number % 150 == 0:
        values["author.name"] = "flat"
        values["x" * 300] = "long key"
    return values


def document(number: int, version: int = 0) -> dict[str, Any]:
    return {"external_id": str(number), "content": f"alpha gamma{number}", "metadata": metadata(number, version)}


def equals(key: str, value: Any) -> Callable[[Metadata], bool]:
    def test(values: Metadata) -> bool:
        found = values.get(key)
        elements = found if isinstance(found, list) else [found]
        return any(type(e) is type(value) and e == value for e in elements)

    return test


FILTERS: list[tuple[dict[str, Any], Callable[[Metadata], bool]]] = [
    ({"number": 7}, lambda m: m["number"] == 7),
    ({"number": {"$in": [7, 8, 1000]}}, lambda m: m["number"] in (7, 8)),
    ({"number": {"$gte": 97, "$lt": 99}}, lambda m: m["number"] in (97, 98)),
    ({"number": {"$gt": 98}}, lambda m: m["number"] == 99),
    ({"number": {"$lt": 1}}, lambda m: m["number"] == 0),
    ({"number": {"$gt": 99}}, lambda m: False),
    ({"number": "7"}, lambda m: False),
    ({"number": {"$eq": 7, "$ne": 7}}, lambda m: False),
    ({"number": 7, "code": "07"}, lambda m: m["number"] == 7 and m["code"] == "07"),
    ({"$and": [{"number": {"$lt": 50}}, {"number": {"$gte": 49}}]}, lambda m: m["number"] == 49),
    ({"unique": 3 / 7}, lambda m: m["unique"] == 3 / 7),
    ({"unique": {"$lte": 20 / 7}}, lambda m: m["unique"] <= 20 / 7),
    ({"code": "13"}, lambda m: m["code"] == "13"),
    ({"date": {"$gte": "2026-12-25"}}, lambda m: m["date"] >= "2026-12-25"),
    ({"date": {"$gte": "2026-03", "$lt": "2026-03-03"}}, lambda m: "2026-03" <= m["date"] < "2026-03-03"),
    ({"is_new": True}, lambda m: m["is_new"]),
    ({"tags": 150}, equals("tags", 150)),
    ({"url": f"{LONG}/17"}, lambda m: m["url"] == f"{LONG}/17"),
    ({"author.name": "n3"}, lambda m: m["author"]["name"] == "n3" and "author.name" not in m),
    ({"author.name": "flat"}, lambda m: m.get("author.name") == "flat"),
    ({"author.age": {"$gte": 69}}, lambda m: m["author"]["age"] == 69),
    ({"metadata.number": 5}, lambda m: m["number"] == 5),
    ({"mixed": 10}, equals("mixed", 10)),
    ({"mixed": "11"}, equals("mixed", "11")),
    ({"mixed": True}, equals("mixed", True)),
    ({"large": 9007199254740993}, lambda m: m.get("large") == 9007199254740993),
    ({"large": {"$gt": 1}}, lambda m: m.get("large", 0) > 1),
    ({"many": 100}, equals("many", 100)),
    ({"many.0": 70}, lambda m: m.get("many", [0])[0] == 70),
    ({"tags.1": "red"}, lambda m: m["tags"][1:] == ["red"]),
    # PostgreSQL reads these as numbers too.
    ({"tags.+1": "red"}, lambda m: m["tags"][1:] == ["red"]),
    ({"tags. 1": "red"}, lambda m: m["tags"][1:] == ["red"]),
    ({"x" * 300: "long key"}, lambda m: "x" * 300 in m),
    ({"code": {"$in": [f"{n:02}" for n in range(5, 45)]}}, lambda m: 5 <= int(m["code"]) < 45),
    (
        {"unique": {"$in": [n / 7 for n in range(2000, 4000, 10)]}},
        lambda m: m["unique"] in {n / 7 for n in range(2000, 4000, 10)},
    ),
    (
        {"$and": [{"code": {"$in": [f"{n:02}" for n in range(20)]}}, {"code": {"$gte": "15"}}]},
        lambda m: "15" <= m["code"] < "20",
    ),
    ({"number": {"$in": [3, None]}}, lambda m: m["number"] == 3),
    ({"nothing": 1}, lambda m: False),
]


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    shared_db.execute("select braid.create_collection('docs', 'simple', 3)")
    for first in range(0, SIZE, 1000):
        upsert(shared_db, map(document, range(first, first + 1000)), "docs")
    shared_db.execute("select braid.rebuild_index('docs')")  # makes one segment of all documents
    maintain(shared_db)
    return shared_db


def found(db: Connection, filters: dict[str, Any], count: int = 10_000) -> list[str]:
    rows = db.execute(
        "select external_id from braid.full_text_search('alpha', filters => %s, collection => 'docs',"
        " match_count => %s, options => %s)",
        (Jsonb(filters), count, Jsonb(OPTIONS)),
    )
    return sorted(row[0] for row in rows)


def assert_found(db: Connection, documents: dict[int, Metadata]) -> None:
    for filters, test in FILTERS:
        expected = sorted(str(number) for number, values in documents.items() if test(values))
        # Few rows and many rows take different code paths.
        assert found(db, filters) == expected, filters
        few = found(db, filters, 5)
        assert len(few) == min(5, len(expected)), filters
        assert set(few) <= set(expected), filters


def chunks_read(db: Connection, filters: dict[str, Any]) -> int:
    for _ in range(2):
        found(db, filters, 10)
    with db.transaction():
        before = {table: entries for table, _, entries, _ in db.execute(COUNTS).fetchall()}
        found(db, filters, 10)
        after = {table: entries for table, _, entries, _ in db.execute(COUNTS).fetchall()}
    return int(after["chunks"] - before["chunks"])


def test_keys_that_nobody_declared_do_not_read_all_chunks(db: Connection) -> None:
    for filters in (
        {"number": 7},
        {"code": {"$in": ["13", "14"]}},
        {"date": {"$gte": "2026-12-25"}},
        {"author.name": "n3"},
        {"is_new": True},
        {"nothing": 1},
    ):
        assert chunks_read(db, filters) < SIZE / 5, filters


def semantic_mode(db: Connection, filters: dict[str, Any]) -> str:
    query = (
        "select braid.search_json(query_embedding => '[1,0,0]', filters => %s, collection => 'docs', match_count => 5)"
    )
    return str(one(db, query, Jsonb(filters))["stats"]["semantic_mode"])


def test_how_many_chunks_pass_is_measured_where_lists_do_not_tell(db: Connection) -> None:
    # All values of this key begin with the same 64 characters.
    assert semantic_mode(db, {"url": f"{LONG}/17"}) == "exact_filtered"
    with db.transaction(force_rollback=True):
        db.execute("select braid.rebuild_index('docs')")  # the new segment has no lists yet
        assert semantic_mode(db, {"number": 7}) == "exact_filtered"
        assert semantic_mode(db, {"number": {"$lt": 90}}) == "exact"


def temporary_bytes(db: Connection) -> int:
    db.execute("select pg_stat_force_next_flush()")
    return int(one(db, "select temp_bytes from pg_stat_database where datname = current_database()"))


def test_large_metadata_is_not_copied_into_lists(db: Connection) -> None:
    db.execute("select braid.create_collection('large', 'simple', 3)")
    chunks = [{"content": f"alpha w{number}"} for number in range(1000)]
    upsert(db, [{"external_id": "a", "metadata": {"text": "x" * 150_000, "number": 7}, "chunks": chunks}], "large")
    before = temporary_bytes(db)
    maintain(db)
    assert temporary_bytes(db) - before < 10_000_000
    for number, count in ((7, 1000), (8, 0)):
        found_query = "select count(*) from braid.full_text_search('alpha', 2000, %s, 'large')"
        assert one(db, found_query, Jsonb({"number": number})) == count
    db.execute("select braid.drop_collection('large')")


def test_many_changes_are_listed_anew(db: Connection) -> None:
    changed = range(0, SIZE, 9)
    with db.transaction(force_rollback=True):
        upsert(db, [document(number) | {"metadata": {"number": 200}} for number in changed], "docs")
        assert chunks_read(db, {"number": 7}) > len(changed)
        one(db, "select braid.maintain('1 hour')")
        assert chunks_read(db, {"number": 7}) < len(changed) / 2
        assert found(db, {"number": 200}) == sorted(map(str, changed))


def test_maintenance_counts_what_it_lists(db: Connection) -> None:
    db.execute("select braid.create_collection('counted', 'simple', 3)")
    upsert(db, map(document, range(1000)), "counted")
    assert one(db, "select braid.maintain('1 hour')")["chunks_listed"] == 1000
    # A segment this small has no lists.
    upsert(db, map(document, range(1000, 1030)), "counted")
    assert one(db, "select braid.maintain('1 hour')")["chunks_listed"] == 0
    for number in range(1000, 1030):
        one(db, "select braid.update_metadata(%s, %s, collection => 'counted')", str(number), Jsonb({"number": 200}))
    assert one(db, "select braid.maintain('1 hour')")["chunks_listed"] == 0
    assert one(db, "select count(*) from braid_store.changed_metadata") == 0
    db.execute("select braid.drop_collection('counted')")


def test_maintenance_does_not_wait_for_other_maintenance(db: Connection) -> None:
    db.execute("select braid.create_collection('busy', 'simple', 3)")
    upsert(db, map(document, range(1000)), "busy")
    maintain(db)
    upsert(db, [document(number, 1) for number in range(40)], "busy")
    one(db, "select braid.delete_documents(%s, 'busy')", [str(number) for number in range(20)])
    with psycopg.connect(db.info.dsn, autocommit=True) as other, db.transaction():
        other.execute("set lock_timeout = '100ms'")
        one(db, "select braid.maintain('1 hour')")
        # This write notes the part as due again, because maintenance has taken the first note.
        upsert(other, [document(50, 1)], "busy")
        assert one(other, "select braid.maintain('1 hour')")["warnings"] == []
    db.execute("select braid.drop_collection('busy')")


def test_check_index_compares_the_lists(db: Connection) -> None:
    with db.transaction(force_rollback=True):
        db.execute("update braid_store.metadata_lists set chunk_ids[3] = chunk_ids[2] where key = 'code'")
        problems = db.execute("select problem, detail from braid.check_index('docs')").fetchall()
        assert [(problem, detail[-6:]) for problem, detail in problems] == [("metadata list lacks chunk", '"code"')]


def test_filters_find_what_they_say_whatever_was_written_since(db: Connection) -> None:
    documents = {number: metadata(number) for number in range(SIZE)}
    assert_found(db, documents)
    # Change metadata of listed chunks in both ways, add new chunks, and delete some.
    for number in range(0, SIZE, 61):
        documents[number] = metadata(number, 1) | {"number": (number + 1) % 100, "code": "13"}
        one(db, "select braid.update_metadata(%s, %s, true, 'docs')", str(number), Jsonb(documents[number]))
    changed = list(range(5, SIZE, 67))
    for number in [*changed, *range(SIZE, SIZE + 200)]:
        documents[number] = metadata(number + 7, 2)
    upsert(
        db,
        [document(number) | {"metadata": documents[number]} for number in [*changed, *range(SIZE, SIZE + 200)]],
        "docs",
    )
    gone = list(range(3, SIZE, 91))
    one(db, "select braid.delete_documents(%s, 'docs')", [str(number) for number in gone])
    for number in gone:
        del documents[number]
    assert_found(db, documents)
    maintain(db)
    assert_found(db, documents)
    assert db.execute("select * from braid.check_index('docs')").fetchall() == []
    one(db, "select braid.clear_collection('docs')")
    assert found(db, {"number": 7}) == []
