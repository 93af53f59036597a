"""Another tenant cannot read a tenant's vector shard."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from core.isolation.world import Connection, Gateway, World, tenant_claims

from support.calls import one
from support.roles import definer_role

VECTORS = 40
NEAREST = "select external_id from braid.semantic_search('[1,0,0]', 100, collection => 'small')"


@pytest.fixture(scope="module")
def shard(world: World) -> str:
    """Give beta a vector shard, and return its table."""
    world.ingest(
        "beta",
        [
            {"external_id": f"beta-only{n}", "content": "zebrafish", "embedding": [1, n / 100, 0]}
            for n in range(VECTORS)
        ],
    )
    world.admin.execute("update braid_store.vector_settings set exact_rows = 5")
    for _ in range(3):
        world.admin.execute("select braid.maintain()")
    rows = world.admin.execute("select id, tenant_id from braid_store.vector_shards where state = 'serving'").fetchall()
    assert [tenant for _, tenant in rows] == [world.tenant_ids["beta"]]
    table = f"braid_store.vectors_{rows[0][0]}"
    assert world.admin.execute(f"select count(*) from {table}").fetchone() == (VECTORS + 2,)
    return table


@pytest.fixture(scope="module")
def analyst(world: World) -> Connection:
    login = world.role("analyst", "braid_writer")
    world.member("alpha", login)
    return world.connect(login)


@pytest.fixture(scope="module")
def insider(world: World) -> Connection:
    """Return a session with the rights of the functions that search and write; the policy still binds it."""
    login = world.role("insider", "braid_writer", definer_role(world.admin))
    world.member("alpha", login)
    return world.connect(login)


@pytest.fixture
def beta_unchanged(world: World, shard: str) -> Iterator[None]:
    statement = f"select md5(string_agg(v::text, ',' order by chunk_id)) from {shard} v"
    before = world.admin.execute(statement).fetchone()
    yield
    assert world.admin.execute(statement).fetchone() == before


def test_its_tenant_searches_it(world: World, shard: str) -> None:
    login = world.role("owner", "braid_reader")
    world.member("beta", login)
    reader = world.connect(login)
    found = one(
        reader, "select braid.search_json(query_embedding => '[1,0,0]', match_count => 5, collection => 'small')"
    )
    assert found["stats"]["semantic_mode"] == "hnsw"
    assert {hit["external_id"] for hit in found["results"]} <= {f"beta-only{n}" for n in range(9)} | {"doc1"}


def test_a_login_reads_no_shard(analyst: Connection, shard: str) -> None:
    for statement in (
        f"select from {shard}",
        f"select count(*) from {shard}",
        f"explain analyze select from {shard} where chunk_id = 1",
        f"insert into {shard} values (1, 1, '[1,0,0]')",
        f"update {shard} set chunk_id = 1",
        f"delete from {shard}",
        f"truncate {shard}",
        "select from braid_store.vector_shards",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            analyst.execute(statement)


def test_searches_of_another_tenant_find_nothing_of_it(
    world: World, gateway: Gateway, analyst: Connection, shard: str
) -> None:
    expected = [("doc1",), ("doc2",)]
    assert analyst.execute(NEAREST).fetchall() == expected
    with gateway.request(gateway.authenticated, tenant_claims("alpha")) as connection:
        assert connection.execute(NEAREST).fetchall() == expected
    status = one(analyst, "select braid.status('small') -> 'collections' -> 0")
    assert shard.removeprefix("braid_store.") not in str(status) and str(VECTORS) not in str(status.get("vectors"))


def test_the_policy_holds_for_the_functions_role(
    world: World, insider: Connection, shard: str, beta_unchanged: None
) -> None:
    assert insider.execute(f"select * from {shard}").fetchall() == []
    assert insider.execute("select * from braid_store.vector_shards").fetchall() == []
    insider.execute(
        "create or replace function pg_temp.peek(text) returns boolean language plpgsql cost 0.0000001 as"
        " $$ begin raise notice '%', $1; return true; end $$"
    )
    said: list[str] = []
    insider.add_notice_handler(lambda diagnostic: said.append(str(diagnostic.message_primary)))
    assert insider.execute(f"select from {shard} v where pg_temp.peek(v::text)").fetchall() == []
    assert insider.execute(f"select from {shard} order by embedding <-> '[1,0,0]' limit 3").fetchall() == []
    assert said == []
    for statement in (f"delete from {shard}", f"update {shard} set embedding = '[0,0,1]'"):
        assert insider.execute(statement).rowcount == 0
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        insider.execute(f"insert into {shard} values (%s, 1, '[1,0,0]')", (world.tenant_ids["beta"],))
    for statement in (f"drop table {shard}", f"alter table {shard} disable row level security", f"truncate {shard}"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            insider.execute(statement)


def test_internals_called_for_its_tenant_find_nothing(world: World, insider: Connection, shard: str) -> None:
    arguments = {
        "beta": world.tenant_ids["beta"],
        "shard": int(shard.rpartition("_")[2]),
        "chunks": world.chunk_ids("beta"),
    }
    collection = "(braid_store.find_collection('small'))"
    for call in (
        f"select chunk_ids from braid_store.nearest_exact(%(beta)s, {collection}, 'cosine', %(shard)s, true,"
        " '[1,0,0]', '(true,,t,,,)', 10)",
        f"select chunk_ids from braid_store.nearest_among(%(beta)s, {collection}, 'cosine',"
        " row(%(shard)s, 'vector', 9, 40, 40, true, 0, 40, true, null, null, null)::braid_store.serving_shard,"
        " '[1,0,0]',"
        " %(chunks)s)",
        f"select chunk_ids from braid_store.nearest_among(%(beta)s, {collection}, 'cosine', null, '[1,0,0]',"
        " %(chunks)s)",
        f"select chunk_ids from braid_store.nearest_filtered(%(beta)s, {collection}, 'cosine', %(shard)s, true,"
        " '[1,0,0]', row('true', null, false, null, %(chunks)s, null), 10)",
        *(
            f"select chunk_ids from braid_store.nearest_indexed(%(beta)s, {collection}, (select s from"
            f" braid_store.vector_spaces s where s.id = {collection}.vector_space_id),"
            f" row(%(shard)s, 'vector', 9, 40, 40, true, {duplicates}, 40, true, 'halfvec', .5, 40)"
            "::braid_store.serving_shard,"
            " '[1,0,0]', '(true,,t,,,)', 10, 40, false, true)"
            for duplicates in (0, 1)
        ),
    ):
        assert insider.execute(call, arguments).fetchall() == [([],)], call
    assert (
        insider.execute(
            f"select * from braid_store.stored_embeddings(%(beta)s, {collection}, %(chunks)s)", arguments
        ).fetchall()
        == []
    )
    assert insider.execute(f"select (braid_store.serving_shard(%(beta)s, {collection})).id", arguments).fetchall() == [
        (None,)
    ]


def test_no_statistics_are_kept_on_it(world: World, analyst: Connection, shard: str) -> None:
    world.admin.execute(f"analyze {shard}")
    for connection in (world.admin, analyst):
        assert (
            connection.execute(
                "select * from pg_stats where schemaname = 'braid_store' and tablename ~ '^vectors_'"
            ).fetchall()
            == []
        )
