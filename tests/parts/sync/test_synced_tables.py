"""A user's own table is kept in step with the documents made from its rows."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from support.calls import full_text, one, set_tenant, upsert

Connection = psycopg.Connection[Any]


def apply(db: Connection) -> dict[str, Any]:
    done: dict[str, Any] = one(db, "select braid.apply_changes('1 minute')")
    return done


def in_step(db: Connection, table: str = "public.articles") -> dict[str, Any]:
    """Copy all changes, and check that nothing is left or fails."""
    done = apply(db)
    assert (done["complete"], done["failed"], done["warnings"]) == (True, 0, []), done
    assert db.execute("select * from braid.check_sync(%s)", (table,)).fetchall() == []
    return done


def texts(db: Connection, collection: str = "default") -> dict[str, str]:
    rows = db.execute("select external_id from braid.list_documents(%s, 10000)", (collection,)).fetchall()
    return {
        row[0]: " ".join(
            chunk["content"] for chunk in one(db, "select braid.get_document(%s, %s)", row[0], collection)["chunks"]
        )
        for row in rows
    }


def sync(db: Connection, table: str = "public.articles", **arguments: Any) -> None:
    arguments = {"content": ["body"], "tenant": "default", **arguments}
    named = ", ".join(f"{name} => %({name})s" for name in arguments)
    db.execute(f"select braid.sync_table(%(table)s, {named})", {"table": table, **arguments})


@pytest.fixture
def articles(db: Connection) -> Connection:
    db.execute("create table articles (id int primary key, body text)")
    db.execute("insert into articles values (1, 'amber'), (2, 'basket'), (3, 'candle')")
    return db


def test_rows_that_are_there_and_what_happens_to_them(articles: Connection) -> None:
    sync(articles)
    in_step(articles)
    assert texts(articles) == {"1": "amber", "2": "basket", "3": "candle"}
    articles.execute("insert into articles select n, 'text ' || n from generate_series(10, 12) n")
    articles.execute("update articles set body = body || ' new' where id <= 2")
    articles.execute("delete from articles where id in (3, 11)")
    articles.execute("update articles set id = 20 where id = 10")
    in_step(articles)
    assert texts(articles) == {
        "1": "amber new",
        "2": "basket new",
        "12": "text 12",
        "20": "text 10",
    }
    articles.execute("update articles set id = id + 100 where id in (1, 20)")
    articles.execute(
        "insert into articles values (2, 'upserted'), (5, 'five') on conflict (id) do update set body = excluded.body"
    )
    in_step(articles)
    assert texts(articles) == {
        "101": "amber new",
        "2": "upserted",
        "12": "text 12",
        "120": "text 10",
        "5": "five",
    }
    articles.execute(
        "merge into articles a using (values (5), (6)) v (id) on a.id = v.id"
        " when matched then delete when not matched then insert values (v.id, 'merged')"
    )
    with articles.cursor().copy("copy articles from stdin") as copy:
        copy.write_row((7, "copied"))
    in_step(articles)
    assert {"6": "merged", "7": "copied"}.items() <= texts(articles).items()
    articles.execute("truncate articles")
    articles.execute("insert into articles values (1, 'after')")
    in_step(articles)
    assert texts(articles) == {"1": "after"}
    assert full_text(articles, "copied") == []


def test_what_is_rolled_back_is_not_brought_over(articles: Connection, dsn: str) -> None:
    sync(articles)
    in_step(articles)
    with psycopg.connect(dsn) as writer:
        writer.execute("update articles set body = 'gone' where id = 1")
        writer.execute("savepoint s")
        writer.execute("truncate articles")
        writer.execute("rollback to s")
        assert apply(articles)["rows"] == 0
        writer.rollback()
    in_step(articles)
    assert texts(articles)["1"] == "amber"


@pytest.mark.any_version
def test_each_key_of_a_document(db: Connection) -> None:
    db.execute(
        "create table talks (a int, b text, body text, summary varchar(40), head text, who text, held timestamp,"
        " url text, kind text, weight numeric, lang text, tags text[], n int, marks float8[], ok bool, extra jsonb,"
        " none text, primary key (a, b))"
    )
    db.execute(
        "insert into talks values (1, 'x,y', 'the body', 'the summary', 'The head', 'Ana', '2026-03-01 12:00',"
        " 'https://example.org', 'note', 0.5, 'german', '{a,\"b c\"}', 7, '{1.5,2}', true, '{\"deep\": [1]}', null),"
        " (1, 'x', null, null, 'Only a head', null, null, null, null, null, null, null, null, null, null, null, null)"
    )
    db.execute("set timezone = 'UTC'")
    sync(
        db, "public.talks", content=["summary", "body"], title="head", speaker="who", occurred_at="held",
        source_uri="url", category="kind", importance="weight", language="lang",
        metadata=["tags", "n", "marks", "ok", "extra", "none", "a"],
    )  # fmt: skip
    in_step(db, "public.talks")
    document = one(db, """select braid.get_document('{1,"x,y"}')""")
    assert document["title"] == "The head" and document["source_uri"] == "https://example.org"
    (chunk,) = document["chunks"]
    assert chunk["content"] == "the summary\n\nthe body"
    assert (
        chunk["speaker"],
        chunk["category"],
        chunk["importance"],
        chunk["language"],
    ) == ("Ana", "note", 0.5, "german")
    assert chunk["occurred_at"] == "2026-03-01T12:00:00+00:00"
    assert document["metadata"] == {
        "tags": ["a", "b c"], "n": 7, "marks": [1.5, 2], "ok": True, "extra": {"deep": [1]}, "a": 1,
    }  # fmt: skip
    assert one(db, "select braid.get_document('{1,x}')")["title"] == "Only a head"
    # The external id leads back to the row.
    assert (
        one(
            db,
            "select head from talks t join braid.list_documents() s on s.external_id = array[t.a::text, t.b]::text"
            " where t.b = 'x,y'",
        )
        == "The head"
    )
    db.execute("update talks set b = 'z' where b = 'x'")
    in_step(db, "public.talks")
    assert one(db, "select braid.get_document('{1,z}')") is not None


@pytest.mark.any_version
def test_only_rows_of_the_filter(articles: Connection) -> None:
    articles.execute("alter table articles add public boolean generated always as (body <> 'basket') stored")
    sync(articles, filter="public")
    in_step(articles)
    assert set(texts(articles)) == {"1", "3"}
    articles.execute("update articles set body = case id when 1 then 'basket' else 'open' end")
    in_step(articles)
    assert texts(articles) == {"2": "open", "3": "open"}


@pytest.mark.any_version
def test_rows_of_several_tenants(db: Connection) -> None:
    for tenant in ("acme", "beta"):
        db.execute("select braid.create_tenant(%s)", (tenant,))
    db.execute("create table notes (id uuid primary key default gen_random_uuid(), org text, body text)")
    db.execute("alter table notes enable row level security")
    db.execute("insert into notes (org, body) values ('acme', 'amber'), ('beta', 'basket'), (null, 'nobody')")
    sync(db, "public.notes", tenant=None, tenant_column="org")
    in_step(db, "public.notes")

    def stored() -> dict[str, list[str]]:
        found = {}
        for tenant in ("default", "acme", "beta"):
            set_tenant(db, tenant)
            found[tenant] = sorted(texts(db).values())
        set_tenant(db, "default")
        return found

    assert stored() == {"default": [], "acme": ["amber"], "beta": ["basket"]}
    db.execute("update notes set org = 'beta' where org = 'acme'")
    in_step(db, "public.notes")
    assert stored() == {"default": [], "acme": [], "beta": ["amber", "basket"]}
    db.execute("update notes set org = null where body = 'amber'")
    db.execute("update notes set org = 'acme' where body = 'nobody'")
    in_step(db, "public.notes")
    assert stored() == {"default": [], "acme": ["nobody"], "beta": ["basket"]}
    assert one(db, "select current_setting('braid.tenant')") == "default"
    # A row of a tenant that does not exist waits, and the others do not.
    db.execute("insert into notes (org, body) values ('none', 'lost'), ('beta', 'found')")
    done = apply(db)
    assert (done["failed"], done["complete"]) == (1, True)
    status = db.execute("select waiting_count, failed_count, last_error from braid.sync_status()").fetchone()
    assert status is not None and status[:2] == (1, 1) and 'tenant "none" does not exist' in status[2]
    assert stored()["beta"] == ["basket", "found"]
    # This tenant is dropped.
    db.execute("select braid.drop_tenant('acme', 'acme')")
    db.execute("delete from notes where org in ('acme', 'none')")
    db.execute("update braid_store.row_changes set retry_at = null")
    in_step(db, "public.notes")


def test_names_change(articles: Connection) -> None:
    sync(articles)
    in_step(articles)
    articles.execute("alter table articles rename to posts")
    articles.execute("create schema other")
    articles.execute("alter table posts set schema other")
    articles.execute("alter table other.posts rename id to number")
    articles.execute("alter table other.posts rename body to words")
    # The name changes before the first copy, and after it.
    for word in ("first", "second"):
        articles.execute("update other.posts set words = %s where number = 2", (word,))
        articles.execute("insert into other.posts (number, words) values (%s, 'more')", (len(word),))
        in_step(articles, "other.posts")
        assert texts(articles)["2"] == word
    assert one(articles, "select table_name from braid.sync_status()") == "other.posts"


def test_a_column_is_dropped(articles: Connection) -> None:
    sync(articles)
    in_step(articles)
    articles.execute("alter table articles rename body to old")
    articles.execute("alter table articles drop old")
    articles.execute("alter table articles add body text")
    articles.execute("insert into articles values (4, 'four')")
    assert one(articles, "select count(*) from articles") == 4
    in_step(articles)
    articles.execute("alter table articles drop body")
    articles.execute("insert into articles values (5)")
    (warning,) = apply(articles)["warnings"]
    assert "public.articles" in warning and '"body"' in warning
    assert "does not have" in one(articles, "select last_error from braid.sync_status()")
    # The table is synced again with a column that exists.
    articles.execute("alter table articles add content text default 'there'")
    sync(articles, content=["content"])
    in_step(articles)
    assert texts(articles)["5"] == "there"


def test_types_change(articles: Connection) -> None:
    sync(articles)
    in_step(articles)
    articles.execute("alter table articles alter id type bigint, alter body type varchar")
    articles.execute("insert into articles values (3000000000, 'big')")
    in_step(articles)
    assert texts(articles)["3000000000"] == "big"
    articles.execute("alter table articles alter id type text")
    articles.execute("insert into articles values ('x', 'text')")
    in_step(articles)
    assert texts(articles)["x"] == "text"
    articles.execute("alter table articles alter id type numeric using 1 + length(body) + random()")
    articles.execute("insert into articles values (1.5, 'numeric')")
    assert "numeric" in apply(articles)["warnings"][0]


@pytest.mark.any_version
def test_a_row_that_cannot_be_a_document(articles: Connection) -> None:
    articles.execute("alter table articles add weight numeric")
    articles.execute("update articles set weight = 'NaN' where id = 2")
    sync(articles, importance="weight")
    done = apply(articles)
    assert (done["failed"], done["complete"]) == (1, True)
    assert set(texts(articles)) == {"1", "3"}
    status = articles.execute(
        "select state, waiting_count, failed_count, last_error from braid.sync_status()"
    ).fetchone()
    assert status is not None and status[:3] == ("follow", 1, 1) and "importance" in status[3]
    assert articles.execute("select * from braid.check_sync('public.articles')").fetchall() == [
        ("default", "2", "row without document")
    ]
    articles.execute("update articles set weight = null where id = 2")
    in_step(articles)
    # The older change, which failed, is retried later.
    articles.execute("update braid_store.row_changes set retry_at = null")
    in_step(articles)
    assert set(texts(articles)) == {"1", "2", "3"}


def test_the_table_is_dropped(articles: Connection) -> None:
    sync(articles)
    in_step(articles)
    articles.execute("drop table articles")
    assert one(articles, "select state from braid.sync_status()") == "dropped"
    assert apply(articles)["complete"]
    assert one(articles, "select braid.unsync_table('public.articles')") == 3
    assert texts(articles) == {}
    assert articles.execute("select * from braid.sync_status()").fetchall() == []
    nothing_is_left(articles)


def nothing_is_left(db: Connection) -> None:
    assert one(db, "select count(*) from pg_trigger where tgname ~ '^braid'") == 0
    assert one(db, "select count(*) from pg_proc where proname ~ '^note_rows_'") == 0
    for table in ("synced_tables", "row_changes", "synced_rows"):
        assert one(db, f"select count(*) from braid_store.{table}") == 0


@pytest.mark.parametrize("keep_documents", [False, True])
def test_unsync(articles: Connection, keep_documents: bool) -> None:
    upsert(articles, [{"external_id": "mine", "content": "mine"}])
    sync(articles)
    in_step(articles)
    articles.execute("insert into articles values (4, 'waits')")
    deleted = one(articles, "select braid.unsync_table('public.articles', %s)", keep_documents)
    assert deleted == (0 if keep_documents else 3)
    assert set(texts(articles)) == ({"mine", "1", "2", "3"} if keep_documents else {"mine"})
    nothing_is_left(articles)
    articles.execute("update articles set body = 'x'")
    assert apply(articles)["rows"] == 0


@pytest.mark.any_version
def test_a_document_of_another_table(articles: Connection) -> None:
    articles.execute("create table posts (id int primary key, body text)")
    articles.execute("insert into posts values (1, 'post'), (9, 'post nine')")
    sync(articles)
    in_step(articles)
    sync(articles, "public.posts")
    done = apply(articles)
    assert done["failed"] == 1
    assert texts(articles)["1"] == "amber" and texts(articles)["9"] == "post nine"
    articles.execute("delete from posts")
    apply(articles)
    assert texts(articles)["1"] == "amber" and "9" not in texts(articles)


@pytest.mark.any_version
def test_collection_is_cleared_and_dropped(articles: Connection) -> None:
    articles.execute("select braid.create_collection('c')")
    sync(articles, collection="c")
    in_step(articles)
    articles.execute("select braid.clear_collection('c')")
    assert len(articles.execute("select * from braid.check_sync('public.articles')").fetchall()) == 3
    sync(articles, collection="c")
    in_step(articles)
    articles.execute("select braid.drop_collection('c')")
    articles.execute("update articles set body = 'x'")
    assert "collection" in apply(articles)["warnings"][0]
    assert one(articles, "select state from braid.sync_status()") == "no collection"
    articles.execute("select braid.unsync_table('public.articles')")
    nothing_is_left(articles)


def test_triggers_that_change_the_row_again(articles: Connection) -> None:
    articles.execute(
        "create function again() returns trigger language plpgsql as $$ begin"
        " if new.body not like '%again' then update articles set body = new.body || ' again' where id = new.id; end if;"
        " return null; end $$"
    )
    articles.execute("create trigger a after insert or update on articles for each row execute function again()")
    sync(articles)
    in_step(articles)
    articles.execute("update articles set body = 'changed' where id = 1")
    in_step(articles)
    assert texts(articles)["1"] == "changed again"


def test_changes_come_while_rows_are_brought_over(articles: Connection, dsn: str) -> None:
    articles.execute("insert into articles select n, 'text ' || n from generate_series(10, 300) n")
    sync(articles)
    stop = threading.Event()
    problems: list[Exception] = []

    def write(seed: int) -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as writer:
                number = seed
                while not stop.is_set():
                    number = (number * 31 + 7) % 400
                    writer.execute("delete from articles where id = %s", (number,))
                    writer.execute(
                        "update articles set body = 'by ' || %s where id %% 50 = %s",
                        (number, number % 50),
                    )
                    writer.execute(
                        "insert into articles values (%s, %s) on conflict (id) do update set body = excluded.body",
                        ((number * 3) % 400, f"inserted {number}"),
                    )
        except Exception as error:
            problems.append(error)

    def bring(connection: Connection) -> None:
        try:
            with connection:
                while not stop.is_set():
                    done = one(connection, "select braid.apply_changes('100 milliseconds')")
                    assert done["warnings"] == [] and done["failed"] == 0, done
        except Exception as error:
            problems.append(error)

    workers = [threading.Thread(target=bring, args=(psycopg.connect(dsn, autocommit=True),)) for _ in range(2)]
    writers = [threading.Thread(target=write, args=(seed,)) for seed in (1, 2)]
    for thread in workers + writers:
        thread.start()
    stop.wait(3)
    stop.set()
    for thread in workers + writers:
        thread.join()
    problems = [problem for problem in problems if not isinstance(problem, psycopg.errors.DeadlockDetected)]
    assert not problems
    in_step(articles)
    rows = articles.execute("select id::text, body from articles").fetchall()
    assert texts(articles) == dict(rows)


@pytest.mark.any_version
def test_where_it_goes_on(articles: Connection) -> None:
    """Each call commits, and the next call continues after it."""
    articles.execute("insert into articles select n, 'text ' || n from generate_series(10, 900) n")
    sync(articles)
    calls = 0
    while not texts(articles):
        one(articles, "select braid.apply_changes('1 millisecond')")
    left = "select seconds_left from braid.sync_status()"
    assert one(articles, left) is None  # the number of rows is unknown
    articles.execute("analyze articles")
    assert one(articles, left) > 0
    while not one(articles, "select braid.apply_changes('1 millisecond')")["complete"]:
        calls += 1
        assert calls < 30
    assert calls >= 3
    in_step(articles)
    assert len(texts(articles)) == 894


@pytest.mark.any_version
@pytest.mark.parametrize(
    ("statement", "arguments", "state", "message", "hint"),
    [
        ("", {"table": "public.none"}, "42704", "public.none", "with its schema"),
        ("", {"table": "articles"}, "42704", "articles", "with its schema"),
        ("", {"table": "a.b.c.d"}, "42704", "a.b.c.d", "with its schema"),
        ("create view v as select * from articles", {"table": "public.v"}, "22023", "a view", "ordinary table"),
        ("create temp table tt (id int primary key)", {"table": "pg_temp.tt"}, "22023", "temporary", "ordinary"),
        ("create table k () inherits (articles)", {}, "22023", "parts", "upsert_documents"),
        ("create table n (body text)", {"table": "public.n"}, "22023", "no key", "primary key"),
        ("", {"table": "pg_catalog.pg_class", "content": ["relname"], "id": "oid"}, "22023", "system", "your own"),
        ("", {"id": "body"}, "22023", "no key", "unique index"),
        ("truncate articles; alter table articles add d date not null", {"id": "d"}, "22023", "type date", "uuid"),
        ("", {"content": ["nobody"]}, "42704", '"nobody"', '"id", "body"'),
        ("", {"content": ["ctid"]}, "42704", '"ctid"', '"body"'),
        ("", {"content": None}, "22023", "content and title are null", "body"),
        ("", {"filter": "body"}, "22023", "type text", "generated always"),
        ("", {"filter": "id > 0"}, "42704", "id > 0", '"id", "body"'),
        ("", {"importance": "body"}, "22023", "type text", "numbers"),
        ("", {"occurred_at": "id"}, "22023", "type integer", "timestamptz"),
        ("", {"collection": "none"}, "42704", '"none"', "create_collection"),
        ("", {"tenant": "none"}, "42704", '"none"', "create_tenant"),
        ("", {"tenant": None}, "22023", "tenant is null", "one of them"),
        ("", {"tenant_column": "body"}, "22023", "tenant_column is body", "one of them"),
        ("", {"on_error": "panic"}, "22023", "panic", "'keep'"),
    ],
)  # fmt: skip
def test_what_is_refused(
    articles: Connection,
    statement: str,
    arguments: dict[str, Any],
    state: str,
    message: str,
    hint: str,
) -> None:
    if statement:
        articles.execute(statement)
    with pytest.raises(psycopg.Error) as raised:
        sync(articles, **{"table": "public.articles", **arguments})
    assert raised.value.sqlstate == state
    assert message in str(raised.value.diag.message_primary)
    assert hint in str(raised.value.diag.message_hint)
    nothing_is_left(articles)


@pytest.mark.any_version
def test_calls_for_a_table_that_is_not_synced(articles: Connection) -> None:
    for call in (
        "braid.unsync_table('public.articles')",
        "braid.check_sync('public.articles')",
    ):
        with pytest.raises(psycopg.errors.UndefinedObject) as raised:
            articles.execute(f"select {call}")
        assert "sync_status" in str(raised.value.diag.message_hint)
    for budget in ("'0'", "null"):
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            articles.execute(f"select braid.apply_changes({budget})")


@pytest.mark.parametrize("on_error", ["keep", "fail"])
def test_when_a_change_cannot_be_noted(articles: Connection, on_error: str) -> None:
    sync(articles, on_error=on_error)
    in_step(articles)
    articles.execute("alter table braid_store.row_changes rename to hidden")
    if on_error == "keep":
        articles.execute("update articles set body = 'changed'")
        assert one(articles, "select count(*) from articles where body = 'changed'") == 3
    else:
        with pytest.raises(psycopg.errors.UndefinedTable):
            articles.execute("update articles set body = 'changed'")
    articles.execute("alter table braid_store.hidden rename to row_changes")
    if on_error == "keep":
        # The change could not be noted, so the same sync call reads all rows.
        sync(articles)
    in_step(articles)
    assert set(texts(articles).values()) == ({"changed"} if on_error == "keep" else {"amber", "basket", "candle"})


@pytest.mark.any_version
def test_jsonb_in_the_key_order(db: Connection) -> None:
    """Rows are read in the order of the key's type, not of its text."""
    db.execute("create table numbers (id bigint primary key, body text)")
    db.execute("insert into numbers select n, 'n' from generate_series(-300, 300) n")
    sync(db, "public.numbers")
    assert in_step(db, "public.numbers")["rows"] >= 601
    assert len(texts(db)) == 601


