"""Query sets hold queries with judgments, and are stored, listed and dropped."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


@pytest.fixture
def asked(db: Connection) -> Connection:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    db.execute("select braid.create_collection('other', dimensions => 2, embedding_model => 'other')")
    upsert(db, [{"external_id": "a", "content": "the quick fox", "metadata": {"year": 2024}}], "small")
    one(db, "select braid.create_query_set('asked')")
    store(db, [{"query_id": "1", "text": "fox", "embedding": [1, 0, 0]}, {"query_id": "2", "text": "dog"}])
    return db


def store(db: Connection, queries: Any, query_set: str = "asked", collection: str = "small") -> Any:
    return one(db, "select braid.store_queries(%s, %s, %s)", query_set, Jsonb(queries), collection)


def judge(db: Connection, judgments: Any, query_set: str = "asked") -> Any:
    return one(db, "select braid.store_judgments(%s, %s)", query_set, Jsonb(judgments))


def judgment(query_id: str, external_id: str, grade: int | None, judge: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"query_id": query_id, "external_id": external_id, "grade": grade}
    return made | ({"judge": judge} if judge else {})


def judged(db: Connection, query_id: str, query_set: str = "asked") -> list[tuple[Any, ...]]:
    statement = "select external_id, chunk_index, judge, grade from braid.list_judgments(%s, %s)"
    return db.execute(statement, (query_set, query_id)).fetchall()


def queries(db: Connection, *more: Any) -> list[tuple[Any, ...]]:
    columns = "query_id, query_text, filters, embedding_models, judgment_count"
    marks = "".join(", %s" for _ in more)
    return db.execute(f"select {columns} from braid.list_queries('asked'{marks})".encode(), more).fetchall()


def test_sets_and_queries_are_listed(asked: Connection) -> None:
    judge(asked, [judgment("1", "a", 2, "ana"), judgment("1", "a", 0, "bo"), judgment("1", "b", 1)])
    assert one(asked, "select braid.create_query_set('Empty', 'chunk', 'of chunks')") is True
    columns = "query_set, level, description, query_count, judged_count, judgment_count, judges"
    assert asked.execute(f"select {columns} from braid.list_query_sets()").fetchall() == [
        ("Empty", "chunk", "of chunks", 0, 0, 0, []),
        ("asked", "document", "", 2, 1, 3, ["ana", "bo", "default"]),
    ]
    assert queries(asked) == [("1", "fox", None, ["test"], 3), ("2", "dog", None, [], 0)]
    assert queries(asked, 1) == queries(asked)[:1]
    assert queries(asked, 1, "1") == queries(asked)[1:]
    assert judged(asked, "1") == [("a", None, "ana", 2), ("b", None, "default", 1), ("a", None, "bo", 0)]
    assert judged(asked, "nobody") == []


def test_a_set_that_is_there_is_kept(asked: Connection) -> None:
    assert one(asked, "select braid.create_query_set('asked', description => 'again')") is False
    assert one(asked, "select description from braid.list_query_sets()") == "again"
    assert len(queries(asked)) == 2
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='"asked" exists already, with the level document'):
        one(asked, "select braid.create_query_set('asked', 'chunk')")


def test_a_query_that_is_stored_again_keeps_what_still_fits(asked: Connection) -> None:
    judge(asked, [judgment("1", "a", 2)])
    store(asked, [{"query_id": "1", "text": "fox", "embedding": [1, 0]}], collection="other")
    assert queries(asked)[0] == ("1", "fox", None, ["other", "test"], 1)
    store(asked, [{"query_id": "1", "text": "fox", "filters": {"year": 2024}}])
    assert queries(asked)[0] == ("1", "fox", {"year": 2024}, ["other", "test"], 1)
    # A vector of another text would measure another search.
    store(asked, [{"query_id": "1", "text": "foxes", "embedding": [0, 1, 0]}])
    assert queries(asked)[0] == ("1", "foxes", None, ["test"], 1)


def test_a_judge_has_one_grade(asked: Connection) -> None:
    first = [judgment("1", "a", 2), judgment("1", "b", 1), judgment("2", "a", -1)]
    assert judge(asked, first) == {"stored": 3, "replaced": 0, "unchanged": 0, "removed": 0}
    again = [judgment("1", "a", 3), judgment("1", "b", 1), judgment("2", "a", None), judgment("2", "x", None)]
    assert judge(asked, again) == {"stored": 0, "replaced": 1, "unchanged": 1, "removed": 1}
    assert judged(asked, "1") == [("a", None, "default", 3), ("b", None, "default", 1)]
    assert judged(asked, "2") == []
    # Two equal grades are no contradiction.
    assert judge(asked, [judgment("2", "a", 1), judgment("2", "a", 1, "default")])["stored"] == 1
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='document "b" two grades for query "1"'):
        judge(asked, [judgment("1", "b", 1), judgment("1", "b", 2)])
    assert judge(asked, [judgment("1", "b", 1), judgment("1", "b", 2, "ana")])["stored"] == 1


def test_chunks_are_judged_in_a_set_of_chunks(asked: Connection) -> None:
    one(asked, "select braid.create_query_set('parts', 'chunk')")
    store(asked, [{"query_id": "1", "text": "fox"}], "parts")
    made = [judgment("1", "a", 1) | {"chunk_index": 0}, judgment("1", "a", 2) | {"chunk_index": 7}]
    assert judge(asked, made, "parts")["stored"] == 2
    assert judged(asked, "1", "parts") == [("a", 7, "default", 2), ("a", 0, "default", 1)]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="no chunk_index, and the query set is of chunks"):
        judge(asked, [judgment("1", "a", 1)], "parts")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="a chunk_index, and the query set is of documents"):
        judge(asked, made)


def test_a_set_is_dropped_with_all_that_it_has(asked: Connection) -> None:
    judge(asked, [judgment("1", "a", 2)])
    assert one(asked, "select braid.drop_query_set('asked')") is True
    assert one(asked, "select braid.drop_query_set('asked')") is False
    for table in ("query_sets", "queries", "query_set_embeddings", "judgments"):
        assert one(asked, f"select count(*) from braid_store.{table}") == 0
    one(asked, "select braid.create_query_set('asked')")
    assert queries(asked) == []


def test_judgments_outlive_documents_and_go_with_the_tenant(asked: Connection) -> None:
    asked.execute("select braid.create_tenant('leaving')")
    tenant = set_tenant(asked, "leaving")
    one(asked, "select braid.create_query_set('asked')")
    store(asked, [{"query_id": "1", "text": "fox", "embedding": [1, 0, 0]}])
    judge(asked, [judgment("1", "a", 2)])
    set_tenant(asked, tenant)
    judge(asked, [judgment("1", "a", 2)])
    asked.execute("select braid.clear_collection('small')")
    asked.execute("select braid.drop_tenant('leaving', 'leaving')")
    asked.execute("select braid.maintain('10 seconds')")
    for table in ("query_sets", "query_set_embeddings", "judgments"):
        assert one(asked, f"select count(*) from braid_store.{table}") == 1
    assert judged(asked, "1") == [("a", None, "default", 2)]


WRONG_QUERIES = [
    (7, "queries is a JSON number"),
    ([7], "query 1 is no object"),
    ([{"text": "fox"}], "has no query_id"),
    ([{"query_id": 1, "text": "fox"}], "has no query_id"),
    ([{"query_id": "x" * 513, "text": "fox"}], "has no query_id"),
    ([{"query_id": "1"}], 'query 1 \\("1"\\) has no text'),
    ([{"query_id": "1", "text": ""}], "has no text"),
    ([{"query_id": "1", "text": "x", "grade": 1}], 'unknown key "grade"'),
    ([{"query_id": "1", "text": "x"}, {"query_id": "1", "text": "y"}], 'query "1" comes twice'),
    ([{"query_id": "1", "text": "x", "filters": []}], "filters that are no object"),
    ([{"query_id": "1", "text": "x", "filters": {"year": {"$liek": 1}}}], "unknown operator"),
    ([{"query_id": "1", "text": "x", "embedding": [1]}], 'the embedding of query "1" has 1 dimensions'),
    ([{"query_id": "1", "text": "x", "embedding": [0, 0, 0]}], 'the embedding of query "1" is a zero vector'),
    ([{"query_id": "1", "text": "x", "embedding": ["NaN"]}], 'the embedding of query "1" is not a vector'),
]
WRONG_JUDGMENTS = [
    ({}, "judgments is a JSON object"),
    (["x"], "judgment 1 is no object"),
    ([{"external_id": "a", "grade": 1}], "has no query_id"),
    ([{"query_id": "1", "grade": 1}], "has no external_id"),
    ([{"query_id": "1", "external_id": "a"}], "has the grade null"),
    ([judgment("1", "a", 1) | {"grade": "1"}], "has the grade 1"),
    ([judgment("1", "a", 1) | {"grade": 0.5}], "has the grade 0.5"),
    ([judgment("1", "a", 1) | {"grade": 10**400}], "has the grade 1000"),
    ([judgment("1", "a", 1) | {"judge": ""}], "has a judge that is no string"),
    ([judgment("1", "a", 1) | {"split": "test"}], 'unknown key "split"'),
]


@pytest.mark.parametrize(("given", "message"), WRONG_QUERIES)
def test_wrong_queries_are_refused(asked: Connection, given: Any, message: str) -> None:
    before = queries(asked)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        store(asked, given)
    assert caught.value.diag.message_hint
    assert queries(asked) == before


@pytest.mark.parametrize(("given", "message"), WRONG_JUDGMENTS)
def test_wrong_judgments_are_refused(asked: Connection, given: Any, message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        judge(asked, given)
    assert caught.value.diag.message_hint
    assert judged(asked, "1") == []


def test_what_is_not_there_is_named(asked: Connection) -> None:
    asked.execute("select braid.create_tenant('strangers')")
    for call in (
        "store_queries('none', '[]')",
        "store_judgments('none', '[]')",
        "list_queries('none')",
        "list_judgments('none', '1')",
        "evaluate('none')",
    ):
        with pytest.raises(psycopg.errors.UndefinedObject, match='query set "none" does not exist'):
            asked.execute(f"select braid.{call}".encode())
    with pytest.raises(psycopg.errors.UndefinedObject, match='query "9" is not in query set "asked"') as caught:
        judge(asked, [judgment("1", "a", 1), judgment("9", "a", 1)])
    assert "store_queries" in str(caught.value.diag.message_hint)
    assert judged(asked, "1") == []
    # For this tenant, another tenant's query set does not exist.
    set_tenant(asked, "strangers")
    with pytest.raises(psycopg.errors.UndefinedObject, match='query set "asked" does not exist'):
        judge(asked, [judgment("1", "a", 1)])


def test_too_many_are_refused(asked: Connection) -> None:
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="judgments has 100001 elements"):
        asked.execute("select braid.store_judgments('asked', jsonb_agg(n)) from generate_series(1, 100001) n")
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="queries has 10001 elements"):
        asked.execute("select braid.store_queries('asked', jsonb_agg(n), 'small') from generate_series(1, 10001) n")


def test_what_is_written_to_a_partition_says_whether_it_is_new(partitioned_db: Connection) -> None:
    call = "select braid.create_query_set('asked', 'document', %s)"
    assert one(partitioned_db, call, "") is True
    assert one(partitioned_db, call, "again") is False
    assert partitioned_db.execute("select description from braid_store.query_sets").fetchall() == [("again",)]
