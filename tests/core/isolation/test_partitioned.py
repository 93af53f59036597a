"""Tables can be partitioned by tenant, as on a worker of a cluster, where a ctid is unique only within a partition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from pgbraid import embedded
from support.partitioned import partitioned_database

Connection = psycopg.Connection[Any]
TENANTS = [f"tenant {number}" for number in range(6)]
WORDS = ["bread", "sourdough", "rye", "flour", "water", "salt", "oven", "yeast", "crust", "crumb"]


@pytest.fixture(scope="module")
def db(server: embedded.Server, pg_version: int) -> Iterator[Connection]:
    with partitioned_database(server, pg_version) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        for tenant in TENANTS:
            connection.execute("select braid.create_tenant(%s)", (tenant,))
        yield connection


def write(db: Connection, tenant: str, numbers: range, word: str) -> None:
    act_for(db, tenant)
    documents = [
        {"external_id": str(n), "content": f"{WORDS[n % 10]} {word}", "metadata": {"shelf": n}} for n in numbers
    ]
    db.execute("select count(*) from braid.upsert_documents(%s)", (Jsonb(documents),))


def act_for(db: Connection, tenant: str) -> None:
    db.execute("select set_config('braid.tenant', %s, false)", (tenant,))


def held(db: Connection) -> dict[str, tuple[int, int, int]]:
    """Return for each tenant the number of documents, the number that a search finds, and the number of problems of
    its index."""
    found = {}
    for tenant in TENANTS:
        act_for(db, tenant)
        row = db.execute(
            "select (select count(*) from braid.list_documents(match_count => 500)),"
            " (select count(*) from braid.full_text_search('bread', match_count => 200)),"
            " (select count(*) from braid.check_index('default'))"
        ).fetchone()
        assert row is not None
        found[tenant] = row
    return found


def test_changes_by_place_are_the_tenants_own(db: Connection) -> None:
    """A change by ctid affects only the tenant's own rows, although the rows of all partitions have the same ctids
    here."""
    for tenant in TENANTS:
        write(db, tenant, range(100), "loaf")
    partitions = db.execute("select distinct tableoid from braid_store.documents").fetchall()
    assert len(partitions) > 1
    whole = held(db)
    assert set(whole.values()) == {(100, 10, 0)}

    act_for(db, TENANTS[0])
    db.execute("select braid.delete_documents(%s)", ([str(n) for n in range(0, 100, 2)],))
    write(db, TENANTS[0], range(1, 50, 2), "crumb")
    db.execute("select braid.rebuild_index('default')")
    db.execute("select braid.maintain('1 hour')")
    now = held(db)
    assert now.pop(TENANTS[0])[::2] == (50, 0)
    assert now == {tenant: whole[tenant] for tenant in TENANTS[1:]}

    db.execute("select braid.drop_tenant(%s, %s)", (TENANTS[1], TENANTS[1]))
    db.execute("select braid.maintain('1 hour')")
    assert db.execute("select count(*) from braid_store.chunks").fetchone() == (50 + 4 * 100,)
    act_for(db, TENANTS[2])
    db.execute("select braid.clear_collection('default')")
    db.execute("select braid.maintain('1 hour')")
    db.execute("select braid.create_tenant(%s)", (TENANTS[1],))
    now = held(db)
    assert now[TENANTS[1]] == now[TENANTS[2]] == (0, 0, 0)
    assert [now[tenant] for tenant in TENANTS[3:]] == [whole[tenant] for tenant in TENANTS[3:]]
