"""Check that the commands that run regularly also bring synced tables up to date."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from tools.cli.conftest import Run

import pgbraid

Connection = psycopg.Connection[Any]


@pytest.mark.parametrize("command", [["maintain"], ["work", "--once"]])
def test_commands_bring_them_over(client: pgbraid.Client, db: Connection, run: Run, command: list[str]) -> None:
    for table in ("articles", "broken"):
        db.execute(f"create table {table} (id int primary key, body text)")
        client.sync_table(f"public.{table}", content=["body"])
    db.execute("insert into articles values (1, 'amber'), (2, 'basket')")
    db.execute("alter table broken drop body")
    ended = run(*command)
    assert ended.code == 0
    assert client.count() == 2
    # The command names a table that cannot be read, and still ends well.
    assert "body" in ended.out + ended.err and "public.broken" in ended.out + ended.err
    if command == ["maintain"]:
        # each of the two rows counts as noted, as read first and as looked for
        assert json.loads(ended.out)["rows_applied"] == 6
