from __future__ import annotations

from collections.abc import Iterator

import pytest
from core.isolation.world import ALPHA, BETA, Gateway, World

from pgbraid import embedded


@pytest.fixture(scope="module")
def world(server: embedded.Server, template: str) -> Iterator[World]:
    """Yield one database per module; tests leave tenant beta as it is."""
    created = World(server.dsn_for("postgres"), template)
    try:
        created.stand("alpha", "discount customer")
        created.stand("beta", "zebrafish discount")
        created.ingest("alpha", ALPHA)
        created.ingest("beta", BETA)
        created.like("alpha", "Ana")
        created.like("beta", "Zoltan")
        created.asked("beta", "discount")
        created.judge("alpha", "discount")
        created.judge("beta", "zebrafish")
        # Both tenants have searches in the table of a day, and beta has a new one.
        created.search("alpha", "discount")
        created.search("beta", "zebrafish")
        created.admin.execute("select braid.maintain()")
        created.search("beta", "zebrafish")
        created.learn("alpha", 0.5)
        created.learn("beta", 0.7519283)
        yield created
    finally:
        created.close()


@pytest.fixture(scope="module")
def gateway(world: World) -> Gateway:
    return Gateway(world)
