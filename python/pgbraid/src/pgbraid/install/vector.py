"""Find the extension pgvector in any schema."""

from __future__ import annotations

from dataclasses import dataclass

from pgbraid.install.state import Connection


@dataclass(frozen=True)
class VectorExtension:
    version: str
    schema: str


def find(connection: Connection) -> VectorExtension | None:
    row = connection.execute(
        "select e.extversion, n.nspname from pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
    ).fetchone()
    return VectorExtension(*row) if row else None
