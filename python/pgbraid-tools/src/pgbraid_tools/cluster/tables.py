"""List which tables Citus distributes, their definitions, and the functions that differ on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgbraid.errors import InstallationError
from pgbraid.install.protocol import fill
from pgbraid.install.resources import resources
from pgbraid.install.roles import database_roles
from pgbraid.install.state import Connection, exists

FOLDER = Path(__file__).parent
SHARDS = "braid_shards"


@dataclass(frozen=True)
class Tables:
    """Hold the tables of an installation by their place.

    Definitions are the same on every node, and changed at the coordinator only. All rows of a tenant are on one node.
    documents come first, because chunks refer to them, and tenant_locks last. Each node has tables about its own work:
    due work, sizes, the log of its searches, indexes of vectors.
    """

    definitions: tuple[str, ...]
    of_tenants: tuple[str, ...]
    of_nodes: tuple[str, ...]


# All other tables of tenants are colocated with this one.
ROOT = "documents"


def tables_of(connection: Connection) -> Tables:
    """Return the tables of the core and of the installed parts."""
    rows = connection.execute("select manifest -> 'tables' from braid_store.parts order by place").fetchall()
    return placed([tables or {} for (tables,) in rows])


def placed(manifests: Iterable[Mapping[str, Mapping[str, str]]]) -> Tables:
    """Return tables by their place, as stated in the manifests of the core and of parts. Without a statement, the
    policy of the table decides."""
    places = {"definition": "definition", "owner": "node", "tenant": "tenant"}
    found: dict[str, list[str]] = {place: [] for place in places.values()}
    for tables in manifests:
        # jsonb has its own order, so sort the tables.
        for table in sorted(tables, key=lambda name: (name != ROOT, name != "chunks", name)):
            facts = tables[table]
            found[facts.get("cluster") or places[facts.get("policy", "tenant")]].append(table)
    return Tables(tuple(found["definition"]), (*found["tenant"], "tenant_locks"), tuple(found["node"]))


PLACEMENTS = """
select rank() over (order by s.shardminvalue::int)::int - 1 as remainder, s.shardid, p.groupid
from pg_catalog.pg_dist_shard s
join pg_catalog.pg_dist_placement p using (shardid)
where s.logicalrelid = %s::regclass
order by 1
"""
Places = dict[str, list[tuple[int, int, int]]]


def is_distributed(connection: Connection) -> bool:
    return exists(connection, f"{SHARDS}.node_shards")


def refuse_copy(connection: Connection) -> None:
    if is_copy(connection):
        raise InstallationError(
            "this database is a copy of a cluster's node, but does not belong to a cluster",
            hint="to make a copy of the coordinator a database of its own, run: pgbraid distribute --gather",
        )


def is_copy(connection: Connection) -> bool:
    """Tell whether the database was restored from a dump of a node: it has the tables, but Citus does not know them."""
    if not is_distributed(connection):
        return False
    if not exists(connection, "pg_catalog.pg_dist_partition"):
        return True
    query = f"select from pg_catalog.pg_dist_partition where logicalrelid = '{SHARDS}.{ROOT}'::regclass"
    return connection.execute(query.encode()).fetchone() is None


def schema_of(table: str) -> str:
    return "braid_locks" if table == "tenant_locks" else "braid_store"


def count_rows(connection: Connection, schema_of: Any) -> dict[str, int]:
    counts = {}
    for table in tables_of(connection).of_tenants:
        row = connection.execute(f"select count(*) from {schema_of(table)}.{table}".encode()).fetchone()
        assert row is not None
        counts[table] = row[0]
    return counts


def keys_of(connection: Connection, table: str) -> tuple[list[str], list[str]]:
    """Return a table's keys, as clauses of `alter table`, and other indexes, as statements with %s for the table."""
    keys = connection.execute(
        "select 'add constraint ' || quote_ident(conname) || ' ' || pg_catalog.pg_get_constraintdef(oid)"
        " from pg_catalog.pg_constraint where conrelid = %s::regclass and contype in ('p', 'u') order by contype",
        (table,),
    ).fetchall()
    indexes = connection.execute(
        "select pg_catalog.pg_get_indexdef(i.indexrelid) from pg_catalog.pg_index i where i.indrelid = %s::regclass"
        " and not exists (select from pg_catalog.pg_constraint c"
        "   where c.conindid = i.indexrelid and c.contype in ('p', 'u'))",
        (table,),
    ).fetchall()
    return [key for (key,) in keys], [text.replace(f" ON {table} ", " ON %s ", 1) for (text,) in indexes]


def without_statistics(connection: Connection, source: str, target: str) -> None:
    for column, target_value in connection.execute(
        "select quote_ident(attname), attstattarget from pg_catalog.pg_attribute"
        " where attrelid = %s::regclass and attnum > 0 and not attisdropped and attstattarget is not null",
        (source,),
    ).fetchall():
        if target_value >= 0:
            connection.execute(f"alter table {target} alter column {column} set statistics {target_value}".encode())


