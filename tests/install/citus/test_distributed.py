"""Check that a distributed installation returns what an installation on a single server returns."""

from __future__ import annotations

import json
import threading
from typing import Any

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import pgbraid
from pgbraid.errors import InvalidArgumentError, NotSupportedError, PgbraidError, WrongNodeError
from pgbraid_tools.cluster import distribute, move_tenant

QUESTIONS = ["bread", "sourdough rye", "honey -salt", '"rye flour"', "butter yeast crumb oven"]
VECTOR = [3.0, -1.0, 2.0, 0.5]


def found(dsn: str, tenant: str) -> list[Any]:
    """Return everything that can be compared: rows, scores, explanations."""
    with pgbraid.connect(dsn, tenant=tenant) as client:
        results: list[Any] = []
        for question in QUESTIONS:
            for options in (
                {"mode": "full_text"},
                {"embedding": VECTOR},
                {"embedding": VECTOR, "filters": {"shelf": 1}},
                {"embedding": VECTOR, "mode": "semantic"},
            ):
                rows = client.search(question, collection="loaves", **options)
                results.append([(row.external_id, row.score, row.content, row.metadata) for row in rows])
        results.append(client.facets(["shelf"], "bread", collection="loaves"))
        return results


@pytest.mark.parametrize("tenant", TENANTS)
def test_searches_give_the_same_to_the_last_bit(cluster: Cluster, tenant: str) -> None:
    assert found(cluster.dsn, tenant) == found(cluster.plain, tenant)


def test_tenants_are_on_both_workers(cluster: Cluster) -> None:
    assert {cluster.of(tenant)[0] for tenant in TENANTS} == set(cluster.workers)


def test_writes_and_upkeep_give_the_same(cluster: Cluster) -> None:
    for dsn in (cluster.dsn, cluster.plain):
        for tenant in TENANTS[:2]:
            with pgbraid.connect(dsn, tenant=tenant) as client:
                for number in range(12):
                    client.add_documents(
                        [{"external_id": f"{number}", "content": f"rye {number} crust", "embedding": VECTOR}],
                        collection="loaves",
                    )
                client.delete_documents([str(number) for number in range(12, 20)], collection="loaves")
                client.update_metadata("20", {"shelf": 9}, collection="loaves")
                client.set_profile("baker", VECTOR, collection="loaves")
        for node in [cluster.plain] if dsn == cluster.plain else cluster.workers.values():
            with psycopg.connect(node, autocommit=True) as db:
                row = db.execute("select braid.maintain('1 hour')").fetchone()
                assert row is not None and row[0]["warnings"] == []
    for tenant in TENANTS:
        assert found(cluster.dsn, tenant) == found(cluster.plain, tenant)
        with pgbraid.connect(cluster.dsn, tenant=tenant) as client:
            assert list(client.check_index("loaves")) == []


CALLS = [
    "select * from braid.full_text_search('bread', collection => 'loaves')",
    'select braid.upsert_documents(\'[{"external_id": "x", "content": "y"}]\', \'loaves\')',
    "select braid.delete_documents('{1}', 'loaves')",
    "select * from braid.check_index('loaves')",
    "select braid.set_profile('p', '[1, 2, 3, 4]', collection => 'loaves')",
]


@pytest.mark.parametrize("call", CALLS)
def test_any_other_node_refuses_and_names_the_right_one(cluster: Cluster, call: str) -> None:
    name, _ = cluster.of(TENANTS[0])
    host, _, port = name.rpartition(":")
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        db.execute("create role reads login in role braid_writer" if not reader_exists(db) else "select 1")
        db.execute("select braid.add_tenant_member(%s, 'reads')", (TENANTS[0],))
    for dsn in (cluster.dsn, cluster.other(TENANTS[0])[1]):
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute("create role reads login in role braid_writer" if not reader_exists(db) else "select 1")
            db.execute("set session authorization reads")
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as caught:
                db.execute(call.encode())
            assert json.loads(caught.value.diag.message_detail or "") == {"host": host, "port": int(port)}


