"""The installer's connection: settings that make its work predictable, the lock, and readable errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import psycopg

from pgbraid.errors import InstallationError, from_psycopg
from pgbraid.install.state import Connection

Result = TypeVar("Result")
Notify = Callable[[str], None]

# "pgbraid" in ASCII, shifted to fill a bigint.
LOCK_KEY = int.from_bytes(b"pgbraid\0", "big")
MINIMUM_SERVER = 160000

# Two installs in different databases that change the same role: the lock is a database's, roles are the cluster's.
RETRIED = (psycopg.errors.InternalError_, psycopg.errors.DeadlockDetected, psycopg.errors.UniqueViolation)
ATTEMPTS = 10

SETTINGS = {
    # An object planted in another schema of the path could be called with the installer's rights.
    "search_path": "pg_catalog, pg_temp",
    # Waiting for a long transaction, with everyone else queueing behind, is worse than giving up.
    "lock_timeout": "30s",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "transaction_timeout": "0",
    "default_transaction_isolation": "read committed",
    "client_min_messages": "warning",
}


@contextmanager
def installer_session(dsn: str, notify: Notify) -> Iterator[Connection]:
    """A connection in autocommit mode that holds the installation lock."""
    try:
        # Not prepared: what a statement means changes while schemas are being made.
        connection = psycopg.connect(
            dsn, autocommit=True, prepare_threshold=None, fallback_application_name="pgbraid install"
        )
    except psycopg.Error as error:
        raise from_psycopg(error) from error
    with connection:
        try:
            _check_server(connection)
            for name, value in SETTINGS.items():
                connection.execute(
                    "select set_config(name, %s, false) from pg_catalog.pg_settings where name = %s", (value, name)
                )
            _lock(connection, notify)
            yield connection
        except psycopg.errors.LockNotAvailable as error:
            raise InstallationError(
                "a lock was not to be had within 30 seconds: another session is using pgbraid's tables",
                hint="end long transactions (see pg_stat_activity) and run the same command again; nothing is lost",
                sqlstate=error.sqlstate,
            ) from error
        except psycopg.Error as error:
            raise from_psycopg(error) from error


def _check_server(connection: Connection) -> None:
    version = connection.info.server_version
    if version < MINIMUM_SERVER:
        raise InstallationError(
            f"the server is PostgreSQL {version // 10000}; pgbraid needs 16 or newer",
            hint="upgrade the server, or use the embedded one: run pgbraid without --dsn and PGBRAID_DSN",
        )
    row = connection.execute("select pg_is_in_recovery(), current_setting('server_encoding')").fetchone()
    assert row is not None
    if row[0]:
        raise InstallationError("the server is a read-only standby", hint="install on the primary; standbys follow")
    if row[1] != "UTF8":
        raise InstallationError(
            f"the database's encoding is {row[1]}; pgbraid needs UTF8",
            hint="create the database with: create database … encoding 'UTF8' template template0",
        )


def _lock(connection: Connection, notify: Notify) -> None:
    """Wait for the lock, which the server releases when this connection ends, however it ends."""
    waiting = False
    while True:
        row = connection.execute("select pg_try_advisory_lock(%s)", (LOCK_KEY,)).fetchone()
        if row and row[0]:
            return
        if not waiting:
            notify("waiting for another installation to finish")
            waiting = True
        time.sleep(0.2)


def retrying(work: Callable[[], Result]) -> Result:
    """Run a transaction again if it met an install in another database."""
    for attempt in range(1, ATTEMPTS):
        try:
            return work()
        except RETRIED as error:
            if isinstance(error, psycopg.errors.InternalError_) and "concurrently" not in str(error):
                raise
        time.sleep(0.05 * attempt)
    return work()


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Say which file an error comes from, keeping its SQLSTATE and hint. Errors worth a retry pass unchanged."""
    try:
        yield
    except (*RETRIED, psycopg.errors.LockNotAvailable):
        raise
    except psycopg.Error as error:
        known = from_psycopg(error)
        raise InstallationError(
            f"{file}: {known.message}", hint=known.hint, sqlstate=known.sqlstate
        ) from error
