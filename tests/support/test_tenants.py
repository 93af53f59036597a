"""Test that tests marked `tenant_of_its_own` share a database until one of them leaves anything in it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager

import psycopg
import pytest

from support import Tenants
from support.calls import full_text, one, upsert
from support.tenants import Connection

NewDatabase = Callable[[], AbstractContextManager[str]]
a_test = contextmanager(Tenants.new)


def use(db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 2, embedding_model => 'test')")
    for collection in ("small", "default"):
        upsert(db, [{"external_id": "d", "content": "amber river", "category": "x"}], collection)
        assert len(full_text(db, "river", collection=collection)) == 1
    db.execute("select braid.set_synonyms('stream', '{river}')")
    db.execute("select braid.maintain()")
    db.execute("update braid_store.vector_settings set exact_rows = 330")
    db.execute("create temp table t ()")
    db.execute("set work_mem = '1MB'")
    # Autovacuum does the same at any time.
    db.execute("vacuum analyze pg_proc, pg_attribute, pg_depend")


def test_what_tests_do_every_day_leaves_nothing(new_database: NewDatabase) -> None:
    used = []
    with Tenants(new_database) as tenants:
        for _ in range(3):
            with a_test(tenants) as db:
                assert one(db, "select count(*) from braid_store.documents") == 0
                assert one(db, "select count(*) from braid_store.synonyms") == 0
                assert one(db, "show work_mem") != "1MB"
                use(db)
                with tenants.other_session() as other:
                    assert other.read_only is None
                    other.read_only = True
                    assert len(full_text(other, "river")) == 1
                used.append((db, other))
    assert used[0] == used[1] == used[2]


@pytest.mark.parametrize(
    "left",
    [
        "create function braid_store.left() returns int language sql return 1",
        "create table public.left_behind ()",
        "update braid_store.access_settings set create_tenants = true",
        "alter table braid_store.documents disable row level security",
    ],
)
def test_after_a_test_that_leaves_something_comes_a_new_database(new_database: NewDatabase, left: str) -> None:
    with Tenants(new_database) as tenants:
        with a_test(tenants) as before:
            before.execute(left.encode())
        with a_test(tenants) as after:
            assert before.closed and not after.closed


def test_the_end_of_another_session_is_that_of_its_transaction(new_database: NewDatabase) -> None:
    with Tenants(new_database) as tenants, a_test(tenants) as db:
        with tenants.other_session() as other:
            upsert(other, [{"external_id": "d", "content": "amber"}])
            assert full_text(db, "amber") == []
        assert len(full_text(db, "amber")) == 1
        with pytest.raises(psycopg.errors.DivisionByZero), tenants.other_session() as other:
            other.execute("select braid.delete_document('d')")
            other.execute("select 1 / 0")
        assert len(full_text(db, "amber")) == 1
