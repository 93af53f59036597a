"""logged_multi_search gives multi_search's answer, and writes a row to the log."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

from support.calls import one, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
PLACES = {"price": [1, 0, 0], "both": [0.8, 0.6, 0], "cost": [0, 1, 0]}
NOW = "2026-03-11 12:00:00+00"
LAST_WEEK = {"$and": [{"occurred_at": {"$gte": "2026-03-02T00:00:00+00:00", "$lt": "2026-03-09T00:00:00+00:00"}}]}
TIMES = {"query_time_ms", "timings", "search_id"}


@pytest.fixture
def filled(db: Connection) -> Connection:
    db.execute("set time zone 'UTC'")
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    upsert(
        db,
        [
            {"external_id": key, "content": f"text of {key}", "embedding": place, "occurred_at": f"{day}T12:00Z"}
            for day, (key, place) in zip(("2026-03-01", "2026-03-02", "2026-03-03"), PLACES.items(), strict=True)
        ],
        "small",
    )
    db.execute("select braid.set_search_log('small')")
    return db


def call(db: Connection, function: str, **arguments: Any) -> dict[str, Any]:
    given = {"collection": "small", **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    values = {name: Jsonb(value) if isinstance(value, (dict, list)) else value for name, value in given.items()}
    row = db.execute(f"select braid.{function}({names})".encode(), values).fetchone()
    assert row is not None
    return dict(row[0])


def last(db: Connection) -> Any:
    with db.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute("select * from braid.search_log order by search_id desc limit 1").fetchone()


def without_times(answer: Any) -> Any:
    if isinstance(answer, list):
        return [without_times(element) for element in answer]
    if isinstance(answer, dict):
        return {key: without_times(value) for key, value in answer.items() if key not in TIMES}
    return answer


TOGETHER: list[dict[str, Any]] = [
    {"queries": ["text", {"text": "price", "embedding": [1, 0, 0], "weight": 2}]},
    {"queries": ["zebrafish"], "filters": {"external_id": "price"}, "match_count": 2},
    {"queries": [{"embedding": [0, 1, 0]}, "text"], "options": {"group_by": "document"}},
]


def test_the_answer_is_that_of_the_plain_function(filled: Connection) -> None:
    assert_as_plain(filled, "logged_multi_search", "multi_search", TOGETHER)


def assert_as_plain(filled: Connection, function: str, plain: str, calls: list[dict[str, Any]]) -> None:
    for arguments in calls:
        found = call(filled, function, **arguments)
        assert found["stats"]["search_id"] == str(last(filled).search_id)
        assert without_times(found) == without_times(call(filled, plain, **arguments)), arguments
    assert one(filled, "select count(*) from braid.search_log") == len(calls)
    filled.execute("select braid.set_search_log('small', 'off')")
    assert "search_id" not in call(filled, function, **calls[0])["stats"]
    with filled.transaction():
        filled.execute("set transaction_read_only = on")
        assert "search_id" not in call(filled, function, **calls[0])["stats"]
    assert one(filled, "select count(*) from braid.search_log") == len(calls)


def test_the_log_has_one_row_of_several_queries(filled: Connection) -> None:
    found = call(filled, "logged_multi_search", **TOGETHER[0])
    row = last(filled)
    assert (row.mode, row.semantic_mode, row.query_text) == ("multi", None, "text\nprice")
    assert (row.match_count, row.result_count, row.configuration) == (10, 3, {"queries": 2})
    assert row.external_ids == [result["external_id"] for result in found["results"]]
    assert row.chunk_indexes == [0, 0, 0]
    assert row.query_time_ms == pytest.approx(found["stats"]["query_time_ms"], rel=1e-6)
    parts = row.compile_ms + row.legs_ms + row.ranking_ms + row.rows_ms
    assert parts == pytest.approx(row.query_time_ms, rel=1e-3) and row.legs_ms > 0
    call(filled, "logged_multi_search", **TOGETHER[1])
    row = last(filled)
    assert (row.result_count, row.filters, row.warnings) == (0, {"external_id": "price"}, ["no_query_terms"])
    call(filled, "logged_multi_search", **TOGETHER[2])
    assert last(filled).query_text == "text"


def test_feedback_is_taken(filled: Connection) -> None:
    assert_feedback_is_taken(filled, "logged_multi_search", TOGETHER[0], "multi")


def assert_feedback_is_taken(filled: Connection, function: str, arguments: dict[str, Any], mode: str) -> None:
    found = call(filled, function, **arguments)
    best = found["results"][0]["external_id"]
    assert one(filled, "select braid.record_feedback(%s, %s, 'click')", found["stats"]["search_id"], best)
    ranks = "select l.mode, f.rank from braid.search_feedback f join braid.search_log l using (search_id)"
    assert filled.execute(ranks).fetchall() == [(mode, 1)]


def test_bad_input_is_refused_as_without_a_log(filled: Connection) -> None:
    for function, arguments, message in (
        ("logged_multi_search", {"queries": []}, "queries is an array of 0"),
        ("logged_multi_search", {"queries": ["text"], "match_count": 0}, "match_count is 0"),
    ):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
            call(filled, function, **arguments)
        assert caught.value.diag.message_hint
    assert one(filled, "select count(*) from braid.search_log") == 0
