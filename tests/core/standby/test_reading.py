"""A client reads from a standby."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from core.standby.conftest import Database
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.errors import ConnectionLostError, InvalidArgumentError, PermissionDeniedError, PgbraidError
from support import HashEmbedder
from support.api import API
from support.calls import one
from support.replication import Replicated
from support.waiting import until

pytestmark = pytest.mark.any_version

FOX = {"external_id": "fox", "content": "The quick fox jumps."}


@contextmanager
def paused(pair: Replicated) -> Iterator[None]:
    """Pause the standby's replay: rows that are written meanwhile can only be read on the primary."""
    pair.caught_up()
    with psycopg.connect(pair.standby.dsn, autocommit=True) as db:
        db.execute("select pg_wal_replay_pause()")
        until(lambda: one(db, "select pg_get_wal_replay_pause_state() = 'paused'"))
        try:
            yield
        finally:
            db.execute("select pg_wal_replay_resume()")
    pair.caught_up()


def connect(database: Database, **arguments: Any) -> pgbraid.Client:
    arguments = {"read_dsn": database.standby, "embedder": HashEmbedder(), **arguments}
    return pgbraid.connect(database.primary, **arguments)


def found(client: pgbraid.Client) -> list[str]:
    return [row.external_id for row in client.search("fox")]


