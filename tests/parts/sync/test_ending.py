"""A table that is no longer synced leaves nothing behind, and check_sync finds every difference."""

from __future__ import annotations

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

from support.calls import one, set_tenant, upsert

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]


@pytest.fixture
def articles(db: Connection) -> Connection:
    db.execute("create table articles (id int primary key, body text, weight numeric)")
    db.execute("insert into articles values (1, 'amber'), (2, 'basket'), (3, 'candle')")
    return db


def checked(db: Connection) -> list[Any]:
    # Findings about disabled triggers are left out.
    return db.execute(
        "select external_id, problem from braid.check_sync('public.articles') where external_id is not null"
    ).fetchall()


def noted(db: Connection) -> int:
    return int(one(db, "select count(*) from braid_store.row_changes"))


def test_check_sync_compares_what_is_stored(articles: Connection) -> None:
    articles.execute("alter table articles add tags text[]")
    sync(articles, importance="weight", metadata=["tags"])
    in_step(articles)
    upsert(
        articles,
        [
            {"external_id": "1", "content": "another text"},
            {"external_id": "mine", "content": "mine"},
        ],
    )
    articles.execute("""select braid.update_metadata('2', '{"tags": ["mine"]}')""")
    articles.execute("select braid.delete_document('3')")
    assert checked(articles) == [
        ("1", "document differs from row"),
        ("2", "document differs from row"),
        ("3", "row without document"),
    ]
    # A row that cannot be a document is named, and so are the other rows.
    articles.execute("alter table articles disable trigger all")
    articles.execute("insert into articles values (4, 'four', 'NaN'), (5, 'five', 0.5)")
    articles.execute("delete from articles where id = 1")
    assert checked(articles) == [
        ("2", "document differs from row"),
        ("3", "row without document"),
        ("4", "row without document"),
        ("5", "row without document"),
        ("1", "document without row"),
    ]
    articles.execute("alter table articles enable trigger all")
    articles.execute("update articles set weight = null where id = 4")
    sync(articles, importance="weight", metadata=["tags"])
    in_step(articles)
    assert set(texts(articles)) == {"2", "3", "4", "5", "mine"}


def test_check_sync_of_many_rows(articles: Connection) -> None:
    articles.execute("truncate articles; insert into articles select n, 'text ' || n from generate_series(1, 1200) n")
    sync(articles)
    in_step(articles)
    articles.execute("alter table articles disable trigger all")
    articles.execute("delete from articles where id = 1100; update articles set body = 'new' where id = 700")
    assert checked(articles) == [
        ("700", "document differs from row"),
        ("1100", "document without row"),
    ]


def test_unsync_of_many_documents(articles: Connection) -> None:
    """unsync_table of many documents ends after a while, and workers continue."""
    articles.execute("insert into articles select n, 'text ' || n from generate_series(10, 2500) n")
    sync(articles)
    in_step(articles)
    articles.execute("update articles set body = 'waits' where id > 2000")
    articles.execute(
        one(
            articles,
            "select replace(pg_get_functiondef('braid_store.stop_sync'::regproc), '5 seconds', '0 seconds')",
        )
    )
    assert one(articles, "select braid.unsync_table('public.articles')") < 2000
    assert one(articles, "select state from braid.sync_status()") == "end"
    articles.execute("update articles set body = 'not followed' where id = 1")
    with pytest.raises(psycopg.errors.UndefinedObject):
        checked(articles)
    # A later sync of the table takes over the pending deletions.
    sync(articles)
    in_step(articles)
    while one(articles, "select count(*) from braid.sync_status()") > 1:
        apply(articles)
    assert len(texts(articles)) == 2494
    assert checked(articles) == []


def test_unsync_is_repeated(articles: Connection) -> None:
    sync(articles)
    in_step(articles)
    with pytest.raises(psycopg.errors.UndefinedObject):
        articles.execute("select braid.unsync_table('public.other')")
    articles.execute("alter table articles rename to posts")
    assert one(articles, "select braid.unsync_table('public.posts')") == 3
    nothing_is_left(articles)
    with pytest.raises(psycopg.errors.UndefinedObject):
        articles.execute("select braid.unsync_table('public.posts')")


