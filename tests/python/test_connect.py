"""Test connecting, and errors while connecting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.errors import (
    ConflictError,
    ConnectionLostError,
    InvalidArgumentError,
    LimitExceededError,
    NotInstalledError,
    PermissionDeniedError,
    PgbraidError,
    ServerError,
    VersionMismatchError,
    from_psycopg,
)
from support import HashEmbedder

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]
FOX = {"external_id": "fox", "content": "The quick brown fox"}


def test_without_a_dsn_the_environment_names_it(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGBRAID_DSN", dsn)
    with pgbraid.connect() as client:
        assert client.status()["tenant"] == "default"


def test_without_dsn_or_embedded_server_the_hint_says_init(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("PGBRAID_DATA_DIR", str(tmp_path / "none"))
    with pytest.raises(ServerError) as caught:
        pgbraid.connect()
    assert "pgbraid init" in (caught.value.hint or "")


def test_a_database_without_pgbraid(server: Any) -> None:
    with pytest.raises(NotInstalledError) as caught:
        pgbraid.connect(server.dsn_for("template1"))
    assert caught.value.hint == "run: pgbraid init"


@pytest.mark.parametrize(("version", "hint"), [("0.0.9", "pgbraid upgrade"), ("99.0.0", "pip install -U pgbraid")])
def test_another_minor_version_is_refused(dsn: str, db: Connection, version: str, hint: str) -> None:
    db.execute("update braid_store.installation set version = %s", (version,))
    with pytest.raises(VersionMismatchError) as caught:
        pgbraid.connect(dsn)
    assert version in caught.value.message
    assert hint in (caught.value.hint or "")


def test_another_patch_version_is_fine(dsn: str, db: Connection) -> None:
    installed = pgbraid.__version__.rsplit(".", 1)[0] + ".99"
    db.execute("update braid_store.installation set version = %s", (installed,))
    with pgbraid.connect(dsn) as client:
        assert client.status()["version"] == installed


def test_an_unreachable_server(dsn: str) -> None:
    with pytest.raises(ConnectionLostError) as caught:
        pgbraid.connect(make_conninfo(dsn, port=1))
    assert caught.value.hint


def test_a_lost_connection(client: pgbraid.Client, db: Connection) -> None:
    db.execute("select pg_terminate_backend(%s)", (client.connection.info.backend_pid,))
    for _ in range(2):
        with pytest.raises(ConnectionLostError) as caught:
            client.search("fox")
        assert caught.value.hint


def test_an_unknown_tenant(dsn: str) -> None:
    with pgbraid.connect(dsn, tenant="nobody") as client, pytest.raises(PermissionDeniedError) as caught:
        client.search("fox", mode="full_text")
    assert caught.value.sqlstate == "42501"
    assert caught.value.hint


def test_two_tenants_on_one_connection_see_their_own(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        ours = pgbraid.connect(connection, embedder=HashEmbedder())
        ours.create_tenant("acme")
        theirs = pgbraid.connect(connection, tenant="acme", embedder=HashEmbedder())
        theirs.add_documents([FOX])
        assert len(theirs.search("fox")) == 1
        assert len(ours.search("fox", mode="full_text")) == 0
        assert len(theirs.search("fox", mode="full_text")) == 1


def test_the_callers_transaction_is_the_callers(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        client = pgbraid.connect(connection)
        client.add_documents([FOX])
        assert len(client.search("fox", mode="full_text")) == 1
        connection.rollback()
        assert len(client.search("fox", mode="full_text")) == 0
        client.close()
        assert not connection.closed


def test_a_transaction_of_several_calls(client: pgbraid.Client) -> None:
    with pytest.raises(KeyError), client.transaction():
        client.add_documents([FOX])
        raise KeyError
    assert len(client.search("fox", mode="full_text")) == 0
    with client.transaction():
        client.add_documents([FOX])
    assert len(client.search("fox", mode="full_text")) == 1


def test_a_savepoint_rolled_back_in_the_middle(client: pgbraid.Client) -> None:
    with client.transaction():
        client.add_documents([FOX])
        with pytest.raises(KeyError), client.transaction():
            client.add_documents([{"external_id": "hen", "content": "A hen"}])
            raise KeyError
        client.add_documents([{"external_id": "cat", "content": "A cat"}])
    found = [client.search(word, mode="full_text") for word in ("fox", "hen", "cat")]
    assert [len(rows) for rows in found] == [1, 0, 1]


def test_a_reader_may_search_and_not_write(
    client: pgbraid.Client, dsn: str, db: Connection, make_login: Callable[..., str]
) -> None:
    client.add_documents([FOX])
    login = make_login("reader", "braid_reader")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    with pgbraid.connect(make_conninfo(dsn, user=login)) as reader:
        assert len(reader.search("fox", mode="full_text")) == 1
        with pytest.raises(PermissionDeniedError):
            reader.add_documents([FOX])


@pytest.mark.parametrize(
    ("sqlstate", "kind", "retryable"),
    [
        ("22P05", InvalidArgumentError, False),
        ("54000", LimitExceededError, False),
        ("54001", LimitExceededError, False),
        ("40001", ConflictError, True),
        ("40P01", ConflictError, True),
        ("55P03", ConflictError, True),
        ("57P01", ConnectionLostError, True),
        ("57014", PgbraidError, False),
    ],
)
def test_an_error_says_whether_to_try_again(
    db: Connection, sqlstate: str, kind: type[PgbraidError], retryable: bool
) -> None:
    with pytest.raises(psycopg.Error) as caught:
        db.execute(f"do $$ begin raise exception 'it failed' using errcode = '{sqlstate}'; end $$")
    error = from_psycopg(caught.value)
    assert (type(error), error.sqlstate, error.retryable) == (kind, sqlstate, retryable)
    assert error.hint or not retryable
    assert isinstance(error, InvalidArgumentError) == sqlstate.startswith(("22", "54"))


def test_an_error_without_a_class_of_its_own_keeps_its_sqlstate(db: Connection) -> None:
    with pytest.raises(psycopg.Error) as caught:
        db.execute("select 1 from nowhere")
    error = from_psycopg(caught.value)
    assert type(error) is PgbraidError
    assert error.sqlstate == "42P01"
    assert "nowhere" in str(error)


def test_the_server_knows_who_is_connected(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def name(given: str) -> str:
        with pgbraid.connect(given) as client:
            row = client.connection.execute("select current_setting('application_name')").fetchone()
        assert row is not None
        return str(row[0])

    assert name(dsn) == "pgbraid"
    assert name(make_conninfo(dsn, application_name="mine")) == "mine"
    monkeypatch.setenv("PGAPPNAME", "ours")
    assert name(dsn) == "ours"
