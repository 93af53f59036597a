"""yoyo, on the installer's own connection and under its lock."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from yoyo import read_migrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import default_migration_table

from pgbraid.install.resources import MIGRATIONS
from pgbraid.install.roles import DatabaseRoles
from pgbraid.install.session import Notify, naming
from pgbraid.install.state import Connection

SCHEMA = "braid_store"


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]
    """Works through a connection that is given, whatever form of DSN it was made from."""

    schema = SCHEMA

    def __init__(self, connection: Connection, roles: DatabaseRoles) -> None:
        self._given = connection
        self._roles = roles
        super().__init__(DatabaseURI("postgresql+psycopg", *[None] * 5, {}), default_migration_table)

    def connect(self, dburi: DatabaseURI) -> Connection:
        return self._given

    @contextmanager
    def lock(self, timeout: float = 10) -> Iterator[None]:
        """yoyo's lock is a row that a crash leaves behind; the installer's advisory lock stands in for it."""
        yield

    def apply_one(self, migration: Any, force: bool = False, mark: bool = True) -> None:
        """Apply a migration and record it in the same transaction, so that no crash comes between the two."""
        with self.transaction():
            self.execute(f"set local role {self._roles.owner}")
            self._given.execute(self._roles.fill(Path(migration.path).read_text(encoding="utf-8")))
            self.execute("reset role")
            # A migration may leave its own path behind.
            self.execute(f"set local search_path to {SCHEMA}")
            self.mark_one(migration)

    def get_log_data(self, migration: Any = None, operation: str = "apply") -> dict[str, object]:
        """Without asking the network for this machine's full name, which may take seconds."""
        return {
            "id": str(uuid.uuid4()),
            "migration_id": migration.id if migration else None,
            "migration_hash": migration.hash if migration else None,
            "username": self._given.info.user,
            "hostname": socket.gethostname(),
            "created_at_utc": datetime.now(timezone.utc).replace(tzinfo=None),
            "operation": operation,
        }


def apply_pending(connection: Connection, roles: DatabaseRoles, notify: Notify) -> tuple[str, ...]:
    """Apply what the database lacks, each in its own transaction. Returns the names."""
    backend = _Backend(connection, roles)
    before = connection.execute("show search_path").fetchone()
    assert before is not None
    # The role owns yoyo's tables from the start: another installer of the same database can go on with them.
    connection.execute(f"set role {roles.owner}")
    try:
        backend.ensure_internal_schema_updated()
    finally:
        connection.execute("reset role")
    names = []
    for migration in backend.to_apply(read_migrations(str(MIGRATIONS))):
        with naming(f"migrations/{migration.id}.sql"):
            backend.apply_one(migration)
        notify(f"migration {migration.id} applied")
        names.append(migration.id)
    connection.execute("select set_config('search_path', %s, false)", before)
    return tuple(names)

