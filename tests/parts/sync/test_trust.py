"""Only some roles may sync a table or write to it, and its owner cannot misuse the worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import (
    apply,
    in_step,
    nothing_is_left,
    sync,
    texts,
)
from psycopg import sql

from support.calls import one, upsert

Connection = psycopg.Connection[Any]
Make = Callable[..., str]
Connect = Callable[..., Connection]


@pytest.fixture
def owner(db: Connection, make_login: Make) -> str:
    """Return an administrator who owns public.articles and may write for `default`."""
    login = make_login("owner", "braid_writer", "administrator")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    db.execute(sql.SQL("grant create on schema public to {}").format(sql.Identifier(login)))
    db.execute(sql.SQL("set role {}").format(sql.Identifier(login)))
    db.execute("create table articles (id int primary key, body text)")
    db.execute("insert into articles values (1, 'amber'), (2, 'basket')")
    db.execute("reset role")
    return login


def test_an_owner_does_it_all(db: Connection, owner: str, connect_as: Connect) -> None:
    connection = connect_as(owner)
    sync(connection)
    # An administrator may do what services do, as far as it writes for the tenant.
    in_step(connection)
    connection.execute("insert into articles values (3, 'candle')")
    in_step(connection)
    assert set(texts(connection)) == {"1", "2", "3"}
    assert one(connection, "select count(*) from braid.sync_status()") == 1
    assert one(connection, "select braid.unsync_table('public.articles')") == 3
    nothing_is_left(db)


def test_deletions_wait_for_somebody_who_may_delete(db: Connection, owner: str, connect_as: Connect) -> None:
    """Deletions wait for a login that may delete: the owner may write for `default` only."""
    db.execute("select braid.create_tenant('b')")
    db.execute("alter table articles add org text default 'default'; update articles set org = 'b' where id = 2")
    sync(db, tenant=None, tenant_column="org")
    db.execute("select braid.add_tenant_member('b', current_user)")
    in_step(db)
    db.execute("delete from articles where id = 2")
    connection = connect_as(owner)
    assert apply(connection)["failed"] == 1
    assert "may not act for it" in one(connection, "select last_error from braid.sync_status()")
    db.execute("update braid_store.row_changes set retry_at = now()")
    assert apply(db)["failed"] == 0
    assert one(db, "select count(*) from braid_store.documents where external_id = '2'") == 0


def test_an_owner_of_a_table_in_a_schema_of_its_own(db: Connection, owner: str, connect_as: Connect) -> None:
    db.execute(sql.SQL("create schema own authorization {}").format(sql.Identifier(owner)))
    db.execute("alter table articles set schema own")
    connection = connect_as(owner)
    sync(connection, "own.articles")
    in_step(connection, "own.articles")
    connection.execute("select braid.unsync_table('own.articles')")
    nothing_is_left(db)


@pytest.mark.parametrize("roles", [(), ("braid_writer",), ("service", "braid_writer"), ("administrator",)])
def test_others_may_not(
    db: Connection,
    owner: str,
    make_login: Make,
    connect_as: Connect,
    roles: tuple[str, ...],
) -> None:
    sync(db)
    login = make_login("other", *roles)
    connection = connect_as(login)
    db.execute(sql.SQL("grant all on articles to {}").format(sql.Identifier(login)))
    for call in (
        "braid.sync_table('public.articles', '{body}', tenant => 'default')",
        "braid.unsync_table('public.articles')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"select {call}")
    # The functions below are refused, too.
    for call in (
        "braid_store.define_sync('articles', '{\"id\": [\"id\"]}', 'default', 'default', 'deferred', 'keep')",
        "braid_store.end_sync('public.articles', 'articles', false)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"select {call}")
    in_step(db)


def test_writers_of_the_table_need_nothing(db: Connection, owner: str, make_login: Make, connect_as: Connect) -> None:
    sync(db)
    login = make_login("clerk")
    db.execute(
        sql.SQL("grant select, insert, update, delete, truncate on articles to {}").format(sql.Identifier(login))
    )
    connection = connect_as(login)
    connection.execute("insert into articles values (3, 'candle')")
    connection.execute("update articles set body = 'new' where id = 1")
    connection.execute("delete from articles where id = 2")
    in_step(db)
    assert texts(db) == {"1": "new", "3": "candle"}
    connection.execute("truncate articles")
    in_step(db)
    assert texts(db) == {}
    # Writers neither see nor change the noted changes.
    for statement in (
        "select * from braid_store.row_changes",
        "insert into braid_store.row_changes (synced_table_id) values (1)",
        "select * from braid.sync_status()",
        "select braid.apply_changes()",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


def test_nobody_else_may_use_the_trigger_function(
    db: Connection, owner: str, make_login: Make, connect_as: Connect
) -> None:
    sync(db)
    connection = connect_as(make_login("other", "braid_writer"))
    number = one(db, "select id from braid_store.synced_tables")
    connection.execute("create temp table own (id int)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(
            "create trigger t after truncate on own for each statement"
            f" execute function braid_store.note_rows_{number}()"
        )


def test_names_that_are_sql(db: Connection) -> None:
    name = """a"b'c %s %I $1 -- */ ; drop table documents; \\"""
    table = sql.Identifier("sc\"h'e.ma", name)
    db.execute(sql.SQL("create schema {}").format(sql.Identifier("sc\"h'e.ma")))
    db.execute(
        sql.SQL("create table {} ({} int primary key, {} text, {} text, {} boolean)").format(
            table, *(sql.Identifier(name + end) for end in "1234")
        )
    )
    db.execute(sql.SQL("insert into {} values (1, 'amber', 'meta', true), (2, 'basket', 'meta', false)").format(table))
    sync(
        db,
        table.as_string(db),
        content=[name + "2"],
        metadata=[name + "3"],
        filter=name + "4",
        id=name + "1",
    )
    in_step(db, table.as_string(db))
    assert texts(db) == {"1": "amber"}
    assert one(db, "select braid.get_document('1')")["metadata"] == {name + "3": "meta"}
    db.execute(sql.SQL("update {} set {} = 'changed'").format(table, sql.Identifier(name + "2")))
    in_step(db, table.as_string(db))
    assert texts(db) == {"1": "changed"}
    db.execute("select braid.unsync_table(%s)", (table.as_string(db),))
    nothing_is_left(db)


