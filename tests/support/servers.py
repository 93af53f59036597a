"""Start servers for tests."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from pytest_postgresql.janitor import DatabaseJanitor

from pgbraid import embedded
from pgbraid.install import install
from support.waiting import until

# A test of the state after a crash must not use these settings: a killed process can leave half a page written.
FAST_SETTINGS = {"fsync": "off", "full_page_writes": "off"}
# Autovacuum is on but sleeps for 20 days, so results do not depend on when it ran.
SETTINGS = {**FAST_SETTINGS, "autovacuum_naptime": "20d"}
# Databases are dropped while the next test runs: PostgreSQL waits a tenth of a second for sessions that are ending.
_dropping = ThreadPoolExecutor(max_workers=1)
_drops: list[Future[None]] = []


def make_fast(server: embedded.Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        for name, value in SETTINGS.items():
            connection.execute(sql.SQL("alter system set {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        connection.execute("select pg_reload_conf()")


class Templates:
    """Provide a server's databases with pgbraid freshly installed, one for each choice of parts."""

    def __init__(self, server: embedded.Server) -> None:
        self._server = server
        self._names: dict[frozenset[str], str] = {}

    def name(self, parts: frozenset[str]) -> str:
        """Return the name of the database with these parts."""
        if parts not in self._names:
            name = f"template_{len(self._names)}"
            address = conninfo_to_dict(self._server.dsn_for(name))
            DatabaseJanitor(
                user=str(address["user"]), host=str(address["host"]), port=str(address["port"]), dbname=name
            ).init()
            install(self._server.dsn_for(name), only=["core", *sorted(parts)])
            self._names[parts] = name
        return self._names[parts]


@contextmanager
def clone(server: embedded.Server, template: str) -> Iterator[str]:
    """Copy a database, yield the copy's name and drop it at the end."""
    name = f"clone_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        # file_copy takes half the work of the default, which writes every page to the log. Its checkpoints cost little
        # without
        # fsync.
        create = sql.SQL("create database {} template {} strategy file_copy")
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
    try:
        yield name
    finally:
        _drops.append(_dropping.submit(_drop, server, name))
        for done in [drop for drop in _drops if drop.done()]:
            _drops.remove(done)
            done.result()


def _drop(server: embedded.Server, name: str) -> None:
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def finish_drops() -> None:
    """Wait for pending drops; call this before a server stops."""
    while _drops:
        _drops.pop().result()


def temporary_folder() -> Path:
    """Make a folder that a server's OS user can enter, in memory if there is plenty.

    A cluster has a thousand files, and tests make and remove many clusters.
    """
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 4 << 30
    return Path(tempfile.mkdtemp(prefix="pgbraid-test-", dir=memory if roomy else None))


@contextmanager
def durable_server(version: int) -> Iterator[embedded.Server]:
    """Run a server with a user's settings, on disk; after a failure its files stay for examination."""
    folder = Path("/var/tmp")
    data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-test-", dir=folder if folder.is_dir() else None))
    is_kept = False
    try:
        server = embedded.ensure_running(data_dir, version)
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            for name in (*FAST_SETTINGS, "synchronous_commit"):
                assert connection.execute(f"show {name}").fetchone() == ("on",), name
        yield server
    except Exception:
        is_kept = True
        print(f"The cluster is kept in {data_dir}")
        raise
    finally:
        embedded.stop(data_dir)
        if not is_kept:
            shutil.rmtree(data_dir)


def kill_sleeping(dsn: str) -> None:
    """Kill a backend in pg_sleep() and thereby crash the server; wait until the server has recovered."""
    sleeping = "select pid from pg_stat_activity where wait_event = 'PgSleep'"
    with psycopg.connect(dsn, autocommit=True) as db:
        until(lambda: db.execute(sleeping).rowcount)
        ((pid,), *_) = db.execute(sleeping).fetchall()
        os.kill(pid, signal.SIGKILL)
        # The server ends all sessions once it notices the crash, and accepts new ones until then.
        with suppress(psycopg.OperationalError):
            until(lambda: db.execute("select").closed)
    connect_again(dsn).close()


def connect_again(dsn: str) -> psycopg.Connection[Any]:
    """Connect as soon as a killed server accepts connections again."""
    opened: list[psycopg.Connection[Any]] = []

    def is_open() -> bool:
        with suppress(psycopg.OperationalError):
            opened.append(psycopg.connect(dsn, autocommit=True))
        return bool(opened)

    until(is_open)
    return opened[0]
