"""maintain() counts each logged search once, moves it to its day, and drops searches past their retention."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from parts.search_log.logged import Logged, some
from psycopg.rows import dict_row

from support.calls import one, set_tenant
from support.nearest import maintain, maintain_once
from support.roles import owner_role

Connection = psycopg.Connection[Any]


def now(db: Connection) -> datetime:
    at: datetime = one(db, "select clock_timestamp()")
    return at.astimezone(timezone.utc)


def kept(db: Connection, searches: Sequence[Logged], retention: int) -> list[Logged]:
    """Return the searches that the log still keeps: its present day and `retention` days before. Call this after
    maintain()."""
    first = (now(db) - timedelta(days=retention)).date()
    return [s for s in searches if s.at.date() >= first]


def hours_ago(db: Connection, rng: random.Random, count: int, most: float = 60) -> list[datetime]:
    end = now(db)
    return [end - timedelta(hours=rng.uniform(0, most)) for _ in range(count)]


def hours(db: Connection) -> dict[tuple[Any, ...], dict[str, Any]]:
    with db.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute("select * from braid.search_hours").fetchall()
    return {(r["collection"], r["hour"], r["mode"], r["semantic_mode"]): r for r in rows}


def assert_counted(db: Connection, searches: Sequence[Logged]) -> None:
    expected = defaultdict(list)
    for s in searches:
        key = (s.collection, s.at.replace(minute=0, second=0, microsecond=0), s.mode, s.semantic_mode)
        expected[key].append(s)
    found = hours(db)
    assert found.keys() == expected.keys()
    for key, members in expected.items():
        row, times = found[key], [m.ms for m in members]
        assert row["calls"] == len(members) == sum(row["histogram"])
        assert row["histogram"][-1] > 0
        assert row["estimated_calls"] == pytest.approx(sum(1 / m.share for m in members))
        assert row["zero_hits"] == sum(m.results == 0 and m.is_first_page for m in members)
        assert row["underfilled"] == sum(m.is_underfilled for m in members)
        assert row["warned"] == sum(bool(m.warnings) for m in members)
        mean = sum(times) / len(times)
        assert row["total_ms"] == pytest.approx(sum(times), rel=1e-6)
        assert row["mean_ms"] == pytest.approx(mean, rel=1e-6)
        deviation = (sum((t - mean) ** 2 for t in times) / len(times)) ** 0.5
        assert row["stddev_ms"] == pytest.approx(deviation, rel=1e-4, abs=1e-2)
        assert (row["min_ms"], row["max_ms"]) == pytest.approx((min(times), max(times)), rel=1e-6)
        assert (row["compile_ms"], row["rows_ms"]) == (len(members), 4 * len(members))
        for bucket, count in enumerate(row["histogram"], 1):
            top = 0.125 * 2 ** ((bucket - 1) / 8)
            least = 0 if bucket == 1 else 0.125 * 2 ** ((bucket - 2) / 8)
            assert count == sum(least < t * (1 + 1e-9) and t <= top * (1 + 1e-9) and not t <= least for t in times)


def days(db: Connection) -> set[str]:
    rows = db.execute(
        "select relname from pg_class where relnamespace = 'braid_store'::regnamespace and relname ~ '^search_log_2'"
        " and relkind = 'r'"
    )
    return {name.removeprefix("search_log_") for (name,) in rows}


def unmoved(db: Connection) -> int:
    return int(one(db, "select count(*) from only braid_store.search_log"))


def test_each_search_is_counted_once_and_moved_to_its_day(db: Connection) -> None:
    rng = random.Random(7)
    db.execute("select braid.create_collection('other', dimensions => 3, embedding_model => 'test')")
    searches = some(rng, hours_ago(db, rng, 300), ("default", "other"))
    ids = {s.write(db) for s in searches[:200]}
    maintain(db)
    assert unmoved(db) == 0
    assert_counted(db, searches[:200])
    maintain(db)
    assert_counted(db, searches[:200])
    # Later searches are counted, also for hours that were counted before.
    ids |= {s.write(db) for s in searches[200:]}
    maintain(db)
    assert_counted(db, searches)
    assert {i for (i,) in db.execute("select search_id::text from braid.search_log").fetchall()} == ids
    assert days(db) == {s.at.strftime("%Y%m%d") for s in searches}
    for day in days(db):
        assert one(
            db, f"select bool_and(to_char(searched_at at time zone 'UTC', 'YYYYMMDD') = '{day}')"
            f" from braid_store.search_log_{day}"
        )  # fmt: skip


def test_a_search_that_is_committed_late_is_counted(db: Connection, dsn: str) -> None:
    at = now(db) - timedelta(hours=3)
    early, late = Logged(at), Logged(at, ms=7)
    with psycopg.connect(dsn) as other:
        late.write(other)
        early.write(db)
        maintain(db)
        assert_counted(db, [early])
        other.commit()
    maintain(db)
    assert_counted(db, [early, late])


def test_a_roll_up_that_is_killed_or_rolled_back_has_counted_nothing(db: Connection, dsn: str) -> None:
    rng = random.Random(3)
    searches = some(rng, hours_ago(db, rng, 50))
    for s in searches:
        s.write(db)
    with psycopg.connect(dsn) as other:
        maintain_once(other)
        assert unmoved(other) == 0
        other.rollback()
    assert unmoved(db) == len(searches) and hours(db) == {} and days(db) == set()
    with psycopg.connect(dsn) as other:
        maintain_once(other)
        db.execute("select pg_terminate_backend(%s, 180000)", (other.info.backend_pid,))
        with pytest.raises(psycopg.OperationalError):
            other.commit()
    assert unmoved(db) == len(searches) and hours(db) == {} and days(db) == set()
    maintain(db)
    assert_counted(db, searches)


def test_two_sessions_do_not_count_at_the_same_time(db: Connection, dsn: str) -> None:
    searches = [Logged(now(db), ms=n) for n in range(1, 20)]
    for s in searches[:10]:
        s.write(db)
    db.execute("set statement_timeout = '3min'")
    with psycopg.connect(dsn) as other:
        maintain_once(other)
        for s in searches[10:]:
            s.write(db)
        done = maintain_once(db)
        assert done["warnings"] == [] and not done["complete"]
        # Searches and feedback do not wait for the session that counts.
        db.execute("select braid.set_search_log('default')")
        found = one(db, "select braid.logged_search('harbour') -> 'stats' ->> 'search_id'")
        assert found
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="not among the results"):
            db.execute("select braid.record_feedback(%s, 'd1', 'click')", (found,))
        db.execute("delete from braid_store.search_log where search_id = %s", (found,))
        other.commit()
    maintain(db)
    assert_counted(db, searches)


def test_little_time_counts_a_part_and_the_next_call_goes_on(db: Connection) -> None:
    tenant = one(db, "select braid.current_tenant_id()")
    Logged(now(db)).write(db)
    columns = one(
        db, "select string_agg(attname, ', ' order by attnum) from pg_attribute where attnum > 0"
        " and attrelid = 'braid_store.search_log'::regclass and attname not in ('tenant_id', 'search_id')"
    )  # fmt: skip
    db.execute(
        f"insert into braid_store.search_log (tenant_id, search_id, {columns})"
        f" select %s, braid_store.search_id_at(searched_at), {columns}"
        " from braid_store.search_log, generate_series(1, 5000)",
        (tenant,),
    )
    with db.transaction():
        db.execute(f'set local role "{owner_role(db)}"'.encode())
        assert one(db, "select braid_store.roll_up_searches(clock_timestamp() - interval '1 second')") is False
    left = unmoved(db)
    assert 0 < left < 5001
    assert one(db, "select sum(calls) from braid.search_hours") == 5001 - left
    maintain(db)
    assert unmoved(db) == 0
    assert one(db, "select sum(calls) from braid.search_hours") == 5001


def test_a_day_that_nobody_keeps_is_dropped_with_its_feedback(db: Connection) -> None:
    db.execute("select braid.set_search_log('default', retention => '3 days')")
    end = now(db)
    searches = [Logged(end - timedelta(days=n)) for n in range(8)]
    for s in searches:
        search_id = s.write(db)
        assert one(db, "select braid.record_feedback(%s, 'd1', 'click')", search_id)
    maintain(db)
    left = kept(db, searches, 3)
    assert len(left) in (3, 4)
    assert days(db) == {s.at.strftime("%Y%m%d") for s in left}
    assert {at for (at,) in db.execute("select searched_at from braid.search_log").fetchall()} == {s.at for s in left}
    assert one(db, "select count(*) from braid.search_feedback") == len(left)
    # The counts stay.
    assert_counted(db, searches)


def test_each_collection_keeps_its_searches_for_its_own_time(db: Connection) -> None:
    for name in ("short", "long"):
        db.execute("select braid.create_collection(%s, dimensions => 3, embedding_model => 'test')", (name,))
    db.execute("select braid.set_search_log('short', retention => '2 days')")
    db.execute("select braid.set_search_log('long', retention => '5 days')")
    end = now(db)
    searches = {name: [Logged(end - timedelta(days=n), name) for n in range(8)] for name in ("short", "long")}
    for search in searches["short"] + searches["long"]:
        db.execute("select braid.record_feedback(%s, 'd1', 'click')", (search.write(db),))
    maintain(db)
    counts = "select collection, count(*) from braid.{} group by 1 order by 1"
    short = len(kept(db, searches["short"], 2))
    for view in ("search_log", "search_feedback"):
        found = db.execute(counts.format(view).encode()).fetchall()
        assert found == [("long", len(kept(db, searches["long"], 5))), ("short", short)]
    # A shorter retention takes effect, and a longer one brings nothing back.
    db.execute("select braid.set_search_log('long', retention => '1 day')")
    db.execute("select braid.set_search_log('short', retention => '9 days')")
    maintain(db)
    for view in ("search_log", "search_feedback"):
        found = db.execute(counts.format(view).encode()).fetchall()
        assert found == [("long", len(kept(db, searches["long"], 1))), ("short", short)]
    assert len(days(db)) == short


def test_searches_of_a_dropped_collection_go(db: Connection) -> None:
    db.execute("select braid.create_collection('other', dimensions => 3, embedding_model => 'test')")
    for n in range(3):
        for name in ("default", "other"):
            search_id = Logged(now(db) - timedelta(days=n), name).write(db)
            db.execute("select braid.record_feedback(%s, 'd1', 'click')", (search_id,))
    maintain(db)
    # This search is not moved to its day yet, and has a click.
    search_id = Logged(now(db) - timedelta(days=7), "other").write(db)
    db.execute("select braid.record_feedback(%s, 'd1', 'click')", (search_id,))
    db.execute("select braid.drop_collection('other')")
    assert one(db, "select count(*) from braid.search_log") == 3
    maintain(db)
    for table in ("search_log", "search_feedback", "search_hours"):
        assert one(db, f"select count(*) from braid_store.{table}") == 3


def test_nothing_is_left_of_a_collection_whose_searches_had_not_been_moved(db: Connection) -> None:
    db.execute("select braid.create_collection('other', dimensions => 3, embedding_model => 'test')")
    search_id = Logged(now(db), "other").write(db)
    assert one(db, "select braid.record_feedback(%s, 'd1', 'click')", search_id)
    db.execute("select braid.drop_collection('other')")
    maintain(db)
    for table in ("search_log", "search_feedback", "search_hours"):
        assert one(db, f"select count(*) from braid_store.{table}") == 0


def test_counts_go_with_their_collection_when_its_days_are_gone(db: Connection) -> None:
    db.execute("select braid.create_collection('other', dimensions => 3, embedding_model => 'test')")
    for name in ("default", "other"):
        Logged(now(db) - timedelta(days=50), name).write(db)
    maintain(db)
    assert days(db) == set() and len(hours(db)) == 2
    db.execute("select braid.drop_collection('other')")
    Logged(now(db)).write(db)
    maintain(db)
    assert one(db, "select count(*) from braid_store.search_hours") == 2


def test_counts_are_deleted_after_400_days_where_nothing_is_logged_any_more(db: Connection) -> None:
    Logged(now(db) - timedelta(days=399)).write(db)
    maintain(db)
    assert days(db) == set() and len(hours(db)) == 1
    db.execute("update braid_store.search_hours set hour = hour - interval '2 days'")
    maintain(db)
    assert hours(db) == {}


def test_retention_goes_on_where_the_call_before_ended(db: Connection) -> None:
    """Retention continues where the previous call ended, however little time there is, and however much lies before
    it."""
    db.execute("select braid.create_collection('long', dimensions => 3, embedding_model => 'test')")
    db.execute("select braid.set_search_log('long', retention => '300 days')")
    at = now(db) - timedelta(days=40)
    for name in ("long", "default"):
        first = Logged(at, name).write(db)
        db.execute(
            "insert into braid_store.search_feedback (tenant_id, search_id, external_id, kind, collection_id, value,"
            " login, recorded_at) select l.tenant_id, braid_store.search_id_at(l.searched_at), 'd1', 'click',"
            " l.collection_id, 1, 'test', now() from braid_store.search_log l, generate_series(1, 6000)"
            " where l.search_id = %s",
            (first,),
        )

    def expire() -> bool:
        with db.transaction():
            db.execute(f'set local role "{owner_role(db)}"'.encode())
            return bool(one(db, "select braid_store.expire_searches(clock_timestamp() - interval '1 second')"))

    with db.transaction():
        db.execute(f'set local role "{owner_role(db)}"'.encode())
        db.execute("select braid_store.roll_up_searches(clock_timestamp() + interval '1 minute')")
    counts = "select collection, count(*) from braid.search_feedback group by 1"
    before = dict(db.execute(counts.encode()).fetchall())
    assert before == {"default": 6000, "long": 6000}
    assert not expire()
    after = dict(db.execute(counts.encode()).fetchall())
    assert after["long"] == 6000 and 0 < after["default"] < 6000
    maintain(db)
    assert dict(db.execute(counts.encode()).fetchall()) == {"long": 6000}
    assert dict(db.execute("select collection, count(*) from braid.search_log group by 1").fetchall()) == {"long": 1}


def test_searches_of_a_dropped_tenant_go_and_no_other(db: Connection) -> None:
    db.execute("select braid.create_tenant('other')")
    # Rows have the same ctids in the tables of two days.
    for tenant, first, second in (("default", 1, 2), ("other", 2, 1)):
        set_tenant(db, tenant)
        for n in (first, second):
            search_id = Logged(now(db) - timedelta(days=n)).write(db)
            db.execute("select braid.record_feedback(%s, 'd1', 'click')", (search_id,))
            maintain(db)
    Logged(now(db)).write(db)
    db.execute("select braid.drop_tenant('other', 'other')")
    set_tenant(db, "default")
    maintain(db)
    for table in ("search_log", "search_feedback", "search_hours"):
        assert one(db, f"select count(*) from braid_store.{table}") == 2
        tenants = "select bool_and(tenant_id = braid.current_tenant_id())"
        assert one(db, f"{tenants} from braid_store.{table}")


def test_a_reader_of_the_log_keeps_a_day_from_being_dropped_and_nobody_waits(db: Connection, dsn: str) -> None:
    db.execute("select braid.set_search_log('default', retention => '1 day')")
    Logged(now(db) - timedelta(days=5)).write(db)
    with psycopg.connect(dsn) as other:
        with db.transaction():
            db.execute(f'set local role "{owner_role(db)}"'.encode())
            db.execute("select braid_store.roll_up_searches(clock_timestamp() + interval '1 minute')")
        other.execute("select count(*) from braid.search_log")
        done = maintain_once(db)
        assert not done["complete"] and done["warnings"] == []
        assert one(db, "select braid.logged_search('harbour') -> 'stats' ->> 'search_id'")
        assert len(days(db)) == 1
    maintain(db)
    assert all(int((now(db) - timedelta(days=1)).strftime("%Y%m%d")) <= int(day) for day in days(db))
    assert len(days(db)) == 1


def test_times_that_a_wrong_clock_gave_are_counted_too(db: Connection) -> None:
    end = now(db)
    searches = [Logged(end - timedelta(days=399)), Logged(end + timedelta(days=900)), Logged(end)]
    for s in searches:
        s.write(db)
    maintain(db)
    assert_counted(db, searches)
    assert days(db) == {s.at.strftime("%Y%m%d") for s in searches[1:]}


def test_counts_are_deleted_after_400_days(db: Connection) -> None:
    end = now(db)
    searches = [Logged(end - timedelta(days=n)) for n in (401, 399, 0)]
    for s in searches:
        s.write(db)
    maintain(db)
    assert_counted(db, searches[1:])


def test_the_policy_and_the_privileges_of_a_days_table(db: Connection) -> None:
    Logged(now(db)).write(db)
    maintain(db)
    (day,) = days(db)
    row = db.execute(
        "select c.relrowsecurity, c.relowner::regrole::text,"
        " (select count(*) from pg_policy p where p.polrelid = c.oid),"
        " has_table_privilege('braid_writer', c.oid, 'select'), obj_description(c.oid) is not null"
        " from pg_class c where c.oid = %s::regclass",
        (f"braid_store.search_log_{day}",),
    ).fetchone()
    assert row == (True, owner_role(db), 1, False, True)
    assert one(
        db, "select bool_and(coalesce(attstattarget, -1) = 0) from pg_attribute"
        " where attnum > 0 and attrelid = %s::regclass",
        f"braid_store.search_log_{day}",
    )  # fmt: skip
