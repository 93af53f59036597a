"""If statements modify a synced table several times, documents agree with rows, in any order of triggers."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, sync, texts

from support.calls import one
from support.examples import rounds

Connection = psycopg.Connection[Any]


@pytest.fixture(params=["immediate", "deferred"])
def tree(db: Connection, request: pytest.FixtureRequest) -> Connection:
    """Make a table whose rows refer to each other and to another table, by keys that cascade."""
    db.execute("create table groups (id int primary key)")
    db.execute(
        "create table tree (id int primary key, body text, is_public boolean not null default true,"
        " parent int references tree on delete cascade on update cascade deferrable initially deferred,"
        " group_id int references groups on delete cascade on update cascade deferrable initially deferred)"
    )
    fill(db)
    sync(db, "public.tree", mode=request.param, filter="is_public")
    in_step(db, "public.tree")
    return db


def fill(db: Connection) -> None:
    db.execute("truncate groups, tree")
    db.execute("insert into groups select generate_series(1, 4)")
    db.execute("insert into tree select n, 'row ' || n from generate_series(1, 12) n")
    db.execute("update tree set parent = id / 3 where id > 5")
    db.execute("update tree set group_id = id % 4 + 1 where id % 2 = 0")


def rows_of(db: Connection) -> dict[str, str]:
    return dict(db.execute("select id::text, body from tree where is_public").fetchall())


SINGLE = {
    "deleted, and inserted again before the delete ends":
        "with d as (delete from tree where id in (1, 2) returning id) insert into tree select id, 'new' from d limit 1",
    "deleted, and inserted again after the delete":
        "with d as (delete from tree where id in (1, 2) returning id) insert into tree select id, 'new' from d",
    "moved, and inserted again before the update ends":
        "with u as (update tree set id = id + 100 where id in (3, 4) returning id - 100 as id)"
        " insert into tree select id, 'new' from u limit 1",
    "moved to where another one was deleted":
        "with d as (delete from tree where id = 12 returning id), u as (update tree set id = 12 where id = 11"
        " and exists (select from d)) select 1",
    "moved in a chain":
        "with a as (update tree set id = 100 where id = 11 returning id),"
        " b as (update tree set id = 11 where id = 12 and exists (select from a) returning id),"
        " c as (insert into tree select 12, 'new' from b) select 1",
    "merged": "merge into tree t using (values (1), (2), (100)) v (id) on t.id = v.id"
        " when matched and v.id = 1 then delete"
        " when matched then update set id = 1, body = 'merged' when not matched then insert values (v.id, 'merged')",
    "on conflict, which moves the key":
        "insert into tree values (1, 'a'), (2, 'b') on conflict (id) do update set id = tree.id + 100",
    "cascades that move keys": "update tree set id = id + 200",
    "cascades that delete what the statement inserts":
        "with d as (delete from groups where id = 1)"
        " insert into tree values (50, 'new', true, null, 1), (51, 'new', true, null, null)",
    "inserted, and deleted by a cascade":
        "with d as (delete from tree where id = 2)"
        " insert into tree values (50, 'new', true, 2), (51, 'new', true, null)",
    "hidden by the filter": "with d as (delete from tree where id in (1, 2) returning id)"
        " insert into tree select id, 'new', id = 2 from d limit 2",
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE)
def test_a_statement_of_several_modifications(tree: Connection, name: str) -> None:
    before = rows_of(tree)
    tree.execute(SINGLE[name].encode())
    assert rows_of(tree) != before
    if one(tree, "select mode from braid_store.synced_tables") == "immediate" and "cascade" not in name:
        assert texts(tree) == rows_of(tree)
    in_step(tree, "public.tree")
    assert texts(tree) == rows_of(tree)


def test_modifications_do_not_keep_others_from_being_written_at_once(tree: Connection) -> None:
    sync(tree, "public.tree", mode="immediate")
    in_step(tree, "public.tree")
    for _ in range(2):
        tree.execute(
            "insert into tree values (1, 'a'), (70, 'b')"
            " on conflict (id) do update set body = tree.body || excluded.body"
        )
        tree.execute("with d as (delete from tree where id = 9 returning id) insert into tree select id, 'new' from d")
        tree.execute("insert into tree values (71, 'c')")
        tree.execute("delete from tree where id in (70, 71)")
        assert texts(tree) == rows_of(tree)
        in_step(tree, "public.tree")


def test_a_function_that_deletes_what_the_statement_inserts(tree: Connection) -> None:
    tree.execute(
        "create function deleted(id int) returns int language plpgsql as $$ begin"
        " delete from tree t where t.id = deleted.id; return deleted.id + 1; end $$"
    )
    tree.execute(
        "insert into tree select case n when 1 then 60 else deleted(60) end, 'new' from generate_series(1, 2) n"
    )
    assert "60" not in rows_of(tree) and "61" in rows_of(tree)
    in_step(tree, "public.tree")
    assert texts(tree) == rows_of(tree)


def test_a_table_that_an_earlier_version_synced(tree: Connection) -> None:
    tree.execute("drop trigger if exists braid_note_before on tree")
    for statement in SINGLE.values():
        tree.execute(statement.encode())
        in_step(tree, "public.tree")
        assert texts(tree) == rows_of(tree)
        fill(tree)
        in_step(tree, "public.tree")


def random_statement(rng: random.Random) -> str:
    def key() -> int:
        return rng.randint(1, 15)

    def modification() -> str:
        return rng.choice([
            f"insert into tree values ({key()}, 'i{rng.random()}', {rng.random() < 0.8}),"
            f" ({rng.randint(16, 30)}, 'i', true) on conflict (id) do"
            f" {rng.choice(['nothing', 'update set body = excluded.body', f'update set id = tree.id + {key()}'])}",
            f"update tree set body = 'u{rng.random()}', parent = {rng.choice(['null', key()])} where id = {key()}",
            f"update tree set id = id + {rng.choice([100, -100, 1])} where id in ({key()}, {key()}, {key() + 100})",
            f"update tree set is_public = not is_public, group_id = {rng.choice(['null', rng.randint(1, 4)])}"
            f" where id % 5 = {key() % 5}",
            f"delete from tree where id in ({key()}, {key()})",
            f"delete from groups where id = {rng.randint(1, 4)}",
            f"update groups set id = id + {rng.choice([-4, 4])} where id = {rng.randint(1, 8)}",
            "insert into groups select generate_series(1, 4) on conflict do nothing",
        ])  # fmt: skip

    if rng.random() < 0.2:
        return (
            f"merge into tree t using (select generate_series({key()}, {key() + 3})) v (id) on t.id = v.id"
            f" when matched and v.id % 3 = {key() % 3} then delete when matched and v.id % 3 = {key() % 3} then"
            f" update set id = t.id + {rng.choice([0, 1, 100])}, body = 'm{rng.random()}'"
            f" when not matched then insert values (v.id, 'm', {rng.random() < 0.8})"
        )
    if rng.random() < 0.25:
        return (
            f"with d as ({rng.choice(['delete from tree', 'update tree set id = id + 100'])} "
            f" where id in ({key()}, {key()}) returning id % 100 as id)"
            f" insert into tree select distinct id, 'back' from d limit {rng.randint(1, 2)}"
        )
    parts = [modification() for _ in range(rng.randint(1, 3))]
    named = ", ".join(f"m{number} as ({part} returning 1)" for number, part in enumerate(parts))
    return f"with {named} select {' + '.join(f'(select count(*) from m{n})' for n in range(len(parts)))}"


@pytest.mark.parametrize("seed", range(rounds(4)))
def test_random_statements(tree: Connection, seed: int) -> None:
    """After each random statement, its triggers and a worker, each row has its document, and no other document
    exists."""
    rng = random.Random(seed)
    if rng.random() < 0.5:
        # This user's trigger modifies other rows of the table.
        tree.execute(
            "create function again() returns trigger language plpgsql as $$ begin if pg_trigger_depth() = 1 then"
            " update tree set body = body || '+' where id = new.id / 2; delete from tree where id = new.id + 7; end if;"
            " return new; end $$"
        )
        when = rng.choice(["before", "after"])
        tree.execute(f"create trigger {rng.choice('az')} {when} insert on tree for each row execute function again()")
    done = 0
    for _ in range(40):
        statement = random_statement(rng)
        try:
            with tree.transaction():
                for _ in range(rng.randint(1, 2)):
                    tree.execute(statement.encode())
                if rng.random() < 0.1:
                    raise psycopg.Rollback
        except (
            psycopg.errors.IntegrityError,
            psycopg.errors.CardinalityViolation,
            psycopg.errors.ObjectNotInPrerequisiteState,
        ):
            continue
        except psycopg.errors.TriggeredDataChangeViolation:
            continue
        done += 1
        if rng.random() < 0.5:
            assert apply(tree)["failed"] == 0
            assert texts(tree) == rows_of(tree), statement
    in_step(tree, "public.tree")
    assert texts(tree) == rows_of(tree)
    assert done > 10
