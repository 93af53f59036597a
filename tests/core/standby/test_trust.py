"""A client checks what an answer and a standby must be, and copes with a standby that hangs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from core.standby.conftest import Database
from core.standby.test_reading import FOX, connect, found, let_it_rest, paused
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.errors import ConnectionLostError, PgbraidError, RecoveryConflictError, from_psycopg
from pgbraid.install import install
from support.calls import one
from support.replication import promote, replicated
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.any_version


def raised(sqlstate: str | None, message: str, function: str | None = None) -> PgbraidError:
    state = sqlstate

    class Diagnostic:
        message_primary = message
        message_hint = None
        source_function = function

    class Raised(psycopg.OperationalError):
        diag = Diagnostic()  # type: ignore[assignment]
        sqlstate = state

    return from_psycopg(Raised())


@pytest.mark.parametrize("sqlstate", ["42704", "22023", "54000", "P0001"])
def test_names_that_users_gave_are_no_conflicts(sqlstate: str) -> None:
    quoted = 'collection "conflict with recovery" does not exist'
    assert type(raised(sqlstate, quoted)) is not RecoveryConflictError
    for conflict in ("40001", "40P01", None):
        assert type(raised(conflict, "canceling statement due to conflict with recovery")) is RecoveryConflictError
        assert type(raised("40P01", "storniere Anfrage", "ProcessInterrupts")) is RecoveryConflictError
    assert type(raised("40P01", "deadlock detected", "DeadLockReport")) is not RecoveryConflictError


def test_a_name_rests_no_standby(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    with connect(database) as client:
        with pytest.raises(PgbraidError) as error:
            client.search("fox", mode="full_text", collection="conflict with recovery")
        assert error.value.sqlstate == "42704" and not caplog.messages


def content(client: pgbraid.Client, document: str) -> str | None:
    known = client.get_document(document)
    return known.chunks[0].content if known else None


def test_commits_that_did_not_wait_for_the_disk(database: Database) -> None:
    slow = make_conninfo(database.primary, options="-c synchronous_commit=off")
    with connect(database) as client, pgbraid.connect(slow) as writer:
        for number in range(20):
            writer.add_documents([{"external_id": "a", "content": f"the fox number{number}"}])
            client.read_after(client.wal_position())
            assert content(client, "a") == f"the fox number{number}"
            with client.transaction():
                client.connection.execute("set local synchronous_commit = off")
                client.add_documents([{"external_id": "b", "content": f"the hare count{number}"}])
            assert content(client, "b") == f"the hare count{number}"


def test_a_position_where_a_file_of_the_log_begins(database: Database) -> None:
    with psycopg.connect(database.primary, autocommit=True) as db, connect(database, consistency="eventual") as client:
        database.pair.caught_up()
        db.execute("select pg_switch_wal()")
        client.read_after(client.wal_position())
        assert client.count() == 0
        with paused(database.pair), pgbraid.connect(database.primary) as other:
            other.add_documents([FOX])
            assert client.count() == 0


def test_a_write_that_was_given_up_may_be_committed(database: Database) -> None:
    async def run() -> None:
        async with pgbraid.connect_async(database.primary, read_dsn=database.standby) as client:
            await client.search("fox", mode="full_text")
            with psycopg.connect(database.primary, autocommit=True) as db:
                names = "alter system set synchronous_standby_names = '{}'"
                with paused(database.pair):
                    db.execute(names.format("nobody").encode())
                    try:
                        db.execute("select pg_reload_conf()")
                        until(lambda: one(db, "select current_setting('synchronous_standby_names')") == "nobody")
                        task = asyncio.create_task(client.add_documents([FOX]))
                        waits = "select exists (select from pg_stat_activity where wait_event = 'SyncRep')"
                        while not one(db, waits):
                            await asyncio.sleep(0.01)
                        task.cancel()
                        with pytest.raises(asyncio.CancelledError):
                            await task
                    finally:
                        db.execute("alter system reset synchronous_standby_names")
                        db.execute("select pg_reload_conf()")
                        until(lambda: one(db, "select current_setting('synchronous_standby_names')") == "")
                    assert [row.external_id for row in await client.search("fox", mode="full_text")] == ["fox"]

    asyncio.run(run())


def test_a_promoted_standby_is_none(pg_version: int, caplog: pytest.LogCaptureFixture) -> None:
    with replicated(pg_version) as pair:
        install(pair.primary.dsn)
        pair.caught_up()
        both: dict[str, Any] = {"read_dsn": pair.standby.dsn, "consistency": "eventual"}
        with pgbraid.connect(pair.primary.dsn, **both) as client:
            assert client.count() == 0
            promote(pair.standby)
            with pgbraid.connect(pair.standby.dsn) as other:
                other.add_documents([FOX])
            assert client.count() == 0 and "promoted" in caplog.text
        caplog.clear()
        with pgbraid.connect(pair.primary.dsn, **both) as client:
            assert client.count() == 0 and "writes of its own" in caplog.text
            # The primary is gone, so the promoted standby is all that is left.
            with psycopg.connect(pair.primary.dsn, autocommit=True) as db:
                db.execute("select pg_terminate_backend(%s, 180000)", (client.connection.info.backend_pid,))
            with pytest.raises(ConnectionLostError):
                client.count()
            assert client.count() == 1
        caplog.clear()
        # The primary itself is accepted, as where libpq only prefers a standby.
        itself = f"{pair.primary.dsn}&application_name=itself"
        with pgbraid.connect(pair.primary.dsn, read_dsn=itself) as client:
            assert client.count() == 0 and not caplog.messages


def test_a_closed_client_answers_no_more(database: Database) -> None:
    reader = f"{database.standby}&application_name=closed"
    here = "select count(*) from pg_stat_activity where application_name = 'closed'"
    with psycopg.connect(database.standby, autocommit=True) as watch:
        client = connect(database, read_dsn=reader, consistency="eventual")
        assert found(client) == [] and one(watch, here) == 1
        client.close()
        with pytest.raises(ConnectionLostError):
            client.count()
        until(lambda: one(watch, here) == 0)


def test_first_reads_at_once_open_one_connection(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = 0
    connect_to = psycopg.AsyncConnection.connect

    async def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal opened
        opened += 1
        return await connect_to(*args, **kwargs)

    standbys = import_module("pgbraid.async_client.standbys")
    waits: list[bool] = []
    has_replayed = standbys.Standbys._has_replayed

    async def waited_for(*args: Any) -> bool:
        waits.append(await has_replayed(*args))
        return waits[-1]

    async def run() -> None:
        async with pgbraid.connect_async(database.primary, read_dsn=database.standby) as client:
            monkeypatch.setattr(psycopg.AsyncConnection, "connect", counted)
            await asyncio.gather(*(client.count() for _ in range(20)))
            assert opened == 1
            # Concurrent calls share one wait. The clock stands still, because a standby is left alone only for a time.
            with paused(database.pair):
                await client.add_documents([FOX])
                monkeypatch.setattr(standbys, "time", SimpleNamespace(monotonic=partial(float, time.monotonic())))
                monkeypatch.setattr(standbys.Standbys, "_has_replayed", waited_for)
                assert await asyncio.gather(*(client.count() for _ in range(20))) == [1] * 20
                assert waits == [False]

    asyncio.run(run())


def test_a_primary_that_fails_after_a_transaction(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    with connect(database) as client:
        with client.transaction():
            client.add_documents([FOX])
        database.pair.caught_up()
        with psycopg.connect(database.primary, autocommit=True) as db:
            assert one(db, "select pg_terminate_backend(%s, 180000)", client.connection.info.backend_pid)
        assert client.count() == 1 and client.count() == 1
        assert len([told for told in caplog.messages if "may miss" in told]) == 1


def test_a_position_that_no_server_has(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(database, consistency="eventual") as client:
        client.read_after("FFFFFFFF/FFFFFFFF")
        assert client.count() == 0
        let_it_rest(monkeypatch, 2)
        database.pair.caught_up()
        assert client.count() == 0
        with paused(database.pair), pgbraid.connect(database.primary) as other:
            other.add_documents([FOX])
            assert client.count() == 0


@contextmanager
def hangs(database: Database) -> Iterator[None]:
    """Stop the standby in the middle of a change that has locked the collections."""
    with psycopg.connect(database.primary) as db, psycopg.connect(database.standby, autocommit=True) as standby:
        db.execute("lock table braid_store.collections in access exclusive mode")
        db.execute("create table locked ()")
        with psycopg.connect(database.primary, autocommit=True) as other:
            other.execute("select pg_logical_emit_message(true, '', '')")
        held = """
            select exists (select from pg_locks where mode = 'AccessExclusiveLock'
              and relation = 'braid_store.collections'::regclass)
        """
        until(lambda: one(standby, held))
        standby.execute("select pg_wal_replay_pause()")
        until(lambda: one(standby, "select pg_get_wal_replay_pause_state() = 'paused'"))
        try:
            db.rollback()
            yield
        finally:
            standby.execute("select pg_wal_replay_resume()")


def test_a_standby_that_holds_a_lock(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    with connect(database, consistency="eventual") as client:
        assert client.count() == 0
        with ThreadPoolExecutor(1) as pool, hangs(database), pgbraid.connect(database.primary) as other:
            other.add_documents([FOX])
            # The lock is held until the count has returned.
            assert pool.submit(client.count).result(PATIENCE) == 1 and "lock" in caplog.text


def test_closing_a_stream_leaves_other_calls_alone(database: Database) -> None:
    async def run() -> None:
        several: dict[str, Any] = {"read_dsn": database.standby, "consistency": "eventual"}
        async with pgbraid.connect_async(database.primary, **several) as client:
            await client.search("fox", mode="full_text")
            with hangs(database):
                stream = client.search_stream("fox", mode="full_text")
                waiting = asyncio.create_task(anext(stream, None))
                with psycopg.connect(database.standby, autocommit=True) as watch:
                    stuck = "select exists (select from pg_stat_activity where wait_event_type = 'Lock')"
                    while not one(watch, stuck):
                        await asyncio.sleep(0.01)
                writing = asyncio.create_task(client._session.rows((), "select 1 from pg_sleep(0.5)"))
                await asyncio.sleep(0.1)
                await stream.aclose()
                assert await waiting is None
                assert await writing == [(1,)]

    asyncio.run(run())


def test_a_call_reads_on_one_standby(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    names = ["first", "second"]
    last = "select query from pg_stat_activity where application_name = %s"
    with (
        connect(database, read_dsn=[f"{database.standby}&application_name={name}" for name in names]) as client,
        psycopg.connect(database.standby, autocommit=True) as watch,
    ):
        list(client.list_documents())
        list(client.list_documents())
        # The call looks up the model, and then searches.
        assert found(client) == []
        queries = [one(watch, last, name) for name in names]
        assert sorted("list_documents" in query for query in queries) == [False, True]