@pytest.fixture
def trap(db: Connection, owner: str) -> Connection:
    """Create functions of the owner that record the role they run as; nobody but the owner may run them."""
    db.execute("create table public.caught (role text, what text)")
    db.execute("grant all on public.caught to public")
    db.execute(
        "create function public.snap(what text) returns boolean language plpgsql as $$ begin"
        " insert into public.caught values (current_user, what); return true; end $$"
    )
    # The function claims to change nothing, so the planner may run it.
    db.execute(
        "create function public.snap_early(number int) returns int language plpgsql immutable as $$ begin"
        " perform public.snap('early'); return number; end $$"
    )
    db.execute(
        "create function public.snap_text(x text) returns boolean language sql as $$ select public.snap('domain') $$"
    )
    return db


def caught(db: Connection) -> list[Any]:
    return db.execute("select distinct role, what from public.caught").fetchall()


def test_row_level_security_is_never_evaluated(
    trap: Connection, owner: str, make_login: Make, connect_as: Connect
) -> None:
    sync(trap)
    trap.execute("alter table articles enable row level security")
    trap.execute("alter table articles force row level security")
    trap.execute("create policy p on articles using (public.snap('policy'))")
    trap.execute("update articles set body = 'new'")
    trap.execute("delete from public.caught")
    in_step(trap)
    assert set(texts(trap).values()) == {"new"}
    assert caught(trap) == []
    # A worker that may not bypass the policies gets a warning.
    worker = make_login("worker", "braid_writer", "service")
    trap.execute(sql.SQL("grant select on articles to {}").format(sql.Identifier(worker)))
    trap.execute("update articles set body = 'newer'")
    trap.execute("delete from public.caught")
    (warning,) = apply(connect_as(worker))["warnings"]
    assert "row-level security" in warning
    assert caught(trap) == []


def test_a_worker_without_rights_on_the_table(
    db: Connection, owner: str, make_login: Make, connect_as: Connect
) -> None:
    sync(db)
    worker = make_login("worker", "braid_writer", "service")
    connection = connect_as(worker)
    assert "permission denied for table articles" in apply(connection)["warnings"][0]
    assert "permission denied" in one(connection, "select last_error from braid.sync_status()")
    db.execute(sql.SQL("grant select on articles to {}").format(sql.Identifier(worker)))
    in_step(connection)
    assert set(texts(db)) == {"1", "2"}


def test_types_with_code(trap: Connection) -> None:
    trap.execute("create type mood as enum ('glad', 'sad')")
    trap.execute("create domain careful as text check (public.snap_text(value))")
    trap.execute(
        "create function mood_text(m mood) returns text language sql as $$ select public.snap('cast')::text $$"
    )
    trap.execute("create cast (mood as text) with function mood_text(mood) as implicit")
    trap.execute(
        "create function mood_json(m mood) returns json language sql as $$ select to_json(public.snap('json')) $$"
    )
    trap.execute("create cast (mood as json) with function mood_json(mood)")
    trap.execute(
        "create function mood_equal(m mood, n mood) returns boolean language sql"
        " as $$ select public.snap('operator') $$"
    )
    trap.execute("create operator public.= (leftarg = mood, rightarg = mood, function = mood_equal)")
    trap.execute("create table moods (id careful primary key, m mood, ms mood[], body careful)")
    trap.execute("insert into moods values ('a', 'glad', '{sad}', 'amber'), ('b', null, null, 'basket')")
    trap.execute("delete from public.caught")
    sync(trap, "public.moods", metadata=["m", "ms"], category="m")
    in_step(trap, "public.moods")
    trap.execute("delete from moods where id = 'b'")
    in_step(trap, "public.moods")
    assert caught(trap) == []
    document = one(trap, "select braid.get_document('a')")
    assert document["metadata"] == {"m": "glad", "ms": ["sad"]}


