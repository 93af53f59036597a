"""Move shards so that nodes hold equal amounts, or one node holds nothing."""

from __future__ import annotations

from collections import Counter

from pgbraid.errors import InstallationError, InvalidArgumentError
from pgbraid.install.session import Notify
from pgbraid.install.state import Connection
from pgbraid_tools.cluster.moving import MoveReport, move_shard, nodes_of_tenants
from pgbraid_tools.cluster.nodes import Node, cluster_session, find_nodes, one_at_a_time
from pgbraid_tools.cluster.tables import ROOT, SHARDS, is_distributed, places

PLAN = """
select p.shardid, p.sourcename || ':' || p.sourceport, p.targetname || ':' || p.targetport
from pg_catalog.get_rebalance_table_shards_plan(%s) p
"""


def rebalance(
    dsn: str, *, drain: str | None = None, dry_run: bool = False, notify: Notify = lambda _: None
) -> list[MoveReport]:
    """Move shards as Citus' rebalancer would by their size on disk; or move all shards of the node `drain`
    (`host:port`) to the others. `dsn` is the coordinator's. Return the moves, with `dry_run` the planned ones.

    Raise the errors of `move_tenant`; finished moves stay.
    """
    with cluster_session(dsn) as coordinator, one_at_a_time(coordinator):
        nodes = {node.name: node for node in find_nodes(coordinator)}
        if not is_distributed(coordinator):
            raise InstallationError("pgbraid is not distributed here", hint="run: pgbraid distribute")
        tenants: dict[int, list[str]] = {}
        for key, shard, _, _ in nodes_of_tenants(coordinator):
            tenants.setdefault(shard, []).append(key)
        moves = _balanced(coordinator) if drain is None else _drained(coordinator, nodes, drain)
        reports = []
        for shard, source, target in moves:
            keys = tuple(tenants.get(shard, ()))
            if not dry_run:
                move_shard(dsn, coordinator, shard, keys, nodes[source], nodes[target], notify)
            reports.append(MoveReport(keys[0] if keys else "", source, target, keys))
        return reports


Moves = list[tuple[int, str, str]]


def _balanced(coordinator: Connection) -> Moves:
    shards = {shard_id: remainder for remainder, shard_id, _ in places(coordinator)[ROOT]}
    plan = coordinator.execute(PLAN.encode(), (f"{SHARDS}.{ROOT}",))
    # The plan also has rows for colocated tables.
    return [(shards[shard_id], source, target) for shard_id, source, target in plan if shard_id in shards]


def _drained(coordinator: Connection, nodes: dict[str, Node], drain: str) -> Moves:
    if drain not in nodes or len(nodes) < 2:
        others = ", ".join(nodes)
        raise InvalidArgumentError(
            f"{drain} is no node with shards that others could take", hint=f"the nodes are: {others}", sqlstate="22023"
        )
    at = {remainder: group for remainder, _, group in places(coordinator)[ROOT]}
    counts = Counter({node.group: 0 for node in nodes.values() if node.name != drain})
    counts.update(group for group in at.values() if group in counts)
    names = {node.group: node.name for node in nodes.values()}
    moves = []
    for shard, group in sorted(at.items()):
        if names.get(group) == drain:
            target = min(counts, key=lambda other: (counts[other], other))
            counts[target] += 1
            moves.append((shard, drain, names[target]))
    return moves
