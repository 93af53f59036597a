"""The database connections of the server, each used by one call at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from pgbraid._dsn import find_dsn
from pgbraid._threads import in_thread
from pgbraid.async_client import AsyncClient, connect_async
from pgbraid.embedders.offline import OfflineModel
from pgbraid.errors import ConnectionLostError, from_psycopg
from pgbraid.mcp_server.claims import ClaimingClient

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["Connections"]

# Calls that are at work at once; others wait, and are told after WAIT seconds that there are too many.
MOST_CONNECTIONS = 8
WAIT = 30.0


class Connections:
    """Lends clients, each with a connection of its own for the while; all share the embedders. `async with` opens and
    closes them.

    Raises what `connect_async` does, when it is opened.
    """

    def __init__(
        self, dsn: str | None = None, *, embedder: Embedder | Sequence[Embedder] | None = None, tenant: str = "default"
    ) -> None:
        self.tenant = tenant
        self._dsn = dsn
        given = embedder if isinstance(embedder, Sequence) else [] if embedder is None else [embedder]
        self._embedders: Sequence[Embedder] = given
        self._offline = OfflineModel()
        self._pool: AsyncConnectionPool[psycopg.AsyncConnection[Any]] | None = None

    async def __aenter__(self) -> Connections:
        dsn = await in_thread(find_dsn, self._dsn)
        # Says what is wrong, where a pool would only wait.
        await (await connect_async(dsn, self.tenant)).close()
        self._pool = AsyncConnectionPool(
            dsn,
            min_size=1,
            max_size=MOST_CONNECTIONS,
            timeout=WAIT,
            open=False,
            check=AsyncConnectionPool.check_connection,
            kwargs={"autocommit": True, "prepare_threshold": None},
        )
        await self._pool.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._pool is not None:
            await self._pool.close()

    @asynccontextmanager
    async def client(self, tenant: str, claims: Mapping[str, Any] | None = None) -> AsyncIterator[AsyncClient]:
        """A client that acts for the tenant, until the end of the block. A login that is a gateway gets its tenant
        from `claims`, those of a verified token.

        Raises ConnectionLostError if none is free.
        """
        assert self._pool is not None
        try:
            async with self._pool.connection() as connection:
                if claims is None:
                    client = AsyncClient(connection, tenant, self._embedders)
                else:
                    client = ClaimingClient(connection, tenant, self._embedders, claims)
                # Loaded once for all.
                client._spaces._local = [self._offline]
                yield client
        except PoolTimeout as error:
            raise ConnectionLostError(
                f"no database connection was free within {WAIT:.0f} seconds",
                hint="try again; if it stays so, the database is down or has too much to do",
            ) from error
        except psycopg.Error as error:
            raise from_psycopg(error) from error
