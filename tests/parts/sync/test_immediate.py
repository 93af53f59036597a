"""In mode immediate, the trigger copies rows in the transaction that changes them, or notes them as changed."""

from __future__ import annotations

import random
import threading
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, sync, texts
from psycopg import sql

from support.calls import full_text, one, set_tenant
from support.waiting import until

Connection = psycopg.Connection[Any]


@pytest.fixture
def articles(db: Connection) -> Connection:
    db.execute("create table articles (id int primary key, body text, weight numeric, at timestamp)")
    db.execute("insert into articles values (1, 'amber'), (2, 'basket')")
    sync(db, mode="immediate", importance="weight", occurred_at="at", metadata=["weight"])
    in_step(db)
    return db


def waiting(db: Connection) -> int:
    return int(one(db, "select count(*) from braid_store.row_changes"))


def checked(db: Connection, table: str = "public.articles") -> list[Any]:
    return db.execute("select external_id, problem from braid.check_sync(%s)", (table,)).fetchall()


def test_without_a_worker(articles: Connection) -> None:
    articles.execute("insert into articles values (3, 'candle'), (4, 'drum')")
    articles.execute("update articles set body = 'changed', weight = 0.5, at = '2026-03-01 12:00' where id = 1")
    articles.execute("delete from articles where id = 2")
    articles.execute("update articles set id = 30 where id = 3")
    articles.execute("update articles set body = 'none' where id = 99")
    assert texts(articles) == {"1": "changed", "30": "candle", "4": "drum"}
    assert (checked(articles), waiting(articles)) == ([], 0)
    assert [row[0] for row in full_text(articles, "changed")] == ["1"]
    # A worker would have made the same document, to the byte.
    sync(
        articles,
        mode="immediate",
        importance="weight",
        occurred_at="at",
        metadata=["weight"],
    )
    before = articles.execute("select external_id, updated_at from braid_store.documents order by 1").fetchall()
    in_step(articles)
    assert articles.execute("select external_id, updated_at from braid_store.documents order by 1").fetchall() == before


def test_the_sessions_settings_do_not_matter(articles: Connection) -> None:
    articles.execute("set datestyle = 'SQL, DMY'")
    articles.execute("set timezone = 'Asia/Tokyo'")
    articles.execute("set extra_float_digits = -5")
    articles.execute("insert into articles values (3, 'candle', 0.123456789, '02/01/2026 10:00')")
    assert one(
        articles,
        "select occurred_at = '2026-01-02T10:00Z' from braid_store.documents where external_id = '3'",
    )
    assert one(articles, "show timezone") == "Asia/Tokyo"
    articles.execute("reset all")
    set_tenant(articles, "default")
    assert checked(articles) == []
    sync(articles, importance="weight", occurred_at="at", metadata=["weight"])
    articles.execute("set timezone = 'America/Lima'")
    in_step(articles)


def test_it_is_part_of_the_transaction(articles: Connection, dsn: str) -> None:
    with psycopg.connect(dsn) as writer:
        writer.execute("update articles set body = 'changed' where id = 1")
        assert texts(writer)["1"] == "changed"
        assert texts(articles)["1"] == "amber"
        writer.rollback()
    assert texts(articles)["1"] == "amber"
    assert checked(articles) == []


def test_the_tenant_stays(articles: Connection) -> None:
    articles.execute("select braid.create_tenant('other')")
    set_tenant(articles, "other")
    articles.execute("insert into articles values (3, 'candle')")
    assert texts(articles) == {}
    assert one(articles, "select current_setting('braid.tenant')") == "other"
    set_tenant(articles, "default")
    assert texts(articles)["3"] == "candle"


@pytest.mark.parametrize(
    "statement",
    [
        "insert into articles select n, 'text' from generate_series(100, 500) n",
        "update articles set body = 'many'",
        "delete from articles",
        "truncate articles",
    ],
)
def test_large_statements_are_left_to_a_worker(articles: Connection, statement: str) -> None:
    articles.execute("insert into articles select n, 'text' from generate_series(1001, 1201) n")
    articles.execute("insert into articles select n, 'text' from generate_series(1202, 1402) n")
    assert (checked(articles), waiting(articles)) == ([], 0)
    articles.execute(statement)
    assert waiting(articles) > 0
    # Later changes of the table wait for the worker, too.
    articles.execute("insert into articles values (3, 'candle')")
    assert "3" not in texts(articles)
    in_step(articles)
    assert waiting(articles) == 0
    articles.execute("insert into articles values (5, 'five')")
    assert texts(articles)["5"] == "five"