@pytest.mark.any_version
def test_a_tenant_that_cannot_take_a_row(articles: Connection) -> None:
    """If a row's new tenant cannot take it, the old tenant's document is still deleted, and rows that name no tenant
    go to nobody."""
    articles.execute("alter table articles add org text default 'default'")
    sync(articles, tenant=None, tenant_column="org")
    in_step(articles)
    articles.execute("update articles set org = 'none' where id = 2")
    assert apply(articles)["failed"] > 0
    assert set(texts(articles)) == {"1", "3"}
    # An empty string chooses no tenant; otherwise the login's own tenant would get the row.
    articles.execute("select braid.add_tenant_member('default', session_user)")
    articles.execute("update articles set org = '' where id = 3")
    articles.execute("insert into articles values (4, 'four', '')")
    assert apply(articles)["failed"] > 0
    assert set(texts(articles)) == {"1"}


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
def test_statements_go_on_when_the_table_is_altered(articles: Connection, mode: str) -> None:
    """Statements go on when the table is altered, even with on_error => 'fail', and whether or not a worker knows of
    it."""
    articles.execute("alter table articles add weight numeric default 1")
    articles.execute("select braid.create_collection('c')")
    sync(articles, mode=mode, on_error="fail", metadata=["weight"], collection="c")
    in_step(articles)
    articles.execute("alter table articles rename id to number")
    articles.execute("update articles set body = 'renamed' where number = 1")
    in_step(articles)
    assert texts(articles, "c")["1"] == "renamed"
    articles.execute("alter table articles alter weight drop default, alter weight type text using 'heavy'")
    articles.execute("update articles set body = 'typed' where number = 1")
    in_step(articles)
    assert texts(articles, "c")["1"] == "typed"
    # Nothing waits, and the worker still updates the trigger.
    articles.execute("alter table articles rename body to words")
    articles.execute("alter table articles alter weight type int using 7")
    in_step(articles)
    articles.execute("update articles set words = 'told' where number = 1")
    assert one(articles, "select count(*) from braid_store.row_changes where key is null") == 0
    in_step(articles)
    document = one(articles, "select braid.get_document('1', 'c')")
    assert document["metadata"] == {"weight": 7} and document["chunks"][0]["content"] == "told"
    articles.execute("select braid.drop_collection('c')")
    articles.execute("update articles set words = 'dropped'")
    assert "collection" in apply(articles)["warnings"][0]
    apply(articles)
    articles.execute("update articles set words = 'followed no more'")
    assert one(articles, "select count(*) from braid_store.row_changes") == 0


