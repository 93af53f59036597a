"""What braid.health finds of synced tables."""

from __future__ import annotations

from typing import Any

import psycopg

from support.health import assert_found_and_mended, findings

Connection = psycopg.Connection[Any]


def test_rows_that_fail_and_tables_that_are_gone_are_found(dsn: str, db: Connection) -> None:
    db.execute("create table public.notes (id int primary key, org text, body text)")
    db.execute("insert into notes values (1, 'default', 'one')")
    db.execute("select braid.sync_table('public.notes', content => '{body}', tenant_column => 'org')")
    db.execute("select braid.apply_changes()")
    assert findings(dsn, "sync_failing") == []
    db.execute("insert into notes values (2, 'none', 'two')")
    db.execute("select braid.apply_changes()")
    (seen,) = findings(dsn, "sync_failing")
    assert seen["finding"].startswith("1 changed rows failed: ")
    # What the message says, and the pause is over.
    db.execute("select braid.create_tenant('none')")
    db.execute("update braid_store.row_changes set retry_at = now()")
    assert_found_and_mended(dsn, "sync_failing", "notes")
    db.execute("drop table notes")
    assert_found_and_mended(dsn, "sync_lost", "notes")
