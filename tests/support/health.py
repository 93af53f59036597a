"""Read the findings of braid.health, and run the commands that should resolve them."""

from __future__ import annotations

import psycopg
from click.testing import CliRunner
from psycopg.rows import dict_row

from pgbraid.cli import cli

Finding = dict[str, str]
# The tests' servers run with these settings.
OF_TESTS = {"fsync_off", "full_page_writes_off"}


def findings(dsn: str, code: str | None = None, older_than: str = "1 hour", tenant: str = "default") -> list[Finding]:
    """Return the findings as seen by a new read-only session: a database's settings apply only to new sessions."""
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as session:
        session.execute("set default_transaction_read_only = on")
        session.execute("select set_config('braid.tenant', %s, false), pg_stat_clear_snapshot()", (tenant,))
        rows = session.execute("select * from braid.health(%s::interval)", (older_than,)).fetchall()
    assert all(row["severity"] in ("problem", "advice") and all(row.values()) for row in rows), rows
    return [row for row in rows if row["code"] == code or (code is None and row["code"] not in OF_TESTS)]


def mend(dsn: str, found: Finding) -> None:
    """Run the commands of a finding, line by line."""
    with psycopg.connect(dsn, autocommit=True) as session:
        for line in found["command"].splitlines():
            if line.startswith("pgbraid "):
                done = CliRunner().invoke(cli, [*line.split()[1:], "--dsn", dsn])
                assert done.exit_code == 0, (done.output, done.exception)
            elif not line.startswith("--"):
                session.execute(line.encode())


def assert_found_and_mended(
    dsn: str, code: str, subject: str = "", older_than: str = "1 hour", severity: str = "problem"
) -> Finding:
    seen = findings(dsn, code, older_than)
    assert [row["severity"] for row in seen if subject in row["subject"]], (code, seen)
    for row in seen:
        assert row["severity"] == severity
        mend(dsn, row)
    assert findings(dsn, code, older_than) == []
    return seen[0]