def test_another_key(articles: Connection) -> None:
    articles.execute("alter table articles add uid text unique not null default random()::text")
    sync(articles)
    in_step(articles)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        sync(articles, id="uid")
    assert "id is (uid)" in str(raised.value) and "unsync_table" in str(raised.value.diag.message_hint)
    in_step(articles)
    articles.execute("alter table articles rename id to number")
    sync(articles, id="number")
    in_step(articles)
    articles.execute("select braid.unsync_table('public.articles')")
    sync(articles, id="uid")
    in_step(articles)
    assert len(texts(articles)) == 3


def test_others_hold_locks(articles: Connection, dsn: str) -> None:
    articles.execute("create table posts (id int primary key, body text)")
    articles.execute("insert into posts values (7, 'post'), (8, 'post eight')")
    sync(articles)
    sync(articles, "public.posts")
    articles.execute("set statement_timeout = '3min'")
    with psycopg.connect(dsn) as other:
        other.execute("lock table articles in access exclusive mode")
        done = apply(articles)
        assert not done["complete"] and "public.articles" in done["warnings"][0]
        assert set(texts(articles)) == {"7", "8"}
    in_step(articles)
    articles.execute("update posts set body = 'new'")
    with psycopg.connect(dsn) as other:
        other.execute("select from braid_store.documents where external_id = '7' for update")
        done = apply(articles)
        assert not done["complete"] and "public.posts" in done["warnings"][0]
        # A worker holds a lock on the definition.
        articles.execute("update articles set body = 'new'")
        apply(other)
        with pytest.raises(psycopg.errors.LockNotAvailable) as raised:
            sync(articles)
        assert "apply_changes" in str(raised.value.diag.message_hint)
    in_step(articles)
    assert texts(articles)["7"] == "new"