def test_an_index_with_code(trap: Connection, owner: str) -> None:
    """A table is not read while an index or statistics calls another owner's function: the planner runs immutable
    functions of their expressions with the reader's rights."""
    sync(trap)
    in_step(trap)
    trap.execute(sql.SQL("alter function public.snap_early(int) owner to {}").format(sql.Identifier(owner)))
    trap.execute("create index i on articles ((id + public.snap_early(1)))")
    trap.execute("create statistics public.s on (id + public.snap_early(2)), id from articles")
    trap.execute("update articles set body = 'new'")
    trap.execute("delete from public.caught")
    with psycopg.connect(trap.info.dsn, autocommit=True) as worker:
        done = one(worker, "select braid.apply_changes()")
    assert caught(trap) == []
    assert "snap_early" in done["warnings"][0]
    trap.execute("alter function public.snap_early(int) owner to postgres")
    in_step(trap)


def test_a_view_in_its_place(trap: Connection) -> None:
    sync(trap)
    in_step(trap)
    trap.execute("update articles set body = 'new'")
    trap.execute("alter table articles rename to hidden")
    trap.execute("create view articles as select id, body from hidden where public.snap('view')")
    in_step(trap, "public.hidden")
    assert caught(trap) == []


def test_another_owner(db: Connection, owner: str, make_login: Make) -> None:
    sync(db)
    in_step(db)
    db.execute(sql.SQL("alter table articles owner to {}").format(sql.Identifier(make_login("mallory"))))
    db.execute("update articles set body = 'new'")
    (warning,) = apply(db)["warnings"]
    assert "belongs to" in warning
    sync(db)
    in_step(db)


def test_triggers_run_nothing_of_the_users(trap: Connection) -> None:
    """Triggers run no function of the user, because the trigger function has the owner's rights in pgbraid."""
    sync(trap, on_error="fail")
    in_step(trap)
    trap.execute("set search_path = public, pg_catalog")
    trap.execute("create function public.format(text, variadic anyarray) returns text language sql as"
                 " $$ select public.snap('format')::text $$")  # fmt: skip
    trap.execute("create function public.jsonb_build_array(variadic text[]) returns jsonb language sql as"
                 " $$ select to_jsonb(public.snap('build')) $$")  # fmt: skip
    trap.execute("create temp table new_rows (id int)")
    trap.execute("create temp table row_changes (id int)")
    trap.execute("create domain pg_temp.text as pg_catalog.text check (public.snap('domain'))")
    trap.execute("update public.articles set body = 'new'")
    assert caught(trap) == []
    trap.execute("set search_path = public")
    in_step(trap)


def test_a_hand_made_document_is_left(db: Connection, owner: str) -> None:
    upsert(db, [{"external_id": "mine", "content": "mine"}])
    sync(db)
    in_step(db)
    db.execute("truncate articles")
    in_step(db)
    assert texts(db) == {"mine": "mine"}


def test_a_cast_of_the_filters_type(trap: Connection, owner: str) -> None:
    """The trigger calls no cast of a type that its column got later."""
    trap.execute("alter table articles add is_public boolean default true")
    sync(trap, filter="is_public", mode="immediate")
    in_step(trap)
    trap.execute("create type mood as enum ('glad', 'sad')")
    trap.execute(
        "create function mood_boolean(m mood) returns boolean language sql as $$ select public.snap('filter') $$"
    )
    trap.execute("create cast (mood as boolean) with function mood_boolean(mood) as assignment")
    trap.execute("alter table articles alter is_public drop default, alter is_public type mood using 'glad'")
    trap.execute("insert into articles values (3, 'candle', 'sad')")
    trap.execute("update articles set body = 'new'")
    trap.execute("delete from articles where id = 1")
    assert caught(trap) == []
    (warning,) = apply(trap)["warnings"]
    assert "mood" in warning
    assert caught(trap) == []


def test_a_constraint_with_code(trap: Connection, owner: str) -> None:
    sync(trap)
    in_step(trap)
    trap.execute(sql.SQL("alter function public.snap_early(int) owner to {}").format(sql.Identifier(owner)))
    trap.execute("alter table articles add check (id > public.snap_early(-5))")
    trap.execute("update articles set body = 'new'")
    trap.execute("delete from public.caught")
    with psycopg.connect(trap.info.dsn, autocommit=True) as worker:
        worker.execute("set constraint_exclusion = on")
        in_step(worker)
    assert caught(trap) == []