def reader_exists(db: psycopg.Connection[Any]) -> bool:
    return db.execute("select from pg_roles where rolname = 'reads'").fetchone() is not None


def test_definitions_are_changed_at_the_coordinator_and_hold_everywhere(cluster: Cluster) -> None:
    for dsn in (cluster.dsn, cluster.plain):
        with pgbraid.connect(dsn, tenant=TENANTS[0]) as client:
            # The client is connected to a worker, and finds the coordinator.
            client.set_synonyms("loaf", ["bread"], collection="loaves")
    for tenant in TENANTS[:4]:
        rows = []
        for dsn in (cluster.dsn, cluster.plain):
            with pgbraid.connect(dsn, tenant=tenant) as client:
                found_rows = client.search("loaf", mode="full_text", collection="loaves")
                rows.append([(row.external_id, row.score) for row in found_rows])
        assert rows[0] == rows[1] != []
    for worker in cluster.workers.values():
        with psycopg.connect(worker, autocommit=True) as db:
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="changed at the coordinator"):
                db.execute("select braid.create_collection('elsewhere')")
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="changed at the coordinator"):
                db.execute("update braid_store.collections set name = 'stolen'")


def test_a_transaction_is_on_the_tenants_node(cluster: Cluster) -> None:
    """A transaction reaches the tenant's node even if the tenant has moved since the client asked for the node."""
    tenant = TENANTS[1]
    source, target = cluster.of(tenant)[0], cluster.other(tenant)[0]
    with pgbraid.connect(cluster.dsn, tenant=tenant) as client:
        count = client.count("loaves")
        move_tenant(cluster.dsn, tenant, target)
        with client.transaction():
            client.add_documents([{"external_id": "passing", "content": "brioche"}], collection="loaves")
            assert client.count("loaves") == count + 1
            client.delete_documents(["passing"], collection="loaves")
        move_tenant(cluster.dsn, tenant, source)
        with client.transaction():
            assert client.count("loaves") == count


def test_where_a_client_cannot_follow_the_error_has_the_node(cluster: Cluster) -> None:
    name, dsn = cluster.of(TENANTS[0])
    elsewhere = next(tenant for tenant in TENANTS if cluster.of(tenant)[0] != name)
    with pgbraid.connect(dsn, tenant=TENANTS[0]) as client:
        with pytest.raises(WrongNodeError) as caught, client.transaction():
            client.tenant = elsewhere
            client.count("loaves")
        assert f"{caught.value.host}:{caught.value.port}" == cluster.of(elsewhere)[0]
        assert caught.value.retryable
        # The repeated transaction is on the tenant's node.
        with client.transaction():
            assert client.count("loaves") > 0
    with psycopg.connect(dsn) as db, pytest.raises(WrongNodeError) as caught:
        pgbraid.connect(db, tenant=elsewhere).count("loaves")
    assert not caught.value.retryable


def test_a_dsn_of_several_nodes_needs_one_that_answers(cluster: Cluster) -> None:
    known = conninfo_to_dict(cluster.dsn)
    # Nobody listens at the first address.
    dsn = make_conninfo(cluster.dsn, host=f"127.0.0.1,{known['host']}", port=f"1,{known.get('port', 5432)}")
    for tenant in TENANTS[:4]:
        with pgbraid.connect(dsn, tenant=tenant) as client:
            assert client.count("loaves") > 0


def test_standbys_are_refused(cluster: Cluster) -> None:
    with pytest.raises(NotSupportedError, match="standbys of a cluster"):
        pgbraid.connect(cluster.dsn, read_dsn=cluster.dsn)


def test_no_node_is_found_fault_with(cluster: Cluster) -> None:
    for dsn in (cluster.dsn, *cluster.workers.values()):
        with psycopg.connect(dsn) as db:
            codes = {code for (code,) in db.execute("select code from braid.health()")}
        # Other findings concern the server that the tests were given.
        assert not codes & {
            "row_security_off", "policy_missing", "policy_changed", "granted_to_public", "granted_to_others",
            "owner_changed", "function_changed",
        }  # fmt: skip


