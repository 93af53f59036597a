"""What of a cluster can be tested without one."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from pgbraid.async_client.nodes import node_addresses
from pgbraid.errors import InvalidArgumentError
from pgbraid.install.resources import resources
from pgbraid_tools.cluster.tables import FORM, tables_of

Connection = psycopg.Connection[Any]


def test_each_table_is_the_same_everywhere_or_of_tenants_or_of_nodes(db: Connection) -> None:
    tables = [
        name
        for (name,) in db.execute(
            "select relname from pg_class where relnamespace = 'braid_store'::regnamespace and relkind = 'r'"
            " and relname !~ '^(_yoyo|yoyo|vectors_|search_log_[0-9])' order by 1"
        )
    ]
    found = tables_of(db)
    assert sorted(tables) == sorted((*found.definitions, *found.of_nodes, *found.of_tenants[:-1]))
    assert found.of_tenants[:2] == ("documents", "chunks") and found.of_tenants[-1] == "tenant_locks"


def test_tables_of_tenants_can_be_partitioned_by_tenant(db: Connection) -> None:
    without = db.execute(
        "select c.relname, i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indrelid"
        " where c.relname = any(%s) and i.indisunique and not exists (select from pg_attribute a"
        "   where a.attrelid = c.oid and a.attnum = any(i.indkey) and a.attname = 'tenant_id')",
        (list(tables_of(db).of_tenants),),
    ).fetchall()
    assert without == []
    keyless = db.execute(
        "select c.relname from pg_class c where c.relname = any(%s) and c.relkind = 'r' and not exists"
        " (select from pg_index i where i.indrelid = c.oid and i.indisprimary)",
        ([*tables_of(db).of_tenants, *tables_of(db).definitions],),
    ).fetchall()
    assert keyless == []


@pytest.mark.any_version
def test_what_differs_in_functions_is_found_in_their_files() -> None:
    for name, old, _ in FORM:
        (text,) = [file.text for file in resources().repeatable if file.name.endswith(f"/{name}.sql")]
        assert text.count(old) == 1, name


@pytest.mark.any_version
def test_addresses_of_nodes() -> None:
    assert node_addresses("") == {}
    given = node_addresses("a:5432=localhost:1, b:5432=::1:2")
    assert given == {("a", "5432"): ("localhost", "1"), ("b", "5432"): ("::1", "2")}
    for wrong in ("a", "a:5432", "a:5432=b", "a:x=b:1", ":1=b:2"):
        with pytest.raises(InvalidArgumentError, match="PGBRAID_NODES"):
            node_addresses(wrong)
