"""Run writers, readers and maintenance at once on a worker."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from install.citus.conftest import databases

from endurance.test_writers_and_readers import write_and_read_at_once
from pgbraid.install import install
from pgbraid_tools.cluster import distribute


@pytest.fixture
def nodes(coordinator: str) -> Iterator[tuple[str, str]]:
    """Yield the DSNs of the coordinator and of the worker that has all tenants."""
    with databases(coordinator, most=1) as (dsn, workers, _):
        install(dsn)
        distribute(dsn)
        yield dsn, *workers.values()  # type: ignore[misc]


def test_many_at_once(nodes: tuple[str, str]) -> None:
    coordinator, worker = nodes
    suffix = uuid.uuid4().hex[:8]
    names = f"writer_{suffix}", f"reader_{suffix}"
    with psycopg.connect(coordinator, autocommit=True) as definitions, psycopg.connect(worker, autocommit=True) as db:
        try:
            write_and_read_at_once(db, worker, definitions, names)
        finally:
            for name in names:
                definitions.execute(f"drop role if exists {name}".encode())
