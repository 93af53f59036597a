"""Replacing the functions, views and policies of an earlier version.

`create or replace` keeps what others have built on them, but it cannot rename an argument or change a result, and
knows nothing of a function that is gone from sql/. Both would make an upgraded database differ from a fresh one.
"""

from __future__ import annotations

import psycopg

from pgbraid.errors import InstallationError
from pgbraid.install.state import Connection

# What `create or replace` raises for a function or a view whose shape has changed.
SHAPE_CHANGED = ("42P13", "42P16")

# What each object is, how to drop it, and a version of its catalog row that changes whenever it is replaced, which may
# be twice in a transaction.
OBJECTS = """
select case p.prokind when 'p' then 'procedure ' when 'a' then 'aggregate ' else 'function ' end || p.oid::regprocedure,
  p.oid, p.xmin || ' ' || p.ctid
from pg_catalog.pg_proc p
where p.pronamespace in (select oid from pg_catalog.pg_namespace where nspname in ('braid', 'braid_store'))
  and p.proowner in (select oid from pg_catalog.pg_roles where rolname like E'braid\\\\_%')
union all
select 'view ' || c.oid::regclass, c.oid, r.xmin || ' ' || r.ctid
from pg_catalog.pg_class c
join pg_catalog.pg_rewrite r on r.ev_class = c.oid
where c.relnamespace in (select oid from pg_catalog.pg_namespace where nspname in ('braid', 'braid_store'))
  and c.relkind = 'v'
  and c.relowner in (select oid from pg_catalog.pg_roles where rolname like E'braid\\\\_%')
"""

POLICIES = """
select pg_catalog.format('policy %I on %s', p.polname, p.polrelid::regclass)
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
where c.relnamespace in (select oid from pg_catalog.pg_namespace where nspname in ('braid', 'braid_store'))
"""

Objects = dict[tuple[str, int], str]


def objects(connection: Connection) -> Objects:
    """Functions and views of pgbraid that are there now. Objects that a superuser or another login put into its
    schemas are not pgbraid's."""
    rows = connection.execute(OBJECTS).fetchall()
    return {(name, oid): version for name, oid, version in rows}


def drop_stale(connection: Connection, before: Objects) -> tuple[str, ...]:
    """Drop what was there before and has not been replaced since. Returns what was dropped."""
    now = objects(connection)
    stale = [name for (name, oid), version in before.items() if now.get((name, oid)) == version]
    _drop(connection, stale)
    return tuple(stale)


def drop_all(connection: Connection) -> None:
    """Make way for functions whose shape has changed: all at once, since they build on one another."""
    for (policy,) in connection.execute(POLICIES).fetchall():
        connection.execute(f"drop {policy}")
    _drop(connection, [name for name, _ in objects(connection)])


def _drop(connection: Connection, names: list[str]) -> None:
    # Views first: they call functions, and no function needs a view before it runs.
    for kind in ("view", "procedure", "aggregate", "function"):
        of_kind = [name.removeprefix(f"{kind} ") for name in names if name.startswith(f"{kind} ")]
        if not of_kind:
            continue
        try:
            connection.execute(f"drop {kind} {', '.join(of_kind)}")
        except psycopg.errors.DependentObjectsStillExist as error:
            raise InstallationError(
                f"objects outside of pgbraid depend on functions or views that change: {error.diag.message_detail}",
                hint="drop them, run pgbraid upgrade, and create them again",
                sqlstate=error.sqlstate,
            ) from error
