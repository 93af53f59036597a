"""A dropped tenant is invisible at once, and in the end nothing of it is left, whatever was under way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from core.isolation.test_races import Background
from core.isolation.world import ALPHA, BETA, World

from support.calls import one
from support.waiting import be_patient

KEY = "leaver"


@pytest.fixture(autouse=True)
def leaver(world: World) -> Iterator[int]:
    """Yield the id of a tenant with documents."""
    world.tenant_ids[KEY] = one(world.admin, "select braid.create_tenant(%s)", KEY)
    world.ingest(KEY, [*ALPHA, *BETA[2:]])
    yield world.tenant_ids[KEY]
    world.admin.execute("select braid.drop_tenant(%s, %s)", (KEY, KEY))
    maintain(world)


def drop(world: World) -> Any:
    return one(world.admin, "select braid.drop_tenant(%s, %s)", KEY, KEY)


def maintain(world: World) -> None:
    for _ in range(20):
        if one(world.admin, "select braid.maintain()")["complete"]:
            return
    raise AssertionError("there is always more to do")


def left(world: World, tenant_id: int) -> dict[str, int]:
    """Return the tables that have rows of a tenant, with the number of rows."""
    tables = world.admin.execute(
        "select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where a.attname = 'tenant_id' and c.relkind in ('r', 'p') and c.relnamespace = 'braid_store'::regnamespace"
    ).fetchall()
    assert len(tables) > 10
    counts = {
        table: one(world.admin, f"select count(*) from {table} where tenant_id = %s", tenant_id) for (table,) in tables
    }
    return {table: count for table, count in counts.items() if count}


@pytest.mark.parametrize("arguments", [(KEY,), (KEY, None), (KEY, "Leaver"), (KEY, ""), (None, None), ("beta", KEY)])
def test_the_key_is_given_twice(world: World, leaver: int, arguments: tuple[str | None, ...]) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        world.admin.execute(f"select braid.drop_tenant({', '.join(['%s'] * len(arguments))})", arguments)
    assert "twice" in str(caught.value.diag.message_hint)
    assert len(left(world, leaver)) > 8


def test_a_tenant_that_is_not_there(world: World) -> None:
    assert world.admin.execute("select braid.drop_tenant('nobody', 'nobody')").fetchone() == (False,)


def test_it_is_gone_at_once_and_its_key_is_free(world: World, leaver: int) -> None:
    login = world.role("ana", "braid_reader")
    world.member(KEY, login)
    reader = world.connect(login)
    search = "select count(*) from braid.full_text_search('discount', collection => 'small')"
    assert reader.execute(search).fetchone() == (3,)
    world.admin.execute("select braid.set_access(public_tenant => %s)", (KEY,))
    others = [world.fingerprint(tenant) for tenant in ("alpha", "beta")]

    assert drop(world) is True
    assert drop(world) is False
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant"):
        reader.execute(search)
    anew = one(world.admin, "select braid.create_tenant(%s)", KEY)
    assert anew != leaver
    # The old tenant's memberships and settings do not pass to the new tenant of the same key.
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant"):
        reader.execute(search)
    assert world.admin.execute("select public_tenant_id from braid_store.access_settings").fetchone() == (None,)
    world.ingest(KEY, ALPHA[:1])
    maintain(world)
    assert left(world, leaver) == {}
    assert left(world, anew)["braid_store.documents"] == 1
    assert [world.fingerprint(tenant) for tenant in ("alpha", "beta")] == others


def test_vector_shards_and_collections_that_were_dropped_before_go_too(world: World, leaver: int) -> None:
    world.admin.execute("select braid.create_collection('dropped', dimensions => 2, embedding_model => 'test')")
    with world.admin.transaction():
        world.admin.execute("select set_config('braid.tenant', %s, true)", (KEY,))
        documents = [{"external_id": str(n), "content": "x", "embedding": [1, n]} for n in range(9)]
        world.admin.execute("select braid.upsert_documents(%s, 'dropped')", (json.dumps(documents),))
    world.admin.execute("update braid_store.vector_settings set exact_rows = 1")
    try:
        for _ in range(3):
            world.admin.execute("select braid.maintain()")
        shards = world.admin.execute(
            "select id from braid_store.vector_shards where tenant_id = %s and state = 'serving'", (leaver,)
        ).fetchall()
        assert len(shards) == 1
        world.admin.execute("select braid.drop_collection('dropped')")
        drop(world)
        for _ in range(3):
            world.admin.execute("select braid.maintain()")
        assert left(world, leaver) == {}
        assert world.admin.execute("select to_regclass(%s)", (f"braid_store.vectors_{shards[0][0]}",)).fetchone() == (
            None,
        )
    finally:
        world.admin.execute("update braid_store.vector_settings set exact_rows = 8000")


def test_maintenance_goes_on_where_its_time_ended(world: World, leaver: int) -> None:
    chunks = [{"content": f"word{n}"} for n in range(2500)]
    world.ingest(KEY, [{"external_id": "long", "chunks": chunks}])
    drop(world)
    before = sum(left(world, leaver).values())
    done = one(world.admin, "select braid.maintain('1 microsecond')")
    assert done["complete"] is False
    assert 0 < sum(left(world, leaver).values()) < before
    maintain(world)
    assert left(world, leaver) == {}
    assert world.admin.execute("select count(*) from braid_store.dropped_tenants").fetchone() == (0,)


WRITE = "select braid.upsert_document('late', 'A discount.', collection => 'small')"


def test_a_drop_waits_for_writers(world: World, leaver: int) -> None:
    be_patient(world.admin)
    writer = world.connect("postgres", braid__tenant=KEY)
    with writer.transaction():
        writer.execute(WRITE)
        dropping = Background(world, f"select braid.drop_tenant('{KEY}', '{KEY}')")
        assert dropping.waits()
    assert dropping.finish() == [(True,)]
    maintain(world)
    assert left(world, leaver) == {}


def test_a_writer_that_waited_for_a_drop_is_refused(world: World, leaver: int) -> None:
    with world.admin.transaction():
        drop(world)
        writing = Background(world, WRITE, KEY)
        assert writing.waits()
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="dropped meanwhile") as caught:
        writing.finish()
    assert caught.value.diag.message_hint
    maintain(world)
    assert left(world, leaver) == {}


def test_what_an_old_snapshot_writes_goes_too(world: World, leaver: int) -> None:
    writer = world.connect("postgres", braid__tenant=KEY)
    with writer.transaction():
        writer.execute("set transaction isolation level repeatable read")
        writer.execute("select braid.status()")
        drop(world)
        assert one(world.admin, "select braid.maintain()")["complete"] is False
        writer.execute(WRITE)
    assert left(world, leaver)["braid_store.documents"] == 1
    maintain(world)
    assert left(world, leaver) == {}
    assert world.admin.execute("select count(*) from braid_store.dropped_tenants").fetchone() == (0,)