@pytest.mark.parametrize("what", ["collection", "tenant"])
def test_nothing_is_noted_for_what_was_dropped(articles: Connection, what: str) -> None:
    articles.execute("select braid.create_collection('c'), braid.create_tenant('t')")
    sync(articles, collection="c", tenant="t")
    in_step(articles)
    articles.execute(
        "select braid.drop_collection('c')" if what == "collection" else "select braid.drop_tenant('t', 't')"
    )
    articles.execute("update articles set body = 'changed'")
    (warning,) = apply(articles)["warnings"]
    assert f"the {what} of table" in warning and "public.articles" in warning
    done = apply(articles)
    assert (done["warnings"], done["complete"], noted(articles)) == ([], True, 0)
    articles.execute("update articles set body = 'more'")
    assert noted(articles) == 0
    assert one(articles, "select state from braid.sync_status()") == f"no {what}"
    # The table is synced again, with another collection or tenant, even before maintenance.
    sync(articles)
    in_step(articles)
    assert set(texts(articles).values()) == {"more"}
    articles.execute("update articles set body = 'followed'")
    in_step(articles)
    assert set(texts(articles).values()) == {"followed"}
    assert one(articles, "select braid.unsync_table('public.articles')") == 3
    while not one(articles, "select braid.maintain('1 minute')")["complete"]:
        pass
    while one(articles, "select count(*) from braid.sync_status()"):
        apply(articles)
    nothing_is_left(articles)


def test_rows_of_a_tenant_that_was_dropped(articles: Connection) -> None:
    articles.execute("alter table articles add org text default 'a'")
    articles.execute("select braid.create_tenant('a'), braid.create_tenant('b')")
    articles.execute("update articles set org = 'b' where id = 2")
    sync(articles, tenant=None, tenant_column="org")
    in_step(articles)
    articles.execute("select braid.drop_tenant('a', 'a')")
    assert one(articles, "select braid.unsync_table('public.articles')") == 1
    nothing_is_left(articles)
    set_tenant(articles, "b")
    assert texts(articles) == {}


def test_more_columns_than_a_document_has_room_for(articles: Connection) -> None:
    articles.execute("alter table articles " + ", ".join(f"add m{n} int" for n in range(51)))
    sync(articles, metadata=[f"m{n}" for n in range(50)])
    in_step(articles)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded) as raised:
        sync(articles, metadata=[f"m{n}" for n in range(51)])
    assert "metadata has 51 columns, more than 50" in str(raised.value)


def test_unsync_locks_the_table_at_its_end(articles: Connection) -> None:
    """unsync_table locks the table only at its end: a writer does not wait while documents are deleted."""
    sync(articles)
    in_step(articles)
    articles.execute("create table seen (mode text)")
    articles.execute(
        "create function look() returns trigger language plpgsql security definer as $$ begin insert into public.seen"
        " select mode from pg_locks where relation = 'public.articles'::regclass and mode ~ 'Exclusive';"
        " return null; end $$"
    )
    articles.execute("create trigger look after delete on braid_store.documents execute function look()")
    assert one(articles, "select braid.unsync_table('public.articles')") == 3
    assert articles.execute("select * from seen").fetchall() == []
    nothing_is_left(articles)


def test_unsync_by_one_who_may_not_write_for_a_tenant(articles: Connection, make_login: Any, connect_as: Any) -> None:
    articles.execute("alter table articles add org text default 'default'")
    articles.execute("select braid.create_tenant('other')")
    articles.execute("update articles set org = 'other' where id = 2")
    sync(articles, tenant=None, tenant_column="org")
    in_step(articles)
    login = make_login("owner", "braid_writer", "administrator")
    articles.execute("select braid.add_tenant_member('default', %s)", (login,))
    articles.execute(sql.SQL("alter table articles owner to {}").format(sql.Identifier(login)))
    connect_as(login).execute("select braid.unsync_table('public.articles')")
    assert apply(articles)["warnings"] == []
    nothing_is_left(articles)


def test_a_table_is_made_anew(articles: Connection) -> None:
    sync(articles)
    in_step(articles)
    articles.execute("drop table articles")
    articles.execute("create table articles (id int primary key, body text)")
    articles.execute("insert into articles values (1, 'amber'), (2, 'new'), (9, 'nine')")
    sync(articles)
    in_step(articles)
    # The second call deletes the old table's other rows.
    assert apply(articles)["warnings"] == []
    assert one(articles, "select count(*) from braid.sync_status()") == 1
    assert texts(articles) == {"1": "amber", "2": "new", "9": "nine"}
    assert one(articles, "select braid.unsync_table('public.articles')") == 3
    nothing_is_left(articles)


def test_a_locked_document_is_left_and_no_other(articles: Connection, dsn: str) -> None:
    articles.execute("select braid.create_tenant('acme')")
    articles.execute(
        "alter table articles add org text default 'default'; update articles set org = 'acme' where id > 1"
    )
    sync(articles, tenant=None, tenant_column="org")
    in_step(articles)
    with psycopg.connect(dsn) as other:
        other.execute("select from braid_store.documents where external_id = '1' for update")
        assert one(articles, "select braid.unsync_table('public.articles')") == 2
        assert not apply(articles)["complete"]
        other.rollback()
    assert apply(articles)["complete"]
    nothing_is_left(articles)
