"""The client: one method per SQL function, one statement per call. Its parts are grouped as the functions are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg

from pgbraid._dsn import find_dsn
from pgbraid._threads import in_thread
from pgbraid.async_client.arrangement import Arrangement
from pgbraid.async_client.collections import Collections
from pgbraid.async_client.documents import Documents
from pgbraid.async_client.embedding import Embedding
from pgbraid.async_client.explain import Explain
from pgbraid.async_client.maintenance import Maintenance
from pgbraid.async_client.model_migrations import ModelMigrations
from pgbraid.async_client.recall import Recall
from pgbraid.async_client.search import Search
from pgbraid.async_client.tenants import Tenants
from pgbraid.errors import from_psycopg

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["AsyncClient", "connect_async"]


async def connect_async(
    dsn: str | psycopg.AsyncConnection[Any] | None = None,
    tenant: str = "default",
    embedder: Embedder | Sequence[Embedder] | None = None,
) -> AsyncClient:
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
    if isinstance(dsn, psycopg.AsyncConnection):
        client = AsyncClient(dsn, tenant, embedder, owns_connection=False)
    else:
        found = await in_thread(find_dsn, dsn)
        try:
            # Prepared statements do not survive a transaction pooler, and save nothing here.
            connection = await psycopg.AsyncConnection.connect(found, autocommit=True, prepare_threshold=None)
            await _end_with_client(connection)
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        client = AsyncClient(connection, tenant, embedder, owns_connection=True)
    try:
        await client._check_version()
    except BaseException:
        await client.close()
        raise
    return client


async def _end_with_client(connection: psycopg.AsyncConnection[Any]) -> None:
    """Have the server look, while it works on a statement, whether the client is still there: else it would work on for
    one that is gone."""
    # On some operating systems it cannot.
    with suppress(psycopg.DataError):
        await connection.execute("select pg_catalog.set_config('client_connection_check_interval', '2s', false)")


class AsyncClient(
    Search, Arrangement, Recall, Explain, Documents, Embedding, Tenants, Collections, ModelMigrations, Maintenance
):
    """A tenant's view of one database. Use `connect_async()` to make one, and `async with` or `close()` to
    end it.

    Errors of the database are raised as `PgbraidError`s by SQLSTATE, with its hint.
    """

    def __init__(
        self,
        connection: psycopg.AsyncConnection[Any],
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

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection, if the client opened it."""
        if self._owns_connection:
            await self.connection.close()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """All calls inside are one transaction, or one savepoint inside the caller's."""
        try:
            async with self.connection.transaction():
                yield
        except psycopg.Error as error:
            raise from_psycopg(error) from error
