"""From the first migration to this version: what was stored stays, and nothing tells it from a fresh install."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from helpers import snapshot
from pgbraid.install import install, resources

FIRST = resources.migration_ids()[0]


class StoppedError(Exception):
    pass


@pytest.fixture
def first(bare_dsn: Callable[..., str]) -> str:
    """A database as the first migration leaves it, with a tenant of its own."""
    dsn = bare_dsn()

    def stop_after_first(line: str) -> None:
        if line == f"migration {FIRST} applied":
            raise StoppedError

    with pytest.raises(StoppedError):
        install(dsn, notify=stop_after_first)
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select migration_id from braid_store._yoyo_migration").fetchall() == [(FIRST,)]
        connection.execute("insert into braid_store.tenants (key) values ('acme')")
    return dsn


def test_an_upgrade_equals_a_fresh_install(first: str, dsn: str) -> None:
    report = install(first)
    assert report.migrations == resources.migration_ids()[1:]
    assert snapshot.definitions(first) == snapshot.definitions(dsn)


def test_an_upgrade_keeps_what_was_stored(first: str) -> None:
    install(first)
    with psycopg.connect(first) as connection:
        keys = connection.execute("select key from braid_store.tenants order by id").fetchall()
    assert keys == [("acme",), ("default",)]
