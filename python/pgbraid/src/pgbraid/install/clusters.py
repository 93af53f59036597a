"""Find databases distributed over a cluster; pgbraid-tools knows their nodes."""

from __future__ import annotations

from typing import Any

from pgbraid._tools import tool
from pgbraid.install.state import Connection, exists


def cluster_of(connection: Connection) -> Any:
    """Return the module for clusters, `pgbraid_tools.cluster`; None if the database is not distributed. Raise
    NotSupportedError without that package."""
    if not exists(connection, "braid_shards.node_shards"):
        return None
    return tool("cluster", "this database, which is distributed over a cluster,")
