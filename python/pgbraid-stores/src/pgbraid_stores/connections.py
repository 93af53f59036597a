"""Manage the connections of a store, opened on demand and each used by one call at a time."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING, Any

import psycopg

from pgbraid.async_client import AsyncClient, connect_async
from pgbraid.client import Client, connect
from pgbraid.embedders.model_files import OFFLINE_MODELS
from pgbraid.embedders.offline import OfflineModel

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["Connections"]

# The maximum of concurrent calls of a store, in threads and in each event loop; further calls wait.
MOST_CONNECTIONS = 8
# The maximum of reads from an idle connection; one with more pending data is closed.
MOST_READS = 10


# A forked process must leave these connections to its parent. Inherited ones are kept referenced here, so that they are
# never closed or collected.
_all_connections: weakref.WeakSet[Connections] = weakref.WeakSet()
_of_parents: list[object] = []


class _LoopClients:
    """Hold the idle clients of one event loop; a connection belongs to the loop that opened it."""

    def __init__(self) -> None:
        self.idle: list[AsyncClient] = []
        self.places = asyncio.Semaphore(MOST_CONNECTIONS)


class Connections:
    """Lend clients of one tenant, which share an embedder. `dsn` is as in `pgbraid.connect`.

    The first use of a client raises the errors of `pgbraid.connect`. A copy, an unpickled object and a forked process
    open their own connections.
    """

    def __init__(self, dsn: str | None = None, tenant: str = "default", embedder: Embedder | None = None) -> None:
        self.dsn = dsn
        self.tenant = tenant
        self.embedder = embedder
        # All clients share the offline models, so that each is loaded once.
        self._offline: list[Embedder] = [OfflineModel(name) for name in OFFLINE_MODELS]
        self._idle: list[Client] = []
        self._loops: dict[asyncio.AbstractEventLoop, _LoopClients] = {}
        self._make_locks()
        self._finalizer = weakref.finalize(self, _close_all, self._idle, self._loops)
        _all_connections.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.dsn, self.tenant, self.embedder)

    def _make_locks(self) -> None:
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._loops_lock = threading.Lock()

    def _after_fork(self) -> None:
        """Leave open connections to the parent; closing them here would end its sessions. New locks are needed,
        because the threads that hold the old ones do not exist in this process."""
        _of_parents.extend((self._idle[:], dict(self._loops)))
        self._idle.clear()
        self._loops.clear()
        self._make_locks()

    @contextmanager
    def client(self) -> Iterator[Client]:
        """Lend a client until the end of the block."""
        process = os.getpid()
        with self._places:
            client = self._take(self._idle)
            if client is None:
                client = connect(self.dsn, self.tenant, self.embedder)
                client._spaces._local = self._offline
            try:
                yield client
            finally:
                self._give_back(client, self._idle, process)

    @asynccontextmanager
    async def async_client(self) -> AsyncIterator[AsyncClient]:
        """Lend an asynchronous client of the running event loop until the end of the block."""
        process = os.getpid()
        clients = self._of_this_loop()
        async with clients.places:
            client = self._take(clients.idle)
            if client is None:
                client = await connect_async(self.dsn, self.tenant, self.embedder)
                client._spaces._local = self._offline
            try:
                yield client
            finally:
                self._give_back(client, clients.idle, process)

    def close(self) -> None:
        """Close the idle connections, including connections of all event loops. The next call opens a new one."""
        _close_all(self._idle, self._loops)

    def _of_this_loop(self) -> _LoopClients:
        running = asyncio.get_running_loop()
        with self._loops_lock:
            for loop in [loop for loop in self._loops if loop.is_closed()]:
                _close(self._loops.pop(loop).idle)
            return self._loops.setdefault(running, _LoopClients())

    @staticmethod
    def _take(idle: list[Any]) -> Any:
        # list.pop and list.append are atomic, so no lock is needed.
        while idle:
            try:
                client = idle.pop()
            except IndexError:
                return None
            if _is_alive(client):
                return client
        return None

    @staticmethod
    def _give_back(client: Any, idle: list[Any], process: int) -> None:
        if os.getpid() != process:
            # The process was forked within the block, for example by an embedder.
            _of_parents.append(client)
            return
        # A cancelled call may have left the connection in the middle of a statement.
        if client.connection.closed or client.connection.info.transaction_status != 0:
            _close([client])
        else:
            idle.append(client)


def _is_alive(client: Any) -> bool:
    """Return whether the server has kept the idle connection open. Ask only the socket, without a round trip."""
    connection = client.connection.pgconn
    with DefaultSelector() as selector:
        # Changed settings and notices may have arrived before the end of the connection, so read past them.
        for _ in range(MOST_READS):
            if client.connection.closed:
                return False
            try:
                if not selector.get_map():
                    selector.register(connection.socket, EVENT_READ)
                if not selector.select(0):
                    return True
                connection.consume_input()
            except (psycopg.Error, OSError):
                break
    _close([client])
    return False


def _close_all(idle: list[Client], loops: dict[asyncio.AbstractEventLoop, _LoopClients]) -> None:
    _close(idle)
    for clients in list(loops.values()):
        _close(clients.idle)


def _close(idle: list[Any]) -> None:
    while idle:
        client = idle.pop()
        # close() would have to be awaited on an asynchronous connection.
        client.connection.pgconn.finish()


def _after_fork() -> None:
    for connections in list(_all_connections):
        connections._after_fork()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
