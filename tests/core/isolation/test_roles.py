"""Each role runs each function of the API, or is refused with 42501."""

from __future__ import annotations

import psycopg
import pytest
from core.isolation.world import Connection, World

from support.api import API, example, runs

MAY = {
    "none": set(),
    "gateway": set(),
    "service": runs("service"),
    "monitor": runs("monitor"),
    "braid_reader": runs("reader"),
    "braid_writer": runs("reader") | runs("writer"),
    "administrator": runs("administrator"),
}


@pytest.fixture(scope="module")
def connections(world: World) -> dict[str, Connection]:
    for name in ("moving", "moved"):
        world.admin.execute("select braid.create_collection(%s, dimensions => 3, embedding_model => 'test')", (name,))
        world.call("alpha", "select braid.start_model_change(%s, 'another', 4)", name)
    world.admin.execute("select braid.maintain()")
    world.call("alpha", "select braid.cut_over_model_change('moved')")
    made = {}
    for role in MAY:
        login = world.role(role, *([] if role == "none" else [role]))
        world.member("alpha", login)
        made[role] = world.connect(login, braid__tenant="alpha")
    for table in ("synced", "another"):
        world.admin.execute(f"create table public.{table} (id int primary key, body text)")
        world.admin.execute(f"alter table public.{table} owner to {made['administrator'].info.user}")
        world.admin.execute(f"grant select on public.{table} to public")
    world.call("alpha", "select braid.sync_table('public.synced', '{body}', tenant => 'alpha')")
    return made


@pytest.mark.parametrize("role", MAY)
@pytest.mark.parametrize("function", API)
def test_a_role_runs_what_it_should_and_nothing_else(
    connections: dict[str, Connection], function: str, role: str
) -> None:
    connection = connections[role]
    with connection.transaction(force_rollback=True):
        if function in MAY[role]:
            connection.execute(f"select * from {example(function)}")
        else:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
                connection.execute(f"select * from {example(function)}")


@pytest.mark.parametrize("role", MAY)
def test_no_role_writes_to_a_table(world: World, connections: dict[str, Connection], role: str) -> None:
    tables = world.admin.execute(
        "select c.oid::regclass::text, (select attname from pg_attribute where attrelid = c.oid and attnum > 0"
        " and attidentity = '' order by attnum limit 1) from pg_class c"
        " where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')"
    ).fetchall()
    for table, column in tables:
        for statement in (
            f"insert into {table} default values",
            f"update {table} set {column} = {column}",
            f"delete from {table}",
            f"truncate {table}",
            f"copy {table} from stdin",
            f"select from {table} for update",
            f"alter table {table} disable row level security",
            f"create index on {table} ({column})",
            f"create trigger t before insert on {table} for each row execute function"
            f" suppress_redundant_updates_trigger()",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connections[role].execute(statement)


@pytest.mark.parametrize("role", MAY)
def test_no_role_changes_the_schemas(connections: dict[str, Connection], role: str) -> None:
    for statement in (
        "create table braid.t ()",
        "create table braid_store.t ()",
        "create function braid.f() returns int language sql as 'select 1'",
        "create function braid_store.f() returns int language sql as 'select 1'",
        "create or replace function braid.current_tenant_id() returns int language sql as 'select 1'",
        "alter function braid.version() set search_path = public",
        "drop policy tenant_isolation on braid_store.documents",
        "create policy all_rows on braid_store.documents using (true)",
        "comment on function braid.version() is ''",
        "drop function braid.version()",
        "alter view braid.collections set (security_invoker = false)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connections[role].execute(statement)
