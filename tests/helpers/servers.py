"""Servers for tests."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import psycopg
from psycopg import sql

from pgbraid import embedded

# What these risk is lost only if the machine crashes; a killed server still recovers.
FAST_SETTINGS = {"fsync": "off", "full_page_writes": "off"}


def make_fast(server: embedded.Server) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        for name, value in FAST_SETTINGS.items():
            connection.execute(sql.SQL("alter system set {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        connection.execute("select pg_reload_conf()")


def temporary_folder() -> Path:
    """A new folder that a server's OS user can be let into, in memory where there is plenty: a cluster is a thousand
    files, and it is made and removed many times."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 4 << 30
    return Path(tempfile.mkdtemp(prefix="pgbraid-test-", dir=memory if roomy else None))
