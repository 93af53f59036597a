"""No statement of a login makes others wait: callers cannot name the relations that searches and writes read.
PostgreSQL takes the locks of many statements before it checks rights, but after it has looked up the schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from core.isolation.test_roles import MAY
from core.isolation.world import Connection, World
from psycopg import sql

import pgbraid
from support import HashEmbedder
from support.api import example

# Each statement locks its relation, be it a table, a view or a row type. {relation} is the relation's name, {n} a
# number.
STATEMENTS = [
    "create rule mine as on update to {relation} do instead nothing",
    'create rule "_RETURN" as on select to {relation} do instead select 1',
    "create trigger mine before insert on {relation} execute function suppress_redundant_updates_trigger()",
    "create trigger mine instead of insert on {relation} for each row execute function"
    " suppress_redundant_updates_trigger()",
    "create constraint trigger mine after insert on {relation} for each row execute function"
    " suppress_redundant_updates_trigger()",
    "create temp table r_{n} (x bigint references {relation})",
    "create temp table l_{n} (like {relation} including all)",
    "create temp table i_{n} () inherits ({relation})",
    "create temp table t_{n} of {relation}",
    "create temp table o_{n} partition of {relation} default",
    "create temp view v_{n} as select * from {relation}",
    "create materialized view pg_temp.m_{n} as select * from {relation}",
    "alter table pg_temp.parent attach partition {relation} for values in (1)",
    "alter table pg_temp.child inherit {relation}",
    "alter table pg_temp.child add foreign key (x) references {relation}",
    "alter table pg_temp.child of {relation}",
    "alter sequence pg_temp.counter owned by {relation}.id",
    "alter table {relation} add column mine int",
    "alter table {relation} attach partition pg_temp.child default",
    "alter table {relation} detach partition pg_temp.child",
    "alter table {relation} replica identity full",
    "alter table {relation} disable trigger user",
    "alter table {relation} rename to mine",
    "alter table {relation} set schema pg_temp",
    "alter table {relation} owner to current_user",
    "alter view {relation} set (security_barrier = true)",
    "alter type {relation} add attribute mine int",
    "alter index {relation} set (fillfactor = 50)",
    "alter extension plpgsql add table {relation}",
    "alter policy mine on {relation} using (true)",
    "alter trigger mine on {relation} rename to yours",
    "alter rule mine on {relation} rename to yours",
    "comment on table {relation} is 'mine'",
    "comment on column {relation}.id is 'mine'",
    "comment on trigger mine on {relation} is 'mine'",
    "comment on rule mine on {relation} is 'mine'",
    "comment on policy tenant_isolation on {relation} is 'mine'",
    "comment on constraint mine on {relation} is 'mine'",
    "security label on table {relation} is 'mine'",
    "create policy mine on {relation}",
    "create statistics pg_temp.s_{n} on tenant_id, id from {relation}",
    "create index on {relation} (id)",
    "create publication mine_{n} for table {relation}",
    "drop table {relation}",
    "drop view {relation}",
    "drop type {relation} cascade",
    "drop index {relation}",
    "drop sequence {relation}",
    "drop rule mine on {relation}",
    "drop trigger mine on {relation}",
    "drop policy tenant_isolation on {relation}",
    "truncate {relation}",
    "vacuum full {relation}",
    "analyze {relation}",
    "cluster {relation}",
    "reindex table {relation}",
    "reindex index {relation}",
    "refresh materialized view {relation}",
    "lock table {relation} in access share mode",
    "lock table {relation} in access exclusive mode",
    "select from {relation} for update",
    "select from {relation} for key share",
    "insert into {relation} default values",
    "update {relation} set id = id",
    "delete from {relation}",
    "merge into {relation} using (select) on false when matched then delete",
    "copy {relation} to stdout",
    "select '{relation}'::regclass",
    "select null::{relation}",
    "select nextval('{relation}')",
    "select pg_get_serial_sequence('{relation}', 'id')",
    "grant select on {relation} to public",
]
KINDS = ("braid_reader", "braid_writer", "gateway", "monitor", "none")


@contextmanager
def attacker(world: World, kind: str) -> Iterator[Connection]:
    """Yield a session that owns the objects that the statements need, and that waits for no lock."""
    login = world.role(kind, *([] if kind == "none" else [kind]))
    world.member("alpha", login)
    connection = world.connect(login, lock_timeout="10ms")
    connection.execute("create temp table parent (x int) partition by list (x)")
    connection.execute("create temp table child (x int)")
    connection.execute("create temp sequence counter")
    yield connection


def relations(world: World, schemas: str, kinds: str) -> list[str]:
    rows = world.admin.execute(
        "select c.oid::regclass::text from pg_class c where c.relnamespace::regnamespace::text = any (%s)"
        " and c.relkind = any (%s) and c.relname !~ '^collection_[1-9]' order by 1",
        (schemas, kinds),
    ).fetchall()
    return [name for (name,) in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_statements_are_refused_before_they_lock_anything(world: World, kind: str) -> None:
    """Statements are refused before they lock anything, even while others read and write. A statement that asked for
    a lock would wait, and later calls would queue behind it."""
    named = relations(world, "{braid_store,braid_locks}", "{r,p,c,S}")
    assert {"braid_store.chunks", "braid_store.search_request", "braid_store.search_result"} <= set(named)
    holder = world.connect(world.admin.info.user)
    with attacker(world, kind) as connection, holder.transaction(force_rollback=True):
        for name in relations(world, "{braid_store,braid_locks}", "{r,p}"):
            holder.execute(f"lock table {name} in row exclusive mode")
        waiting, tried = {}, 0
        for name in named:
            for n, statement in enumerate(STATEMENTS):
                text = statement.format(relation=name, n=n)
                tried += 1
                try:
                    connection.execute(text)
                    waiting[text] = "it ran"
                except psycopg.Error as error:
                    if error.sqlstate == "55P03":
                        waiting[text] = str(error)
    assert tried > 3000
    assert waiting == {}


def test_what_calls_lock_lies_where_nobody_can_name_it(world: World) -> None:
    enters: set[str] = set()
    for kind in KINDS:
        with attacker(world, kind) as connection:
            rows = connection.execute(
                "select nspname from pg_namespace where has_schema_privilege(oid, 'USAGE')"
                " and nspname <> 'pg_catalog' and oid <> pg_my_temp_schema()"
            )
            enters |= {name for (name,) in rows}
    login = world.role("caller", "braid_writer")
    world.member("alpha", login)
    caller = world.connect(login)
    for function in sorted(MAY["braid_writer"]):
        with caller.transaction(force_rollback=True):
            caller.execute(f"select * from {example(function)}")
            locked = {
                (schema, name)
                for schema, name in world.admin.execute(
                    "select n.nspname, c.relname from pg_locks l join pg_class c on c.oid = l.relation"
                    " join pg_namespace n on n.oid = c.relnamespace where l.pid = %s and l.locktype = 'relation'",
                    (caller.info.backend_pid,),
                )
            }
        assert {name for schema, name in locked if schema in enters} == set(), function
        assert locked or function in ("extract_timeframe", "parse_timeframe", "timeframe_filter"), function


@contextmanager
def nameable_is_locked(world: World) -> Iterator[None]:
    """Lock every relation that readers can name against everybody, as a waiting statement would."""
    with psycopg.connect(world.dsn) as holder:
        for name in relations(world, "{braid,braid_calls}", "{r,p,v,c,S}"):
            if name in relations(world, "{braid}", "{v}"):
                holder.execute(f"alter view {name} rename to hidden")
                holder.execute(sql.SQL("alter view braid.hidden rename to {}").format(sql.Identifier(name[6:])))
            else:
                holder.execute(f"alter type {name} add attribute hidden int")
        rows = holder.execute(
            "select count(*) from pg_locks l join pg_class c on c.oid = l.relation where l.pid = pg_backend_pid()"
            " and l.mode = 'AccessExclusiveLock' and c.relnamespace = 'braid'::regnamespace"
        ).fetchone()
        assert rows == (len(relations(world, "{braid}", "{v,c}")),)
        yield
        holder.rollback()


def test_new_sessions_read_nothing_that_readers_can_name(world: World) -> None:
    """A new session calls functions although everything that readers can name is locked. It knows no row type yet,
    so it looks each one up."""
    login = world.role("newcomer", "braid_writer")
    world.member("alpha", login)
    waiting = {}
    with nameable_is_locked(world):
        for function in sorted(MAY["braid_writer"]):
            with psycopg.connect(world.dsn, user=login) as caller:
                caller.execute("set lock_timeout = '100ms'")
                try:
                    caller.execute(f"select * from {example(function)}")
                except psycopg.errors.LockNotAvailable as error:
                    waiting[function] = str(error)
                caller.rollback()
    assert waiting == {}


def test_the_client_reads_nothing_that_readers_can_name(world: World) -> None:
    login = world.role("client", "braid_writer")
    world.member("alpha", login)
    embedder = HashEmbedder()
    embedder.model_name, embedder.dimensions = "test", 3
    with nameable_is_locked(world):
        connection = psycopg.connect(world.dsn, user=login, autocommit=True, options="-c lock_timeout=100ms")
        with connection, pgbraid.connect(connection, "alpha", embedder) as client:
            assert client.search("discount", collection="small")
            assert client.get_document("doc1", collection="small")
            client.add_documents([{"external_id": "another", "content": "zebra"}], collection="small")
            assert client.status()
    with world.admin.transaction():
        world.admin.execute("select set_config('braid.tenant', 'alpha', true)")
        world.admin.execute("select braid.delete_document('another', 'small')")
