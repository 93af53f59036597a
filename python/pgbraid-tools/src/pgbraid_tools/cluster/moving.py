"""Move tenants between the nodes of a cluster. Searches go on meanwhile; writes wait, and then find the new node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from pgbraid.errors import ConflictError, InstallationError, InvalidArgumentError, NotFoundError
from pgbraid.install.session import Notify
from pgbraid.install.state import Connection
from pgbraid_tools.cluster.coordinator import dissolve
from pgbraid_tools.cluster.nodes import Node, cluster_session, find_nodes, one_at_a_time
from pgbraid_tools.cluster.tables import ROOT, SHARDS, is_distributed, places
from pgbraid_tools.cluster.workers import attach, serve

# A move waits this long for open writers.
WRITERS_END = "10s"


@dataclass(frozen=True)
class MoveReport:
    """Report a tenant's old and new node, and the tenants of the same shard that moved along."""

    tenant: str
    source: str
    target: str
    tenants: tuple[str, ...]


def nodes_of_tenants(connection: Connection) -> list[tuple[str, int, str, int]]:
    """Return each tenant's key, shard, and the host and port of its node. Any node answers."""
    return connection.execute(
        f"select t.key, s.remainder, n.nodename, n.nodeport from braid_store.tenants t"
        f" join {SHARDS}.node_shards s on s.remainder = {SHARDS}.shard_number(t.id)"
        " join pg_catalog.pg_dist_placement p on p.shardid = s.shard_id"
        " join pg_catalog.pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary' order by 1".encode()
    ).fetchall()


def move_tenant(dsn: str, tenant: str, node: str, *, notify: Notify = lambda _: None) -> MoveReport:
    """Move the shard that has a tenant to the node `host:port`, by the coordinator's DSN.

    Raise NotFoundError, InvalidArgumentError, InstallationError, and ConflictError if writers or maintenance do not end
    in time.
    """
    with cluster_session(dsn) as coordinator, one_at_a_time(coordinator):
        nodes = {found.name: found for found in find_nodes(coordinator)}
        if not is_distributed(coordinator):
            raise InstallationError("pgbraid is not distributed here", hint="run: pgbraid distribute")
        where = {key: (shard, f"{host}:{port}") for key, shard, host, port in nodes_of_tenants(coordinator)}
        if tenant not in where:
            raise NotFoundError(f'tenant "{tenant}" does not exist', hint="run: pgbraid status", sqlstate="42704")
        if node not in nodes:
            raise InvalidArgumentError(
                f"{node} is no node with shards", hint=f"the nodes are: {', '.join(nodes)}", sqlstate="22023"
            )
        shard, at = where[tenant]
        along = tuple(key for key, (other, _) in where.items() if other == shard)
        if at != node:
            if at not in nodes:
                raise InstallationError(f"{at} is not active", hint="see pg_dist_node at the coordinator")
            move_shard(dsn, coordinator, shard, along, nodes[at], nodes[node], notify)
        elif _settle(dsn, coordinator, list(nodes.values())):
            notify(f"{node}: finished a move that had been interrupted")
        return MoveReport(tenant, at, node, along)


def move_shard(
    dsn: str, coordinator: Connection, shard: int, keys: Sequence[str], source: Node, target: Node, notify: Notify
) -> None:
    """Move the shard with this number, whose tenants have these keys."""
    with cluster_session(target.dsn(dsn)) as new:
        if not is_distributed(new):
            raise InstallationError(f"{target.name} has no pgbraid yet", hint="run: pgbraid distribute")
    (shard_id,) = [found for remainder, found, _ in places(coordinator)[ROOT] if remainder == shard]
    with cluster_session(source.dsn(dsn)) as keeper, cluster_session(source.dsn(dsn)) as old:
        ids = [row[0] for row in old.execute("select id from braid_store.tenants where key = any(%s)", (list(keys),))]
        with keeper.transaction():
            keeper.execute("select set_config('lock_timeout', '10s', true)")
            try:
                # Sessions that make vector shards, which belong to one node, take these locks.
                keeper.execute(
                    "select from braid_locks.tenant_locks l where l.tenant_id = any(%s) and l.kind = 'shards'"
                    " order by l.tenant_id, l.slot for update",
                    (ids,),
                )
            except psycopg.errors.LockNotAvailable as error:
                raise ConflictError(
                    f"maintenance moves vectors of tenants of shard {shard}",
                    hint="run the same command again; nothing has been moved",
                    sqlstate="55P03",
                ) from error
            notify(f"{source.name}: vectors of the tenants of shard {shard} ({len(ids)}) leave their indexes")
            dissolve(old, ids)
            notify(f"{source.name} to {target.name}: Citus moves the shard; writes wait")
            try:
                with coordinator.transaction():
                    # The next statement waits for writers in hold_shard(), and all other writers wait behind it. Citus
                    # forwards SET LOCAL to the node.
                    coordinator.execute("set local citus.propagate_set_commands = 'local'")
                    coordinator.execute(f"set local lock_timeout = '{WRITERS_END}'".encode())
                    coordinator.execute(
                        "select citus_move_shard_placement(%s, %s, %s, %s, %s, shard_transfer_mode => 'block_writes')",
                        (shard_id, source.host, source.port, target.host, target.port),
                    )
            except psycopg.errors.LockNotAvailable as error:
                raise ConflictError(
                    f"a transaction that has written to shard {shard} does not end",
                    hint=f"end this transaction at {source.name} (see pg_stat_activity), and run the same command"
                    " again; nothing has been moved",
                    sqlstate="55P03",
                ) from error
        old.execute("delete from braid_store.due_parts d where d.tenant_id = any(%s)", (ids,))
    _settle(dsn, coordinator, [target, source])
    # Without this call, Citus cleans up only seconds later, and refuses to move the shard back until then.
    coordinator.execute("call citus_cleanup_orphaned_resources()")
    notify(f"{target.name}: serves shard {shard}")


def _settle(dsn: str, coordinator: Connection, nodes: Sequence[Node]) -> bool:
    """Let nodes serve their shards. Tell whether all do."""
    new = 0
    for node in nodes:
        with cluster_session(node.dsn(dsn)) as worker:
            at = places(coordinator)
            attach(worker, at)
            new += serve(worker, at)
    return bool(new)
