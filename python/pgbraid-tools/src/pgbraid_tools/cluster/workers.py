"""Do a worker's share: an installation like any other, with the worker's shards as partitions of tenants' tables."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

import psycopg

from pgbraid.install.roles import DatabaseRoles, database_roles
from pgbraid.install.session import Notify, in_transaction, lock_installation
from pgbraid.install.state import Connection, exists
from pgbraid_tools.cluster.nodes import SCHEMAS
from pgbraid_tools.cluster.tables import (
    ROOT,
    SHARDS,
    Places,
    Tables,
    advance_ids,
    apply_form,
    apply_support,
    columns_of,
    group_of,
    keys_of,
    schema_of,
    tables_of,
    without_statistics,
)


def bring_up(worker: Connection, places: Places, tables: Tables, parts: Sequence[str], notify: Notify) -> None:
    """Install or upgrade the core and the coordinator's parts on a worker, and make its shards partitions."""
    from pgbraid.install.installer import run_part

    with worker.transaction():
        is_new = not exists(worker, f"{SHARDS}.node_shards")
        if is_new:
            # An interrupted gathering may have left these schemas.
            worker.execute(f"drop schema if exists {SCHEMAS} cascade".encode())
            run_part(worker, "begin.sql", parts)
            run_part(worker, "migrate.sql", parts)
            roles = database_roles(worker)
            apply_support(worker)
            for table in tables.of_tenants:
                make_partitioned(worker, table, roles)
        else:
            lock_installation(worker, notify)
            apply_support(worker)
        shards = {table: f"{SHARDS}.{table}_{places[table][0][1]}" for table in tables.definitions}
        for table, shard in shards.items():
            _keep_copy(worker, table, shard)
        run_part(worker, "finish.sql", parts)
        for table in tables.definitions:
            _refuse_changes(worker, table)
        apply_form(worker)
        worker.execute(
            f"create or replace trigger follow_trust after insert or delete on {shards['trusted_roles']} for each row"
            f" execute function {SHARDS}.follow_trust()".encode()
        )
    attach(worker, places)


def make_partitioned(worker: Connection, table: str, roles: DatabaseRoles) -> None:
    schema = schema_of(table)
    name = f"{schema}.{table}"
    keys, indexes = keys_of(worker, name)
    comment = worker.execute("select quote_nullable(obj_description(%s::regclass))", (name,)).fetchone()
    worker.execute(f"alter table {name} rename to unpartitioned".encode())
    worker.execute(
        f"create table {name} (like {schema}.unpartitioned including defaults including identity including generated"
        " including storage including compression including constraints including comments)"
        f" partition by hash (tenant_id {SHARDS}.shard_ops)".encode()
    )
    without_statistics(worker, f"{schema}.unpartitioned", name)
    worker.execute(f"drop table {schema}.unpartitioned cascade".encode())
    for key in keys:
        worker.execute(f"alter table {name} {key}".encode())
    for index in indexes:
        worker.execute((index % name).encode())
    worker.execute(f"comment on table {name} is {comment[0] if comment else 'null'}".encode())
    worker.execute(f"alter table {name} owner to {roles.owner}".encode())


def _keep_copy(worker: Connection, table: str, shard: str) -> None:
    """Fill the table with the rows of the reference table's shard, so that searches read it as on a single server. A
    trigger on the shard keeps it up to date. Citus makes a new shard if the node was away, so each distribution does
    this."""
    name = f"braid_store.{table}"
    for (constraint,) in worker.execute(
        "select quote_ident(conname) from pg_catalog.pg_constraint where conrelid = %s::regclass and contype = 'f'",
        (name,),
    ).fetchall():
        # Rows arrive in the order in which Citus sends them.
        worker.execute(f"alter table {name} drop constraint {constraint}".encode())
    # Triggers fire in the order of their names, and follow_trust reads the copy.
    worker.execute(
        f"create or replace trigger copy_definitions after insert or update or delete on {shard} for each row"
        f" execute function {SHARDS}.copy_definitions({table})".encode()
    )
    columns = columns_of(worker, name)
    # The lock keeps rows unchanged between the two statements. The role 'replica' skips triggers: see
    # copy_definitions().
    worker.execute(f"lock table {shard} in share mode".encode())
    worker.execute("select set_config('session_replication_role', 'replica', true)")
    worker.execute(f"delete from {name} where true".encode())
    worker.execute(f"insert into {name} ({columns}) overriding system value select {columns} from {shard}".encode())
    worker.execute("select set_config('session_replication_role', 'origin', true)")


def _refuse_changes(worker: Connection, table: str) -> None:
    worker.execute(
        f"create or replace trigger refuse before insert on braid_store.{table} for each row"
        f" execute function {SHARDS}.refuse()".encode()
    )
    worker.execute(
        f"create or replace trigger refuse_changes before update or delete or truncate on braid_store.{table}"
        f" for each statement execute function {SHARDS}.refuse()".encode()
    )


