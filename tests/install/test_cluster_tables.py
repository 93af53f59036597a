"""Test the parts of a cluster that need no cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from pgbraid import embedded
from pgbraid.async_client.nodes import node_addresses
from pgbraid.errors import InvalidArgumentError, NotSupportedError
from pgbraid.install import install
from pgbraid.install.resources import CORE, resources
from pgbraid_tools.cluster import tables
from pgbraid_tools.cluster.coordinator import refuse_what_cannot_be
from pgbraid_tools.cluster.tables import FORM, count_rows, schema_of, tables_of
from support import clone

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
        (file,) = [file for file in resources().repeatable if file.name.endswith(f"/{name}.sql")]
        assert file.owner == CORE, "a node may lack the part"
        text = file.text
        assert text.count(old) == 1, name


# Stand-ins for the functions of Citus that the coordinator's SQL calls.
CITUS = """
create schema braid_shards;
create temp table pg_dist_local_group as select 0 as groupid;
create temp view pg_dist_partition as select c.oid::regclass as logicalrelid from pg_class c;
create temp table pg_dist_placement (shardid bigint, groupid int);
create temp table partitioned (id int) partition by hash (id);
"""
HERE = """
update braid_shards.node_shards set is_served = true, attached = 'partitioned'::regclass;
insert into pg_dist_placement select s.shard_id, 0 from braid_shards.node_shards s;
"""


@pytest.mark.parametrize("parts", [["core"], ["sync", "search_log"]], ids=" ".join)
def test_a_coordinator_has_the_tables_of_its_parts(
    server: embedded.Server, monkeypatch: pytest.MonkeyPatch, parts: list[str]
) -> None:
    with clone(server, "template1") as name:
        dsn = server.dsn_for(name)
        install(dsn, only=parts)
        with psycopg.connect(dsn, autocommit=True) as db:
            found = tables_of(db)
            assert ("search_log" in found.of_nodes) == ("search_log" in parts)
            assert not {"query_sets", "model_changes"} & {*found.definitions, *found.of_tenants, *found.of_nodes}
            assert count_rows(db, schema_of).keys() == {*found.of_tenants}
            refuse_what_cannot_be(db, is_begun=False)
            if "sync" in parts:
                db.execute("create table public.articles (id int primary key, body text not null)")
                db.execute("select braid.sync_table('public.articles', content => '{body}', tenant => 'default')")
                with pytest.raises(NotSupportedError, match="synced"):
                    refuse_what_cannot_be(db, is_begun=False)
                db.execute("select braid.unsync_table('public.articles')")

            db.execute(CITUS)
            monkeypatch.setattr(tables, "placements", lambda _: [(number, 100 + number, 1) for number in range(4)])
            monkeypatch.setattr(tables, "group_of", lambda _: 0)
            for _ in range(2):  # each upgrade repeats it
                tables.apply_form(db)
            triggers = db.execute(
                "select t.tgname, c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid"
                " where c.relnamespace = 'braid_store'::regnamespace and not t.tgisinternal"
            ).fetchall()
            by_name = {
                trigger: sorted(table for other, table in triggers if other == trigger) for trigger, _ in triggers
            }
            assert by_name["mirror"] == sorted(found.definitions)
            assert by_name["refuse_rows"] == sorted(found.of_tenants[:-1])
            assert by_name.get("refuse_feature", []) == (["synced_tables"] if "sync" in parts else [])


def test_only_the_node_of_a_tenant_acts_for_it(bare_dsn: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    dsn = bare_dsn()
    install(dsn, only=["core"])
    monkeypatch.setattr(tables, "placements", lambda _: [(number, 100 + number, 1) for number in range(4)])
    monkeypatch.setattr(tables, "group_of", lambda _: 0)
    with psycopg.connect(dsn, autocommit=True) as db:
        tenant, key = db.execute("select braid.current_tenant_id(), braid_calls.session_tenant_key()").fetchall()[0]
        assert key == "default"
        db.execute(CITUS)
        tables.apply_form(db)
        for call in ("braid.current_tenant_id()", "braid_calls.session_tenant_id()", "braid.full_text_search('a')"):
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                db.execute(f"select {call}")
        # Messages name the tenant on every node.
        assert db.execute("select braid_calls.session_tenant_key()").fetchone() == (key,)
        db.execute(HERE)
        for name in ("", "default"):
            db.execute("select set_config('braid.tenant', %s, false)", (name,))
            assert db.execute("select braid.current_tenant_id()").fetchone() == (tenant,)
        assert db.execute("select from braid.full_text_search('a')").fetchall() == []


@pytest.mark.any_version
def test_addresses_of_nodes() -> None:
    assert node_addresses("") == {}
    given = node_addresses("a:5432=localhost:1, b:5432=::1:2")
    assert given == {("a", "5432"): ("localhost", "1"), ("b", "5432"): ("::1", "2")}
    for wrong in ("a", "a:5432", "a:5432=b", "a:x=b:1", ":1=b:2"):
        with pytest.raises(InvalidArgumentError, match="PGBRAID_NODES"):
            node_addresses(wrong)