def test_nobody_else_may_call_what_nodes_have(cluster: Cluster) -> None:
    for dsn in (cluster.dsn, *cluster.workers.values()):
        with psycopg.connect(dsn) as db:
            everybodys = db.execute(
                "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace,"
                " aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a"
                " where n.nspname in ('braid', 'braid_calls', 'braid_store', 'braid_shards') and a.grantee = 0"
            ).fetchall()
            assert everybodys == []


def test_the_number_of_shards_stays(cluster: Cluster) -> None:
    with pytest.raises(InvalidArgumentError, match="in 8 shards already: their number cannot change to 5"):
        distribute(cluster.dsn, shard_count=5)


def test_a_tenant_moves_while_it_is_written_and_searched(cluster: Cluster) -> None:
    tenant = TENANTS[1]
    source, target = cluster.of(tenant)[0], cluster.other(tenant)[0]
    stop = threading.Event()
    errors: list[PgbraidError] = []
    written: list[str] = []
    searched = [0]

    def write() -> None:
        with pgbraid.connect(cluster.dsn, tenant=tenant) as client:
            while not stop.is_set():
                name = f"new {len(written)}"
                try:
                    client.add_documents([{"external_id": name, "content": "brioche"}], collection="loaves")
                    written.append(name)
                except PgbraidError as error:
                    errors.append(error)

    def search() -> None:
        with pgbraid.connect(cluster.dsn, tenant=tenant) as client:
            while not stop.is_set():
                try:
                    searched[0] += len(client.search("rye", mode="full_text", collection="loaves")) > 0
                except PgbraidError as error:
                    errors.append(error)

    threads = [threading.Thread(target=each) for each in (write, search)]
    for thread in threads:
        thread.start()
    try:
        report = move_tenant(cluster.dsn, tenant, target)
        before = len(written), searched[0]
        while (len(written), searched[0]) < (before[0] + 3, before[1] + 3) and not errors:
            stop.wait(0.01)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert (report.source, report.target) == (source, target)
    assert cluster.of(tenant)[0] == target
    with pgbraid.connect(cluster.dsn, tenant=tenant) as client:
        assert {document.external_id for document in client.list_documents("loaves", match_count=1000)} >= set(written)
        assert list(client.check_index("loaves")) == []
    # The tenant moves back with the documents written meanwhile.
    assert move_tenant(cluster.dsn, tenant, source).target == source
    with pgbraid.connect(cluster.dsn, tenant=tenant) as client:
        assert client.add_documents([{"external_id": "last", "content": "baguette"}], collection="loaves")
        assert [row.external_id for row in client.search("baguette", mode="full_text", collection="loaves")] == ["last"]
        assert list(client.check_index("loaves")) == []


def test_an_import_brings_its_collections(cluster: Cluster) -> None:
    """An import creates collections at the coordinator and stores documents on the tenant's node."""
    with pgbraid.connect(cluster.plain, tenant=TENANTS[0]) as client:
        client.create_collection("rolls", dimensions=4, embedding_model="none")
        client.set_synonyms("bun", ["roll"], collection="rolls")
        client.add_documents([{"external_id": "1", "content": "A roll.", "embedding": VECTOR}], collection="rolls")
        records = list(client.export_tenant())
        expected = [(row.external_id, row.score) for row in client.search("bun", embedding=VECTOR, collection="rolls")]
    assert expected
    with pgbraid.connect(cluster.dsn) as client:
        client.create_tenant("importer")
        client.tenant = "importer"
        assert client.import_tenant(records) > 1
        assert client.import_tenant(records) > 1
        found = [(row.external_id, row.score) for row in client.search("bun", embedding=VECTOR, collection="rolls")]
        assert found == expected
        client.drop_tenant("importer", "importer")
