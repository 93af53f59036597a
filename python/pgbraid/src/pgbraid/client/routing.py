# Generated from async_client/routing.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Define protocols of routing: they find the server that answers a session's statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import psycopg

Asking = TypeVar("Asking", contravariant=True)


class NodeRouting(Protocol[Asking]):
    """Route to nodes of a cluster: `fetch` asks the node that has the session's tenant."""

    def connection(self, tenant: str) -> psycopg.Connection[Any]: ...

    def dsn_of(self, named: tuple[str, str]) -> str: ...

    def connect(self, named: tuple[str, str]) -> psycopg.Connection[Any]: ...

    def follow_tenant(self, session: Asking) -> None: ...

    def fetch(self, session: Asking, statement: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]: ...

    def close(self) -> None: ...


class StandbyRouting(Protocol[Asking]):
    """Route to hot standbys: `fetch` sends reads to one of them, and all else to the primary."""

    def wait_for(self, position: int) -> None: ...

    def fetch(
        self, session: Asking, names: frozenset[str], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]: ...

    def close(self) -> None: ...