def _detach(worker: Connection, parent: str, shard: str) -> None:
    # Searches wait behind this lock, so try it for a moment at a time. Citus may drop the shard meanwhile.
    with suppress(psycopg.errors.UndefinedTable):
        in_transaction(
            worker, lambda: worker.execute(f"alter table {parent} detach partition {shard}".encode()), lambda _: None
        )


# Searches that wait longer are told that the tenant moves.
LONGEST_WAIT_SECONDS = 10


def _wait_for_searches(worker: Connection) -> None:
    """Wait until searches with snapshots from before the move have ended: they would find only the partitions that are
    still attached."""
    query = (
        "select pid, xact_start from pg_catalog.pg_stat_activity where datname = pg_catalog.current_database()"
        " and backend_type = 'client backend' and backend_xmin is not null and pid <> pg_catalog.pg_backend_pid()"
    )
    older = set(worker.execute(query).fetchall())
    until = time.monotonic() + LONGEST_WAIT_SECONDS
    while older and time.monotonic() < until:
        time.sleep(0.05)
        older &= set(worker.execute(query).fetchall())


def attach(worker: Connection, places: Places) -> list[int]:
    """Attach this node's shards as partitions, and no others; return the numbers of the new ones."""
    group, count = group_of(worker), len(places[ROOT])
    attached = {
        name
        for (name,) in worker.execute(
            "select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid"
            " where c.relnamespace = %s::regnamespace and c.relispartition and c.relkind = 'r'",
            (SHARDS,),
        )
    }
    wanted = {
        f"{table}_{shard_id}": (table, remainder)
        for table in tables_of(worker).of_tenants
        for remainder, shard_id, at in places[table]
        if at == group
    }
    gone = attached - wanted.keys()
    if gone:
        _wait_for_searches(worker)
    for name in sorted(gone):
        table = name.rpartition("_")[0]
        _detach(worker, f"{schema_of(table)}.{table}", f"{SHARDS}.{name}")
    new = []
    with worker.transaction():
        for name, (table, remainder) in wanted.items():
            if name in attached:
                continue
            parent = f"{schema_of(table)}.{table}"
            worker.execute(
                f"alter table {parent} attach partition {SHARDS}.{name}"
                f" for values with (modulus {count}, remainder {remainder})".encode()
            )
            advance_ids(worker, parent, f"{SHARDS}.{name}")
            if table == ROOT:
                new.append(remainder)
                worker.execute(
                    f"update {SHARDS}.node_shards set attached = %s::regclass where remainder = %s".encode(),
                    (f"{SHARDS}.{name}", remainder),
                )
                worker.execute(
                    "insert into braid_store.due_parts (tenant_id, collection_id, task)"
                    f" select distinct tenant_id, collection_id, 'visit' from {SHARDS}.{name}".encode()
                )
        if new:
            # Process all hand-overs again, because objects may have been dropped while the shards were elsewhere.
            worker.execute(f"delete from {SHARDS}.taken_over where true".encode())
    return new


def serve(worker: Connection, places: Places) -> int:
    """Let calls for the tenants of this node's shards in; return how many shards were not served before."""
    row = worker.execute(
        "with changed as ("
        f" update {SHARDS}.node_shards s set is_served = not s.is_served"
        " where s.is_served <> (s.remainder = any(%s)) returning s.is_served)"
        " select count(*) filter (where is_served) from changed".encode(),
        ([remainder for remainder, _, group in places[ROOT] if group == group_of(worker)],),
    ).fetchone()
    assert row is not None
    return int(row[0])


def rescue(worker: Connection, group: int, others: Mapping[int, Connection]) -> int:
    """Bring vectors to their tenant's node if Citus itself has moved the tenant and left vectors in a vector shard.
    Return how many tenants had such vectors."""
    left = worker.execute(
        "select s.id, s.tenant_id, s.collection_id, s.vector_space_id, p.groupid from braid_store.vector_shards s"
        f" join {SHARDS}.node_shards n on n.remainder = {SHARDS}.shard_number(s.tenant_id)"
        " join pg_catalog.pg_dist_placement p on p.shardid = n.shard_id"
        " where s.state = 'serving' and p.groupid <> %s".encode(),
        (group,),
    ).fetchall()
    for shard, tenant, collection, space, home in left:
        with worker.transaction(), others[home].transaction():
            rows = worker.cursor("vectors")
            rows.execute(f"select chunk_id, embedding::text from braid_store.vectors_{shard}".encode())
            while batch := rows.fetchmany(2000):
                # Skip vectors of chunks that are gone, and vectors older than stored ones.
                others[home].cursor().executemany(
                    "insert into braid_store.chunk_vectors"
                    " (tenant_id, collection_id, vector_space_id, chunk_id, embedding)"
                    " select c.tenant_id, %s, %s, c.id, %s from braid_store.chunks c"
                    " where c.tenant_id = %s and c.id = %s on conflict do nothing",
                    [(collection, space, vector, tenant, chunk) for chunk, vector in batch],
                )
            rows.close()
            worker.execute(
                "update braid_store.vector_shards set state = 'retired', retired_by = pg_catalog.pg_current_xact_id()"
                " where tenant_id = %s and id = %s",
                (tenant, shard),
            )
    return len({tenant for _, tenant, *_ in left})
