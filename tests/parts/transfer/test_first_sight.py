"""An import creates its tenant, where the settings allow it."""

from __future__ import annotations

from core.isolation.conftest import gateway
from core.isolation.test_first_sight import call, tenants, user
from core.isolation.world import Gateway, World

__all__ = ["gateway", "user"]


def test_an_import_creates_it_too(world: World, gateway: Gateway, user: str) -> None:
    assert call(gateway, "select braid.import_tenant('[]')", {"sub": user}) == [(0,)]
    assert user in tenants(world)
