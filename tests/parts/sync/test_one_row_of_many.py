"""A row that is locked, or cannot be a document, does not hold up other rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, sync, texts
from psycopg import sql

from support.calls import one, set_tenant

Connection = psycopg.Connection[Any]


@pytest.fixture
def notes(db: Connection) -> Connection:
    db.execute("create table notes (id int primary key, org text, body text, n numeric, file bytea)")
    for tenant in ("acme", "beta"):
        db.execute("select braid.create_tenant(%s)", (tenant,))
    db.execute(
        "insert into notes select g, case when g % 2 = 0 then 'acme' else 'beta' end, 'text'"
        " from generate_series(1, 150) g"
    )
    sync(db, "public.notes", tenant=None, tenant_column="org", importance="n", metadata=["file"])
    in_step(db, "public.notes")
    return db


def count(db: Connection, word: str) -> int:
    return int(one(db, "select count(*) from braid_store.chunks where content = %s", word))


def waits(db: Connection) -> Any:
    return db.execute("select waiting_count, failed_count, last_error from braid.sync_status()").fetchone()


def test_a_locked_document(notes: Connection, dsn: str) -> None:
    with psycopg.connect(dsn) as other:
        set_tenant(other, "acme")
        other.execute("select from braid.upsert_document('100', content => 'mine')")
        notes.execute("update notes set body = 'new' where id between 50 and 149")
        done = apply(notes)
        assert (done["failed"], done.get("locked"), done["complete"]) == (0, 1, False)
        (warning,) = done["warnings"]
        assert "row 100" in warning and "locked" in warning
        assert count(notes, "new") == 99
        assert waits(notes)[0] == 1 and "locked" in waits(notes)[2]
        # A row that stays locked does not hold up later changes.
        notes.execute("update notes set body = 'newer' where id = 101")
        assert apply(notes)["locked"] == 1
        assert count(notes, "newer") == 1
        other.rollback()
    in_step(notes, "public.notes")
    assert (count(notes, "new"), waits(notes)) == (99, (0, 0, None))


def test_a_document_that_is_locked_while_all_rows_are_read(notes: Connection, dsn: str) -> None:
    notes.execute("alter table notes disable trigger all")
    notes.execute("update notes set body = 'new'")
    notes.execute("alter table notes enable trigger all")
    sync(notes, "public.notes", tenant=None, tenant_column="org", importance="n", metadata=["file"])
    with psycopg.connect(dsn) as other:
        set_tenant(other, "acme")
        other.execute("select from braid.upsert_document('100', content => 'mine')")
        assert apply(notes)["locked"] == 1
        assert count(notes, "new") == 149
        other.rollback()
    in_step(notes, "public.notes")
    assert count(notes, "new") == 150


def test_all_documents_of_a_tenant_are_locked(notes: Connection, dsn: str) -> None:
    with psycopg.connect(dsn) as other:
        set_tenant(other, "acme")
        other.execute("select braid.clear_collection()")
        notes.execute("update notes set body = 'new' where id <= 8")
        done = apply(notes)
        assert (done["failed"], done.get("locked"), count(notes, "new")) == (0, 4, 4)
        other.rollback()
    in_step(notes, "public.notes")
    assert count(notes, "new") == 8


def test_a_tenant_that_locks_all_of_its_documents_keeps_no_other_waiting(notes: Connection, dsn: str) -> None:
    notes.execute("insert into notes select g, 'acme', 'text' from generate_series(1000, 1299) g")
    in_step(notes, "public.notes")
    with psycopg.connect(dsn) as other:
        set_tenant(other, "acme")
        other.execute("select braid.rebuild_index()")
        notes.execute("update notes set body = 'new' where org = 'acme'")
        notes.execute("update notes set body = 'new' where org = 'beta'")
        # Waiting for the lock of each of the first tenant's rows would take longer.
        done = one(notes, "select braid.apply_changes('1 minute')")
        assert (done["rows"], done["failed"], done["locked"], done["complete"]) == (75, 0, 375, False)
        assert (count(notes, "new"), waits(notes)[:2]) == (75, (375, 375))
        # Rows are copied also where all rows are read.
        sync(notes, "public.notes", tenant=None, tenant_column="org", importance="n", metadata=["file"])
        notes.execute("insert into notes values (3000, 'beta', 'newer')")
        one(notes, "select braid.apply_changes('1 minute')")
        assert (count(notes, "newer"), one(notes, "select state from braid.sync_status()")) == (1, "follow")
        other.rollback()
    in_step(notes, "public.notes")
    assert count(notes, "new") == 450


def test_a_deadline_leaves_what_was_not_looked_at(notes: Connection) -> None:
    notes.execute("update notes set n = 'NaN' where id <= 20")
    calls = 0
    while one(notes, "select count(*) from braid_store.row_changes where attempts = 0"):
        notes.execute("select braid.apply_changes('1 millisecond')")
        calls += 1
        assert calls < 500
    assert waits(notes)[:2] == (20, 20)


@pytest.mark.parametrize("state", ["XX000", "P0001", "53200"])
def test_errors_of_one_row(notes: Connection, state: str) -> None:
    notes.execute(
        "create function public.refused() returns trigger language plpgsql as $$ begin"
        f" if new.external_id = '77' then raise exception 'invalid memory alloc' using errcode = '{state}'; end if;"
        " return new; end $$"
    )
    notes.execute(
        "create trigger refused before insert or update on braid_store.documents"
        " for each row execute function refused()"
    )
    notes.execute("update notes set body = 'new' where id between 50 and 149")
    done = apply(notes)
    assert (done["failed"], done["complete"]) == (1, True)
    assert "row 77: invalid memory alloc" in done["warnings"][0]
    assert count(notes, "new") == 99
    notes.execute("drop trigger refused on braid_store.documents")
    notes.execute("update braid_store.row_changes set retry_at = now() - interval '1 second'")
    in_step(notes, "public.notes")
    assert count(notes, "new") == 100


def test_errors_of_the_table_stop_at_once(
    notes: Connection, dsn: str, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    notes.execute("update notes set body = 'new'")
    worker = make_login("blind")
    notes.execute("select braid.add_trusted_role(%s, 'service')", (worker,))
    done = one(connect_as(worker), "select braid.apply_changes()")
    assert (done["rows"], done["failed"], len(done["warnings"])) == (0, 0, 1)
    assert "permission denied" in done["warnings"][0]
    assert one(notes, "select max(attempts) from braid_store.row_changes") == 0
    in_step(notes, "public.notes")


def test_check_sync_names_a_row_that_cannot_be_read(notes: Connection) -> None:
    notes.execute("insert into notes values (600, 'acme', 'bad', 1e-400), (601, 'acme', 'good', 1)")
    notes.execute("update notes set n = 1e400 where id = 8")
    assert apply(notes)["failed"] == 2
    notes.execute("alter table notes disable trigger all")
    notes.execute("delete from notes where id = 150")
    problems = notes.execute("select * from braid.check_sync('public.notes') where external_id is not null").fetchall()
    assert [row[:2] for row in problems] == [("acme", "8"), ("acme", "600"), ("acme", "150")]
    assert "out of range" in problems[0][2] and "\n" not in problems[0][2]
    assert problems[2][2] == "document without row"


def test_rows_create_their_tenants(notes: Connection) -> None:
    notes.execute("insert into notes select g, 'user' || g % 10, 'text' from generate_series(1001, 1300) g")
    done = apply(notes)
    assert done["failed"] == 300 and len(done["warnings"]) == 1
    assert "does not exist" in done["warnings"][0] and "user" in done["warnings"][0]
    # Tenants are created one by one, so the rows come at the next call, even a row that another tenant had.
    notes.execute("update notes set org = 'user5' where id = 2")
    apply(notes)
    notes.execute("select braid.create_tenant('user5')")
    assert apply(notes)["failed"] == 0
    set_tenant(notes, "user5")
    assert len(texts(notes)) == 31
    notes.execute("select braid.set_access(create_tenants => true)")
    try:
        notes.execute("update braid_store.row_changes set retry_at = now() - interval '1 second'")
        in_step(notes, "public.notes")
        assert waits(notes) == (0, 0, None)
        notes.execute("insert into notes values (2000, 'somebody', 'first')")
        in_step(notes, "public.notes")
        set_tenant(notes, "somebody")
        assert texts(notes) == {"2000": "first"}
    finally:
        notes.execute("select braid.set_access(create_tenants => false)")


def reason(db: Connection, external_id: str, collection: str = "default") -> str:
    query = "select braid.explain_search('text', external_id => %s, collection => %s)"
    return str(one(db, query, external_id, collection)["document"]["reason"])


def test_a_row_that_waits_is_said_to_wait(notes: Connection) -> None:
    set_tenant(notes, "acme")
    assert reason(notes, "2001") == 'There is no document "2001" in collection "default".'
    notes.execute(
        "insert into notes values (2001, 'acme', 'text', 1), (2002, 'beta', 'text', 1), (2003, 'acme', 'bad', 'NaN')"
    )
    assert "waits for braid.apply_changes" in reason(notes, "2001")
    with pytest.raises(psycopg.errors.UndefinedObject) as raised:
        notes.execute("select braid.similar_documents('2001')")
    assert "waits for braid.apply_changes" in str(raised.value.diag.message_hint)
    # The error does not tell that another tenant's row waits.
    assert "waits" not in reason(notes, "2002")
    apply(notes)
    assert "waits" not in reason(notes, "2001")
    assert "The last try failed: importance" in reason(notes, "2003")
    sync(notes, "public.notes", tenant=None, tenant_column="org", importance="n")
    assert "the document may be one of them" in reason(notes, "2004")


def test_a_key_of_several_columns_waits(db: Connection) -> None:
    db.execute("create table pairs (a int, b text, body text, primary key (a, b))")
    sync(db, "public.pairs")
    in_step(db, "public.pairs")
    db.execute("insert into pairs values (1, 'x,y', 'text')")
    assert "waits for braid.apply_changes" in reason(db, '{1,"x,y"}')
    assert "waits" not in reason(db, "{1,x}")


def test_a_users_first_row_creates_its_tenant_at_once(
    notes: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    sync(notes, "public.notes", tenant=None, tenant_column="org", importance="n", mode="immediate")
    in_step(notes, "public.notes")
    gateway = connect_as(make_login("authenticator", "braid_writer", "gateway"))
    notes.execute(sql.SQL("grant select, insert on notes to {}").format(sql.Identifier(gateway.info.user)))
    notes.execute("select braid.set_access(claim_path => '{sub}', create_tenants => true)")

    def request(user: str, statement: str) -> Any:
        with gateway.transaction():
            claims = json.dumps({"role": "authenticated", "sub": user})
            gateway.execute("select set_config('request.jwt.claims', %s, true)", (claims,))
            row = gateway.execute(statement.encode()).fetchone()
            return row and row[0]

    try:
        request("eva", "insert into notes values (3000, 'eva', 'her words') returning id")
        found = "select external_id from braid.full_text_search('words')"
        assert request("eva", found) == "3000"
        # Another user's tenant is not created at once; the worker creates it.
        request("eva", "insert into notes values (3001, 'ida', 'other words') returning id")
        assert one(notes, "select count(*) from braid_store.tenants where key = 'ida'") == 0
        in_step(notes, "public.notes")
        assert request("ida", found) == "3001"
        assert request("eva", found) == "3000"
    finally:
        notes.execute("select braid.set_access(claim_path => '{app_metadata,tenant_id}', create_tenants => false)")
