"""A real PgBouncer in transaction mode, whose clients share one connection, carries no tenant over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from core.isolation.world import Connection, Gateway, World, tenant_claims
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid import errors
from support import HashEmbedder
from support.calls import one
from support.pgbouncer import pooled
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version

SEARCH = "select external_id from braid.full_text_search('discount zebrafish', collection => 'small')"


@pytest.fixture(scope="module")
def service(world: World) -> str:
    """Return a login that acts for all tenants, as a pooled back end does."""
    return world.role("service", "braid_writer", "service")


@pytest.fixture(scope="module")
def pool(world: World, gateway: Gateway, service: str) -> Iterator[str]:
    with pooled(world.dsn, service, gateway.login) as dsn:
        yield dsn


@pytest.fixture
def connect(pool: str, service: str) -> Iterator[Callable[..., Connection]]:
    opened: list[Connection] = []

    def connect(login: str = service) -> Connection:
        connection = psycopg.connect(make_conninfo(pool, user=login), autocommit=True, prepare_threshold=None)
        opened.append(connection)
        return connection

    yield connect
    for connection in opened:
        connection.execute("reset all")
        connection.close()


def backend(connection: Connection) -> int:
    return int(one(connection, "select pg_backend_pid()"))


def tenant(connection: Connection) -> str | None:
    try:
        return str(one(connection, "select braid.status() ->> 'tenant'"))
    except psycopg.errors.InsufficientPrivilege:
        return None


@pytest.mark.parametrize(
    "choose", ["set local braid.tenant = 'beta'", "select set_config('braid.tenant', 'beta', true)"]
)
def test_a_tenant_chosen_for_a_transaction_ends_with_it(connect: Callable[..., Connection], choose: str) -> None:
    one, other = connect(), connect()
    assert backend(one) == backend(other)
    with one.transaction():
        one.execute(choose)
        assert ("beta-only",) in one.execute(SEARCH).fetchall()
    assert tenant(other) is None
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant"):
        other.execute(SEARCH)
    # The transaction fails, rolls back, or commits after a savepoint.
    for ending in ("select 1 / 0", "rollback", "savepoint s; select 1; release s; commit"):
        one.execute("begin")
        one.execute(choose)
        try:
            one.execute(ending)
        except psycopg.errors.DivisionByZero:
            one.execute("rollback")
        assert tenant(other) is None


def test_a_plain_set_is_carried_over_as_documented(connect: Callable[..., Connection]) -> None:
    one, other = connect(), connect()
    one.execute("set braid.tenant = 'beta'")
    assert tenant(other) == "beta"
    one.execute("reset braid.tenant")
    assert tenant(other) is None


def test_a_gateways_claims_end_with_their_request(connect: Callable[..., Connection], gateway: Gateway) -> None:
    one, other = connect(gateway.login), connect(gateway.login)
    assert backend(one) == backend(other)
    direct = gateway.connection
    gateway.connection = one
    try:
        with gateway.request(gateway.authenticated, tenant_claims("beta")):
            assert tenant(one) == "beta"
    finally:
        gateway.connection = direct
    assert other.execute(
        "select nullif(current_setting('request.jwt.claims', true), ''), current_user::text = session_user::text"
    ).fetchone() == (None, True)


def test_clients_of_many_tenants_share_a_connection(world: World, pool: str, service: str) -> None:
    """Searches, writes and errors of two tenants are interleaved on one connection, and each tenant always sees only
    its own data."""
    own = {
        "alpha": {"doc1", "doc2", "doc3", "mine-alpha"},
        "beta": {"doc1", "doc2", "beta-only", "mine-beta"},
    }
    wrong: list[Any] = []

    def work(key: str) -> None:
        with pgbraid.connect(make_conninfo(pool, user=service), tenant=key, embedder=HashEmbedder()) as client:
            client.add_documents([{"external_id": f"mine-{key}", "content": f"discount {key}"}], collection="small")
            for round_number in range(40):
                found = client.search("discount zebrafish prices customer", collection="small", mode="full_text")
                wrong.extend((key, row.external_id) for row in found if row.external_id not in own[key])
                if not {"mine-alpha", "mine-beta"} & {row.external_id for row in found}:
                    wrong.append((key, "its own is missing"))
                if client.status()["tenant"] != key:
                    wrong.append((key, "status"))
                with suppress(errors.NotFoundError):
                    client.search("x", collection="nowhere")
                with client.transaction():
                    client.update_metadata(f"mine-{key}", {"round": round_number}, collection="small")
            client.delete_document(f"mine-{key}", collection="small")

    threads = [threading.Thread(target=work, args=(key,)) for key in own]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []
    assert world.admin.execute("select count(*) from pg_stat_activity where usename = %s", (service,)).fetchone() == (
        1,
    )
