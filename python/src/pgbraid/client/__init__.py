# Generated from async_client/__init__.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""The client: one method per SQL function, one statement per call. Its parts are grouped as the functions are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg

from pgbraid._dsn import find_dsn
from pgbraid.client.arrangement import Arrangement
from pgbraid.client.collections import Collections
from pgbraid.client.documents import Documents
from pgbraid.client.embedding import Embedding
from pgbraid.client.explain import Explain
from pgbraid.client.maintenance import Maintenance
from pgbraid.client.model_migrations import ModelMigrations
from pgbraid.client.recall import Recall
from pgbraid.client.search import Search
from pgbraid.client.tenants import Tenants
from pgbraid.errors import from_psycopg

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["Client", "connect"]


def connect(
    dsn: str | psycopg.Connection[Any] | None = None,
    tenant: str = "default",
    embedder: Embedder | Sequence[Embedder] | None = None,
) -> Client:
    """Connect to a database that has pgbraid.

    `dsn` is a libpq URL or connection string, else the environment's PGBRAID_DSN, else the embedded server
    that `pgbraid init` created, started if need be. The connection is in autocommit mode: every call is its
    own transaction, unless inside `client.transaction()`. An open psycopg connection may be given instead;
    its transactions and its closing remain the caller's.

    `embedder` turns text into vectors. Without one, the offline model embeds for collections made for it, if
    the extra [local] is installed. Of several, each collection gets the one whose `model_name` is its
    embedding model: with those of both models, searches go on through a model migration.

    Raises ConnectionLostError, ServerError, NotInstalledError, VersionMismatchError, PermissionDeniedError.
    """
    if isinstance(dsn, psycopg.Connection):
        client = Client(dsn, tenant, embedder, owns_connection=False)
    else:
        found = find_dsn(dsn)
        try:
            # Prepared statements do not survive a transaction pooler, and save nothing here.
            connection = psycopg.Connection.connect(found, autocommit=True, prepare_threshold=None)
            _end_with_client(connection)
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        client = Client(connection, tenant, embedder, owns_connection=True)
    try:
        client._check_version()
    except BaseException:
        client.close()
        raise
    return client


def _end_with_client(connection: psycopg.Connection[Any]) -> None:
    """Have the server look, while it works on a statement, whether the client is still there: else it would work on for
    one that is gone."""
    # On some operating systems it cannot.
    with suppress(psycopg.DataError):
        connection.execute("select pg_catalog.set_config('client_connection_check_interval', '2s', false)")


class Client(
    Search, Arrangement, Recall, Explain, Documents, Embedding, Tenants, Collections, ModelMigrations, Maintenance
):
    """A tenant's view of one database. Use `connect()` to make one, and `with` or `close()` to
    end it.

    Errors of the database are raised as `PgbraidError`s by SQLSTATE, with its hint.
    """

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        tenant: str = "default",
        embedder: Embedder | Sequence[Embedder] | None = None,
        *,
        owns_connection: bool = False,
    ) -> None:
        self.connection = connection
        self.tenant = tenant
        self._embedders = ()
        if embedder is not None:
            self._embedders = embedder if isinstance(embedder, Sequence) else (embedder,)
        self._local = None
        self._owns_connection = owns_connection
        self._spaces = {}

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, if the client opened it."""
        if self._owns_connection:
            self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All calls inside are one transaction, or one savepoint inside the caller's."""
        try:
            with self.connection.transaction():
                yield
        except psycopg.Error as error:
            raise from_psycopg(error) from error
