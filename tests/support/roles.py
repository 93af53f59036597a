"""Find the roles that own an installation's objects. A clone of a database keeps its template's roles."""

from __future__ import annotations

from typing import Any

import psycopg

OWNER = """
select p.proowner::regrole::text from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('braid_calls', 'braid_store') and p.proname = %s
"""


def owner_role(db: psycopg.Connection[Any]) -> str:
    return _owner(db, "session_tenant_id")


def definer_role(db: psycopg.Connection[Any]) -> str:
    return _owner(db, "run_search")


def _owner(db: psycopg.Connection[Any], function: str) -> str:
    row = db.execute(OWNER, (function,)).fetchone()
    assert row is not None
    return str(row[0])
