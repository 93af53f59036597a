"""Provide the client: one method per SQL function, one statement per call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import psycopg

from pgbraid._dsn import find_dsn
from pgbraid._opening import opening
from pgbraid._threads import in_thread
from pgbraid.async_client.methods import Methods
from pgbraid.errors import InvalidArgumentError, NotSupportedError, from_psycopg

if TYPE_CHECKING:
    from pgbraid.async_client.standbys import Consistency
    from pgbraid.embedders.protocol import Embedder

__all__ = ["AsyncClient", "connect_async"]


@opening
async def connect_async(
    dsn: str | psycopg.AsyncConnection[Any] | None = None,
    tenant: str = "default",
    embedder: Embedder | Sequence[Embedder] | None = None,
    *,
    read_dsn: str | Sequence[str] | None = None,
    consistency: Consistency = "session",
) -> AsyncClient:
    """Connect to a database that has pgbraid. Write `async with connect_async() as client:`, or call `await
    connect_async()`, and `close()` at the end.

    `dsn` is a libpq URL or connection string; the default is PGBRAID_DSN, else the embedded server that `pgbraid init`
    created, started if needed. The connection is in autocommit mode: every call is its own transaction, except inside
    `client.transaction()`. For a cluster, give the address of any node: the client finds the tenant's node, and uses
    the addresses of PGBRAID_NODES if set. You may give an open psycopg connection instead; its transactions and closing
    remain yours.

    `embedder` turns text into vectors. Without one, the extra [local] embeds for collections of the offline model. Give
    several to serve several embedding models: each collection uses the embedder whose `model_name` is its embedding
    model. With the embedders of both models, searches work throughout a model change.

    `read_dsn` names one or more hot standbys of the database: searches and other reads use them in turn, and the
    primary while none can serve. With the consistency "session" reads see what this client has written; with "eventual"
    they do not wait for it: docs/guide/standbys.md. Without `dsn`, the default is PGBRAID_READ_DSN.

    Raise ConnectionLostError, ServerError, NotInstalledError, VersionMismatchError, PermissionDeniedError, and
    NotSupportedError for `read_dsn` on a cluster.
    """
    if isinstance(dsn, psycopg.AsyncConnection):
        if not dsn.closed and dsn.info.encoding != "utf-8":
            raise InvalidArgumentError(
                f"the connection's client_encoding is {dsn.info.parameter_status('client_encoding')}",
                hint="open the connection with client_encoding='utf8', or run on it: set client_encoding to utf8",
                sqlstate="22023",
            )
        client = AsyncClient(dsn, tenant, embedder, owns_connection=False)
    else:
        found = await in_thread(find_dsn, dsn)
        try:
            # Prepared statements do not survive a transaction pooler, and save nothing here.
            connection = await psycopg.AsyncConnection.connect(
                found,
                autocommit=True,
                prepare_threshold=None,
                client_encoding="utf8",
                fallback_application_name="pgbraid",
            )
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        client = AsyncClient(connection, tenant, embedder, owns_connection=True)
    try:
        is_new = client._session.owns_connection
        if await client._session.check_installation(is_new=is_new) and is_new:
            from pgbraid.async_client.nodes import find_node

            await find_node(client._session, found)
        read_dsn = read_dsn or (None if dsn else os.environ.get("PGBRAID_READ_DSN"))
        if read_dsn:
            if client._session.nodes is not None:
                raise NotSupportedError(
                    "standbys of a cluster's nodes cannot be read from",
                    hint="leave read_dsn (--read-dsn, PGBRAID_READ_DSN) out",
                )
            from pgbraid.async_client.standbys import standbys_of

            client._session.standbys = await standbys_of(client._session, read_dsn, consistency)
    except BaseException:
        await client.close()
        raise
    return client


class AsyncClient(Methods):
    """Work on one database as one tenant. `connect_async()` makes a client; `async with` or `close()` ends it.

    Errors of the database are raised as `PgbraidError`s by SQLSTATE, with the hint. Any call may raise
    ConnectionLostError, PermissionDeniedError (no such tenant, or a login without the grant) and ConflictError (a
    concurrent transaction conflicts). The description of each method names its further errors.
    """