def test_writers_that_may_not_write_documents(articles: Connection, dsn: str, make_login: Any, connect_as: Any) -> None:
    login = make_login("clerk")
    articles.execute(sql.SQL("grant select, insert, update, delete on articles to {}").format(sql.Identifier(login)))
    clerk = connect_as(login)
    clerk.execute("set braid.tenant = 'default'")
    clerk.execute("update articles set body = 'changed' where id = 1")
    assert texts(articles)["1"] == "amber"
    assert waiting(articles) == 1
    in_step(articles)
    assert texts(articles)["1"] == "changed"
    # A member of the tenant writes at once, without any right on pgbraid's functions; a member of another tenant does
    # not.
    for tenant, count in (("default", 0), ("other", 1)):
        articles.execute("select braid.create_tenant('other') where not exists"
                         " (select from braid_store.tenants where key = 'other')")  # fmt: skip
        member = make_login(f"member_{tenant}")
        articles.execute("select braid.add_tenant_member(%s, %s)", (tenant, member))
        articles.execute(sql.SQL("grant insert, select on articles to {}").format(sql.Identifier(member)))
        connect_as(member).execute("insert into articles values (%s, 'by a member')", (10 + count,))
        assert waiting(articles) == count
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connect_as(member).execute("select braid_store.apply_at_once(1, '[]')")
    set_tenant(articles, "other")
    assert texts(articles) == {}


@pytest.mark.parametrize("on_error", ["keep", "fail"])
def test_a_row_that_cannot_be_a_document(articles: Connection, on_error: str) -> None:
    sync(articles, mode="immediate", importance="weight", on_error=on_error)
    in_step(articles)
    statement = "update articles set body = 'changed', weight = 'NaN' where id = 1"
    if on_error == "fail":
        with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
            articles.execute(statement)
        assert "importance" in str(raised.value)
        assert (
            one(articles, "select body from articles where id = 1"),
            waiting(articles),
        ) == ("amber", 0)
    else:
        articles.execute(statement)
        assert (
            one(articles, "select body from articles where id = 1"),
            waiting(articles),
        ) == ("changed", 1)
        assert apply(articles)["failed"] == 1
        assert checked(articles) == [("1", "document differs from row")]
        # A row that waits for its retry does not keep other rows from being written at once.
        articles.execute("insert into articles values (3, 'candle')")
        assert texts(articles)["3"] == "candle"


@pytest.mark.parametrize("on_error", ["keep", "fail"])
def test_a_locked_document_is_not_waited_for(articles: Connection, dsn: str, on_error: str) -> None:
    sync(articles, mode="immediate", on_error=on_error)
    in_step(articles)
    with psycopg.connect(dsn) as other:
        other.execute("select from braid_store.documents where external_id = '1' for update")
        articles.execute("update articles set body = 'changed' where id = 1")
        assert texts(articles)["1"] == "amber"
        assert waiting(articles) == 1
    in_step(articles)
    assert texts(articles)["1"] == "changed"


def test_triggers_that_change_the_row_again(articles: Connection) -> None:
    articles.execute(
        "create function again() returns trigger language plpgsql as $$ begin"
        " if new.body not like '%again' then update articles set body = new.body || ' again' where id = new.id; end if;"
        " return null; end $$"
    )
    articles.execute("create trigger a after insert or update on articles for each row execute function again()")
    articles.execute("update articles set body = 'changed' where id = 1")
    in_step(articles)
    assert texts(articles)["1"] == "changed again"


def test_columns_change(articles: Connection) -> None:
    sync(articles, mode="immediate", metadata=["weight"])
    in_step(articles)
    articles.execute("alter table articles alter weight type text using 'heavy', alter id type bigint")
    articles.execute("alter table articles rename body to words")
    articles.execute("update articles set words = 'changed' where id = 1")
    assert texts(articles)["1"] == "amber"
    in_step(articles)
    assert texts(articles)["1"] == "changed"
    # The worker has updated the trigger.
    articles.execute("update articles set words = 'more', weight = 'light' where id = 1")
    assert (texts(articles)["1"], waiting(articles), checked(articles)) == (
        "more",
        0,
        [],
    )
    assert one(articles, "select braid.get_document('1')")["metadata"] == {"weight": "light"}


def test_columns_that_are_not_stored(articles: Connection) -> None:
    if articles.info.server_version < 180000:
        pytest.skip("PostgreSQL 18 has them")
    articles.execute("alter table articles add upper text generated always as (upper(body)) virtual")
    sync(articles, metadata=["upper"])
    in_step(articles)
    assert one(articles, "select braid.get_document('1')")["metadata"] == {"upper": "AMBER"}
    for arguments in (
        {"mode": "immediate", "metadata": ["upper"]},
        {"tenant": None, "tenant_column": "upper"},
    ):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
            sync(articles, **arguments)
        assert '"upper", which is generated and not stored' in str(raised.value)


