"""Partitioned tables stay in step, even if partitions are written to directly, attached, detached or dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, nothing_is_left, sync, texts
from psycopg import sql

from support.calls import one

Connection = psycopg.Connection[Any]


@pytest.fixture
def articles(db: Connection) -> Connection:
    """Make a table with partitions below 100, below 200, and for the rest, which is partitioned again by a text."""
    db.execute(
        "create table articles (id int not null, body text, kind text default 'a', primary key (id, kind))"
        " partition by range (id);"
        "create table low partition of articles for values from (0) to (100);"
        # This partition has its columns in another order.
        "create table middle (kind text not null, gone int, body text, id int not null); alter table middle drop gone;"
        "alter table articles attach partition middle for values from (100) to (200);"
        "create table rest partition of articles default partition by list (kind);"
        "create table rest_a partition of rest for values in ('a');"
        "create table rest_b partition of rest for values in ('b');"
        "insert into articles values (1, 'amber'), (101, 'basket'), (201, 'candle');"
        "insert into articles values (202, 'drum', 'b')"
    )
    sync(db, id="{id,kind}")
    in_step(db)
    return db


def rows(db: Connection) -> dict[str, str]:
    return dict(db.execute("select array[id::text, kind]::text, body from articles").fetchall())


@pytest.mark.parametrize(
    "statement",
    [
        "insert into articles select n, 'text ' || n from generate_series(2, 400, 7) n",
        "update articles set body = body || ' new'",
        "update articles set id = id + 1000",
        "update articles set kind = 'b' where id = 201",
        "delete from articles where id > 100",
        "truncate articles",
        "insert into low values (2, 'straight'); insert into middle (id, kind, body) values (102, 'b', 'straight')",
        "update middle set body = 'straight'",
        "update rest set kind = 'a'",
        "update rest_b set body = 'straight'",
        "delete from low",
        "truncate middle",
        "truncate rest",
        "alter table articles detach partition low",
        "drop table middle",
        "alter table articles detach partition rest; delete from rest where kind = 'b';"
        " alter table articles attach partition rest default",
        "create table new (id int not null, body text, kind text not null default 'a');"
        " insert into new values (-1, 'there before');"
        " alter table articles attach partition new for values from (-10) to (0);"
        " insert into new values (-2, 'straight')",
        "create table new partition of articles for values from (-10) to (0); insert into new values (-2, 'straight')",
        "alter table articles rename body to words; alter table articles rename words to body;"
        " update articles set body = 'renamed'",
        "set session_replication_role = replica; update low set body = 'replicated'; truncate rest_a;"
        " reset session_replication_role",
        "merge into articles a using (values (1), (3)) v (id) on a.id = v.id"
        " when matched then delete when not matched then insert values (v.id, 'merged')",
    ],
)
def test_whatever_happens_to_them(articles: Connection, statement: str) -> None:
    before = texts(articles)
    articles.execute(statement.encode())
    in_step(articles)
    assert texts(articles) == rows(articles) != before
    # Later changes are copied, too.
    articles.execute("insert into articles values (50, 'fifty') on conflict do nothing")
    articles.execute("update articles set body = body || ' again'")
    in_step(articles)
    assert texts(articles) == rows(articles)


def test_nothing_is_read_again_without_need(articles: Connection) -> None:
    articles.execute("insert into low values (2, 'straight')")
    assert in_step(articles)["rows"] == 1
    assert one(articles, "select row_estimate from braid.sync_status()") == 0
    articles.execute("analyze articles")
    assert one(articles, "select row_estimate from braid.sync_status()") == 5


@pytest.mark.any_version
def test_an_end(articles: Connection) -> None:
    assert one(articles, "select braid.unsync_table('public.articles')") == 4
    nothing_is_left(articles)
    articles.execute("insert into low values (2, 'straight')")
    assert texts(articles) == {}


@pytest.mark.any_version
@pytest.mark.parametrize(
    ("statement", "table", "arguments", "message", "hint"),
    [
        ("", "public.articles", {"mode": "immediate"}, "partitioned", "'deferred'"),
        ("", "public.low", {}, "a part of another table", "braid.upsert_documents"),
        ("", "public.rest", {}, "a part of another table", "braid.upsert_documents"),
        (
            "create foreign data wrapper w; create server s foreign data wrapper w;"
            "create table other (id int, body text) partition by range (id);"
            "create foreign table far partition of other for values from (0) to (1) server s",
            "public.other", {"id": None}, 'partition "public.far" is a foreign table', "without such a partition",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(
    articles: Connection, statement: str, table: str, arguments: dict[str, Any], message: str, hint: str
) -> None:
    if statement:
        articles.execute(statement.encode())
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        sync(articles, table, **{"id": "{id,kind}", **arguments})
    assert message in str(raised.value.diag.message_primary)
    assert hint in str(raised.value.diag.message_hint)


def test_a_partition_of_somebody_else(articles: Connection, make_login: Callable[..., str]) -> None:
    """A partition of another owner is not read, and causes a warning: an index of that owner would run with the
    reader's rights."""
    login = make_login("other")
    articles.execute(sql.SQL("alter table low owner to {}").format(sql.Identifier(login)))
    articles.execute("update articles set body = 'new'")
    (warning,) = apply(articles)["warnings"]
    assert 'partition "public.low" belongs to' in warning
    articles.execute("alter table low owner to current_user")
    articles.execute("create function snap(int) returns int language sql immutable as 'select 1'")
    articles.execute(sql.SQL("alter function snap owner to {}").format(sql.Identifier(login)))
    articles.execute("create index on rest_b (snap(id))")
    (warning,) = apply(articles)["warnings"]
    assert "calls the function" in warning
    articles.execute("drop function snap cascade")
    in_step(articles)


@pytest.mark.parametrize("on_error", ["keep", "fail"])
def test_a_type_that_changes_between_two_statements_of_a_session(db: Connection, on_error: str) -> None:
    """A type changes between two statements of a session, whose trigger has a plan for the old type."""
    db.execute(
        "create table articles (part int, id int, body text, primary key (part, id)) partition by range (part);"
        "create table low partition of articles default"
    )
    sync(db, id="{part,id}", on_error=on_error)
    db.execute("insert into articles values (1, 1, 'amber')")
    in_step(db)
    db.execute("alter table articles alter id type bigint")
    db.execute("insert into articles values (1, 2, 'basket')")
    in_step(db)
    assert sorted(texts(db).values()) == ["amber", "basket"]
