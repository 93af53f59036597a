"""Bring the tenants of a cluster back to its coordinator."""

from __future__ import annotations

from pgbraid.errors import InstallationError
from pgbraid.install.session import Notify, installer_session, lock_installation, set_timeout
from pgbraid.install.state import Connection, installed_parts
from pgbraid_tools.cluster.coordinator import dissolve
from pgbraid_tools.cluster.nodes import SCHEMAS, cluster_session, find_nodes, one_at_a_time, refuse_foreign
from pgbraid_tools.cluster.tables import (
    SHARDS,
    advance_ids,
    columns_of,
    count_rows,
    is_copy,
    is_distributed,
    placements,
    schema_of,
    tables_of,
)


def gather(dsn: str, *, notify: Notify = lambda _: None) -> dict[str, int]:
    """Undo `distribute`: all rows come back to the coordinator, and workers lose their installation. Return the number
    of rows by table. After an interruption, run it again, or run `distribute` to keep the cluster.

    A database restored from a dump of the coordinator has all rows except the vectors of vector indexes. It becomes a
    database of its own, and these chunks are put into the outbox.
    """
    with installer_session(dsn) as copied:
        if is_copy(copied):
            return _gather_copy(copied, notify)
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
                    # Only other workers reached the end of the distribution.
                    if not is_distributed(worker):
                        continue
                    worker.execute(f"update {SHARDS}.node_shards set is_served = false where is_served".encode())
                    # The lock waits for open transactions.
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


def _gather_copy(copied: Connection, notify: Notify) -> dict[str, int]:
    from pgbraid.install.installer import run_part

    query = "select from pg_catalog.pg_class where oid = 'braid_store.documents'::regclass and relkind = 'p'"
    if copied.execute(query).fetchone() is not None:
        raise InstallationError(
            "this database is a copy of a worker, which holds only its own tenants",
            hint="restore the coordinator's dump",
        )
    notify("take the rows out of the cluster's tables")
    with copied.transaction():
        # A dump has no roles.
        run_part(copied, "begin.sql", installed_parts(copied))
        rows = _take_back(copied, notify)
        count = 0
        for tenant_id, collection_id in copied.execute(
            "select distinct d.tenant_id, d.collection_id from braid_store.documents d"
        ).fetchall():
            last = 0
            while last is not None:
                last, found = copied.execute(
                    "select e.last_id, e.chunk_count from braid_store.collections c,"
                    " braid_store.enqueue_chunks(%s, c, %s) e where c.id = %s",
                    (tenant_id, last, collection_id),
                ).fetchall()[0]
                count += found
    if count:
        notify(f"{count} chunks have no vector, as a dump has none of workers' vector indexes: run pgbraid work")
    return rows


def _take_back(coordinator: Connection, notify: Notify) -> dict[str, int]:
    from pgbraid.install.installer import run_part

    lock_installation(coordinator, notify)
    set_timeout(coordinator, "60s")
    coordinator.execute("lock table braid_store.tenants in access exclusive mode")
    tables = tables_of(coordinator)
    for table in (*tables.definitions, "tenant_locks"):
        coordinator.execute(f"drop trigger if exists mirror on {schema_of(table)}.{table}".encode())
    for table in ("dropped_tenants", "dropped_collections", "due_collections"):
        coordinator.execute(f"drop trigger if exists hand_over on braid_store.{table}".encode())
    coordinator.execute(f"drop function if exists {SHARDS}.refuse_rows() cascade".encode())
    # Rows of dropped tenants and collections come back, too, and maintain() deletes them.
    coordinator.execute(
        "insert into braid_store.dropped_tenants (id, dropped_by) select h.object_id, pg_catalog.pg_current_xact_id()"
        f" from {SHARDS}.handed_over h where h.kind = 'dropped_tenants' on conflict do nothing".encode()
    )
    coordinator.execute(
        f"insert into braid_store.dropped_collections (id) select h.object_id from {SHARDS}.handed_over h"
        " where h.kind = 'dropped_collections' on conflict do nothing".encode()
    )
    # The coordinator has kept its own locks.
    for table in tables.of_tenants[:-1]:
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
    coordinator.execute("drop function braid_calls.tenant_here(), braid_store.hold_shard(int)")
    coordinator.execute("select set_config('citus.enable_ddl_propagation', 'on', true)")
    coordinator.execute(f"drop schema {SHARDS} cascade".encode())
    coordinator.execute("select set_config('citus.enable_ddl_propagation', 'off', true)")
    run_part(coordinator, "finish.sql", installed_parts(coordinator))
    return rows
