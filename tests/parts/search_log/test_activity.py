"""braid.search_activity counts the searches of all tenants, and only roles that may monitor can read it."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from support.calls import set_tenant, upsert
from support.nearest import Connection, maintain


@pytest.fixture
def two_tenants(db: Connection) -> Connection:
    upsert(db, [{"external_id": f"d{n}", "content": f"heron river {n}"} for n in range(30)])
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    upsert(db, [{"external_id": f"d{n}", "content": f"words of another tenant {n}"} for n in range(10)])
    set_tenant(db, "default")
    return db


def test_searches_of_all_tenants_by_the_hour(two_tenants: Connection) -> None:
    db = two_tenants
    assert db.execute("select * from braid.search_activity").fetchall() == []
    db.execute("select braid.set_search_log('default', 'all')")
    for tenant, queries in (("default", ["heron", "river", "nothing"]), ("other", ["tenant"])):
        set_tenant(db, tenant)
        for query in queries:
            db.execute("select braid.logged_search(%s)", (query,))
    set_tenant(db, "default")
    logged = db.execute("select query_time_ms from braid_store.search_log order by 1").fetchall()
    maintain(db)
    row = db.execute(
        "select collection, mode, sum(calls)::int, sum(zero_hits)::int, min(p50_ms), max(p99_ms),"
        " sum(mean_ms * calls) / sum(calls), bool_and(hour = date_trunc('hour', hour, 'UTC'))"
        " from braid.search_activity group by 1, 2"
    ).fetchone()
    assert row is not None and row[:4] == ("default", "full_text", 4, 1) and row[7]
    times = [time for (time,) in logged]
    assert row[6] == pytest.approx(sum(times) / 4, rel=1e-3)
    assert row[4] <= row[5] <= times[-1] * 1.001 and row[4] >= times[0] * 0.999
    db.execute("update braid_store.search_hours set hour = hour - interval '3 days'")
    assert db.execute("select * from braid.search_activity").fetchall() == []
    # Other parts with nothing new lie between these parts.
    db.execute("select braid.create_collection('c')")
    db.execute("select braid.set_search_log('c', 'all')")
    for tenant in ("default", "other"):
        set_tenant(db, tenant)
        db.execute("select braid.logged_search('heron', collection => 'c')")
    maintain(db)
    rows = db.execute("select collection, sum(calls)::int from braid.search_activity group by 1").fetchall()
    assert rows == [("c", 2)]


def test_who_may_look(db: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]) -> None:
    for kind in ("monitor", "service", "administrator"):
        connect_as(make_login(kind, kind)).execute("select * from braid.search_activity").fetchall()
    reader = connect_as(make_login("reader", "braid_writer"))
    db.execute("select braid.add_tenant_member('default', %s)", (reader.info.user,))
    for session in (reader, connect_as(make_login("gateway", "gateway"))):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("select * from braid.search_activity")
