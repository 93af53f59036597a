# Generated from async_client/nodes.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Find the cluster's node that has the tenant, and keep a connection to each node used."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus

from pgbraid.client.session import end_with_client
from pgbraid.errors import (
    InvalidArgumentError,
    PermissionDeniedError,
    VersionMismatchError,
    from_psycopg,
    node_named_by,
)
from pgbraid.install.compatibility import check_installed
from pgbraid.vectors import VECTOR_TYPES, register_vector_types

if TYPE_CHECKING:
    from pgbraid.client.session import Session

# A tenant may move once more while the client looks for it; a move ends after some seconds.
ATTEMPTS, PAUSE_SECONDS = 40, 0.25
ADDRESSES = "PGBRAID_NODES"


class Nodes:
    """Hold connections to nodes, shared by the views of a client that has opened its connection."""

    def __init__(self, dsn: str, connection: psycopg.Connection[Any]) -> None:
        self.dsn = dsn
        self.first = connection
        self.addresses = node_addresses(os.environ.get(ADDRESSES, ""))
        self.connections: dict[tuple[str, str], psycopg.Connection[Any]] = {}
        self.of_tenants: dict[str, tuple[str, str]] = {}
        # Held while a connection is opened, so that concurrent calls do not open it as well.
        self.lock = threading.Lock()

    def connection(self, tenant: str) -> psycopg.Connection[Any]:
        known = self.connections.get(self.of_tenants.get(tenant, ("", "")))
        return self.first if known is None or known.closed else known

    def fetch(self, session: Session, statement: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run a statement on the tenant's node. If the node refuses it because the tenant has moved, run it on the
        new node; the refused statement had no effect."""
        for _ in range(ATTEMPTS):
            asked = self.connection(session.tenant)
            try:
                return session.fetch_from(asked, statement, parameters)
            except psycopg.Error as error:
                detail = node_named_by(error)
                if detail is None or asked.info.transaction_status != TransactionStatus.IDLE:
                    raise
                if "host" not in detail:
                    asked.execute(f"select pg_catalog.pg_sleep({PAUSE_SECONDS})".encode())
                    continue
                named = (str(detail["host"]), str(detail["port"]))
                found = self._connection_to(named)
                if detail.get("definitions"):
                    return session.fetch_from(found, statement, parameters)
                self.of_tenants[session.tenant] = named
        return session.fetch_from(self.connection(session.tenant), statement, parameters)

    def follow_tenant(self, session: Session) -> None:
        """Find the tenant's node before calls that must share one connection."""
        with suppress(PermissionDeniedError):
            session.value("current_tenant_id")

    def _connection_to(self, named: tuple[str, str]) -> psycopg.Connection[Any]:
        with self.lock:
            known = self.connections.get(named)
            if known is None or known.closed:
                known = self.connections[named] = self.connect(named)
            return known

    def dsn_of(self, named: tuple[str, str]) -> str:
        host, port = self.addresses.get(named, named)
        return make_conninfo(self.dsn, host=host, port=port, hostaddr=None)

    def connect(self, named: tuple[str, str]) -> psycopg.Connection[Any]:
        host, port = self.addresses.get(named, named)
        try:
            connection = psycopg.Connection.connect(
                self.dsn_of(named),
                autocommit=True,
                prepare_threshold=None,
                client_encoding="utf8",
                fallback_application_name="pgbraid",
            )
            end_with_client(connection)
            # Each node has its own installation, and its own OIDs of types.
            cursor = connection.execute(
                f"select i.version, i.part_hashes, ({VECTOR_TYPES}) from braid_calls.read_installation() i".encode()
            )
            rows = cursor.fetchall()
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        version, part_hashes, types = rows[0] if rows else (None, {}, {})
        try:
            check_installed(version, part_hashes)
        except VersionMismatchError as error:
            connection.close()
            raise VersionMismatchError(
                f"{host}:{port}: {error.message}", hint="run at the coordinator: pgbraid distribute"
            ) from error
        register_vector_types(connection, types)
        return connection

    def close(self) -> None:
        for connection in (self.first, *self.connections.values()):
            connection.close()


def find_node(session: Session, dsn: str) -> None:
    """Make a session use its tenant's node, if the tenant exists."""
    session.nodes = nodes = Nodes(dsn, session.connection)
    nodes.follow_tenant(session)


def node_addresses(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Parse addresses of nodes that Citus knows by other addresses: `node:port=host:port`, separated by commas."""
    addresses = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        named, _, address = pair.partition("=")
        ends = [tuple(end.strip().rpartition(":")[::2]) for end in (named, address)]
        if any(not host or not port.isdigit() for host, port in ends):
            raise InvalidArgumentError(
                f"{ADDRESSES} has {pair!r}", hint="use node:port=host:port, with commas between them", sqlstate="22023"
            )
        addresses[ends[0]] = ends[1]
    return addresses  # type: ignore[return-value]
