"""Check that rights of trusted roles are granted on all nodes at once, and revoked from all of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster
from psycopg.conninfo import make_conninfo

from pgbraid_tools.cluster import distribute

# A service and a monitor may read this view; writers may not.
VIEW = "select count(*) from braid.outbox"


@pytest.fixture
def login(cluster: Cluster) -> Iterator[str]:
    """Yield a login that was made at the coordinator and that Citus made on the workers."""
    name = f"trusted_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        db.execute(f"create role {name} login in role braid_writer".encode())
    yield name
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        db.execute(f"drop role if exists {name}".encode())


def states(cluster: Cluster, login: str) -> list[str | None]:
    """Return the outcomes on the coordinator and on each worker."""
    found: list[str | None] = []
    for node in (cluster.dsn, *cluster.workers.values()):
        with psycopg.connect(make_conninfo(node, user=login), autocommit=True) as db:
            db.execute("select set_config('braid.tenant', %s, false)", (TENANTS[0],))
            try:
                db.execute(VIEW.encode())
                found.append(None)
            except psycopg.Error as error:
                found.append(error.sqlstate)
    return found


def test_trust_holds_on_every_node_and_ends_on_every_node(cluster: Cluster, login: str) -> None:
    assert states(cluster, login) == ["42501"] * 3
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        for kind in ("service", "administrator"):
            assert db.execute("select braid.add_trusted_role(%s, %s)", (login, kind)).fetchone() == (True,)
        assert states(cluster, login) == [None] * 3
        distribute(cluster.dsn, check=False)
        db.execute("select braid.remove_trusted_role(%s, 'administrator')", (login,))
        assert states(cluster, login) == [None] * 3
        db.execute("select braid.remove_trusted_role(%s, 'service')", (login,))
        assert states(cluster, login) == ["42501"] * 3
        # A right that a node kept would prevent the drop.
        db.execute(f"drop role {login}".encode())
    for node in cluster.workers.values():
        with psycopg.connect(node) as there:
            assert there.execute("select from pg_roles where rolname = %s", (login,)).fetchall() == []


def test_trust_that_is_rolled_back_holds_nowhere(cluster: Cluster, login: str) -> None:
    with psycopg.connect(cluster.dsn) as db:
        db.execute("select braid.add_trusted_role(%s, 'service')", (login,))
        db.rollback()
    assert states(cluster, login) == ["42501"] * 3
