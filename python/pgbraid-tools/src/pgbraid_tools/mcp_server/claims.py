"""Make calls for the tenant named in a token."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import psycopg

from pgbraid.async_client import AsyncClient
from pgbraid.async_client.session import Session
from pgbraid.async_client.vector_spaces import VectorSpaces

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["ClaimingClient"]


class ClaimingClient(AsyncClient):
    """Send the claims of a verified token with each statement, in its transaction; a gateway login takes its tenant
    from them.

    A pooler may give the next statement another server connection, and this connection to another caller.
    """

    def __init__(
        self,
        connection: psycopg.AsyncConnection[Any],
        tenant: str,
        embedders: Sequence[Embedder],
        claims: Mapping[str, Any],
    ) -> None:
        super().__init__(connection, tenant, embedders)
        self._session = _ClaimingSession(connection, tenant, json.dumps(claims))
        self._spaces = VectorSpaces(self._session, embedders)


class _ClaimingSession(Session):
    def __init__(self, connection: psycopg.AsyncConnection[Any], tenant: str, claims: str) -> None:
        super().__init__(connection, tenant, owns_connection=False)
        self._claims = claims

    async def _fetch(
        self, functions: str | tuple[str, ...], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        async with self.connection.transaction():
            await self.connection.execute(
                "select pg_catalog.set_config('request.jwt.claims', %s, true)", [self._claims], prepare=False
            )
            return await super()._fetch(functions, statement, parameters)
