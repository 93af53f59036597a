"""A dump of an installed database, restored elsewhere, gives the same results and isolates tenants equally."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from core.isolation.world import ALPHA, BETA, World
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.install import install
from support.calls import one
from support.roles import owner_role

PICTURE = """
select 'function', p.oid::regprocedure::text, concat_ws(' ', p.proowner::regrole, p.prosecdef,
  array(select a::text from unnest(p.proacl) a order by 1), p.proconfig)
from pg_proc p where p.pronamespace::regnamespace::text in ('braid', 'braid_calls', 'braid_store')
union all
select 'policy', concat_ws(' ', polrelid::regclass, polname, polroles::regrole[]),
  pg_get_expr(polqual, polrelid) from pg_policy
union all
select 'table', c.oid::regclass::text, concat_ws(' ', c.relowner::regrole, c.relrowsecurity,
coalesce(c.relacl, acldefault('r', c.relowner)),
  (select string_agg(concat(coalesce(a.attstattarget, -1), a.attstorage), ',' order by a.attname) from pg_attribute a
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))
from pg_class c where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and c.relkind in ('r', 'p', 'v')
order by 1, 2
"""


@pytest.fixture
def empty(server: embedded.Server) -> Iterator[str]:
    name = f"restored_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as admin:
        admin.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
        try:
            yield server.dsn_for(name)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def results(dsn: str, tenant: str) -> list[Any]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select set_config('braid.tenant', %s, false)", (tenant,))
        return connection.execute(
            "select r::text from braid.hybrid_search('customer discount zebrafish', '[1,0,0]', collection => 'small') r"
        ).fetchall()


def picture(dsn: str) -> list[Any]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(PICTURE).fetchall()


def test_a_dump_restores_to_the_same(world: World, empty: str, pg_version: int, tmp_path: Path) -> None:
    programs = installed_programs(pg_version)
    file = tmp_path / "dump.sql"
    subprocess.run([programs / "pg_dump", "--file", file, world.dsn], check=True)
    subprocess.run(
        [
            programs / "psql",
            "--quiet",
            "--no-psqlrc",
            "--set",
            "ON_ERROR_STOP=1",
            "--output",
            "/dev/null",
            "--file",
            file,
            empty,
        ],
        check=True,
    )
    for tenant in ("alpha", "beta"):
        assert len(results(world.dsn, tenant)) >= 2
        assert results(empty, tenant) == results(world.dsn, tenant)
    assert picture(empty) == picture(world.dsn)
    # There, an install only creates the database's own roles.
    report = install(empty)
    assert report.functions_applied
    assert not (report.migrations or report.tenant_created or report.member_added or report.collection_created)
    assert not install(empty).changed
    # Ids continue where they were, so no id is given twice.
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("set braid.tenant = 'alpha'")
        highest = one(connection, "select max(id) from braid_store.chunks")
        connection.execute("select braid.upsert_document('new', 'x', collection => 'small')")
        assert one(connection, "select max(id) from braid_store.chunks") > highest


def test_an_owner_without_superuser_dumps_everything(server: embedded.Server, world: World, pg_version: int) -> None:
    """Row security is not forced: the tables' owner sees all tenants, so a dump by the database's owner is complete."""
    owner = world.role("owner", f"{owner_role(world.admin)} with inherit true")
    ran = subprocess.run(
        [
            installed_programs(pg_version) / "pg_dump",
            "--data-only",
            "--schema",
            "braid_store",
            make_conninfo(world.dsn, user=owner),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    for documents in (ALPHA, BETA):
        for document in documents:
            assert str(document["content"]).split(".")[0] in ran.stdout
