"""Find the servers of a Citus cluster, open sessions on them, and create the roles that each needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgbraid._dsn import usable_dsn
from pgbraid.errors import ConflictError, InstallationError, NotSupportedError
from pgbraid.install.session import installer_session
from pgbraid.install.state import Connection, exists
from pgbraid_tools.cluster.tables import SHARDS

# The schemas of a worker's own installation.
SCHEMAS = "braid, braid_calls, braid_store, braid_locks"
MINIMUM_VERSION = 170000
# Superusers of the coordinator take this advisory lock; nobody else does this work.
LOCK = 4914013731

NODES = """
select n.groupid, n.nodename, n.nodeport from pg_catalog.pg_dist_node n
where n.noderole = 'primary' and n.isactive and n.shouldhaveshards
order by n.groupid
"""
ROLES = """
select r.rolname from pg_catalog.pg_roles r
where r.rolname ~ '^braid_' or pg_catalog.pg_has_role(r.oid, 'braid_reader', 'MEMBER') and not r.rolsuper
   or r.rolname in (select m.member from braid_store.tenant_members m union all
                    select t.role from braid_store.trusted_roles t)
order by 1
"""
MEMBERSHIPS = """
select m.roleid::regrole::text, m.member::regrole::text, bool_or(m.inherit_option)
from pg_catalog.pg_auth_members m
join pg_catalog.pg_roles r on r.oid = m.member
join pg_catalog.pg_roles g on g.oid = m.roleid
where r.rolname = any(%s) and (g.rolname = any(%s) or g.rolname ~ '^braid_') and not r.rolsuper
group by 1, 2
order by 1, 2
"""


@dataclass(frozen=True)
class Node:
    """Hold a server of the cluster that has shards."""

    group: int
    host: str
    port: int

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"

    def dsn(self, coordinator: str) -> str:
        return make_conninfo(usable_dsn(coordinator), host=self.host, port=self.port, hostaddr=None)


@contextmanager
def cluster_session(dsn: str) -> Iterator[Connection]:
    """Yield a connection that may touch shards, and whose statements Citus does not forward to other nodes."""
    with installer_session(dsn) as connection:
        if connection.execute("select from pg_catalog.pg_extension where extname = 'citus'").fetchone() is None:
            raise NotSupportedError(
                f"{connection.info.host}:{connection.info.port} has no extension citus in this database",
                hint="put citus into shared_preload_libraries of every node, restart them, and run on each, in this"
                " database: create extension citus",
            )
        for name, value in {
            "citus.enable_ddl_propagation": "off",
            "citus.enable_manual_changes_to_shards": "on",
            "citus.override_table_visibility": "off",
            "citus.multi_shard_modify_mode": "sequential",
        }.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))
        yield connection


def workers_of(connection: Connection) -> list[Node]:
    """Return the nodes with tenants, if this is the coordinator of a distributed installation; else none."""
    if not exists(connection, f"{SHARDS}.node_shards"):
        return []
    row = connection.execute("select groupid from pg_catalog.pg_dist_local_group").fetchone()
    return [Node(*row) for row in connection.execute(NODES)] if row == (0,) else []


@contextmanager
def one_at_a_time(coordinator: Connection) -> Iterator[None]:
    """Hold the lock that lets only one of distributing, moving and gathering run at a time."""
    row = coordinator.execute("select pg_catalog.pg_try_advisory_lock(%s)", (LOCK,)).fetchone()
    if row != (True,):
        # Any login can take this advisory lock, so name its holders.
        holders = coordinator.execute(
            "select 'process ' || a.pid || ', login ' || a.usename from pg_catalog.pg_locks l"
            " join pg_catalog.pg_stat_activity a using (pid) where l.locktype = 'advisory' and l.granted"
            " and l.classid::bigint << 32 | l.objid::bigint = %s and l.objsubid = 1 and a.datid = l.database"
            " and a.datname = pg_catalog.current_database()",
            (LOCK,),
        ).fetchall()
        raise ConflictError(
            f"another session distributes, gathers or moves tenants ({'; '.join(name for (name,) in holders)})",
            hint="run the same command when that session has ended; end a stuck session with pg_terminate_backend",
        )
    try:
        yield
    finally:
        if not coordinator.broken:
            coordinator.execute("select pg_catalog.pg_advisory_unlock(%s)", (LOCK,))


def find_nodes(coordinator: Connection) -> list[Node]:
    row = coordinator.execute("select groupid from pg_catalog.pg_dist_local_group").fetchone()
    if row != (0,):
        raise InstallationError("this is a worker of the cluster", hint="give the DSN of its coordinator")
    nodes = [Node(*row) for row in coordinator.execute(NODES)]
    if not nodes:
        raise InstallationError(
            "the cluster has no workers", hint="run at the coordinator: select citus_add_node('host', 5432)"
        )
    if any(node.group == 0 for node in nodes):
        raise NotSupportedError(
            "the coordinator may not have shards, because definitions are changed there",
            hint="run at the coordinator: select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false)"
            " from pg_dist_node where groupid = 0",
        )
    return nodes


def check_node(coordinator: Connection, worker: Connection, node: Node) -> None:
    if worker.info.server_version < MINIMUM_VERSION:
        raise NotSupportedError(
            f"{node.name} is PostgreSQL {worker.info.server_version // 10000}", hint="a cluster needs 17 or newer"
        )
    refuse_foreign(worker, node)
    for connection, name in ((coordinator, "the coordinator"), (worker, node.name)):
        row = connection.execute(
            "select pg_catalog.current_setting('max_prepared_transactions')::int > 0,"
            " exists (select from pg_catalog.pg_available_extensions where name = 'vector')"
        ).fetchone()
        if row != (True, True):
            lacks = "pgvector" if row == (True, False) else "max_prepared_transactions"
            hint = "install the package of pgvector" if lacks == "pgvector" else "set it to 200, and restart the server"
            raise NotSupportedError(f"{name} has no {lacks}", hint=f"{hint}; nothing has been changed")
    query = "select extname, extversion from pg_catalog.pg_extension where extname in ('citus', 'vector')"
    here, there = (dict(connection.execute(query).fetchall()) for connection in (coordinator, worker))
    for name in here:
        if name in there and here[name] != there[name]:
            raise InstallationError(
                f"{node.name} has {name} {there[name]}, the coordinator {here[name]}",
                hint=f"run on every node: alter extension {name} update",
            )


def refuse_foreign(worker: Connection, node: Node) -> None:
    """Refuse a worker whose own installation has tenants outside of the cluster."""
    query = "select from pg_catalog.pg_class where oid = to_regclass('braid_store.documents') and relkind = 'r'"
    if worker.execute(query).fetchone() is not None:
        raise InstallationError(
            f"{node.name} has a pgbraid of its own",
            hint="export the node's tenants, and run at this node: pgbraid uninstall",
        )


def missing_roles(coordinator: Connection, worker: Connection) -> list[str]:
    wanted = [name for (name,) in coordinator.execute(ROLES)]
    there = {name for (name,) in worker.execute("select rolname from pg_catalog.pg_roles")}
    return [name for name in wanted if name not in there]


def create_roles(coordinator: Connection, worker: Connection, names: Sequence[str]) -> None:
    """Create roles as they are at the coordinator, with passwords."""
    with worker.transaction():
        for name, login, inherit, password in coordinator.execute(
            "select rolname, rolcanlogin, rolinherit, rolpassword from pg_catalog.pg_authid where rolname = any(%s)",
            (list(names),),
        ):
            # Citus also copies roles, a little after a node was added.
            with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation), worker.transaction():
                worker.execute(
                    sql.SQL("create role {} {} {} password {}").format(
                        sql.Identifier(name),
                        sql.SQL("login" if login else "nologin"),
                        sql.SQL("inherit" if inherit else "noinherit"),
                        sql.Literal(password),
                    )
                )


def missing_memberships(coordinator: Connection, worker: Connection) -> list[tuple[str, str, bool]]:
    """Return role, member, and whether the member inherits, for memberships of the coordinator that the worker lacks.
    Look at all roles that pgbraid needs, whoever granted them."""
    wanted = [name for (name,) in coordinator.execute(ROLES)]
    there = {(role, member) for role, member, _ in worker.execute(MEMBERSHIPS, (wanted, wanted))}
    return [row for row in coordinator.execute(MEMBERSHIPS, (wanted, wanted)).fetchall() if row[:2] not in there]


def grant_memberships(worker: Connection, memberships: Sequence[tuple[str, str, bool]]) -> None:
    with worker.transaction():
        for role, member, inherit in memberships:
            worker.execute(f"grant {role} to {member} with inherit {inherit}".encode())
