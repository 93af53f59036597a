"""braid.logged_search gives search_json's answer, and writes a row to the log wherever it can."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from core.plans.test_extension_points import called
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

from support import OtherSession
from support.calls import one, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
PLACES = {"price": [1, 0, 0], "both": [0.8, 0.6, 0], "cost": [0, 1, 0]}


@pytest.fixture
def filled(db: Connection) -> Connection:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    upsert(db, [{"external_id": k, "content": f"text of {k}", "embedding": v} for k, v in PLACES.items()], "small")
    db.execute("select braid.set_search_log('small')")
    return db


def search(db: Connection, text: str | None = "text", **arguments: Any) -> dict[str, Any]:
    given = {"query_text": text, "collection": "small", **arguments}
    names = ", ".join(f"{name} => %({name})s" for name in given)
    row = db.execute(
        f"select braid.logged_search({names})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in given.items()},
    ).fetchone()
    assert row is not None
    return dict(row[0])


def is_logged(db: Connection, **arguments: Any) -> bool:
    """Check that the answer has a search id if and only if a row was logged, and tell whether it was."""
    before = one(db, "select count(*) from braid.search_log")
    search_id = search(db, **arguments)["stats"].get("search_id")
    after = one(db, "select count(*) from braid.search_log")
    assert after - before == (search_id is not None)
    assert search_id is None or one(db, "select count(*) from braid.search_log where search_id = %s", search_id) == 1
    return search_id is not None


def last(db: Connection) -> Any:
    with db.cursor(row_factory=namedtuple_row) as cursor:
        return cursor.execute("select * from braid.search_log order by search_id desc limit 1").fetchone()


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    stats = {k: v for k, v in answer["stats"].items() if k not in ("search_id", "timings", "query_time_ms")}
    return {**answer, "stats": stats}


SEARCHES: list[dict[str, Any]] = [
    {},
    {"query_embedding": "[1,0,0]"},
    {"text": None, "query_embedding": "[1,0,0]"},
    {"text": "nothing of that", "match": "all"},
    {"filters": {"external_id": {"$in": ["price", "cost"]}}},
    {"query_embedding": "[1,0,0]", "fusion": "rrf", "rrf_k": 10, "match_count": 2, "options": {"explain": True}},
    {"candidate_count": 1, "query_embedding": "[1,0,0]", "full_text_weight": 0.7, "min_score": 0.1},
]


def test_the_answer_is_that_of_search_json(filled: Connection) -> None:
    for arguments in SEARCHES:
        given = {"query_text": arguments.get("text", "text"), "collection": "small", **arguments}
        given.pop("text", None)
        names = ", ".join(f"{name} => %({name})s" for name in given)
        expected = one_json(filled, f"select braid.search_json({names})", given)
        found = search(filled, **arguments)
        assert uuid.UUID(found["stats"]["search_id"]).version == 7
        assert without_times(found) == without_times(expected), arguments
    assert one(filled, "select count(*) from braid.search_log") == len(SEARCHES)


def one_json(db: Connection, query: str, given: dict[str, Any]) -> dict[str, Any]:
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in given.items()}
    row = db.execute(query, values).fetchone()
    assert row is not None
    return dict(row[0])


def test_a_row_has_what_was_asked_and_found(filled: Connection) -> None:
    before = datetime.now(timezone.utc)
    found = search(
        filled, "Text of Price", query_embedding="[1,0,0]", fusion="convex", full_text_weight=0.25, match_count=2,
        filters={"external_id": {"$ne": "none"}}, options={"exact": True, "explain": True, "operators": False},
    )  # fmt: skip
    row = last(filled)
    assert str(row.search_id) == found["stats"]["search_id"]
    assert before - timedelta(seconds=1) < row.searched_at < datetime.now(timezone.utc) + timedelta(seconds=1)
    assert int(row.search_id.hex[:12], 16) == int(row.searched_at.timestamp() * 1000)
    assert (row.collection, row.mode, row.semantic_mode) == ("small", "hybrid", found["stats"]["semantic_mode"])
    assert (row.query_text, row.query_hash) == ("Text of Price", None)
    assert row.filters == {"external_id": {"$ne": "none"}}
    assert (row.match_count, row.result_count, row.is_first_page) == (2, 2, True)
    assert row.external_ids == [r["external_id"] for r in found["results"]]
    assert row.chunk_indexes == [0, 0]
    assert row.configuration == {
        "fusion": "convex", "full_text_weight": 0.25, "options": {"exact": True, "operators": False}
    }  # fmt: skip
    assert row.ranking.startswith("convex ") and "k1=" in row.ranking
    assert row.sample_share == 1 and row.login == one(filled, "select session_user::text")
    timings = found["stats"]["timings"]
    assert row.query_time_ms == pytest.approx(found["stats"]["query_time_ms"], rel=1e-6)
    for part in ("compile_ms", "legs_ms", "ranking_ms", "rows_ms"):
        assert getattr(row, part) == pytest.approx(timings[part], rel=1e-6)


def test_the_ranking_of_the_collection_is_told(filled: Connection) -> None:
    search(filled)
    before = last(filled).ranking
    filled.execute('select braid.set_ranking(\'small\', \'{"k1": 2.5, "fusion": "rrf", "rrf_k": 7}\')')
    search(filled)
    after = last(filled).ranking
    assert after != before and after.startswith("rrf ") and "k1=2.5" in after and "rrf_k=7" in after
    assert "model" not in after
    told = 'select braid_store.ranking_in_short(jsonb_populate_record(c, \'{"parts": {"ranking_model": "trees"}}\'))'
    assert (
        one(filled, f"{told} from braid_store.collections c where c.name = 'small'") == f"{after} ranking_model=trees"
    )


def test_a_search_with_another_ranking_is_logged_with_it(filled: Connection) -> None:
    """A search with another ranking is logged with it. Otherwise its clicks would count for the collection's
    ranking."""
    search(filled)
    plain = last(filled).ranking
    search(filled, options={"ranking": {"k1": 2.5, "fusion": "rrf"}})
    tried = last(filled)
    filled.execute("select braid.set_ranking('small', '{\"k1\": 2.5, \"fusion\": \"rrf\"}', 'better')")
    search(filled)
    assert tried.ranking == last(filled).ranking != plain
    search(filled, options={"ranking": {"k1": 3}, "boosts": [{"filter": {"speaker": "A" * 3000}, "factor": 2}]})
    assert last(filled).configuration == {"too_long": True, "options": {"ranking": {"k1": 3}}}
    assert "k1=3 " in last(filled).ranking


def test_problems_are_told(filled: Connection) -> None:
    search(filled, "zebrafish")
    row = last(filled)
    assert (row.result_count, row.external_ids, row.warnings) == (0, [], ["no_query_terms"])
    assert row.is_underfilled is False


def test_what_each_search_has_of_its_own_is_only_told_to_be_there(filled: Connection) -> None:
    boosts = [{"filter": {"speaker": "Ana"}, "factor": 2}]
    search(filled, options={"sparse": {"text": 1.5}, "snippet": True, "boosts": boosts})
    assert last(filled).configuration == {"options": {"sparse": True, "boosts": boosts}}
    filled.execute("select braid.set_search_log('small', keep_query => 'nothing')")
    search(filled, options={"boosts": boosts})
    assert last(filled).configuration == {"options": {"boosts": True}}
    filled.execute("select braid.set_search_log('small', keep_query => 'text')")
    search(filled, options={"boosts": [{"filter": {"speaker": "A" * 3000}, "factor": 2}]})
    assert last(filled).configuration == {"too_long": True}


def test_later_pages_are_told_from_first_ones(filled: Connection) -> None:
    cursor = search(filled, match_count=1, options={"cursor": ""})["stats"]["next_cursor"]
    assert last(filled).is_first_page
    search(filled, match_count=1, options={"cursor": cursor})
    assert not last(filled).is_first_page
    assert last(filled).configuration == {}


def test_texts_and_results_are_bounded(filled: Connection) -> None:
    upsert(filled, [{"external_id": f"d{n}", "content": f"harbour {n}"} for n in range(150)], "small")
    found = search(filled, "harbour " * 1000, match_count=150, filters={"external_id": {"$ne": "x" * 3000}})
    row = last(filled)
    assert (len(row.query_text), row.result_count, row.filters) == (1000, 150, None)
    assert row.external_ids == [r["external_id"] for r in found["results"]][:100]
    assert len(row.chunk_indexes) == 100


def test_a_collection_logs_nothing_until_it_is_told_to(db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    assert not is_logged(db)
    db.execute("select braid.set_search_log('small')")
    assert is_logged(db)
    db.execute("select braid.set_search_log('small', 'off')")
    assert not is_logged(db)


def test_a_share_is_logged(filled: Connection) -> None:
    filled.execute("select braid.set_search_log('small', 'sampled', 1e-12)")
    assert not any(is_logged(filled) for _ in range(5))
    filled.execute("select braid.set_search_log('small', 'sampled', 1)")
    assert is_logged(filled)
    filled.execute("select braid.set_search_log('small', 'sampled', 0.5)")
    count = sum("search_id" in search(filled)["stats"] for _ in range(60))
    assert 5 <= count <= 55  # chance leaves this range once in 10 ^ 10 times
    assert last(filled).sample_share == 0.5


def test_the_query_is_kept_as_text_as_a_hash_or_not_at_all(filled: Connection) -> None:
    filters = {"external_id": {"$ne": "none"}}
    filled.execute("select braid.set_search_log('small', keep_query => 'hash')")
    search(filled, " Text of Price", filters=filters)
    row = last(filled)
    assert (row.query_text, row.filters) == (None, None)
    assert row.query_hash == hashlib.sha256(b"text of price").digest()
    filled.execute("select braid.set_search_log('small', keep_query => 'nothing')")
    search(filled, "Text of Price", filters=filters)
    row = last(filled)
    assert (row.query_text, row.query_hash, row.filters) == (None, None, None)
    assert row.result_count == len(row.external_ids) == 3


@pytest.mark.parametrize("setting", ["transaction_read_only = on", "transaction isolation level serializable"])
def test_where_nothing_is_written_the_search_is_answered_all_the_same(filled: Connection, setting: str) -> None:
    expected = without_times(search(filled))
    with filled.transaction():
        filled.execute(f"set {setting}".encode())
        found = search(filled)
    assert "search_id" not in found["stats"]
    assert without_times(found) == expected
    with filled.transaction():
        filled.execute("set transaction isolation level repeatable read")
        assert "search_id" in search(filled)["stats"]


@contextmanager
def failing(db: Connection) -> Iterator[None]:
    db.execute(
        "create function public.fail() returns trigger language plpgsql as $$ begin"
        " raise exception 'could not extend file' using errcode = 'disk_full'; end $$"
    )
    db.execute(
        "create trigger fail before insert on braid_store.search_log for each row execute function public.fail()"
    )
    try:
        yield
    finally:
        db.execute("drop function public.fail() cascade")


def test_a_log_that_cannot_be_written_is_no_error(filled: Connection) -> None:
    with failing(filled):
        assert not is_logged(filled)
        # The rest of a transaction is not lost either.
        with filled.transaction():
            filled.execute("select braid.upsert_document('more', 'more text', collection => 'small')")
            assert len(search(filled)["results"]) == 4
    assert len(search(filled)["results"]) == 4
    assert is_logged(filled)


def test_a_search_does_not_wait_for_the_log(filled: Connection, other_session: OtherSession) -> None:
    with other_session() as other:
        other.execute("lock table braid_store.search_log in share mode")
        filled.execute("set statement_timeout = '3min'")
        assert not is_logged(filled)
    assert is_logged(filled)


def test_a_search_is_logged_while_a_day_is_dropped(filled: Connection, other_session: OtherSession) -> None:
    search(filled)
    filled.execute("select braid.maintain()")
    (day,) = filled.execute("select max(day) from braid_store.search_log_days").fetchall()
    with other_session() as other:
        other.execute(f"drop table braid_store.search_log_{day[0]:%Y%m%d}".encode())
        assert "search_id" in search(filled)["stats"]
        other.rollback()
    # Logging does not lock the tables of all days.
    with filled.transaction():
        assert "search_id" in search(filled)["stats"]
        locked = filled.execute(
            "select c.relname from pg_locks l join pg_class c on c.oid = l.relation"
            " where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relname ~ '^search_log(_2|$)'"
        ).fetchall()
        assert locked == [("search_log",)]


def test_a_log_without_its_tables_is_no_error(filled: Connection) -> None:
    with filled.transaction(force_rollback=True):
        filled.execute("drop table braid_store.search_log cascade")
        assert "search_id" not in search(filled)["stats"]


def test_errors_are_those_of_the_search_and_not_logged(filled: Connection) -> None:
    for arguments in ("'text', match_count => 0", "", "'a', collection => 'none'"):
        with pytest.raises(psycopg.Error) as expected:
            filled.execute(f"select braid.search_json({arguments})".encode())
        with pytest.raises(type(expected.value)) as found:
            filled.execute(f"select braid.logged_search({arguments})".encode())
        for part in ("sqlstate", "message_primary", "message_hint"):
            assert getattr(found.value.diag, part) == getattr(expected.value.diag, part)
    assert one(filled, "select count(*) from braid.search_log") == 0


def test_a_transaction_that_is_rolled_back_has_not_searched(filled: Connection) -> None:
    with filled.transaction(force_rollback=True):
        search_id = search(filled)["stats"]["search_id"]
        assert one(filled, "select braid.record_feedback(%s, 'price', 'click')", search_id)
    assert one(filled, "select count(*) from braid.search_log") == 0
    with pytest.raises(psycopg.errors.UndefinedObject, match="not in the log"):
        filled.execute("select braid.record_feedback(%s, 'price', 'click')", (search_id,))


def test_readers_are_logged_and_do_not_read_the_log(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    reader, writer = make_login("reader", "braid_reader"), make_login("writer", "braid_writer")
    for login in (reader, writer):
        filled.execute("select braid.add_tenant_member('default', %s)", (login,))
    found = search(connect_as(reader))
    assert "search_id" in found["stats"]
    views = "search_log search_feedback search_hours search_latency search_problems query_statistics search_success"
    for view in views.split():
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connect_as(reader).execute(f"select * from braid.{view}".encode())
        connect_as(writer).execute(f"select * from braid.{view}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connect_as(writer).execute(f"delete from braid.{view}".encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as(writer).execute("delete from braid_store.search_log")
    assert last(connect_as(writer)).login == reader
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as(writer).execute("select braid.set_search_log('small', 'off')")


def test_a_request_without_a_user_is_answered_and_not_logged(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    login = make_login("gateway", "braid_reader", "gateway")
    filled.execute("select braid.set_access(public_tenant => 'default')")
    gateway = connect_as(login)
    gateway.execute("select set_config('request.jwt.claims', %s, false)", (f'{{"role": "{login}"}}',))
    found = search(gateway)
    assert len(found["results"]) == 3 and "search_id" not in found["stats"]
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="without a user"):
        gateway.execute("select braid.record_feedback(%s, 'price', 'click')", (str(uuid.uuid4()),))
    assert one(filled, "select count(*) from braid.search_log") == 0


def test_each_tenant_sees_its_own(filled: Connection) -> None:
    search(filled)
    filled.execute("select braid.create_tenant('other')")
    tenant = set_tenant(filled, "other")
    for view in ("search_log", "search_latency", "query_statistics"):
        assert one(filled, f"select count(*) from braid.{view}") == 0
    search(filled)
    assert one(filled, "select count(*) from braid.search_log") == 1
    set_tenant(filled, tenant)
    assert one(filled, "select count(*) from braid.search_log") == 1


def test_settings_are_kept_unless_they_are_given(filled: Connection) -> None:
    def settings() -> Any:
        parts = one(filled, "select parts from braid.collections where name = 'small'")
        return tuple(parts[f"search_log{name}"] for name in ("", "_share", "_query", "_days"))

    assert settings() == ("all", 0.1, "text", 30)
    filled.execute("select braid.set_search_log('small', 'sampled', 0.3, 'hash', '36 hours')")
    assert settings() == ("sampled", 0.3, "hash", 2)
    filled.execute("select braid.set_search_log('small', 'off')")
    assert settings() == ("off", 0.3, "hash", 2)
    for retention in ("1 year", "366 days"):
        filled.execute("select braid.set_search_log('small', retention => %s)", (retention,))
        assert settings() == ("all", 0.3, "hash", 366)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("'small', null", "log is null"),
        ("'small', 'ALL'", "log is 'ALL'"),
        ("'small', 'sampled', 0", "sample_share is 0"),
        ("'small', 'sampled', 1.5", "sample_share is 1.5"),
        ("'small', 'sampled', 'NaN'", "sample_share is NaN"),
        ("'small', keep_query => 'some'", "keep_query is 'some'"),
        ("'small', retention => '0'", "retention is 00:00:00"),
        ("'small', retention => '-3 days'", "retention is -3 days"),
        ("'small', retention => '10 years'", "retention is 10 years"),
        ("'small', retention => '1 year 1 day'", "retention is 1 year 1 day"),
    ],
)
def test_bad_settings_are_refused(filled: Connection, arguments: str, message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
        filled.execute(f"select braid.set_search_log({arguments})".encode())
    assert error.value.diag.message_primary == message and error.value.diag.message_hint
    with pytest.raises(psycopg.errors.UndefinedObject):
        filled.execute("select braid.set_search_log('none')")


def test_a_logged_search_calls_the_log(filled: Connection) -> None:
    filled.execute("set track_functions = 'all'")
    points = called(filled, "braid.logged_search('text', collection => 'small')")
    assert {"extend_search", "extend_search_search_log"} <= set(points)
