"""Test that the server stops working for a client that is gone."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import psycopg

import pgbraid
from support.waiting import until

WORK = """
import sys, pgbraid
client = pgbraid.connect(sys.argv[1])
print(client.connection.info.backend_pid, flush=True)
client.connection.execute("do 'begin loop perform 1; end loop; end'")
"""


def test_a_statement_ends_with_its_client(dsn: str, db: psycopg.Connection[Any]) -> None:
    process = subprocess.Popen([sys.executable, "-c", WORK, dsn], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    pid = int(process.stdout.readline())

    def is_there() -> bool:
        row = db.execute("select count(*) from pg_stat_activity where pid = %s and state = 'active'", (pid,)).fetchone()
        return row == (1,)

    until(is_there)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    try:
        until(lambda: not is_there())
    finally:
        db.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid = %s", (pid,))


def test_a_connection_of_the_callers_is_left_as_it_is(db: psycopg.Connection[Any]) -> None:
    pgbraid.connect(db)
    assert db.execute("show client_connection_check_interval").fetchone() == ("0",)
