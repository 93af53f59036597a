"""Bringing the tenants of a cluster back to its coordinator."""

from __future__ import annotations

from pgbraid.cluster.coordinator import dissolve
from pgbraid.cluster.nodes import SCHEMAS, cluster_session, find_nodes, one_at_a_time, refuse_foreign
from pgbraid.cluster.tables import (
    DEFINITIONS,
    OF_TENANTS,
    SHARDS,
    advance_ids,
    columns_of,
    count_rows,
    is_distributed,
    placements,
    schema_of,
)
from pgbraid.errors import InstallationError
from pgbraid.install.session import Notify, lock_installation, set_timeout
from pgbraid.install.state import Connection


def gather(dsn: str, *, notify: Notify = lambda _: None) -> dict[str, int]:
    """Undo `distribute`: all rows come back to the coordinator, and workers lose their installation. How many rows each
    table has. If it was interrupted, run it again, or `distribute` to go on as before."""
    with cluster_session(dsn) as coordinator, one_at_a_time(coordinator):
        nodes = find_nodes(coordinator)
        for node in nodes:
            with cluster_session(node.dsn(dsn)) as worker:
                refuse_foreign(worker, node)
        if is_distributed(coordinator):
            shards = [shard_id for _, shard_id, _ in placements(coordinator)]
            for node in nodes:
                notify(f"{node.name}: no calls from now on")
                with cluster_session(node.dsn(dsn)) as worker:
                    # The distribution came to its end elsewhere only.
                    if not is_distributed(worker):
                        continue
                    worker.execute(f"update {SHARDS}.node_shards set is_served = false where is_served".encode())
                    # Those that are at work come to their end.
                    worker.execute("select lock_shard_metadata(7, %s)", (shards,))
                    dissolve(worker)
            notify("coordinator: take the rows back")
            with coordinator.transaction():
                rows = _take_back(coordinator, notify)
        else:
            rows = count_rows(coordinator, schema_of)
        for node in nodes:
            notify(f"{node.name}: remove pgbraid")
            with cluster_session(node.dsn(dsn)) as worker:
                worker.execute(f"drop schema if exists {SCHEMAS}, {SHARDS} cascade".encode())
        return rows


def _take_back(coordinator: Connection, notify: Notify) -> dict[str, int]:
    from pgbraid.install.installer import run_part

    lock_installation(coordinator, notify)
    set_timeout(coordinator, "60s")
    coordinator.execute("lock table braid_store.tenants in access exclusive mode")
    for table in (*DEFINITIONS, "tenant_locks"):
        coordinator.execute(f"drop trigger if exists mirror on {schema_of(table)}.{table}".encode())
    for table in ("dropped_tenants", "dropped_collections", "due_collections"):
        coordinator.execute(f"drop trigger if exists hand_over on braid_store.{table}".encode())
    coordinator.execute(f"drop function if exists {SHARDS}.refuse_rows() cascade".encode())
    # Rows of what was dropped come back, too, and maintain() deletes them.
    coordinator.execute(
        "insert into braid_store.dropped_tenants (id, dropped_by) select h.object_id, pg_catalog.pg_current_xact_id()"
        f" from {SHARDS}.handed_over h where h.kind = 'dropped_tenants' on conflict do nothing".encode()
    )
    coordinator.execute(
        f"insert into braid_store.dropped_collections (id) select h.object_id from {SHARDS}.handed_over h"
        " where h.kind = 'dropped_collections' on conflict do nothing".encode()
    )
    # The coordinator has kept its own locks.
    for table in OF_TENANTS[:-1]:
        name = f"{schema_of(table)}.{table}"
        columns = columns_of(coordinator, name)
        coordinator.execute(
            f"insert into {name} ({columns}) overriding system value select {columns} from {SHARDS}.{table}".encode()
        )
        advance_ids(coordinator, name, name)
    rows = count_rows(coordinator, schema_of)
    if rows | {"tenant_locks": 0} != count_rows(coordinator, lambda _: SHARDS) | {"tenant_locks": 0}:
        raise InstallationError("rows were lost", hint="nothing has been changed; run: pgbraid distribute")
    coordinator.execute(
        "insert into braid_store.due_parts (tenant_id, collection_id, task)"
        " select distinct tenant_id, collection_id, 'visit' from braid_store.documents"
    )
    coordinator.execute("drop function braid_store.tenant_here(), braid_store.hold_shard(int)")
    coordinator.execute("select set_config('citus.enable_ddl_propagation', 'on', true)")
    coordinator.execute(f"drop schema {SHARDS} cascade".encode())
    coordinator.execute("select set_config('citus.enable_ddl_propagation', 'off', true)")
    run_part(coordinator, "finish.sql")
    return rows
