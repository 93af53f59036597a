"""Searches on a standby run while the primary changes everything, and a cancelled search gives a clear error."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from core.standby.conftest import Database

import pgbraid
from endurance.test_shards_alive import Reader, Writer, check, prepare, together, upkeep
from pgbraid.errors import ConnectionLostError, RecoveryConflictError, from_psycopg
from support.calls import one
from support.nearest import serving_shard, shard_tables
from support.replication import set_on
from support.waiting import until

Connection = psycopg.Connection[Any]
PAUSE = "perform pg_sleep(60)"


def test_searches_go_on_while_the_primary_merges_promotes_and_drops(database: Database) -> None:
    with psycopg.connect(database.primary, autocommit=True) as db:
        fixed = prepare(db, 700)
        database.pair.caught_up()
        writer, readers = Writer(1), [Reader(1, fixed), Reader(2, fixed)]
        served: set[int] = set()
        merges = dropped = 0

        def on_standby(
            run: Callable[[Connection, threading.Event], None],
        ) -> Callable[[Connection, threading.Event], None]:
            def connected(_: Connection, is_over: threading.Event) -> None:
                while not is_over.is_set():
                    try:
                        with psycopg.connect(database.standby, autocommit=True) as standby:
                            run(standby, is_over)
                    except psycopg.OperationalError as error:
                        # A standby of a busy machine that lags by its whole delay cancels what is in its way.
                        assert type(from_psycopg(error)) is RecoveryConflictError

            return connected

        def change() -> None:
            nonlocal merges, dropped
            while (
                len(served) < 2
                or merges < 2
                or not dropped
                or min(reader.calls for reader in readers) <= 5
                or writer.calls <= 5
                or not set().union(*(reader.modes for reader in readers)) >= {"exact", "hnsw"}
            ):
                before = shard_tables(db)
                merges += upkeep(db, "100 ms")["merges"]
                db.execute("vacuum")
                dropped += len(before - shard_tables(db))
                shard = serving_shard(db, "c")
                if shard is not None and shard not in served:
                    served.add(shard)
                    db.execute(
                        "select braid.set_collection('c', jsonb_build_object('hnsw_m', %s::int))", (4 + len(served),)
                    )
                db.execute("select braid.create_collection('gone')")
                db.execute("select braid.upsert_document('d', 'words of d', collection => 'gone')")
                db.execute("select braid.drop_collection('gone')")

        together(database.primary, [writer.run, *(on_standby(reader.run) for reader in readers)], change)
        database.pair.caught_up()
        with psycopg.connect(database.standby, autocommit=True) as standby:
            check(standby, fixed | writer.committed)
            assert shard_tables(standby) == shard_tables(db)


@contextmanager
def without_patience(database: Database) -> Iterator[None]:
    """Let the standby replay at once, whoever reads."""
    before = {"max_standby_streaming_delay": "30s"}
    set_on(database.pair.standby, max_standby_streaming_delay="0")
    try:
        yield
    finally:
        set_on(database.pair.standby, **before)


def change_what_is_read(database: Database) -> None:
    """Let vacuum remove rows that a session of the standby sees in its snapshot."""
    with psycopg.connect(database.primary, autocommit=True) as db:
        db.execute("update braid_store.vector_settings set exact_rows = exact_rows + 1")
        db.execute("vacuum braid_store.vector_settings")


@pytest.mark.parametrize(
    ("statement", "is_open"),
    [
        ("select count(*), pg_sleep(60) from braid_store.vector_settings", True),
        # A search raises its errors again like this.
        (f"do $$ begin begin {PAUSE}; exception when undefined_object then raise; end; end $$", False),
    ],
)
def test_a_statement_that_is_cancelled(database: Database, statement: str, is_open: bool) -> None:
    with (
        without_patience(database),
        pgbraid.connect(database.standby) as client,
        psycopg.connect(database.standby, autocommit=True) as watch,
    ):
        caught: list[BaseException] = []

        def run() -> None:
            try:
                client._session.rows((), statement)
            except BaseException as error:
                caught.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        pid = client.connection.info.backend_pid
        until(lambda: one(watch, "select wait_event = 'PgSleep' from pg_stat_activity where pid = %s", pid) is True)
        change_what_is_read(database)
        thread.join()
        (error,) = caught
        assert type(error) is RecoveryConflictError
        assert error.retryable and error.sqlstate == "40001"
        assert error.hint is not None and "hot_standby_feedback" in error.hint
        assert client.connection.closed != is_open


def test_a_transaction_that_is_cancelled(database: Database) -> None:
    """PostgreSQL ends the session. If a query is on its way, libpq may lose the message that says why."""
    with (
        without_patience(database),
        pgbraid.connect(database.standby) as client,
        pytest.raises((RecoveryConflictError, ConnectionLostError)) as caught,
        client.transaction(),
    ):
        client.connection.execute("set transaction isolation level repeatable read")
        assert not client.search("fox", mode="full_text")
        change_what_is_read(database)
        until(lambda: len(client.search("fox", mode="full_text")) > 0)
    assert caught.value.retryable


def test_messages_may_be_translated(database: Database) -> None:
    """A recovery conflict is recognised in any language of PostgreSQL's messages, by the source of the error."""

    class Diagnostic:
        message_primary = "storniere Anfrage wegen Konflikt mit der Wiederherstellung"
        message_hint = None
        source_function = "ProcessInterrupts"

    class Translated(psycopg.errors.SerializationFailure):
        diag = Diagnostic()  # type: ignore[assignment]

    assert type(from_psycopg(Translated())) is RecoveryConflictError
