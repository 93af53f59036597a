"""Test the removal of pgbraid."""

from __future__ import annotations

import psycopg

from pgbraid import embedded
from pgbraid.install import install, uninstall

ROLES = "select count(*) from pg_roles where rolname like 'braid\\_%'"
SCHEMAS = "select count(*) from pg_namespace where nspname like 'braid%'"


def count(dsn: str, query: str) -> int:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(query).fetchone()
        assert row is not None
        return int(row[0])


def test_roles_go_with_the_last_database_that_uses_them(cluster: embedded.Server) -> None:
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        connection.execute("create database second")
        connection.execute("create schema extensions")  # a grant on this schema must not prevent the roles' removal
    for dsn in (cluster.dsn, cluster.dsn_for("second")):
        install(dsn)
    report = uninstall(cluster.dsn)
    assert report.schemas == ("braid", "braid_calls", "braid_locks", "braid_store")
    assert report.roles_kept == "another database of this server uses these roles"
    assert count(cluster.dsn, SCHEMAS) == 0
    assert count(cluster.dsn, ROLES) == 4  # two of them belong to the other database
    assert uninstall(cluster.dsn_for("second")).roles_kept is None
    assert count(cluster.dsn, ROLES) == 0
    assert install(cluster.dsn).changed


def test_a_database_owner_uninstalls(cluster: embedded.Server) -> None:
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        connection.execute("create role app_owner login createrole")
        connection.execute("create database app owner app_owner")
    with psycopg.connect(cluster.dsn_for("app"), autocommit=True) as connection:
        connection.execute("create extension vector")
    dsn = cluster.dsn_for("app", "app_owner")
    install(dsn)
    assert uninstall(dsn).roles_kept is None
    assert count(dsn, SCHEMAS) == 0
    assert count(dsn, ROLES) == 0


def test_where_nothing_is_installed_nothing_happens(cluster: embedded.Server) -> None:
    assert uninstall(cluster.dsn).schemas == ()
