"""Feedback is recorded on the results of logged searches."""

from __future__ import annotations

import uuid
from typing import Any

import psycopg
import pytest

from support.calls import one, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


@pytest.fixture
def filled(db: Connection) -> Connection:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    upsert(db, [{"external_id": f"d{n}", "content": "harbour " * (5 - n)} for n in range(3)], "small")
    db.execute("select braid.set_search_log('small')")
    return db


def searched(db: Connection, match_count: int = 10) -> str:
    call = "select braid.logged_search('harbour', match_count => %s, collection => 'small') #>> '{stats,search_id}'"
    return str(one(db, call, match_count))


def record(db: Connection, search_id: str, external_id: str, kind: str, value: float | None = None) -> bool:
    return bool(one(db, "select braid.record_feedback(%s, %s, %s, %s)", search_id, external_id, kind, value))


def recorded(db: Connection) -> list[Any]:
    return db.execute(
        "select external_id, kind, value, rank from braid.search_feedback order by external_id, kind"
    ).fetchall()


@pytest.mark.parametrize("is_moved", [False, True])
def test_feedback_names_a_result_and_its_rank(filled: Connection, is_moved: bool) -> None:
    search_id = searched(filled)
    if is_moved:
        filled.execute("select braid.maintain()")
    ids = one(filled, "select external_ids from braid.search_log")
    assert record(filled, search_id, ids[1], "click")
    assert record(filled, search_id, ids[0], "used_in_answer", 1)
    assert record(filled, search_id, ids[2], "rating", -0.5)
    expected = [(ids[0], "used_in_answer", 1, 1), (ids[1], "click", 1, 2), (ids[2], "rating", -0.5, 3)]
    assert recorded(filled) == sorted(expected)
    row = filled.execute("select search_id::text, collection, login from braid.search_feedback").fetchone()
    assert row == (search_id, "small", one(filled, "select session_user::text"))


def test_what_is_sent_twice_counts_once(filled: Connection) -> None:
    search_id = searched(filled)
    for kind, values, kept, news in (
        ("click", [None, None, 1], 1, [True, False, False]),
        ("used_in_answer", [None, None], 1, [True, False]),
        ("dwell", [3, 1, 3, 5.5], 5.5, [True, False, False, True]),
        ("rating", [2, 2, -1, 2], 2, [True, False, True, True]),
    ):
        assert [record(filled, search_id, "d1", kind, value) for value in values] == news
        assert one(filled, "select value from braid.search_feedback where kind = %s", kind) == kept
    assert len(recorded(filled)) == 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((None, "d1", "click", None), psycopg.errors.InvalidParameterValue, "search_id is null"),
        (("12", "d1", "click", None), psycopg.errors.InvalidParameterValue, "search_id is '12'"),
        (("ID", None, "click", None), psycopg.errors.InvalidParameterValue, "external_id is null"),
        (("ID", "", "click", None), psycopg.errors.InvalidParameterValue, "external_id is ''"),
        (("ID", "d7", "click", None), psycopg.errors.InvalidParameterValue, 'document "d7" is not among the results'),
        (("ID", "d1", "like", None), psycopg.errors.InvalidParameterValue, "kind is 'like'"),
        (("ID", "d1", None, None), psycopg.errors.InvalidParameterValue, "kind is null"),
        (("ID", "d1", "click", 2), psycopg.errors.InvalidParameterValue, "value is 2, and kind 'click' takes none"),
        (("ID", "d1", "click", "NaN"), psycopg.errors.InvalidParameterValue, "value is NaN, and kind"),
        (("ID", "d1", "dwell", None), psycopg.errors.InvalidParameterValue, "value is null for kind 'dwell'"),
        (("ID", "d1", "dwell", "NaN"), psycopg.errors.InvalidParameterValue, "value is NaN for kind 'dwell'"),
        (("ID", "d1", "dwell", -1), psycopg.errors.InvalidParameterValue, "value is -1 for kind 'dwell'"),
        (("ID", "d1", "rating", None), psycopg.errors.InvalidParameterValue, "value is null for kind 'rating'"),
        (("ID", "d1", "rating", "NaN"), psycopg.errors.InvalidParameterValue, "value is NaN for kind 'rating'"),
        (("ID", "d1", "rating", "infinity"), psycopg.errors.InvalidParameterValue, "value is Infinity for kind"),
        ((str(uuid.uuid4()), "d1", "click", None), psycopg.errors.UndefinedObject, "is not in the log"),
        (("0" * 32, "d1", "click", None), psycopg.errors.UndefinedObject, "is not in the log"),
        (("f" * 32, "d1", "click", None), psycopg.errors.UndefinedObject, "is not in the log"),
    ],
)
def test_bad_feedback_is_refused(
    filled: Connection, arguments: tuple[Any, ...], error: type[psycopg.Error], message: str
) -> None:
    search_id = searched(filled)
    given = [search_id if value == "ID" else value for value in arguments]
    with pytest.raises(error) as raised:
        filled.execute("select braid.record_feedback(%s, %s, %s, %s::float8)", given)
    assert message in str(raised.value.diag.message_primary) and raised.value.diag.message_hint
    assert recorded(filled) == []


def test_another_tenants_search_is_as_unknown_as_any(filled: Connection) -> None:
    search_id = searched(filled)
    filled.execute("select braid.create_tenant('other')")
    tenant = set_tenant(filled, "other")
    messages = []
    for asked in (search_id, str(uuid.uuid4())):
        with pytest.raises(psycopg.errors.UndefinedObject) as raised:
            record(filled, asked, "d1", "click")
        messages.append(str(raised.value.diag.message_primary).replace(asked, ""))
    assert len(set(messages)) == 1
    set_tenant(filled, tenant)
    assert record(filled, search_id, "d1", "click")
    set_tenant(filled, "other")
    assert recorded(filled) == []


def test_a_search_with_more_results_than_the_log_keeps_takes_feedback_on_any(filled: Connection) -> None:
    upsert(filled, [{"external_id": f"m{n}", "content": "harbour"} for n in range(110)], "small")
    search_id = searched(filled, 110)
    assert record(filled, search_id, "m109", "click") or record(filled, search_id, "m1", "click")
    assert record(filled, search_id, "anything", "click")
    assert ("anything", "click", 1, None) in recorded(filled)
    filled.execute("select braid.record_feedback(%s, 'x' || n, 'click') from generate_series(1, 997) n", (search_id,))
    assert len(recorded(filled)) <= 1000
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="has 1000 rows of feedback"):
        filled.execute("select braid.record_feedback(%s, 'y' || n, 'click') from generate_series(1, 3) n", (search_id,))
    # The first 100 results always accept feedback.
    first = one(filled, "select external_ids[1] from braid.search_log")
    assert record(filled, search_id, first, "dwell", 3)


def test_feedback_writes_so_it_needs_a_transaction_that_does(filled: Connection) -> None:
    search_id = searched(filled)
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), filled.transaction():
        filled.execute("set transaction read only")
        record(filled, search_id, "d1", "click")
