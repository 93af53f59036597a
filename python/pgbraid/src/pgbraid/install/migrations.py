"""Make the statements by which yoyo records migrations, for migrate.sql to run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from psycopg import sql
from yoyo import internalmigrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.internalmigrations import v2
from yoyo.migrations import default_migration_table, get_migration_hash

# SQL expressions for values known only when the statement runs.
EXPRESSIONS = {
    "id": "gen_random_uuid()",
    "username": "session_user",
    "hostname": "inet_client_addr()",
    "created_at_utc": "clock_timestamp() at time zone 'utc'",
    "when": "clock_timestamp() at time zone 'utc'",
}


class _Recorder(PostgresqlPsycopgBackend):  # type: ignore[misc]
    """Record the statements that yoyo would run."""

    def __init__(self) -> None:
        self.migration_table = default_migration_table
        self.text = ""

    def execute(self, statement: str, values: Mapping[str, object] | None = None) -> None:
        def value(found: re.Match[str]) -> str:
            name = found[1]
            return EXPRESSIONS.get(name) or sql.Literal((values or {})[name]).as_string(None)

        self.text += re.sub(r":(\w+)", value, " ".join(statement.split())) + ";\n"


def record_tables() -> str:
    """Return the statements that create yoyo's tables."""
    recorder = _Recorder()
    v2.create_migration_table(recorder)
    v2.create_log_table(recorder)
    v2.create_version_table(recorder)
    internalmigrations.mark_schema_version(recorder, 2)
    return recorder.text


def record(name: str) -> str:
    """Return the statements that record a migration as applied."""
    recorder = _Recorder()
    values = {"migration_id": name, "migration_hash": get_migration_hash(name), "operation": "apply"}
    for statement in (recorder.mark_migration_sql, recorder.log_migration_sql):
        recorder.execute(recorder.format_sql(statement), values)
    return recorder.text
