"""Test addresses of databases: the accepted forms, and passwords, which no error shows."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

import pgbraid
from pgbraid._dsn import usable_dsn
from pgbraid.cli import main
from pgbraid.errors import InvalidArgumentError, PgbraidError
from pgbraid.install import install

pytestmark = pytest.mark.any_version

SECRET = "topsecret"
UNREADABLE = [
    f"postgresql+psycopg://ana:{SECRET}%@127.0.0.1:1/db",
    f"postgresql://ana:{SECRET}%zz@127.0.0.1:1/db",
    f"postgresql://ana:a@{SECRET}@127.0.0.1:1/db",
    f"postgresql://ana:a/{SECRET}@127.0.0.1:1/db",
    f"postgresql://ana:{SECRET}@127.0.0.1:1/db?nonsense=1",
    f"postgresql://ana:{SECRET}@[::1/db",
    f"jdbc:postgresql://127.0.0.1:1/db?user=ana&password={SECRET}",
    f"mysql://ana:{SECRET}@127.0.0.1:1/db",
    f"host=127.0.0.1 port=1 user=ana password=a {SECRET}",
    f"host=127.0.0.1 port=1 password='{SECRET}",
    f"ana:{SECRET}@127.0.0.1/db",
]
UNREACHABLE = [
    f"postgresql+psycopg://ana:{SECRET}@127.0.0.1:1/db",
    f"postgresql+asyncpg://ana:{SECRET}@127.0.0.1:1/db",
    f"postgres+psycopg2://ana:{SECRET}@127.0.0.1:1/db",
    f"postgresql://ana:{SECRET}%25@127.0.0.1:1/db",
    f"postgresql://ana:a?{SECRET}#1@127.0.0.1:1/db",
    f"host=127.0.0.1 port=1 user=ana password={SECRET}",
]


def said_by(call: Callable[[], Any]) -> str:
    """Return the text and traceback of the error that a call raises."""
    with pytest.raises(PgbraidError) as caught:
        call()
    assert caught.value.hint
    return "".join(traceback.format_exception(caught.value))


def langchain(dsn: str) -> Any:
    from langchain_pgbraid import PgbraidVectorStore

    return PgbraidVectorStore(dsn=dsn).get_by_ids(["a"])


def llamaindex(dsn: str) -> Any:
    from llama_index.vector_stores.pgbraid import PgbraidVectorStore

    return PgbraidVectorStore(dsn=dsn).get_nodes(["a"])


def haystack(dsn: str) -> Any:
    from haystack.utils import Secret

    from haystack_integrations.document_stores.pgbraid import PgbraidDocumentStore

    return PgbraidDocumentStore(dsn=Secret.from_token(dsn)).count_documents()


ENTRIES: dict[str, Callable[[str], Any]] = {
    "connect": lambda dsn: pgbraid.connect(dsn),
    "install": lambda dsn: install(dsn),
    "LangChain": langchain,
    "LlamaIndex": llamaindex,
    "Haystack": haystack,
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("dsn", [*UNREADABLE, *UNREACHABLE])
def test_no_error_shows_a_password(entry: str, dsn: str) -> None:
    assert SECRET not in said_by(lambda: ENTRIES[entry](dsn))


@pytest.mark.parametrize("dsn", UNREADABLE)
def test_what_is_no_address_is_refused_with_the_right_form(dsn: str) -> None:
    with pytest.raises(InvalidArgumentError, match="cannot be read") as caught:
        usable_dsn(dsn)
    assert "postgresql://user:password@host:5432/database" in str(caught.value.hint)


@pytest.mark.parametrize("given", ["--dsn", "PGBRAID_DSN", "--read-dsn", "--source-dsn"])
@pytest.mark.parametrize("dsn", [*UNREADABLE, *UNREACHABLE[:1]])
def test_no_command_shows_a_password(
    given: str, dsn: str, dsn_of_a_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {
        "--dsn": ["status", "--dsn", dsn],
        "PGBRAID_DSN": ["search", "fox"],
        "--read-dsn": ["search", "fox", "--dsn", dsn_of_a_database, "--read-dsn", dsn],
        "--source-dsn": [
            "import",
            "t",
            "--text-column",
            "a",
            "--id-column",
            "b",
            "--dsn",
            dsn_of_a_database,
            "--source-dsn",
            dsn,
        ],
    }[given]
    if given == "PGBRAID_DSN":
        monkeypatch.setenv("PGBRAID_DSN", dsn)
    monkeypatch.setattr("sys.argv", ["pgbraid", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err
    # An unreachable standby is not used, and is no error.
    assert ended.value.code == (0 if given == "--read-dsn" and dsn in UNREACHABLE else 2)


@pytest.fixture(scope="module")
def dsn_of_a_database(shared_db: psycopg.Connection[Any]) -> str:
    return str(shared_db.info.dsn)


@pytest.mark.parametrize("driver", ["psycopg", "asyncpg", "psycopg2", "pg8000"])
@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_the_driver_of_an_sqlalchemy_url_is_left_out(scheme: str, driver: str) -> None:
    found = conninfo_to_dict(usable_dsn(f"{scheme}+{driver}://ana:p%25w@host:5433/db?sslmode=require"))
    assert found == conninfo_to_dict("postgresql://ana:p%25w@host:5433/db?sslmode=require")


def test_an_sqlalchemy_url_connects(dsn_of_a_database: str) -> None:
    parts = conninfo_to_dict(dsn_of_a_database)
    url = f"postgresql+psycopg://{parts['user']}@/{parts['dbname']}?host={parts['host']}&port={parts.get('port', 5432)}"
    with pgbraid.connect(url) as client:
        assert client.status()["collections"]


# The following tests cover the session's encodings and styles


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_the_client_speaks_utf8(dsn_of_a_database: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    monkeypatch.setenv("PGDATESTYLE", "German, DMY")
    with pgbraid.connect(f"{dsn_of_a_database} client_encoding={encoding}") as client:
        document = {"external_id": "łódź", "content": "“Łódź” naïve – 東京", "occurred_at": "2024-02-03Z"}
        client.add_documents([document])
        (found,) = client.search("東京")
        assert (found.external_id, found.content) == ("łódź", "“Łódź” naïve – 東京")
        assert found.occurred_at is not None and found.occurred_at.month == 2
        client.delete_documents(["łódź"])


def test_a_connection_of_another_encoding_is_refused(dsn_of_a_database: str) -> None:
    with psycopg.connect(dsn_of_a_database, client_encoding="latin1") as connection:
        with pytest.raises(InvalidArgumentError, match="client_encoding is LATIN1") as caught:
            pgbraid.connect(connection)
        assert "set client_encoding to utf8" in str(caught.value.hint)
        connection.execute("set client_encoding to utf8")
        pgbraid.connect(connection)
