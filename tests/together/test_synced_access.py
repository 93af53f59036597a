"""Documents of a synced table have the access that a column of their row gives."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, sync

from support.calls import one

Connection = psycopg.Connection[Any]
# Each type of column, with a value for one group, for two groups, and for nobody.
COLUMNS = {
    "text[]": ("{sales}", "{sales,board}", "{}"),
    "jsonb": ('["sales"]', '["sales", "board"]', "[]"),
    "json": ('["sales"]', '["sales", "board"]', "[]"),
    "text": ("sales", None, None),
}


def found(db: Connection, *names: str) -> list[str]:
    with db.transaction():
        db.execute("select set_config('braid.principals', %s, true)", (json.dumps(names),))
        rows = db.execute("select external_id from braid.full_text_search('note', 1000) order by 1").fetchall()
    return [row[0] for row in rows]


@pytest.fixture(params=COLUMNS)
def notes(db: Connection, request: pytest.FixtureRequest) -> tuple[Connection, tuple[str | None, ...]]:
    db.execute(f"create table notes (id int primary key, body text, readers {request.param})".encode())
    db.execute("select braid.set_permissions('default', true)")
    return db, COLUMNS[request.param]


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
def test_access_is_kept_in_step(notes: tuple[Connection, tuple[str | None, ...]], mode: str) -> None:
    db, (one_group, two_groups, nobody) = notes
    db.execute("insert into notes values (1, 'note', null), (2, 'note', %s)", (one_group,))
    sync(db, "public.notes", access="readers", mode=mode)
    in_step(db, "public.notes")
    assert (found(db), found(db, "sales"), found(db, "board")) == (["1"], ["1", "2"], ["1"])
    if two_groups:
        db.execute("update notes set readers = %s where id = 2", (two_groups,))
        in_step(db, "public.notes")
        assert (found(db), found(db, "sales"), found(db, "board")) == (["1"], ["1", "2"], ["1", "2"])
        db.execute("update notes set readers = %s", (nobody,))
        in_step(db, "public.notes")
        assert found(db, "sales", "board") == []
    db.execute("update notes set readers = null where id = 2")
    db.execute("update notes set readers = %s, body = 'another note' where id = 1", (one_group,))
    in_step(db, "public.notes")
    assert (found(db), found(db, "sales")) == (["2"], ["1", "2"])


def test_a_rule_in_sql_is_a_generated_column(db: Connection) -> None:
    db.execute(
        "create table notes (id int primary key, body text, team text, is_public boolean, readers text[]"
        " generated always as (case when is_public then null else array['group:' || team] end) stored)"
    )
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes values (1, 'note', 'sales', false), (2, 'note', 'board', true)")
    sync(db, "public.notes", access="readers")
    in_step(db, "public.notes")
    assert (found(db), found(db, "group:sales")) == (["2"], ["1", "2"])
    db.execute("update notes set is_public = not is_public")
    in_step(db, "public.notes")
    assert (found(db), found(db, "group:board")) == (["1"], ["1", "2"])


LISTS: tuple[list[str] | None, ...] = (None, [], ["a"], ["b"], ["a", "b"], ["b", "c"])
READERS = ((), ("a",), ("b",), ("c",), ("a", "b", "c"))
TABLES = ("", " partition by range (id)")


def may_read(reader: tuple[str, ...], access: list[str] | None) -> bool:
    return access is None or bool({*reader} & {*access})


@pytest.mark.parametrize("kind", TABLES, ids=["plain", "partitioned"])
def test_a_row_that_waits_has_the_stricter_of_old_and_new(db: Connection, kind: str) -> None:
    db.execute(f"create table notes (id int primary key, body text, readers text[]){kind}".encode())
    if kind:
        db.execute("create table notes_all partition of notes default")
    db.execute("select braid.set_permissions('default', true)")
    changes = {f"{n}": pair for n, pair in enumerate(product(LISTS, LISTS))}
    for n, (before, _) in changes.items():
        db.execute("insert into notes values (%s, 'note', %s)", (n, before))
    sync(db, "public.notes", access="readers")
    in_step(db, "public.notes")
    for n, (_, after) in changes.items():
        if int(n) % 3:
            db.execute("update notes set readers = %s where id = %s", (after, n))
        else:
            with db.transaction():
                db.execute("delete from notes where id = %s", (n,))
                db.execute("insert into notes values (%s, 'note', %s)", (n, after))
    for reader in READERS:
        seen = {*found(db, *reader)}
        both = {n for n, (before, after) in changes.items() if may_read(reader, before) and may_read(reader, after)}
        assert seen <= both
        # A reader with two principals, one before and one after, waits.
        assert len(reader) > 1 or seen == both
    in_step(db, "public.notes")
    for reader in READERS:
        assert {*found(db, *reader)} == {n for n, (_, after) in changes.items() if may_read(reader, after)}


def test_a_document_that_is_being_written_keeps_no_other_open(db: Connection, dsn: str) -> None:
    db.execute("create table notes (id int primary key, body text, readers text[])")
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes select n, 'note', '{a}' from generate_series(1, 3) n")
    sync(db, "public.notes", access="readers")
    in_step(db, "public.notes")
    with psycopg.connect(dsn) as worker:
        worker.execute("select braid.update_metadata('2', '{\"seen\": true}')")
        db.execute("update notes set readers = '{b}'")
        assert found(db, "a") == ["2"]
    in_step(db, "public.notes")
    assert (found(db, "a"), found(db, "b")) == ([], ["1", "2", "3"])


def test_a_change_that_is_taken_back_before_a_worker_comes(db: Connection) -> None:
    db.execute("create table notes (id int primary key, body text, readers text[])")
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes values (1, 'note', '{a}')")
    sync(db, "public.notes", access="readers")
    in_step(db, "public.notes")
    db.execute("update notes set readers = '{b}'")
    db.execute("update notes set readers = '{a}'")
    assert found(db, "a", "b") == []
    in_step(db, "public.notes")
    assert found(db, "a") == ["1"]


@pytest.mark.parametrize(("after", "readable"), [(["b", "c"], ["b"]), (None, ["a", "b"]), ({"b": 1}, []), ("b", [])])
def test_a_row_that_fails_has_the_stricter_of_old_and_new(db: Connection, after: Any, readable: list[str]) -> None:
    """The triggers were disabled, so the worker meets the failing row first."""
    db.execute("create table notes (id int primary key, body text, readers jsonb, weight float8)")
    db.execute("select braid.set_permissions('default', true)")
    db.execute("""insert into notes values (1, 'note', '["a", "b"]'), (2, 'note', '["a", "b"]')""")
    sync(db, "public.notes", access="readers", importance="weight")
    in_step(db, "public.notes")
    db.execute("alter table notes disable trigger user")
    db.execute("update notes set readers = %s, weight = 'NaN' where id = 1", (json.dumps(after),))
    db.execute("alter table notes enable trigger user")
    done = apply(db)
    assert done["failed"] == 1, done
    assert [name for name in ("a", "b", "c") if "1" in found(db, name)] == readable
    assert found(db, "a") == [*(["1"] if "a" in readable else []), "2"]


def test_another_rule_closes_rows_until_they_are_written_again(db: Connection, dsn: str) -> None:
    db.execute(
        "create table notes (id int primary key, body text, readers text[], others text[], weight float8, n int)"
    )
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes select n, 'note', '{a}', '{b}' from generate_series(1, 450) n")
    db.execute("insert into notes values (451, 'note', null, '{b}'), (452, 'note', null, null)")
    sync(db, "public.notes", access="readers", importance="weight")
    in_step(db, "public.notes")

    def count(*names: str) -> int:
        with db.transaction():
            db.execute("select set_config('braid.principals', %s, true)", (json.dumps(names),))
            number: int = one(db, "select count(*) from braid.list_documents('default', 1000)")
        return number

    assert (count("a"), count("b")) == (452, 2)
    sync(db, "public.notes", access="others", importance="weight")
    assert (count("a"), count("b"), count()) == (0, 0, 0)
    db.execute("update notes set weight = 'NaN' where id = 7")
    # A worker is killed before it commits, and another has time for one batch.
    with psycopg.connect(dsn) as worker:
        worker.execute("select braid.apply_changes('1 minute')")
        db.execute("select pg_terminate_backend(%s, 180000)", (worker.info.backend_pid,))
        with pytest.raises(psycopg.OperationalError):
            worker.execute("select 1")
    assert (count("a"), count("b"), count()) == (0, 0, 0)
    one_batch = "select braid_store.apply_sync(id, now(), now()) from braid_store.synced_tables"
    db.execute(one_batch)
    db.execute(one_batch)
    assert count("a") == 0 and 0 < count("b") < 451
    apply(db)
    assert (count("a"), count("b"), count()) == (1, 451, 1)
    assert "7" not in found(db, "a", "b")
    db.execute("update notes set weight = null where id = 7")
    in_step(db, "public.notes")
    assert (count("a"), count("b"), count()) == (1, 452, 1)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="access is null, and documents"):
        sync(db, "public.notes", importance="weight")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="access names the column"):
        sync(db, "public.notes", access="n")


def test_the_first_rule_of_a_table_closes_its_rows(db: Connection) -> None:
    db.execute("create table notes (id int primary key, body text, readers text[])")
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes values (1, 'note', '{a}'), (2, 'note', null)")
    sync(db, "public.notes")
    in_step(db, "public.notes")
    assert found(db) == ["1", "2"]
    sync(db, "public.notes", access="readers")
    assert found(db, "a") == []
    in_step(db, "public.notes")
    assert (found(db), found(db, "a")) == (["2"], ["1", "2"])


def test_another_expression_of_the_column_closes_its_rows(db: Connection) -> None:
    """It changes all rows without a trigger; a worker closes them, though one row cannot be written."""
    db.execute(
        "create table notes (id int primary key, body text, weight float8, team text, readers text[]"
        " generated always as (array['group:' || team]) stored)"
    )
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes values (1, 'note', null, 'sales'), (2, 'note', null, 'sales')")
    sync(db, "public.notes", access="readers", importance="weight")
    in_step(db, "public.notes")
    db.execute("alter table notes disable trigger user")
    db.execute("update notes set weight = 'NaN' where id = 2")
    db.execute("alter table notes enable trigger user")
    db.execute("alter table notes drop column readers")
    db.execute(
        "alter table notes add column readers text[] generated always as (array['team:' || team, 'group:x']) stored"
    )
    assert apply(db)["failed"] == 1
    assert (found(db, "group:sales"), found(db, "team:sales"), found(db, "group:x")) == ([], ["1"], ["1"])


def test_a_limited_login_changes_rows_of_others(db: Connection, notes_login: Connection) -> None:
    """The trigger writes for the login, which may not read the document, so the worker applies the change."""
    notes_login.execute("update notes set readers = '{sales}' where id = 1")
    assert one(db, "select readers from notes") == ["sales"]
    in_step(db, "public.notes")
    assert (found(db, "board"), found(db, "sales")) == ([], ["1"])


@pytest.fixture
def notes_login(db: Connection, make_login: Any, connect_as: Any) -> Connection:
    login = make_login("clerk", "braid_writer")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    db.execute("create table notes (id int primary key, body text, readers text[])")
    db.execute(f"grant select, insert, update on notes to {login}".encode())
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes values (1, 'note', '{board}')")
    sync(db, "public.notes", access="readers", mode="immediate")
    in_step(db, "public.notes")
    connected: Connection = connect_as(login, "default")
    return connected


def test_a_hidden_row_that_waits_looks_like_no_row(db: Connection) -> None:
    db.execute("create table notes (id text primary key, body text, readers text[])")
    db.execute("select braid.set_permissions('default', true)")
    db.execute("insert into notes values ('mine', 'note', '{board}'), ('open', 'note', null)")
    sync(db, "public.notes", access="readers")
    in_step(db, "public.notes")

    def told(external_id: str) -> str:
        with db.transaction():
            db.execute("set local braid.principals = '[]'")
            text = str(one(db, "select braid.explain_search('note', external_id => %s)", external_id))
        return re.sub(r"'\w+_ms': [0-9.e-]+", "", text)

    assert told("mine") == told("none").replace("none", "mine")
    db.execute("update notes set body = 'new note' where id = 'mine'")
    assert told("mine") == told("none").replace("none", "mine")
    assert "has not read all rows" in told("mine")
