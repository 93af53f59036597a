"""braid.health finds problems of synced tables."""

from __future__ import annotations

from collections.abc import Callable
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
    # The cause that the message names is removed, and the pause is over.
    db.execute("select braid.create_tenant('none')")
    db.execute("update braid_store.row_changes set retry_at = now()")
    assert_found_and_mended(dsn, "sync_failing", "notes")
    db.execute("drop table notes")
    assert_found_and_mended(dsn, "sync_lost", "notes")


def test_a_monitor_is_told_of_a_failure_without_its_text(
    dsn: str, db: Connection, make_login: Callable[..., str], connect_as: Any
) -> None:
    watcher = make_login("watcher", "monitor")
    db.execute("create table followed (id int primary key, body text)")
    db.execute("select braid.sync_table('public.followed', content => array['body'], tenant => 'default')")
    db.execute("update braid_store.synced_tables set last_error = 'secret row'")
    login = connect_as(watcher)
    seen = login.execute("select code, finding from braid.health('0 seconds')").fetchall()
    assert ("sync_failing", "The sync failed.") in seen and "secret" not in str(seen)
    direct = login.execute("select * from braid_calls.administrator_findings('1 hour')").fetchall()
    assert "secret" not in str(direct)
    assert "secret row" in str(findings(dsn))
