"""Make a primary with a hot standby, once for the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from pgbraid.install import install
from support import clone, finish_drops, pglite
from support.replication import Replicated, replicated


@dataclass
class Database:
    """Name one database of the pair by its DSN on either server."""

    pair: Replicated
    name: str

    @property
    def primary(self) -> str:
        return self.pair.primary.dsn_for(self.name)

    @property
    def standby(self) -> str:
        return self.pair.standby.dsn_for(self.name)


@pytest.fixture(scope="package")
def pair(pg_version: int) -> Iterator[Replicated]:
    """Yield a primary with a standby; its database `pgbraid` is a template with pgbraid installed."""
    if pg_version == pglite.VERSION:
        pytest.skip("PGlite has no standbys")
    with replicated(pg_version) as pair:
        install(pair.primary.dsn)
        yield pair
        finish_drops()


@pytest.fixture
def database(pair: Replicated) -> Iterator[Database]:
    """Yield a new database with pgbraid, after the standby has received it."""
    with clone(pair.primary, "pgbraid") as name:
        pair.caught_up()
        yield Database(pair, name)
