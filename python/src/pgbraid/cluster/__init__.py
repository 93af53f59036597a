"""pgbraid on a Citus cluster, by tenant."""

from __future__ import annotations

from pgbraid.cluster.distributing import DistributionReport, distribute
from pgbraid.cluster.gathering import gather
from pgbraid.cluster.handing_over import forget_handed_over
from pgbraid.cluster.moving import MoveReport, move_tenant, nodes_of_tenants
from pgbraid.cluster.rebalancing import rebalance
from pgbraid.cluster.tables import is_distributed

__all__ = [
    "DistributionReport",
    "MoveReport",
    "distribute",
    "forget_handed_over",
    "gather",
    "is_distributed",
    "move_tenant",
    "nodes_of_tenants",
    "rebalance",
]
