# Generated from async_client/base.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Define the base class of the clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.pq import TransactionStatus

from pgbraid.client.session import Call, Session
from pgbraid.client.vector_spaces import VectorSpaces
from pgbraid.errors import RENAMED_METHODS, from_psycopg

if TYPE_CHECKING:
    from typing_extensions import Self

    from pgbraid.embedders.protocol import Embedder


class BaseClient:
    """Hold a connection, a tenant and embedders. Each method of the client is a function that takes a BaseClient."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        tenant: str = "default",
        embedder: Embedder | Sequence[Embedder] | None = None,
        *,
        owns_connection: bool = False,
    ) -> None:
        embedders = embedder if isinstance(embedder, Sequence) else [] if embedder is None else [embedder]
        self._session = Session(connection, tenant, owns_connection=owns_connection)
        self._spaces = VectorSpaces(self._session, embedders)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection if the client opened it, and all connections to standbys and to a cluster's nodes."""
        if self._session.standbys is not None:
            self._session.standbys.close()
        if self._session.nodes is not None:
            self._session.nodes.close()
        elif self._session.owns_connection:
            self.connection.close()

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """Return the psycopg connection that all calls use. If the client opened it, it is in autocommit mode and
        returns pgvector's types. On a cluster, it leads to the node of `tenant`, if that node is known yet."""
        return self._session.connection

    @property
    def tenant(self) -> str:
        """Return the tenant's key; assign another key to switch the tenant from the next call on."""
        return self._session.tenant

    @tenant.setter
    def tenant(self, tenant: str) -> None:
        self._session.tenant = tenant

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; for a renamed method, with its new name."""
            new = RENAMED_METHODS.get(name)
            hint = f"; its name is now: {new}" if new else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

    def _for_one_call(self) -> Self:
        """Return a view for a call of several statements: its tenant stays, and all its reads use one server."""
        view = copy(self)
        view._session = copy(self._session)
        view._session.call = self._session.call or Call()
        view._spaces = self._spaces.of_session(view._session)
        return view

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run all calls inside as one transaction, or one savepoint inside yours. An exception rolls them back.

        Raise ConcurrentUpgradeError if pgbraid is upgraded meanwhile, and on a cluster WrongNodeError if the tenant
        moves meanwhile; in both cases you may retry the transaction.
        """
        if self._session.nodes is not None and self.connection.info.transaction_status == TransactionStatus.IDLE:
            self._session.nodes.follow_tenant(self._session)
        try:
            with self.connection.transaction():
                yield
        except psycopg.Error as error:
            raise from_psycopg(error) from error
