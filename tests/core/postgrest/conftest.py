"""Run PostgREST, or statements shaped like its own without it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from core.isolation.world import ALPHA, BETA, Gateway, World
from core.postgrest.calls import Body, Caller, documents
from psycopg import sql

from pgbraid import embedded
from support import npm, postgrest


@pytest.fixture(scope="module")
def world(server: embedded.Server, template: str) -> Iterator[World]:
    created = World(server.dsn_for("postgres"), template)
    try:
        created.ingest("alpha", ALPHA)
        created.ingest("beta", BETA)
        yield created
    finally:
        created.close()


@pytest.fixture(scope="module")
def gateway(world: World) -> Gateway:
    return Gateway(world)


@pytest.fixture(scope="module")
def administrator(world: World, gateway: Gateway) -> str:
    """Return an administrators' role of the API."""
    role = world.role("administrator", "braid_writer", "administrator", options="nologin")
    world.admin.execute(sql.SQL("grant {} to {}").format(sql.Identifier(role), sql.Identifier(gateway.login)))
    return role


def _role_with(world: World, gateway: Gateway, setting: str, value: str) -> str:
    role = world.role("with_setting", "braid_writer", options="nologin")
    names = sql.Identifier(role), sql.Identifier(setting), sql.Literal(value), sql.Identifier(gateway.login)
    world.admin.execute(sql.SQL("alter role {} set {} = {}").format(*names[:3]))
    world.admin.execute(sql.SQL("grant {} to {}").format(names[0], names[3]))
    return role


@pytest.fixture(scope="module")
def repeatable_reader(world: World, gateway: Gateway) -> str:
    """Return a user of the API whose transactions have another isolation level than upkeep needs."""
    return _role_with(world, gateway, "default_transaction_isolation", "repeatable read")


@pytest.fixture(scope="module")
def hasty(world: World, gateway: Gateway) -> str:
    """Return a user of the API with a short statement_timeout."""
    return _role_with(world, gateway, "statement_timeout", "5ms")


@pytest.fixture(scope="module")
def http(
    world: World, gateway: Gateway, administrator: str, repeatable_reader: str, hasty: str
) -> Iterator[postgrest.Gateway]:
    """Yield a real PostgREST in front of the world."""
    world.admin.execute("select braid.create_collection('read', dimensions => 3, embedding_model => 'test')")
    world.admin.execute("create table public.synced (id int primary key, body text)")
    world.admin.execute(sql.SQL("alter table public.synced owner to {}").format(sql.Identifier(administrator)))
    for tenant in ("alpha", "beta"):
        world.ingest(tenant, documents(tenant), "read")
    with postgrest.running(npm.postgrest(), world.dsn, gateway.login, gateway.anon) as running:
        yield running


@pytest.fixture(scope="module", params=["alpha", "beta"])
def tenant(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tokens(gateway: Gateway, administrator: str, tenant: str) -> dict[bool, str]:
    """Return the tenant's tokens: an administrator's (True) and a user's (False)."""
    return {
        True: postgrest.token_for(tenant, administrator),
        False: postgrest.token_for(tenant, gateway.authenticated),
    }


@pytest.fixture(scope="module")
def caller(world: World, gateway: Gateway, http: postgrest.Gateway, tenant: str, tokens: dict[bool, str]) -> Caller:
    def calling(administrator: bool) -> Callable[[str, Body], Any]:
        def call(function: str, body: Body) -> Any:
            answer = http.post(function, body, tokens[administrator])
            assert answer.status in (200, 204), answer
            return answer.data

        return call

    row = world.admin.execute(
        "select c.id from braid_store.chunks c join braid_store.documents d on d.id = c.document_id"
        " join braid_store.collections k on k.id = d.collection_id"
        " where k.name = 'read' and d.external_id = 'doc2' and c.tenant_id = %s",
        (world.tenant_ids[tenant],),
    ).fetchone()
    assert row is not None
    return Caller(
        tenant=tenant,
        tenant_id=world.tenant_ids[tenant],
        chunk_id=row[0],
        login=gateway.login,
        as_user=calling(False),
        as_administrator=calling(True),
    )
