"""yoyo, which orders and records the migrations, in the installer's transaction and under its lock."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any

from yoyo import internalmigrations, read_migrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import default_migration_table, topological_sort

from pgbraid.install import resources
from pgbraid.install.roles import DatabaseRoles
from pgbraid.install.session import naming
from pgbraid.install.state import Connection

SCHEMA = "braid_store"


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]
    """Works through a connection that is given, in the transaction that it is in. begin.sql has made the tables."""

    def __init__(self, connection: Connection, roles: DatabaseRoles) -> None:
        self._given = connection
        self._roles = roles
        super().__init__(DatabaseURI("postgresql+psycopg", *[None] * 5, {}), default_migration_table)

    def connect(self, dburi: DatabaseURI) -> Connection:
        return self._given

    def init_connection(self, connection: Connection) -> None:
        connection.execute(f"set local search_path to {SCHEMA}")

    @contextmanager
    def transaction(self, rollback_on_exit: bool = False) -> Iterator[None]:
        yield

    def ensure_internal_schema_updated(self) -> None:
        if internalmigrations.needs_upgrading(self):
            self.execute(f"set local role {self._roles.owner}")
            internalmigrations.upgrade(self)
            self.execute("reset role")

    def apply_one(self, migration: Any, force: bool = False, mark: bool = True) -> None:
        with open(migration.path, encoding="utf-8") as file:
            text = self._roles.fill(file.read())
        with naming(f"migrations/{migration.id}.sql"):
            self.execute(f"set local role {self._roles.owner}")
            self._given.execute(text)
            # A migration may leave its own role and path behind.
            self.execute("reset role")
            self.init_connection(self._given)
        self.mark_one(migration, log=False)
        self.log_migration(migration, "apply")

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


def in_order() -> list[Any]:
    return list(topological_sort(read_migrations(str(resources.ROOT / "migrations"))))


def apply_pending(connection: Connection, roles: DatabaseRoles) -> tuple[str, ...]:
    """Apply what the database lacks. Returns the names."""
    backend = _Backend(connection, roles)
    pending = list(backend.to_apply(read_migrations(str(resources.ROOT / "migrations"))))
    for migration in pending:
        backend.apply_one(migration)
    connection.execute("set local search_path to pg_catalog, pg_temp")
    return tuple(str(migration.id) for migration in pending)
