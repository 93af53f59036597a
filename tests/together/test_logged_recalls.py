"""logged_recall gives recall_json's answer and writes a row to the log, from which queries are sampled."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from parts.search_log.test_other_searches import (
    LAST_WEEK,
    NOW,
    TOGETHER,
    Connection,
    assert_as_plain,
    assert_feedback_is_taken,
    call,
    filled,
    last,
)

from support.calls import one

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
__all__ = ["filled"]
RECALLS: list[dict[str, Any]] = [
    {"query_text": "text last week", "timeframe": "auto", "reference_time": NOW},
    {"query_text": "text", "query_embedding": "[1,0,0]", "strategy": "auto", "reference_time": NOW},
    {"query_embedding": "[1,0,0]", "strategy": "full_text", "match_count": 2, "reference_time": NOW},
    {"query_text": "text", "timeframe": "before 2020", "options": {"explain": True}, "reference_time": NOW},
]


def test_the_answer_is_that_of_the_plain_function(filled: Connection) -> None:
    assert_as_plain(filled, "logged_recall", "recall_json", RECALLS)


def test_the_log_has_what_a_recall_searched(filled: Connection) -> None:
    """The log has the query that a recall searched, not the typed one: a search for its text and filter finds the
    same."""
    found = call(filled, "logged_recall", **RECALLS[0])
    row = last(filled)
    assert (row.mode, row.query_text, row.filters) == ("full_text", "text", LAST_WEEK)
    assert row.external_ids == [result["external_id"] for result in found["results"]] != []
    assert row.configuration == {"recall": {"timeframe": "auto"}}
    again = call(filled, "search_json", query_text=row.query_text, filters=row.filters)
    assert [result["score"] for result in again["results"]] == [result["score"] for result in found["results"]]
    call(filled, "logged_recall", query_text="text", strategy="auto", timeframe="2026", fusion="rrf")
    assert last(filled).configuration == {"fusion": "rrf", "recall": {"strategy": "auto", "timeframe": True}}
    call(filled, "logged_recall", query_text="text")
    row = last(filled)
    assert (row.configuration, row.filters, row.is_first_page, row.result_count) == ({}, None, True, 3)
    filled.execute("select braid.set_search_log('small', keep_query => 'nothing')")
    call(filled, "logged_recall", **RECALLS[0])
    row = last(filled)
    assert (row.query_text, row.filters, row.configuration) == (None, None, {"recall": {"timeframe": "auto"}})


def test_feedback_is_taken(filled: Connection) -> None:
    assert_feedback_is_taken(filled, "logged_recall", RECALLS[0], "full_text")


def test_several_queries_are_no_query_to_sample(filled: Connection) -> None:
    call(filled, "logged_multi_search", **TOGETHER[0])
    call(filled, "logged_recall", **RECALLS[0])
    filled.execute("select braid.create_query_set('asked')")
    assert one(filled, "select braid.sample_queries('asked', 'small', with_filters => true)") == 1
    row = filled.execute("select query_text, filters from braid.list_queries('asked')").fetchone()
    assert row == ("text", LAST_WEEK)


def test_bad_input_is_refused_as_without_a_log(filled: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="strategy is 'none'") as caught:
        call(filled, "logged_recall", query_text="text", strategy="none")
    assert caught.value.diag.message_hint
    assert one(filled, "select count(*) from braid.search_log") == 0


def test_a_profile_is_only_told_to_be_there(filled: Connection) -> None:
    filled.execute("select braid.set_profile('ana', '[0,1,0]', collection => 'small')")
    call(filled, "logged_search", query_text="text", options={"profile": "ana"})
    assert last(filled).configuration == {"options": {"profile": True}}
