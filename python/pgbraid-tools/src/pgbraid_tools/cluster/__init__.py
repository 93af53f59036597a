"""Run pgbraid on a Citus cluster, distributed by tenant."""

from __future__ import annotations

from pgbraid_tools.cluster.distributing import DistributionReport, distribute
from pgbraid_tools.cluster.gathering import gather
from pgbraid_tools.cluster.handing_over import forget_handed_over
from pgbraid_tools.cluster.moving import MoveReport, move_tenant, nodes_of_tenants
from pgbraid_tools.cluster.nodes import workers_of
from pgbraid_tools.cluster.rebalancing import rebalance
from pgbraid_tools.cluster.tables import apply_form, is_distributed, refuse_copy

__all__ = [
    "DistributionReport",
    "MoveReport",
    "apply_form",
    "distribute",
    "forget_handed_over",
    "gather",
    "is_distributed",
    "move_tenant",
    "nodes_of_tenants",
    "rebalance",
    "refuse_copy",
    "workers_of",
]
