# Generated from async_client/base.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""A tenant's view of one database: what the methods of the client have in common."""

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
    """A connection, a tenant and embedders. Each method of the client is a function that takes one of these."""

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
        """Close the connection, if the client opened it, and those to standbys and to a cluster's nodes."""
        if self._session.standbys is not None:
            self._session.standbys.close()
        if self._session.nodes is not None:
            self._session.nodes.close()
        elif self._session.owns_connection:
            self.connection.close()

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """The psycopg connection that all calls use. If the client opened it, it is in autocommit mode and gives
        pgvector's types. On a cluster, the one to the node of `tenant`, as far as that is known."""
        return self._session.connection

    @property
    def tenant(self) -> str:
        """The key of the tenant that calls are for; the next call is for the one assigned."""
        return self._session.tenant

    @tenant.setter
    def tenant(self, tenant: str) -> None:
        self._session.tenant = tenant

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError, with the new name of a method that was renamed."""
            new = RENAMED_METHODS.get(name)
            hint = f"; its name is now: {new}" if new else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

    def _for_one_call(self) -> Self:
        """For a call of several statements: a tenant that is assigned meanwhile is for the next call, and all reads are
        from one server."""
        view = copy(self)
        view._session = copy(self._session)
        view._session.call = self._session.call or Call()
        view._spaces = self._spaces.of_session(view._session)
        return view

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All calls inside are one transaction, or one savepoint inside the caller's. An exception undoes them.

        Raises ConcurrentUpgradeError if pgbraid is upgraded meanwhile, and on a cluster WrongNodeError if the tenant
        moves meanwhile; the transaction may be repeated.
        """
        if self._session.nodes is not None and self.connection.info.transaction_status == TransactionStatus.IDLE:
            self._session.nodes.follow_tenant(self._session)
        try:
            with self.connection.transaction():
                yield
        except psycopg.Error as error:
            raise from_psycopg(error) from error
