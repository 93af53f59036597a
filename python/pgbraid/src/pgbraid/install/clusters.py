"""Databases that are distributed over a cluster, whose nodes pgbraid-tools knows."""

from __future__ import annotations

from typing import Any

from pgbraid._tools import tool
from pgbraid.install.state import Connection, exists


def cluster_of(connection: Connection) -> Any:
    """Return the module that knows of clusters, `pgbraid_tools.cluster`; None if the database is on none. Raise
    NotSupportedError if that package is not here."""
    if not exists(connection, "braid_shards.node_shards"):
        return None
    return tool("cluster", "this database, which is distributed over a cluster,")
