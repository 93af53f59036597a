"""Check that nodes carry out in their own maintain() what the coordinator dropped or defined."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster, create, databases, fill

import pgbraid
from pgbraid.cli import main
from pgbraid.errors import NotSupportedError
from pgbraid_tools.cluster import distribute, forget_handed_over
from pgbraid_tools.cluster.tables import tables_of


@pytest.fixture(scope="module")
def own(coordinator: str) -> Iterator[Cluster]:
    with databases(coordinator) as (dsn, workers, plain):
        create(dsn)
        fill(dsn, TENANTS[:4])
        distribute(dsn)
        yield Cluster(dsn, workers, plain)


def maintain(own: Cluster) -> None:
    for node in own.workers.values():
        # A client would connect to its tenant's node instead.
        with psycopg.connect(node, autocommit=True) as db:
            ((report,),) = db.execute("select braid.maintain('1 hour')").fetchall()
            assert report["warnings"] == []


def rows(own: Cluster, table: str) -> list[tuple[str, int]]:
    """Return the number of rows of each tenant, seen through Citus."""
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
    # The first maintain() deletes the rows. The second knows that nobody writes any more, because the transaction that
    # noted the drop on the node has ended.
    maintain(own)
    assert [key for key, _ in rows(own, "documents")] == TENANTS[:4]
    assert [key for key, _ in rows(own, "tenant_locks")] == sorted([*TENANTS, "default"])


def test_what_a_cluster_cannot_do_is_refused(own: Cluster) -> None:
    with pgbraid.connect(own.dsn) as client, pytest.raises(NotSupportedError, match="model of a collection") as caught:
        client.start_model_change("loaves", "other", 8)
    assert "Create a collection" in str(caught.value)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("select braid.set_access(create_tenants => true)", "first write creates no tenant"),
        ("truncate braid_store.synonyms", "synonyms cannot be truncated"),
        ("truncate braid_store.tenants cascade", "cannot be truncated"),
        (
            "insert into braid_store.documents (tenant_id, collection_id, external_id) values (1, 1, 'lost')",
            "rows are on workers",
        ),
    ],
)
def test_the_coordinator_refuses_what_nodes_would_not_see(own: Cluster, statement: str, told: str) -> None:
    with psycopg.connect(own.dsn) as db, pytest.raises(psycopg.errors.FeatureNotSupported, match=told) as caught:
        db.execute(statement.encode())
    assert caught.value.diag.message_hint


def test_a_worker_refuses_to_lose_definitions(own: Cluster) -> None:
    for node in own.workers.values():
        with psycopg.connect(node, autocommit=True) as db:
            with pytest.raises(psycopg.Error, match="changed at the coordinator"):
                db.execute("truncate braid_store.synonyms")
            with (
                pytest.raises(psycopg.Error, match="changed at the coordinator"),
                db.cursor().copy("copy braid_store.tenants (id, key) from stdin") as copy,
            ):
                copy.write_row((77000, "lost"))


def test_definitions_that_are_copied_in_reach_every_node(own: Cluster) -> None:
    with psycopg.connect(own.dsn, autocommit=True) as db:
        with db.cursor().copy("copy braid_store.tenants (id, key) from stdin") as copy:
            copy.write_row((77001, "copied"))
            copy.write_row((77002, "copied too"))
        db.execute("delete from braid_store.tenants where id = 77002")
    for node in own.workers.values():
        with psycopg.connect(node) as db:
            assert db.execute("select key from braid_store.tenants where id > 77000").fetchall() == [("copied",)]


def test_the_next_distribution_brings_what_mirrors_definitions_up_to_date(own: Cluster) -> None:
    """The next distribution adds or replaces triggers and functions that mirror definitions, as after an upgrade."""
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("drop trigger mirror on braid_store.synonyms")
        db.execute("drop trigger hand_over on braid_store.due_collections")
        db.execute(
            "create or replace function braid_shards.refuse_truncate() returns trigger language plpgsql"
            " set search_path = pg_catalog, pg_temp as $$begin return null; end$$"
        )
    for node in own.workers.values():
        with psycopg.connect(node, autocommit=True) as db:
            db.execute("drop trigger refuse_changes on braid_store.synonyms")
    distribute(own.dsn, check=False)
    with pgbraid.connect(own.dsn) as client:
        client.set_synonyms("batard", ["bread"], collection="loaves")
    for node in own.workers.values():
        with psycopg.connect(node) as db:
            assert db.execute("select count(*) from braid_store.synonyms where word = 'batard'").fetchone() == (1,)
            with pytest.raises(psycopg.Error, match="changed at the coordinator"):
                db.execute("delete from braid_store.synonyms")
    with psycopg.connect(own.dsn) as db, pytest.raises(psycopg.errors.FeatureNotSupported):
        db.execute("truncate braid_store.synonyms")


def test_definitions_are_plain_tables_with_the_same_rows(own: Cluster) -> None:
    """Definitions are plain tables on a node as on a single server, because a search reads them several times."""
    with pgbraid.connect(own.dsn) as client:
        client.set_synonyms("boule", ["loaf", "round"], collection="loaves")
        client.set_synonyms("boule", ["round"], collection="loaves")
        client.set_synonyms("miche", ["round"], collection="loaves")
        client.set_synonyms("miche", [], collection="loaves")
        client.create_tenant("stall")
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("update braid_store.access_settings set tenant_header = 'x-baker'")

        def rows(db: psycopg.Connection[tuple[object, ...]]) -> dict[str, list[tuple[object, ...]]]:
            return {
                table: db.execute(f"select t::text from braid_store.{table} t order by 1".encode()).fetchall()
                for table in tables_of(db).definitions
            }

        expected = rows(db)
    assert len(expected["synonyms"]) > 0
    for node in own.workers.values():
        with psycopg.connect(node) as db:
            assert rows(db) == expected
            plan = db.execute("explain select from braid_store.collections c where c.name = 'loaves'").fetchall()
            assert "Append" not in str(plan)


def noted(own: Cluster) -> list[int]:
    """Return how many handed-over changes each node still remembers."""
    counts = []
    for node, table in ((own.dsn, "handed_over"), *((node, "taken_over") for node in own.workers.values())):
        with psycopg.connect(node) as db:
            counts += [count for (count,) in db.execute(f"select count(*) from braid_shards.{table}".encode())]
    return counts


def test_what_all_nodes_have_done_is_forgotten(own: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def maintain_all() -> None:
        monkeypatch.setattr(sys, "argv", ["pgbraid", "maintain", "--dsn", own.dsn])
        with pytest.raises(SystemExit) as caught:
            main()
        assert caught.value.code == 0

    for name in ("brief", "short"):
        with pgbraid.connect(own.dsn) as client:
            client.create_tenant(name)
        with pgbraid.connect(own.of(name)[1], tenant=name) as client:
            client.add_documents([{"external_id": "1", "content": "bread"}], collection="loaves")
        with psycopg.connect(own.dsn, autocommit=True) as db:
            db.execute("select braid.drop_tenant(%s, %s)", (name, name))
        with psycopg.connect(next(iter(own.workers.values())), autocommit=True) as node:
            node.execute("select braid.maintain('1 hour')")
        # The other worker has not taken the change over yet.
        forget_handed_over(own.dsn)
        assert noted(own)[0] > 0
    for _ in range(3):
        maintain_all()
    assert noted(own) == [0, 0, 0]
    assert not {"brief", "short"} & {key for key, _ in rows(own, "documents")}


def test_a_dropped_collection_goes_from_every_node(own: Cluster) -> None:
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("select braid.drop_collection('loaves')")
    maintain(own)
    for table in ("documents", "chunks", "postings", "forward_rows", "chunk_vectors"):
        assert rows(own, table) == []
