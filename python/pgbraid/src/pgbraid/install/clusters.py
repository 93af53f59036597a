"""Databases that are distributed over a cluster, whose nodes pgbraid-tools knows."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from pgbraid.errors import NotSupportedError
from pgbraid.install.state import Connection, exists


def cluster_of(connection: Connection) -> Any:
    """Return the module that knows of clusters, `pgbraid_tools.cluster`; None if the database is on none. Raise
    NotSupportedError if that package is not here."""
    if not exists(connection, "braid_shards.node_shards"):
        return None
    for found in entry_points(group="pgbraid.cluster"):
        return found.load()
    raise NotSupportedError(
        "this database is distributed over a cluster, which takes the package pgbraid-tools",
        hint="pip install 'pgbraid[tools]'",
    )
