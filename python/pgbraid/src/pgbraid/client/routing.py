# Generated from async_client/routing.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Whoever finds the server that answers a statement of a session, if that is not always the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import psycopg

Asking = TypeVar("Asking", contravariant=True)


class NodeRouting(Protocol[Asking]):
    """The nodes of a cluster: `fetch` has the one answer that has the session's tenant."""

    def connection(self, tenant: str) -> psycopg.Connection[Any]: ...

    def dsn_of(self, named: tuple[str, str]) -> str: ...

    def connect(self, named: tuple[str, str]) -> psycopg.Connection[Any]: ...

    def follow_tenant(self, session: Asking) -> None: ...

    def fetch(self, session: Asking, statement: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]: ...

    def close(self) -> None: ...


class StandbyRouting(Protocol[Asking]):
    """Hot standbys: `fetch` has one of them answer what only reads, and the primary all else."""

    def wait_for(self, position: int) -> None: ...

    def fetch(
        self, session: Asking, names: frozenset[str], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]: ...

    def close(self) -> None: ...
