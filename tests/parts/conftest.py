"""Yield a database as on a worker of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from pgbraid import embedded
from support.partitioned import partitioned_database

Connection = psycopg.Connection[Any]


@pytest.fixture
def partitioned_db(server: embedded.Server, pg_version: int) -> Iterator[Connection]:
    """Yield a connection like `db`, to a database whose tenants' tables are partitioned."""
    with partitioned_database(server, pg_version) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        yield connection