def let_it_rest(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let clients believe that this time has passed."""
    clock = time.monotonic
    monkeypatch.setattr(
        sys.modules["pgbraid.client.standbys"], "time", SimpleNamespace(monotonic=lambda: clock() + seconds)
    )


def test_reads_go_to_the_standby(database: Database) -> None:
    with connect(database, consistency="eventual") as client, paused(database.pair):
        client.add_documents([FOX])
        client.embed_pending()
        assert found(client) == []
        assert client.count() == 0 and client.get_document("fox") is None and client.list_documents() == []
        assert client.facets(["language"], "fox") == {"language": []}
        assert client.explain_search("fox").results == []
        with client.transaction():
            assert found(client) == ["fox"]
        assert found(client) == []
        client.tenant = "nobody"
        with pytest.raises(PermissionDeniedError):
            client.search("fox", mode="full_text")
    with connect(database, consistency="eventual") as client:
        assert found(client) == ["fox"]


def test_a_client_sees_what_it_has_written(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(database) as client, connect(database) as other:
        with paused(database.pair):
            client.add_documents([FOX])
            assert found(client) == ["fox"]
            assert found(other) == []
            with other.transaction():
                other.add_documents([{"external_id": "hare", "content": "A fox, says the hare."}])
                assert sorted(found(other)) == ["fox", "hare"]
            assert sorted(found(other)) == ["fox", "hare"]
            client.delete_document("fox")
            assert found(client) == ["hare"]
        let_it_rest(monkeypatch, 2)
        # Reads go back to the standby, which has caught up with this client; others' later writes are not visible
        # there.
        assert found(client) == found(other) == ["hare"]
        with paused(database.pair), pgbraid.connect(database.primary) as third:
            third.add_documents([FOX])
            assert found(client) == found(other) == ["hare"]


def test_writing_and_searching_at_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    last = "select query from pg_stat_activity where application_name = 'reader'"
    with (
        connect(database, read_dsn=f"{database.standby}&application_name=reader") as client,
        psycopg.connect(database.standby, autocommit=True) as watch,
    ):
        for number in range(40):
            client.add_documents([{"external_id": "fox", "content": f"The fox number{number}"}])
            (result,) = client.search("fox", mode="full_text")
            assert result.content == f"The fox number{number}"
        # Once the standby has caught up, the client reads from it.
        database.pair.caught_up()
        let_it_rest(monkeypatch, 11)
        client.search("fox", mode="full_text")
        assert any("braid.logged_search(" in query for (query,) in watch.execute(last))


def test_another_process_goes_on_from_a_position(database: Database) -> None:
    with connect(database) as writer, connect(database, consistency="eventual") as reader:
        before = writer.wal_position()
        go_on_from(database, writer, reader, before)
    with pgbraid.connect(database.standby) as standby, connect(database) as client:
        client.read_after(standby.wal_position())
        assert found(client) == ["fox"]


def go_on_from(database: Database, writer: pgbraid.Client, reader: pgbraid.Client, before: str) -> None:
    with paused(database.pair):
        reader.read_after(before)
        writer.add_documents([FOX])
        assert found(reader) == []
        reader.read_after(writer.wal_position())
        assert found(reader) == ["fox"]
        # A read position never goes back.
        reader.read_after(before)
        assert found(reader) == ["fox"]


def test_commits_that_wait_for_no_disk_are_seen(database: Database) -> None:
    dsn = make_conninfo(database.primary, options="-c synchronous_commit=off")
    with pgbraid.connect(dsn, read_dsn=database.standby) as client:
        for number in range(10):
            client.add_documents([{"external_id": "d", "content": f"The fox number{number}"}])
            assert len(client.search(f"number{number}", mode="full_text")) == 1


@pytest.mark.parametrize("position", ["", "0", "0/", "g/0", "0/123456789", "1/2; select", " 0/1", None])
def test_what_is_no_position(database: Database, position: Any) -> None:
    with pgbraid.connect(database.primary) as client, pytest.raises(InvalidArgumentError, match="position is") as error:
        client.read_after(position)
    assert error.value.hint is not None and "wal_position" in error.value.hint


def names_connected(database: Database) -> set[str]:
    with psycopg.connect(database.standby, autocommit=True) as db:
        rows = db.execute("select application_name from pg_stat_activity where datname = current_database()")
        return {name for (name,) in rows}


@pytest.mark.parametrize("as_list", [True, False])
def test_several_standbys_take_turns(database: Database, as_list: bool) -> None:
    several = [f"{database.standby}&application_name={name}" for name in ("first", "second", "third")]
    with connect(database, read_dsn=several if as_list else "  ".join(several)) as client:
        for _ in several:
            list(client.list_documents())
        assert {"first", "second", "third"} <= names_connected(database)
    until(lambda: not {"first", "second", "third"} & names_connected(database))


def test_a_standby_that_ends_a_session_rests(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with connect(database, read_dsn=f"{database.standby}&application_name=reader") as client:
        assert found(client) == []
        with psycopg.connect(database.standby, autocommit=True) as db:
            end = "select pg_terminate_backend(pid, 180000) from pg_stat_activity where application_name = 'reader'"
            assert one(db, end)
        with paused(database.pair), pgbraid.connect(database.primary) as other:
            other.add_documents([FOX])
            with caplog.at_level(logging.WARNING, "pgbraid"):
                assert found(client) == ["fox"]
            (told,) = caplog.messages
            assert "standby" in told and "10 seconds" in told and str(database.pair.standby.socket_dir) in told
            assert found(client) == ["fox"]
            assert "reader" not in names_connected(database)
            assert len(caplog.messages) == 1
            let_it_rest(monkeypatch, 11)
            assert found(client) == []
            assert "reader" in names_connected(database)


def test_a_standby_that_is_not_there(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    with pgbraid.connect(database.primary) as client:
        client.add_documents([FOX])
    gone = "postgresql://postgres:secret@/pgbraid?host=/nonexistent"
    with connect(database, read_dsn=gone) as client, caplog.at_level(logging.WARNING, "pgbraid"):
        assert found(client) == found(client) == ["fox"]
    assert len(caplog.messages) == 1 and "/nonexistent" in caplog.text and "secret" not in caplog.text
    database.pair.caught_up()
    with connect(database, read_dsn=[gone, database.standby]) as client, paused(database.pair):
        client.tenant = "default"
        with pgbraid.connect(database.primary) as other:
            other.delete_document("fox")
        # Only the first read for the missing standby goes to the primary instead of the other standby.
        assert [found(client) for _ in range(3)].count(["fox"]) >= 2


def test_no_conflict_reaches_the_caller(database: Database) -> None:
    """If the standby ends a call, the primary answers it."""
    from core.standby.test_conflicts import change_what_is_read, without_patience

    with without_patience(database), connect(database) as client:
        client.add_documents([FOX])
        for _ in range(20):
            change_what_is_read(database)
            assert found(client) == ["fox"]


def test_errors_of_a_call_are_the_callers(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    with connect(database) as client:
        for arguments in ({"match_count": 0}, {"collection": "missing"}):
            with pytest.raises(PgbraidError) as error:
                client.search("fox", **arguments)
            assert error.value.hint
    assert not caplog.messages


def test_another_database_is_refused(database: Database, server: Any) -> None:
    for other in (server.dsn_for("postgres"), database.pair.standby.dsn_for("postgres")):
        with connect(database, read_dsn=other) as client, pytest.raises(InvalidArgumentError, match="another database"):
            client.search("fox", mode="full_text")


def test_bad_arguments(database: Database) -> None:
    for read_dsn in ("nonsense", "postgresql://%zz", ["postgresql://postgres@/a", "host"]):
        with pytest.raises(InvalidArgumentError, match="read_dsn"):
            connect(database, read_dsn=read_dsn)
    with pytest.raises(InvalidArgumentError, match="consistency is 'strong'"):
        connect(database, consistency="strong")
    with (
        psycopg.connect(database.primary, autocommit=True) as db,
        pytest.raises(InvalidArgumentError, match="open connection"),
    ):
        pgbraid.connect(db, read_dsn=database.standby)


def test_the_environment_names_standbys_of_its_database(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGBRAID_DSN", database.primary)
    monkeypatch.setenv("PGBRAID_READ_DSN", f"{database.standby}&application_name=environment")
    for dsn, is_read_from in ((None, True), (database.primary, False)):
        with pgbraid.connect(dsn) as client:
            list(client.list_documents())
            assert ("environment" in names_connected(database)) == is_read_from
        until(lambda: "environment" not in names_connected(database))


def test_logins_read_with_their_own_rights(database: Database) -> None:
    with psycopg.connect(database.primary, autocommit=True) as db:
        login = f"reader_{database.name}"
        db.execute(f"create role {login} login".encode())
        db.execute(f"grant braid_reader to {login}".encode())
        db.execute("select braid.add_tenant_member('default', %s)", (login,))
        db.execute("select braid.create_tenant('other')")
    try:
        database.pair.caught_up()
        dsns = [make_conninfo(dsn, user=login) for dsn in (database.primary, database.standby)]
        with pgbraid.connect(dsns[0], read_dsn=dsns[1]) as client:
            assert list(client.search("fox", mode="full_text")) == []
            client.tenant = "other"
            with pytest.raises(PermissionDeniedError):
                client.search("fox", mode="full_text")
    finally:
        with psycopg.connect(database.primary, autocommit=True) as db:
            db.execute(f"drop owned by {login}".encode())
            db.execute(f"drop role {login}".encode())


def test_several_hosts_in_one_dsn(database: Database) -> None:
    """libpq finds the primary and the standby among several hosts, in any order."""
    pair = database.pair
    for hosts in ([pair.primary, pair.standby], [pair.standby, pair.primary]):
        dsn = (
            f"host={','.join(str(server.socket_dir) for server in hosts)} port=5432"
            f" dbname={database.name} user=postgres target_session_attrs="
        )
        with pgbraid.connect(dsn + "read-write") as client:
            assert not one(client.connection, "select pg_is_in_recovery()")
        for attribute in ("standby", "prefer-standby", "read-only"):
            with pgbraid.connect(dsn + attribute) as client:
                assert one(client.connection, "select pg_is_in_recovery()")
        with (
            connect(database, read_dsn=f"{dsn}standby application_name=chosen") as client,
        ):
            list(client.list_documents())
            assert "chosen" in names_connected(database)


def test_asyncio(database: Database) -> None:
    async def search(client: pgbraid.AsyncClient) -> list[str]:
        return [row.external_id for row in await client.search("fox", mode="full_text")]

    async def run() -> None:
        async with (
            pgbraid.connect_async(database.primary, read_dsn=database.standby) as client,
            pgbraid.connect_async(database.primary, read_dsn=[database.standby], consistency="eventual") as other,
        ):
            with paused(database.pair):
                await client.add_documents([FOX])
                assert await asyncio.gather(*(search(client) for _ in range(5))) == [["fox"]] * 5
                assert await asyncio.gather(*(search(other) for _ in range(5))) == [[]] * 5
                other.read_after(await client.wal_position())
                assert await search(other) == ["fox"]
            assert await search(client) == ["fox"]

    asyncio.run(run())


OF_PARTS: dict[str, Callable[[pgbraid.Client], object]] = {
    "recall": lambda client: client.recall("fox"),
    "conversation_timeline": lambda client: client.conversation_timeline("fox"),
    "list_query_sets": lambda client: client.list_query_sets(),
    "list_profiles": lambda client: client.list_profiles(),
}


@pytest.fixture
def calls(database: Database) -> dict[str, Callable[[pgbraid.Client], object]]:
    return {
        "search": lambda client: client.search("fox"),
        "multi_search": lambda client: client.search(["fox", "hare"]),
        "assemble_context": lambda client: client.assemble_context("fox"),
        "similar_documents": lambda client: client.similar_documents("fox"),
        **{name: call for name, call in OF_PARTS.items() if name in API},
    }


def test_reads_go_on_without_a_primary(
    database: Database, calls: dict[str, Callable[[pgbraid.Client], object]]
) -> None:
    with connect(database) as client:
        client.add_documents([FOX])
        client.embed_pending()
        found(client)
        with psycopg.connect(database.primary, autocommit=True) as db:
            assert one(db, "select pg_terminate_backend(%s, 180000)", client.connection.info.backend_pid)
        for call in calls.values():
            call(client)
        with pytest.raises(ConnectionLostError):
            client.delete_document("fox")
        assert found(client) == ["fox"]
