"""Install with tenants' tables partitioned by tenant, as on a worker of a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pgbraid import embedded
from pgbraid.install import install
from pgbraid.install.installer import run_part
from pgbraid.install.resources import resources
from pgbraid.install.roles import database_roles
from pgbraid.install.session import installer_session
from pgbraid_tools.cluster.tables import SHARDS, placed, schema_of, without_statistics
from pgbraid_tools.cluster.workers import make_partitioned
from support.parts import chosen
from support.servers import clone

PARTITIONS = 3


@contextmanager
def partitioned_database(server: embedded.Server, pg_version: int) -> Iterator[str]:
    """Create a database, yield its DSN and drop it at the end."""
    if pg_version < 17:
        pytest.skip("clusters need PostgreSQL 17: before it, partitioned tables have no identity columns")
    with clone(server, "template1") as name:
        install_partitioned(server.dsn_for(name))
        yield server.dsn_for(name)


def install_partitioned(dsn: str) -> None:
    parts = tuple(name for name in resources().parts if name in {"core", *chosen()})
    with installer_session(dsn) as connection, connection.transaction():
        run_part(connection, "begin.sql", parts)
        run_part(connection, "migrate.sql", parts)
        connection.execute(f"create schema {SHARDS}".encode())
        connection.execute(
            f"create operator class {SHARDS}.shard_ops for type int4 using hash as"
            " operator 1 pg_catalog.= (int4, int4),"
            " function 1 pg_catalog.hashint4(int4), function 2 pg_catalog.hashint4extended(int4, int8)".encode()
        )
        roles = database_roles(connection)
        manifests = [json.loads(resources().parts[name]) for name in parts]
        for table in placed(manifest.get("tables", {}) for manifest in manifests).of_tenants:
            make_partitioned(connection, table, roles)
            parent = f"{schema_of(table)}.{table}"
            for number in range(PARTITIONS):
                partition = f"{SHARDS}.{table}_{number}"
                connection.execute(
                    f"create table {partition} partition of {parent}"
                    f" for values with (modulus {PARTITIONS}, remainder {number})".encode()
                )
                without_statistics(connection, parent, partition)
        run_part(connection, "finish.sql", parts)
    # The second installation creates the default tenant and collection.
    install(dsn)
