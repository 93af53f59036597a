"""Provide databases without pgbraid, and servers that pgbraid has never used."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from pgbraid import embedded
from support import make_fast, temporary_folder


@pytest.fixture
def home() -> Iterator[Path]:
    """Yield a folder for an embedded server, which is stopped after the test. Other users cannot enter pytest's
    folders."""
    folder = temporary_folder()
    yield folder
    embedded.stop(folder)
    shutil.rmtree(folder)


@pytest.fixture
def cluster(home: Path, pg_version: int) -> embedded.Server:
    """Start a server that has no braid_* roles yet."""
    running = embedded.ensure_running(home, pg_version)
    make_fast(running)
    return running


@pytest.fixture
def bare_dsn(server: embedded.Server, make_login: Callable[..., str]) -> Iterator[Callable[..., str]]:
    """Return a function that creates an empty database on the shared server and returns its DSN:
    `bare_dsn(owner="postgres", options="")`. The fixture uses `make_login` so that the databases are dropped before
    the logins that own them."""
    created: list[str] = []

    def create(owner: str = "postgres", options: str = "") -> str:
        name = f"bare_{uuid.uuid4().hex[:8]}"
        create_database(server, name, owner, options)
        created.append(name)
        return server.dsn_for(name, owner)

    yield create
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        for name in created:
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def create_database(server: embedded.Server, name: str, owner: str = "postgres", options: str = "") -> None:
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        connection.execute(
            sql.SQL("create database {} owner {} " + options).format(sql.Identifier(name), sql.Identifier(owner))
        )