def columns_of(connection: Connection, table: str) -> str:
    row = connection.execute(
        "select string_agg(quote_ident(attname), ', ' order by attnum) from pg_catalog.pg_attribute"
        " where attrelid = %s::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
        (table,),
    ).fetchone()
    assert row is not None
    return str(row[0])


def placements(connection: Connection) -> list[tuple[int, int, int]]:
    return connection.execute(PLACEMENTS, (f"{SHARDS}.{ROOT}",)).fetchall()


def places(coordinator: Connection) -> Places:
    """Return remainder, shard and group of each table."""
    tables = tables_of(coordinator)
    return {
        table: coordinator.execute(PLACEMENTS, (f"{SHARDS}.{table}",)).fetchall()
        for table in (*tables.definitions, *tables.of_tenants)
    }


# Each entry has a file, a text in it, and its replacement in a distributed installation.
FORM = (
    ("session_tenant_id", "\nbegin\n", "\nbegin\n  return braid_calls.tenant_here();\n"),
    ("tenant_id_for_writing", "return braid_store.require_tenant_id();",
     "return braid_store.hold_shard(braid_store.require_tenant_id());"),
    ("lock_for_writing", "\nbegin\n", "\nbegin\n  perform braid_store.hold_shard(lock_for_writing.tenant_id);\n"),
    ("try_lock_part", "\nbegin\n", "\nbegin\n  perform braid_store.hold_shard(try_lock_part.tenant_id);\n"),
    ("maintain_all", "\nbegin\n", "\nbegin\n  perform braid_shards.take_over();\n"),
    # Definitions belong to the coordinator, and a trigger refuses every statement that would change them here.
    ("forget_attributes", "    delete from braid_store.indexed_attributes a",
     "    if (select l.groupid from pg_dist_local_group l) = 0 then\n    delete from braid_store.indexed_attributes a"),
    ("forget_attributes", "d.noted_until is null);\n    delete", "d.noted_until is null);\n    end if;\n    delete"),
)  # fmt: skip


def apply_form(connection: Connection) -> None:
    """Replace the functions that differ on a cluster, on every node after its functions were applied. They find the
    tenant's node; at the coordinator they keep the nodes' definitions equal to its own."""
    apply_support(connection)
    roles = database_roles(connection)
    files = {file.name.rpartition("/")[2].removesuffix(".sql"): file.text for file in resources().repeatable}
    texts = {name: files[name] for name, _, _ in FORM}
    for name, old, new in FORM:
        if old not in texts[name]:
            raise InstallationError(f"sql/{name}.sql has no {old!r}", hint="please report it")
        texts[name] = texts[name].replace(old, new, 1)
    for text in texts.values():
        connection.execute(text.replace("@owner@", roles.owner).replace("@definer@", roles.definer).encode())
    for remainder, shard_id, _ in placements(connection):
        connection.execute(
            f"insert into {SHARDS}.node_shards as s values (%s, %s, false)"
            " on conflict (remainder) do update set shard_id = excluded.shard_id"
            " where s.shard_id <> excluded.shard_id".encode(),
            (remainder, shard_id),
        )
    if group_of(connection) == 0:
        tables = tables_of(connection)
        rows = [table for table in tables.of_tenants if schema_of(table) == "braid_store"]
        connection.execute(
            fill(
                FOLDER / "mirrored.sql",
                definitions="{" + ",".join(tables.definitions) + "}",
                of_tenants="{" + ",".join(rows) + "}",
            ).encode()
        )


def group_of(connection: Connection) -> int:
    """Return the group number of this node; 0 is the coordinator."""
    row = connection.execute("select groupid from pg_catalog.pg_dist_local_group").fetchone()
    assert row is not None
    return int(row[0])


def apply_support(connection: Connection) -> None:
    count = len(placements(connection))
    roles = database_roles(connection)
    connection.execute(
        fill(
            FOLDER / "distributed.sql",
            width=str(2**32 // count),
            last=str(count - 1),
            group=str(group_of(connection)),
            owner=roles.owner,
            definer=roles.definer,
        ).encode()
    )


def advance_ids(connection: Connection, parent: str, shard: str) -> None:
    """Advance the sequence of ids beyond the ids of tenants that came from another node, so that none is given
    twice."""
    for column, sequence, increment in connection.execute(
        "select quote_ident(a.attname), pg_catalog.pg_get_serial_sequence(%s, a.attname), q.seqincrement"
        " from pg_catalog.pg_attribute a"
        " join pg_catalog.pg_sequence q on q.seqrelid = pg_catalog.pg_get_serial_sequence(%s, a.attname)::regclass"
        " where a.attrelid = %s::regclass and a.attidentity <> '' and not a.attisdropped",
        (parent, parent, parent),
    ).fetchall():
        extreme = "max" if increment > 0 else "min"
        best = "greatest" if increment > 0 else "least"
        connection.execute(
            f"select setval('{sequence}', {best}(s.last_value, (select {extreme}({column}) from {shard})))"
            f" from {sequence} s".encode()
        )
