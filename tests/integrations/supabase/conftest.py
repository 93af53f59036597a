"""Provide a Supabase-like server, and an empty project on it for each test that asks."""

from __future__ import annotations

import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import sql

from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid_tools.bundles.bundle import bundle
from support import make_fast, supabase, temporary_folder
from support.waiting import PATIENCE

Psql = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def platform(pg_version: int) -> Iterator[embedded.Server]:
    folder = temporary_folder()
    try:
        running = embedded.ensure_running(folder, pg_version)
        make_fast(running)
        supabase.set_up(running)
        yield running
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder)


@pytest.fixture
def project(platform: embedded.Server) -> Iterator[str]:
    """Yield the owner's DSN of a project without pgbraid. The roles that an installation makes stay with the server."""
    with _clone(platform, "project") as dsn:
        yield dsn


@pytest.fixture(scope="session")
def template_with_bundle(platform: embedded.Server) -> Iterator[str]:
    with _clone(platform, "project") as dsn:
        with psycopg.connect(dsn) as connection:
            connection.execute(bundle().encode())
            name = connection.info.dbname
        yield name


@pytest.fixture
def installed(platform: embedded.Server, template_with_bundle: str) -> Iterator[str]:
    """Yield the owner's DSN of a project in which the bundle has been run."""
    with _clone(platform, template_with_bundle) as dsn:
        yield dsn


@contextmanager
def _clone(platform: embedded.Server, template: str) -> Iterator[str]:
    name = f"project_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(platform.dsn_for("postgres", supabase.ADMIN), autocommit=True) as admin:
        admin.execute(
            sql.SQL("create database {} template {} owner postgres").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        try:
            yield platform.dsn_for(name, supabase.OWNER)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def psql(pg_version: int) -> Psql:
    """Return a function that runs psql: `psql(dsn, sql, *options)`."""

    def run(dsn: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
        program = str(installed_programs(pg_version) / "psql")
        command = [program, "--no-psqlrc", "--quiet", "--dbname", dsn, *options]
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=PATIENCE)

    return run
