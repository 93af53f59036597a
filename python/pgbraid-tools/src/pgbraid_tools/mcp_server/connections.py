"""Manage the server's database connections, each used by one call at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from pgbraid._dsn import find_dsn
from pgbraid._threads import in_thread
from pgbraid.async_client import AsyncClient, connect_async
from pgbraid.async_client.nodes import ATTEMPTS, PAUSE_SECONDS
from pgbraid.embedders.model_files import OFFLINE_MODELS
from pgbraid.embedders.offline import OfflineModel
from pgbraid.errors import ConnectionLostError, PgbraidError, WrongNodeError, from_psycopg
from pgbraid_tools.mcp_server.claims import ClaimingClient

if TYPE_CHECKING:
    from pgbraid.async_client.routing import NodeRouting
    from pgbraid.async_client.session import Session
    from pgbraid.embedders.protocol import Embedder

__all__ = ["Connections"]

# The maximum of concurrent calls on each cluster node. Other calls wait, and fail after WAIT seconds.
MOST_CONNECTIONS = 8
WAIT = 30.0


class Connections:
    """Lend clients, each with exclusive use of a connection; all clients share the embedders. On a cluster, the
    connection goes to the node of the client's tenant. `async with` opens and closes the pools.

    Opening raises the errors of `connect_async`.
    """

    def __init__(
        self, dsn: str | None = None, *, embedder: Embedder | Sequence[Embedder] | None = None, tenant: str = "default"
    ) -> None:
        self.tenant = tenant
        self._dsn = dsn
        given = embedder if isinstance(embedder, Sequence) else [] if embedder is None else [embedder]
        self._embedders: Sequence[Embedder] = given
        self._offline: list[Embedder] = [OfflineModel(name) for name in OFFLINE_MODELS]
        # On a cluster, _nodes knows the nodes, and _of_tenants where each tenant was found. None is the node of the
        # DSN.
        self._nodes: NodeRouting[Session] | None = None
        self._of_tenants: dict[str, tuple[str, str] | None] = {}
        self._pools: dict[tuple[str, str] | None, AsyncConnectionPool[psycopg.AsyncConnection[Any]]] = {}
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Connections:
        dsn = await in_thread(find_dsn, self._dsn)
        # A direct connection reports what is wrong, where a pool would only wait.
        client = await connect_async(dsn, self.tenant)
        self._nodes = client._session.nodes
        await client.close()
        self._pools[None] = await _opened(dsn)
        return self

    async def __aexit__(self, *_: object) -> None:
        for pool in self._pools.values():
            await pool.close()

    @asynccontextmanager
    async def client(self, tenant: str, claims: Mapping[str, Any] | None = None) -> AsyncIterator[AsyncClient]:
        """Lend a client that acts for the tenant until the end of the block. A gateway login takes its tenant from
        `claims`, the claims of a verified token.

        Raise ConnectionLostError if no connection is free.
        """
        try:
            async with AsyncExitStack() as lent:
                yield await self._lend(lent, tenant, claims)
        except PoolTimeout as error:
            raise ConnectionLostError(
                f"no database connection was free within {WAIT:.0f} seconds",
                hint="try again; if the error stays, check whether the database is down or overloaded",
            ) from error
        except psycopg.Error as error:
            raise from_psycopg(error) from error

    async def _lend(self, lent: AsyncExitStack, tenant: str, claims: Mapping[str, Any] | None) -> AsyncClient:
        for _ in range(ATTEMPTS):
            node = self._of_tenants.get(tenant)
            connection = await lent.enter_async_context((await self._pool(node)).connection())
            if claims is None:
                client = AsyncClient(connection, tenant, self._embedders)
            else:
                client = ClaimingClient(connection, tenant, self._embedders, claims)
            # All clients share the offline models, so that each is loaded once.
            client._spaces._local = self._offline
            if self._nodes is None:
                return client
            try:
                await client._session.value("current_tenant_id")
            except WrongNodeError as error:
                await lent.aclose()
                if error.host is None:
                    await asyncio.sleep(PAUSE_SECONDS)
                else:
                    self._of_tenants[tenant] = (error.host, str(error.port))
                continue
            except PgbraidError:
                # The call itself reports the error.
                pass
            return client
        raise ConnectionLostError(f'the node of tenant "{tenant}" was not found', hint="try again")

    async def _pool(self, node: tuple[str, str] | None) -> AsyncConnectionPool[psycopg.AsyncConnection[Any]]:
        async with self._opening:
            if node not in self._pools:
                assert self._nodes is not None and node is not None
                # A direct connection reports what is wrong, as above.
                await (await self._nodes.connect(node)).close()
                self._pools[node] = await _opened(self._nodes.dsn_of(node))
            return self._pools[node]


async def _opened(dsn: str) -> AsyncConnectionPool[psycopg.AsyncConnection[Any]]:
    pool = AsyncConnectionPool(
        dsn,
        min_size=1,
        max_size=MOST_CONNECTIONS,
        timeout=WAIT,
        open=False,
        check=AsyncConnectionPool.check_connection,
        kwargs={"autocommit": True, "prepare_threshold": None, "client_encoding": "utf8"},
    )
    await pool.open()
    return pool
