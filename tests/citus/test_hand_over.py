"""What is dropped or defined at the coordinator, nodes do in their own maintain()."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

import pgbraid
from citus.conftest import TENANTS, Cluster, create, databases, fill
from pgbraid.cluster import distribute
from pgbraid.errors import NotSupportedError


@pytest.fixture(scope="module")
def own(coordinator: str) -> Iterator[Cluster]:
    with databases(coordinator) as (dsn, workers, plain):
        create(dsn)
        fill(dsn, TENANTS[:4])
        distribute(dsn)
        yield Cluster(dsn, workers, plain)


def maintain(own: Cluster) -> None:
    for node in own.workers.values():
        # Not the client, which goes to the node of its tenant.
        with psycopg.connect(node, autocommit=True) as db:
            ((report,),) = db.execute("select braid.maintain('1 hour')").fetchall()
            assert report["warnings"] == []


def rows(own: Cluster, table: str) -> list[tuple[str, int]]:
    """By tenant, seen through Citus."""
    with psycopg.connect(own.dsn) as db:
        return db.execute(
            "select coalesce(t.key, s.tenant_id::text), count(*)"
            f" from braid_shards.{table} s left join braid_store.tenants t on t.id = s.tenant_id"
            f" group by 1 order by 1".encode()
        ).fetchall()


def test_definitions_reach_every_node(own: Cluster) -> None:
    with pgbraid.connect(own.dsn) as client:
        client.set_indexed_attributes({"shelf": "number"}, collection="loaves")
        maintain(own)
        assert rows(own, "chunk_attributes") == [(tenant, 40) for tenant in TENANTS[:4]]
        client.set_indexed_attributes({}, collection="loaves")
        maintain(own)
        assert rows(own, "chunk_attributes") == []


def test_a_new_tenant_writes_on_its_node_and_is_dropped_there(own: Cluster) -> None:
    with pgbraid.connect(own.dsn) as client:
        client.create_tenant("corner shop")
    _, node = own.of("corner shop")
    with pgbraid.connect(node, tenant="corner shop") as client:
        client.add_documents([{"external_id": "1", "content": "bread"}], collection="loaves")
    assert ("corner shop", 1) in rows(own, "documents")
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("select braid.drop_tenant('corner shop', 'corner shop')")
    maintain(own)
    # Its rows are gone; that nobody writes more is known when the transaction has ended that noted it on the node.
    maintain(own)
    assert [key for key, _ in rows(own, "documents")] == TENANTS[:4]
    assert [key for key, _ in rows(own, "tenant_locks")] == sorted([*TENANTS, "default"])


def test_what_a_cluster_cannot_do_is_refused(own: Cluster) -> None:
    with pgbraid.connect(own.dsn) as client, pytest.raises(NotSupportedError, match="model of a collection") as caught:
        client.start_model_migration("loaves", "other", 8)
    assert "Create a collection" in str(caught.value)


def test_a_dropped_collection_goes_from_every_node(own: Cluster) -> None:
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("select braid.drop_collection('loaves')")
    maintain(own)
    for table in ("documents", "chunks", "postings", "forward_rows", "chunk_vectors"):
        assert rows(own, table) == []
