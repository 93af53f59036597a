from __future__ import annotations

from collections.abc import Iterator

import pytest

from isolation.world import ALPHA, BETA, Gateway, World
from pgbraid import embedded


@pytest.fixture(scope="module")
def world(server: embedded.Server, request: pytest.FixtureRequest) -> Iterator[World]:
    """One database for a module; tests leave tenant beta as it is."""
    created = World(server.dsn_for("postgres"), request.getfixturevalue("template").template_dbname)
    try:
        created.ingest("alpha", ALPHA)
        created.ingest("beta", BETA)
        created.like("alpha", "Ana")
        created.like("beta", "Zoltan")
        yield created
    finally:
        created.close()


@pytest.fixture(scope="module")
def gateway(world: World) -> Gateway:
    return Gateway(world)