@pytest.mark.any_version
def test_values_with_nulls(articles: Connection) -> None:
    articles.execute("create type pair as (a int, b text)")
    articles.execute(
        "alter table articles add p pair default '(1,)', add extra jsonb default '{\"a\": null, \"b\": [null]}'"
    )
    sync(articles, metadata=["p", "extra"])
    in_step(articles)
    metadata = one(articles, "select braid.get_document('1')")["metadata"]
    assert metadata == {"p": "(1,)", "extra": {"a": None, "b": [None]}}


@pytest.mark.any_version
def test_a_key_whose_spellings_are_equal(db: Connection) -> None:
    try:
        db.execute("create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    except psycopg.errors.FeatureNotSupported:
        pytest.skip("PostgreSQL without ICU")
    db.execute("create table names (id text collate loose primary key, body text)")
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        sync(db, "public.names")
    assert '"loose" is not deterministic' in str(raised.value)


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
@pytest.mark.parametrize("statement", ["insert", "update", "delete"])
def test_rows_without_a_key(articles: Connection, mode: str, statement: str) -> None:
    """Rows without a key are not noted one by one; a warning names the table's problem."""
    articles.execute("alter table articles add uid int unique")
    articles.execute("update articles set uid = id; alter table articles alter uid set not null")
    sync(articles, id="uid", mode=mode)
    in_step(articles)
    articles.execute("alter table articles alter uid drop not null")
    (warning,) = apply(articles)["warnings"]
    assert "id is (uid), which is no key" in warning
    articles.execute("insert into articles select n, 'many' from generate_series(10, 1009) n")
    if statement == "update":
        articles.execute("update articles set body = 'more' where uid is null")
        articles.execute("update articles set uid = null where id = 1")
    elif statement == "delete":
        articles.execute("delete from articles where uid is null")
    assert one(articles, "select count(*) from braid_store.row_changes") == (
        mode == "deferred" and statement == "update"
    )
    articles.execute("delete from articles where uid is null")
    articles.execute("alter table articles alter uid set not null")
    in_step(articles)
    assert len(texts(articles)) == (2 if statement == "update" else 3)


@pytest.mark.parametrize("key", ["primary key (b, a)", "unique (b, a)"])
def test_rows_are_read_in_the_order_of_the_index(db: Connection, key: str) -> None:
    """Rows are read in the order of the index, and not sorted again for each batch."""
    db.execute(f"create table talks (a int not null, b text not null, body text, {key})".encode())
    db.execute("insert into talks select n, n % 7, 'text' from generate_series(1, 2600) n")
    db.execute("analyze talks")
    sync(db, "public.talks", id="{a,b}")
    with db.transaction():
        assert one(db, "select count(*) from braid.check_sync('public.talks')") == 2600
        assert one(db, "select seq_tup_read from pg_stat_xact_user_tables where relname = 'talks'") <= 2600


def test_another_index_while_rows_are_read(db: Connection) -> None:
    db.execute("create table talks (a int not null, b int not null, body text, primary key (a, b))")
    db.execute("insert into talks select n % 20, n / 20, 'text' from generate_series(0, 499) n")
    sync(db, "public.talks", id="{a,b}")
    while not texts(db):
        one(db, "select braid.apply_changes('1 millisecond')")
    assert len(texts(db)) == 200
    db.execute("alter table talks drop constraint talks_pkey, add primary key (b, a)")
    in_step(db, "public.talks")
    assert len(texts(db)) == 500


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
def test_values_are_written_alike_in_every_session(articles: Connection, mode: str) -> None:
    articles.execute(
        "alter table articles add span interval default '1 day 2 hours', add bytes bytea default '\\x6101',"
        " add price money default 1.5"
    )
    sync(articles, metadata=["span", "bytes", "price"], mode=mode)
    in_step(articles)
    for setting in ("intervalstyle = 'iso_8601'", "bytea_output = 'escape'"):
        articles.execute(f"set {setting}")
    articles.execute("update articles set body = 'new' where id = 1")
    in_step(articles)
    documents = [one(articles, "select braid.get_document(%s)", number)["metadata"] for number in "12"]
    assert documents[0] == documents[1]
    assert documents[0]["span"] == "1 day 02:00:00" and documents[0]["bytes"] == "\\x6101"


@pytest.mark.any_version
def test_large_rows_are_read_in_parts(articles: Connection) -> None:
    """Large rows are read in parts: an array of jsonb can have 256 MB, and a batch has hundreds of rows."""
    articles.execute("insert into articles select n, repeat('word ', 1000000) from generate_series(10, 14) n")
    sync(articles)
    parts = articles.execute(
        "select array(select d ->> 'external_id' from jsonb_array_elements(r.documents) d), r.gone_ids"
        " from braid_store.synced_tables s, lateral (select braid_store.row_query(s, 'articles')) q (query),"
        " braid_store.read_rows(q.query, 'default', array_fill(null::text, array[9]),"
        " (select array_agg(jsonb_build_array(n::text)) from unnest('{1,2,3,4,10,11,12,13,14}'::int[]) n)) r"
    ).fetchall()
    assert parts == [
        (["1", "10", "11", "12", "13"], []),
        (["14", "2", "3"], ["4"]),
    ]
