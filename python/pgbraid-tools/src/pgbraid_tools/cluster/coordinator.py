"""Do the coordinator's share: the tables in the schema braid_shards, which Citus distributes, and their rows."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pgbraid.errors import ConflictError, InstallationError, NotInstalledError, NotSupportedError
from pgbraid.install.session import Notify, lock_installation, set_timeout
from pgbraid.install.state import Connection, exists, read_installation
from pgbraid_tools.cluster.tables import (
    ROOT,
    SHARDS,
    Tables,
    apply_form,
    columns_of,
    count_rows,
    keys_of,
    schema_of,
    tables_of,
    without_statistics,
)


def refuse_what_cannot_be(coordinator: Connection, is_begun: bool) -> None:
    found = read_installation(coordinator)
    if found is None:
        raise NotInstalledError("this database has no pgbraid", hint="run: pgbraid init")
    if not found.is_this_package or found.pending_migrations:
        raise InstallationError(
            "the coordinator's pgbraid differs from this package", hint="run: pgbraid upgrade, then this command again"
        )
    row = coordinator.execute("select rolsuper from pg_catalog.pg_roles where rolname = current_user").fetchone()
    if row != (True,):
        raise InstallationError("distributing tenants takes a superuser", hint="give the DSN of a superuser")
    if is_begun:
        return
    for query, what, hint in (
        ("select from braid_store.model_changes", "a model change is under way",
         "finish the model change, or roll it back"),
        ("select from braid_store.access_settings a where a.create_tenants",
         "a first write creates its tenant, which no node of a cluster can do",
         "run: select braid.set_access(create_tenants => false), and create tenants by braid.create_tenant"),
        ("select from braid_store.synced_tables", "tables are synced into this database", "run braid.unsync_table"),
        ("select from braid_store.dropped_tenants union all select from braid_store.dropped_collections union all"
         " select from braid_store.dropped_spaces", "rows of dropped tenants or collections are left",
         "run: pgbraid maintain"),
    ):  # fmt: skip
        # A part that is not installed has no table.
        table = query.split()[2]
        if exists(coordinator, table) and coordinator.execute(query.encode() + b" limit 1").fetchone() is not None:
            raise NotSupportedError(what, hint=hint)


def dissolve(connection: Connection, tenant_ids: Sequence[int] | None = None) -> None:
    """Move vectors out of vector shards, whose tables stay where they were made. maintain() makes new shards."""
    where = "(%(ids)s::int[] is null or s.tenant_id = any(%(ids)s))"
    ids = {"ids": None if tenant_ids is None else list(tenant_ids)}
    connection.execute(
        "update braid_store.vector_shards s set state = 'retired', retired_by = pg_catalog.pg_current_xact_id()"
        f" where s.state in ('copying', 'indexing') and {where}".encode(),
        ids,
    )
    idle = 0
    while moved := connection.execute(
        "select braid_store.give_back_vectors(s, 2000) from braid_store.vector_shards s"
        f" where s.state = 'serving' and {where}".encode(),
        ids,
    ).fetchall():
        # Chunks of open writers stay.
        idle = 0 if any(count for (count,) in moved) else idle + 1
        if idle > 50:
            raise ConflictError("writers keep locks on chunks whose vectors are to be moved", hint="run it again")
        time.sleep(0.1 if idle > len(moved) else 0)


def distribute_tables(connection: Connection, shard_count: int, notify: Notify) -> dict[str, int]:
    """Distribute all tables in one transaction, so an interrupted run leaves nothing. Return the number of rows by
    table."""
    lock_installation(connection, notify)
    set_timeout(connection, "60s")
    # Calls read the tenants before any other table.
    connection.execute("lock table braid_store.tenants in access exclusive mode")
    # Maintenance may have made new shards meanwhile.
    dissolve(connection)
    connection.execute("select set_config('citus.enable_local_reference_table_foreign_keys', 'off', true)")
    connection.execute(f"create schema {SHARDS}".encode())
    tables = tables_of(connection)
    for table in (*tables.definitions, *tables.of_tenants):
        _create_distributed(connection, table, tables, shard_count)
        columns = columns_of(connection, f"{schema_of(table)}.{table}")
        connection.execute(
            f"insert into {SHARDS}.{table} ({columns}) select {columns} from {schema_of(table)}.{table}".encode()
        )
    before = count_rows(connection, schema_of)
    after = count_rows(connection, lambda _: SHARDS)
    if after != before:
        different = [name for name, count in before.items() if after[name] != count]
        raise InstallationError(f"rows were lost of: {', '.join(different)}", hint="nothing has been changed")
    names = [f"{schema_of(table)}.{table}" for table in tables.of_tenants if table != "tenant_locks"]
    connection.execute(f"truncate {', '.join(names)}, braid_store.due_parts".encode())
    apply_form(connection)
    return before


def _create_distributed(connection: Connection, table: str, tables: Tables, shard_count: int) -> None:
    source, target = f"{schema_of(table)}.{table}", f"{SHARDS}.{table}"
    options = connection.execute(
        "select array_to_string(reloptions, ', ') from pg_catalog.pg_class where oid = %s::regclass", (source,)
    ).fetchone()
    with_options = f" with ({options[0]})" if options and options[0] else ""
    connection.execute(
        f"create table {target} (like {source} including storage including compression including generated"
        f" including constraints){with_options}".encode()
    )
    keys, indexes = keys_of(connection, source)
    for key in keys:
        connection.execute(f"alter table {target} {key}".encode())
    for index in indexes:
        connection.execute((index % target).encode())
    without_statistics(connection, source, target)
    connection.execute("select set_config('citus.enable_ddl_propagation', 'on', true)")
    if table in tables.definitions:
        connection.execute("select create_reference_table(%s)", (target,))
    elif table == ROOT:
        connection.execute(
            "select create_distributed_table(%s, 'tenant_id', colocate_with => 'none', shard_count => %s)",
            (target, shard_count),
        )
    else:
        connection.execute(
            "select create_distributed_table(%s, 'tenant_id', colocate_with => %s)",
            (target, f"{SHARDS}.{ROOT}"),
        )
    if table == "chunks":
        connection.execute(
            f"alter table {target} add constraint chunks_document_fkey foreign key (tenant_id, document_id)"
            f" references {SHARDS}.documents (tenant_id, id) on delete cascade".encode()
        )
    connection.execute("select set_config('citus.enable_ddl_propagation', 'off', true)")
