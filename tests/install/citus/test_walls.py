"""Check that on every node of a cluster a login sees only its own tenants and no table that Citus distributes."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid_tools.cluster.tables import tables_of

# Find shards and their sequences that grant rights to others.
RIGHTS = """
select c.oid::regclass::text from pg_class c
where c.relnamespace = 'braid_shards'::regnamespace and c.relkind in ('r', 'p', 'S')
  and (c.relacl is not null and array_length(c.relacl, 1) > 1
       or has_table_privilege('braid_writer', c.oid, 'select, insert, update, delete, truncate'))
"""


@pytest.fixture(scope="module")
def login(cluster: Cluster) -> Iterator[str]:
    """Yield a member of the first tenant that may log in on every node."""
    name = f"baker_{uuid.uuid4().hex[:8]}"
    nodes = [cluster.dsn, *cluster.workers.values()]
    for node in nodes:
        with psycopg.connect(node, autocommit=True) as db:
            if not db.execute("select from pg_roles where rolname = %s", (name,)).fetchall():
                db.execute(f"create role {name} login".encode())
            db.execute(f"grant braid_writer to {name}".encode())
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        db.execute("select braid.add_tenant_member(%s, %s)", (TENANTS[0], name))
    yield name
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        db.execute("select braid.remove_tenant_member(%s, %s)", (TENANTS[0], name))
        # Citus drops the role on the workers, too.
        db.execute(f"drop role {name}".encode())


def outcome(db: psycopg.Connection[tuple[object, ...]], query: str) -> object:
    try:
        return db.execute(query.encode()).fetchall()[0][0]
    except psycopg.Error as error:
        return error.sqlstate


def test_nobody_has_rights_below(cluster: Cluster) -> None:
    for node in (cluster.dsn, *cluster.workers.values()):
        with psycopg.connect(node) as db:
            assert db.execute(RIGHTS).fetchall() == []


def test_a_login_finds_its_own_on_its_node_and_nothing_elsewhere(cluster: Cluster, login: str) -> None:
    home, _ = cluster.of(TENANTS[0])
    with psycopg.connect(cluster.dsn) as db:
        ((stored,),) = db.execute(
            "select count(*) from braid_shards.documents where tenant_id ="
            " (select id from braid_store.tenants where key = %s)",
            (TENANTS[0],),
        ).fetchall()
    assert stored > 0
    search = "select count(*) > 0 from braid.full_text_search('bread', collection => 'loaves')"
    write = """select count(*) from braid.upsert_documents('[{"external_id": "1", "content": "x"}]', 'loaves')"""
    below = "select count(*) from braid_shards.documents"
    rows = "select count(*) from braid_store.documents"
    with pgbraid.connect(cluster.dsn, tenant=TENANTS[0]) as client:
        stored = client.count("loaves")
    for name, node in cluster.workers.items():
        with psycopg.connect(make_conninfo(node, user=login), autocommit=True) as db:
            for tenant in TENANTS[:3]:
                db.execute("select set_config('braid.tenant', %s, false)", (tenant,))
                found = [outcome(db, query) for query in (search, rows, below)]
                if tenant != TENANTS[0]:
                    assert found == ["42501", 0, "42501"]
                    assert outcome(db, write) == "42501"
                elif name == home:
                    assert found == [True, stored, "42501"]
                else:
                    assert found == ["55000", "55000", "42501"]
                    assert outcome(db, write) == "55000"
    with psycopg.connect(make_conninfo(cluster.dsn, user=login), autocommit=True) as db:
        db.execute("select set_config('braid.tenant', %s, false)", (TENANTS[0],))
        assert [outcome(db, query) for query in (search, write, below)] == ["55000", "55000", "42501"]
        # Without any row, PostgreSQL does not evaluate the policy.
        assert outcome(db, rows) in (0, "55000")


def test_checks_of_tables_hold_on_every_node(cluster: Cluster) -> None:
    """Checks of tables hold on every node: nothing else checks imported rows."""
    query = (
        "select c.relname, o.conname, pg_get_constraintdef(o.oid)"
        " from pg_constraint o join pg_class c on c.oid = o.conrelid"
        " where c.relnamespace = 'braid_store'::regnamespace and o.contype = 'c' and c.relname = any(%s) order by 1, 2"
    )
    with psycopg.connect(cluster.plain) as db:
        of_tenants = list(tables_of(db).of_tenants)
        expected = db.execute(query, (of_tenants,)).fetchall()
    assert len(expected) > 10
    for node in cluster.workers.values():
        with psycopg.connect(node) as db:
            assert db.execute(query, (of_tenants,)).fetchall() == expected


def test_a_login_asks_about_no_tenant_but_its_own(cluster: Cluster, login: str) -> None:
    for node in (cluster.dsn, *cluster.workers.values()):
        with psycopg.connect(make_conninfo(node, user=login), autocommit=True) as db:
            assert outcome(db, "select braid_store.hold_shard(1)") == "42501"
            assert outcome(db, "select braid_shards.here(1)") == "42501"
            assert outcome(db, "select braid_calls.tenant_here(1)") == "42883"
            assert outcome(db, "select count(*) from braid_shards.node_shards") == "42501"


def test_no_node_has_statistics_of_tenants(cluster: Cluster) -> None:
    """No shard has statistics, not even a moved one: they would tell one tenant of other tenants' words."""
    query = (
        "select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid"
        " join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent"
        " where c.relnamespace = 'braid_shards'::regnamespace and p.relname = any(%s) and p.relkind = 'p'"
        " and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attstattarget is distinct from 0"
    )
    with psycopg.connect(cluster.plain) as db:
        # The table of locks is exempt, because it has statistics on a single server, too.
        tables = [table for table in tables_of(db).of_tenants if table != "tenant_locks"]
    for node in cluster.workers.values():
        with psycopg.connect(node) as db:
            assert db.execute(query, (tables,)).fetchall() == []