def test_workers_and_triggers_at_once(articles: Connection, dsn: str) -> None:
    """A worker and a trigger run at once: a worker never overwrites a trigger's newer write with an older row."""
    articles.execute("insert into articles select n, 'text ' || n from generate_series(10, 300) n")
    in_step(articles)
    stop = threading.Event()
    problems: list[Exception] = []

    def write(seed: int) -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as writer:
                number = seed
                while not stop.is_set():
                    number = (number * 31 + 7) % 60
                    writer.execute("delete from articles where id = %s", (number,))
                    writer.execute(
                        "update articles set body = 'by ' || %s where id = %s",
                        (number, number + 1),
                    )
                    writer.execute(
                        "insert into articles values (%s, %s) on conflict (id) do update set body = excluded.body",
                        ((number * 3) % 60, f"inserted {number}"),
                    )
        except Exception as error:
            problems.append(error)

    def bring() -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as worker:
                while not stop.is_set():
                    # This reads all rows again.
                    sync(worker, mode="immediate")
                    done = one(worker, "select braid.apply_changes('1 second')")
                    assert done["failed"] == 0, done
        except psycopg.errors.LockNotAvailable:
            pass
        except Exception as error:
            problems.append(error)

    threads = [
        threading.Thread(target=write, args=(1,)),
        threading.Thread(target=bring),
    ]
    for thread in threads:
        thread.start()
    stop.wait(3)
    stop.set()
    for thread in threads:
        thread.join()
    assert not problems
    assert one(articles, "select braid.apply_changes('1 minute')")["complete"]
    rows = articles.execute("select id::text, body from articles").fetchall()
    assert texts(articles) == dict(rows)
    assert checked(articles) == []


def test_rows_that_change_all_the_time(articles: Connection, dsn: str) -> None:
    """Waiting rows that change all the time are copied, although no row stays as it was read."""
    articles.execute("insert into articles select n, 'text ' || n from generate_series(3, 600) n")
    in_step(articles)
    stop = threading.Event()
    changes = [0, 0]

    def change(place: int) -> None:
        with psycopg.connect(dsn, autocommit=True) as writer:
            while not stop.is_set():
                changes[place] += 1
                writer.execute(
                    "update articles set body = 'changed ' || %s where id = %s",
                    (changes[place], place * 300 + changes[place] % 300 + 1),
                )

    articles.execute("update articles set body = 'more than a statement brings over by itself'")
    assert waiting(articles) == 600
    threads = [threading.Thread(target=change, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: min(changes) >= 5)
    done: list[dict[str, Any]] = []

    def are_brought() -> object:
        done.append(one(articles, "select braid.apply_changes('1 second')"))
        return sum(each["rows"] for each in done) >= 200

    try:
        until(are_brought)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert all((each["failed"], each["warnings"]) == (0, []) for each in done)
    in_step(articles)
    assert texts(articles) == dict(articles.execute("select id::text, body from articles").fetchall())


def test_rows_that_come_and_go_all_the_time(articles: Connection, dsn: str) -> None:
    articles.execute("insert into articles select n, 'text ' || n from generate_series(3, 600) n")
    in_step(articles)
    stop = threading.Event()
    changes = [0, 0]

    def come_and_go(place: int) -> None:
        rng = random.Random(place)
        with psycopg.connect(dsn, autocommit=True) as writer:
            while not stop.is_set():
                changes[place] += 1
                number = place * 100 + rng.randrange(100) + 1
                if writer.execute("delete from articles where id = %s", (number,)).rowcount == 0:
                    writer.execute("insert into articles values (%s, 'again')", (number,))

    articles.execute("update articles set body = 'more than a statement brings over by itself'")
    threads = [threading.Thread(target=come_and_go, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: min(changes) >= 50)
    articles.execute("set statement_timeout = '3min'")
    try:
        done = one(articles, "select braid.apply_changes('10 milliseconds')")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert (done["failed"], done["warnings"]) == (0, [])
    articles.execute("reset statement_timeout")
    in_step(articles)
    assert texts(articles) == dict(articles.execute("select id::text, body from articles").fetchall())


def test_a_row_goes_while_its_first_document_is_being_written(articles: Connection, dsn: str) -> None:
    sync(articles, mode="immediate")
    articles.execute("select braid.clear_collection()")
    articles.execute("delete from braid_store.synced_rows")
    with psycopg.connect(dsn) as worker:
        apply(worker)
        articles.execute("delete from articles where id = 1")
    in_step(articles)
    assert set(texts(articles)) == {"2"}


def test_a_row_goes_while_it_is_tried_again(articles: Connection, dsn: str) -> None:
    articles.execute("insert into articles values (3, 'candle', 'NaN')")
    assert apply(articles)["failed"] == 1
    articles.execute("alter table articles disable trigger all")
    articles.execute("update articles set weight = 1 where id = 3")
    articles.execute("alter table articles enable trigger all")
    articles.execute("update braid_store.row_changes set retry_at = now()")
    with psycopg.connect(dsn) as worker:
        assert apply(worker)["rows"] > 1  # all rows are read again, because triggers were disabled
        articles.execute("delete from articles where id = 3")
    in_step(articles)
    assert set(texts(articles)) == {"1", "2"}


def test_a_transaction_that_does_not_see_what_a_worker_wrote(articles: Connection, dsn: str) -> None:
    articles.execute("alter table articles add is_public boolean default false")
    sync(articles, mode="immediate", filter="is_public")
    in_step(articles)
    assert texts(articles) == {}
    with psycopg.connect(dsn) as writer:
        writer.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        writer.execute("select count(*) from braid_store.synced_rows")
        sync(articles, mode="immediate")
        in_step(articles)
        writer.execute("delete from articles where id = 1")
    in_step(articles)
    assert set(texts(articles)) == {"2"}
