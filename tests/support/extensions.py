"""Run a server into whose folder of extensions tests may write."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from pgbraid import embedded
from pgbraid.embedded import cluster, programs
from support.servers import finish_drops, make_fast, temporary_folder


@dataclass(frozen=True)
class ExtensibleServer:
    """Hold a server and the folder of its programs, which are a copy of its own."""

    server: embedded.Server
    bin: Path

    @property
    def extensions(self) -> Path:
        return Path(self.run("pg_config", "--sharedir").strip()) / "extension"

    def run(self, program: str, *arguments: str | Path, text: str | None = None) -> str:
        """Run a program of the server; return what it writes, and fail with it."""
        done = subprocess.run([self.bin / program, *arguments], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def database(self, name: str, owner: str = "postgres") -> Iterator[str]:
        """Create a database, yield the owner's DSN and drop the database at the end."""
        with psycopg.connect(self.server.dsn_for("postgres"), autocommit=True) as admin:
            admin.execute(
                sql.SQL("create database {} owner {} template template0 encoding 'UTF8'").format(
                    sql.Identifier(name), sql.Identifier(owner)
                )
            )
            try:
                yield self.server.dsn_for(name, owner)
            finally:
                admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@contextmanager
def extensible_server(version: int) -> Iterator[ExtensibleServer]:
    home = temporary_folder()
    home.chmod(0o711)
    copied = programs._copy(programs.installed_programs(version), home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "programs", lambda *_: copied)
        try:
            server = embedded.ensure_running(home, version)
            make_fast(server)
            yield ExtensibleServer(server, copied)
        finally:
            finish_drops()
            embedded.stop(home)
            shutil.rmtree(home)
