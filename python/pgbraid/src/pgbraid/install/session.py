"""Open the installer's connection: pin settings, take its lock, and translate errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import psycopg

from pgbraid._dsn import usable_dsn
from pgbraid.errors import InstallationError, from_psycopg
from pgbraid.install.state import INSTALLATION, Connection, allowed, exists

Result = TypeVar("Result")
Notify = Callable[[str], None]

# The installer tries again after conflicts that pass: with transactions on changed objects, and with another first
# installation. That may run in another database, because roles and the lock table belong to the whole cluster. The
# timeout frees sessions that queue behind the installer. It is shorter than deadlock_timeout, so that in a deadlock the
# installer gives up.
LOCK_TIMEOUT = "500ms"
ATTEMPTS = 20
LOCK_NOT_AVAILABLE = "55P03"
INTERNAL_ERROR = "XX000"  # such as: tuple concurrently updated
OUT_OF_MEMORY = "53200"  # the lock table is full
RETRIED = (LOCK_NOT_AVAILABLE, "40P01", "23505", INTERNAL_ERROR, OUT_OF_MEMORY)
# Attempts with a full lock table if no other installation is seen that fills it.
ROOM_ATTEMPTS = 3

# The result must not depend on the session's settings, nor on settings by `alter role` or `alter database`.
PINNED = {
    # With another search_path, an object planted in one of its schemas could be called with the installer's rights.
    "search_path": "pg_catalog, pg_temp",
    "client_min_messages": "warning",
    "standard_conforming_strings": "on",
    "check_function_bodies": "off",
    "transform_null_equals": "off",
    "array_nulls": "on",
    "quote_all_identifiers": "off",
    "row_security": "on",
    "default_table_access_method": "heap",
    "default_tablespace": "",
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "plpgsql.extra_errors": "none",
    "plpgsql.extra_warnings": "none",
}
SETTINGS = {
    **PINNED,
    "client_encoding": "UTF8",
    "default_transaction_read_only": "off",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "transaction_timeout": "0",
    "default_transaction_isolation": "read committed",
    # Each node of a cluster is installed separately. Without Citus, the setting has no effect.
    "citus.enable_ddl_propagation": "off",
}

# Sessions with locks on pgbraid's tables. A prepared transaction has no process.
HOLDERS = """
select distinct coalesce('process ' || l.pid, 'a prepared transaction')
from pg_catalog.pg_locks l
join pg_catalog.pg_class c on c.oid = l.relation
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
  and n.nspname in ('braid', 'braid_store') and l.granted and l.pid is distinct from pg_catalog.pg_backend_pid()
order by 1
limit 10
"""

# An installation holds a lock on each of its functions.
OTHER_INSTALLATION = """
select exists (
  select from pg_catalog.pg_locks l
  where l.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and l.pid is distinct from pg_catalog.pg_backend_pid()
  group by l.pid
  having count(*) > 100)
"""


@contextmanager
def installer_session(dsn: str) -> Iterator[Connection]:
    """Yield a connection in autocommit mode, with SETTINGS."""
    dsn = usable_dsn(dsn)
    try:
        # A prepared statement would change its meaning while schemas are being made.
        connection = psycopg.connect(
            dsn,
            autocommit=True,
            prepare_threshold=None,
            client_encoding="utf8",
            fallback_application_name="pgbraid install",
        )
    except psycopg.Error as error:
        raise from_psycopg(error) from error
    with connection:
        try:
            for name, value in SETTINGS.items():
                # pg_settings is not read, as any login can lock it: everybody may update it.
                if name != "transaction_timeout" or connection.info.server_version >= 170000:
                    connection.execute("select set_config(%s, %s, false)", (name, value))
            yield connection
        except psycopg.Error as error:
            raise from_psycopg(error) from error


def in_transaction(connection: Connection, work: Callable[[], Result], notify: Notify) -> Result:
    """Run `work` in one transaction; retry it on conflicts with other sessions."""
    waiting = False
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with connection.transaction():
                set_timeout(connection)
                return work()
        except psycopg.Error as error:
            if error.sqlstate not in RETRIED:
                raise
            if error.sqlstate == INTERNAL_ERROR and "concurrently" not in str(error):
                raise
            if error.sqlstate == LOCK_NOT_AVAILABLE:
                holders = ", ".join(name for (name,) in connection.execute(HOLDERS)) or "another session"
                if attempt == ATTEMPTS:
                    raise InstallationError(
                        f"a lock could not be taken in {ATTEMPTS} tries: {holders} uses pgbraid's tables",
                        hint="end long transactions (see pg_stat_activity and pg_prepared_xacts) and run the same"
                        " command again; nothing has been changed",
                        sqlstate=error.sqlstate,
                    ) from error
                if not waiting:
                    notify(f"waiting for transactions to end: {holders}")
                    waiting = True
            elif error.sqlstate == OUT_OF_MEMORY:
                row = connection.execute(OTHER_INSTALLATION).fetchone()
                if attempt == ATTEMPTS or (attempt >= ROOM_ATTEMPTS and row == (False,)):
                    known = from_psycopg(error)
                    raise InstallationError(known.message, hint=known.hint, sqlstate=error.sqlstate) from error
            elif attempt == ATTEMPTS:
                raise
        time.sleep(min(0.05 * attempt, 1))
    raise AssertionError


def set_timeout(connection: Connection, lock_timeout: str = LOCK_TIMEOUT) -> None:
    connection.execute("select set_config('lock_timeout', %s, true)", (lock_timeout,))


def lock_installation(connection: Connection, notify: Notify) -> None:
    """Lock the installation, so that one installer works at a time. A login without the owner's rights can neither take
    this lock nor wait for it when reading. For first installations, unique keys of PostgreSQL's catalogs let one
    proceed."""
    if not exists(connection, INSTALLATION) or not allowed(connection, INSTALLATION, "UPDATE"):
        return
    lock = f"lock table {INSTALLATION} in exclusive mode"
    try:
        with connection.transaction():
            connection.execute(f"{lock} nowait")
    except psycopg.errors.LockNotAvailable:
        notify("waiting for another installation to finish")
        set_timeout(connection, "60s")
        connection.execute(lock)
        set_timeout(connection)
