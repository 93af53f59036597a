"""Run PGlite: PostgreSQL 17 and pgvector in WebAssembly, because no package brings a server of this version. Each
database has one session, which all its connections share."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pgbraid.install import install
from support import npm

VERSION = 17
PACKAGES = ("@electric-sql/pglite@0.3.16", "@electric-sql/pglite-socket@0.0.22")
# Far above any real duration: compiling the server takes three minutes beside nine busy processes.
ANSWER_SECONDS = 1800


@contextmanager
def running() -> Iterator[PGlite]:
    """Yield a PGlite server that makes databases with pgbraid installed."""
    with subprocess.Popen(
        ["node", "--single-threaded-gc", Path(__file__).with_suffix(".mjs")],
        cwd=npm.installed(*PACKAGES),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            databases = PGlite(process)
            with databases.new() as dsn:
                with psycopg.connect(dsn, autocommit=True) as connection:
                    connection.execute("create extension vector")
                    # These databases are two thirds of the bytes that each copy would copy.
                    for unused in ("postgres", "template0"):
                        connection.execute(f"alter database {unused} is_template false".encode())
                        connection.execute(f"drop database {unused}".encode())
                install(dsn)
                databases.keep(dsn)
            yield databases
        finally:
            process.kill()


class PGlite:
    """Manage the databases of one process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    @contextmanager
    def new(self) -> Iterator[str]:
        """Create a database, yield its DSN and drop it at the end."""
        port = self._ask("open")
        yield make_conninfo(
            host="127.0.0.1", port=port, user="postgres", password="postgres", dbname="template1", sslmode="disable"
        )
        self._ask("close", port)

    def keep(self, dsn: str) -> None:
        """Make new databases copies of this one."""
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("checkpoint")
        self._ask("keep", str(conninfo_to_dict(dsn)["port"]))

    def _ask(self, *command: str) -> str:
        assert self._process.stdin and self._process.stdout
        watchdog = threading.Timer(ANSWER_SECONDS, self._process.kill)
        watchdog.start()
        try:
            print(*command, file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline().strip()
        finally:
            watchdog.cancel()
        assert answer, f"PGlite did not answer to: {' '.join(command)}"
        return answer
