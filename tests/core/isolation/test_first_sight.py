"""A request's first write creates its tenant, where the settings allow it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from core.isolation.world import Gateway, World

WRITE = "select status from braid.upsert_document('mine', 'A discount.', collection => 'small')"
SEARCH = "select external_id from braid.full_text_search('discount', collection => 'small')"


@pytest.fixture(autouse=True)
def user(world: World) -> Iterator[str]:
    """Yield a `sub` claim without a tenant, while each `sub` names a tenant."""
    world.admin.execute("select braid.set_access(claim_path => '{sub}', create_tenants => true)")
    yield f"user-{uuid.uuid4()}"
    world.admin.execute("select braid.set_access(claim_path => '{app_metadata,tenant_id}', create_tenants => false)")


def call(gateway: Gateway, statement: str, claims: Any, read_only: bool = False, role: str = "authenticated") -> Any:
    headers = {"x-braid-tenant": claims["header"]} if "header" in claims else None
    with gateway.request(getattr(gateway, role), claims, headers, read_only=read_only) as connection:
        return connection.execute(statement).fetchall()


def tenants(world: World) -> set[str]:
    return {key for (key,) in world.admin.execute("select key from braid_store.tenants")}


def test_the_first_write_creates_the_tenant(world: World, gateway: Gateway, user: str) -> None:
    before = tenants(world)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant") as caught:
        call(gateway, SEARCH, {"sub": user}, read_only=True)
    assert "first write" in str(caught.value.diag.message_hint)
    assert tenants(world) == before
    assert call(gateway, WRITE, {"sub": user}) == [("inserted",)]
    assert tenants(world) == before | {user}
    assert call(gateway, SEARCH, {"sub": user}, read_only=True) == [("mine",)]
    assert call(gateway, WRITE, {"sub": user}) == [("unchanged",)]
    # The tenant has no members: the gateway's login acts for everybody.
    assert world.admin.execute(
        "select count(*) from braid_store.tenant_members m join braid_store.tenants t on t.id = m.tenant_id"
        " where t.key = %s",
        (user,),
    ).fetchone() == (0,)


def test_a_read_only_request_creates_none(world: World, gateway: Gateway, user: str) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        call(gateway, WRITE, {"sub": user}, read_only=True)
    assert user not in tenants(world)


def test_a_transaction_that_could_not_see_it_creates_none(world: World, gateway: Gateway, user: str) -> None:
    with gateway.connection.transaction():
        gateway.connection.execute("set transaction isolation level repeatable read")
        gateway.connection.execute(
            "select set_config('role', %s, true), set_config('request.jwt.claims', %s, true)",
            (gateway.authenticated, f'{{"sub": "{user}"}}'),
        )
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant"), gateway.connection.transaction():
            gateway.connection.execute(WRITE)
    assert user not in tenants(world)


@pytest.mark.any_version
@pytest.mark.parametrize(
    "claims",
    [{}, {"sub": ""}, {"sub": None}, {"sub": 17}, {"sub": ["x"]}, {"sub": {"x": "y"}}, {"sub": "x" * 256}],
    ids=lambda claims: str(claims)[:20],
)
def test_other_claims_create_none(world: World, gateway: Gateway, claims: dict[str, Any]) -> None:
    before = tenants(world)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant"):
        call(gateway, WRITE, claims)
    assert tenants(world) == before


@pytest.mark.any_version
def test_a_header_creates_none(world: World, gateway: Gateway, user: str) -> None:
    for claims in ({"sub": user, "header": f"{user}-2"}, {"header": user}):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            call(gateway, WRITE, claims, role="service_role")
    assert not tenants(world) & {user, f"{user}-2"}


def test_other_logins_create_none_by_claims(world: World, user: str) -> None:
    for role, options in (
        ("service", "login"),
        ("braid_writer", "login"),
        ("braid_writer", "login bypassrls"),
        ("braid_writer", "login superuser"),
    ):
        login = world.role("other", "braid_writer", role, options=options)
        connection = world.connect(login, request__jwt__claims=f'{{"sub": "{user}"}}')
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="tenant"):
            connection.execute(WRITE)
    assert user not in tenants(world)


def test_without_the_setting_none_is_created(world: World, gateway: Gateway, user: str) -> None:
    world.admin.execute("select braid.set_access(create_tenants => false)")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant"):
        call(gateway, WRITE, {"sub": user})
    assert user not in tenants(world)
