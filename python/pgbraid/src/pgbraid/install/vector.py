"""Find the extension pgvector in any schema, and pgbraid where it is an extension."""

from __future__ import annotations

from typing import NamedTuple

from pgbraid.install.state import Connection


class Extension(NamedTuple):
    version: str
    schema: str


def find(connection: Connection, name: str = "vector") -> Extension | None:
    row = connection.execute(
        "select e.extversion, n.nspname from pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = %s",
        (name,),
    ).fetchone()
    return Extension(*row) if row else None
