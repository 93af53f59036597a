"""Test distribution, also interrupted and undone, indexed vectors and the command line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from install.citus.conftest import TENANTS, VARIABLE, WORDS, Cluster, create, databases, fill

import pgbraid
from pgbraid.cli import main
from pgbraid.errors import (
    ConflictError,
    InstallationError,
    NotFoundError,
    NotSupportedError,
    PgbraidError,
    VersionMismatchError,
)
from pgbraid_tools import cluster as clusters
from pgbraid_tools.cluster import distribute, gather, move_tenant

Capture = pytest.CaptureFixture[str]
assert VARIABLE


@pytest.fixture(scope="module")
def filled(coordinator: str) -> Iterator[Cluster]:
    """Yield a cluster before its distribution; a tenant has enough vectors for an index."""
    with databases(coordinator) as (dsn, workers, plain):
        create(dsn)
        fill(dsn, TENANTS[:2])
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute("update braid_store.vector_settings set exact_rows = 100")
        with pgbraid.connect(dsn, tenant=TENANTS[2]) as client:
            client.add_documents(
                [
                    {"external_id": f"{n}", "content": WORDS[n % 12], "embedding": [n % 17 - 8, n % 13, n % 7, 1]}
                    for n in range(400)
                ],
                collection="loaves",
            )
        yield Cluster(dsn, workers, plain)


def everything(dsn: str) -> dict[str, Any]:
    found = {}
    for tenant in TENANTS:
        with pgbraid.connect(dsn, tenant=tenant) as client:
            rows = client.search("rye crumb", embedding=[1.0, 2.0, 3.0, 4.0], collection="loaves", match_count=30)
            found[tenant] = [(row.external_id, row.score) for row in rows]
            assert list(client.check_index("loaves")) == []
    return found


def maintain(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as db:
        for _ in range(8):
            row = db.execute("select braid.maintain('1 hour')").fetchone()
            assert row is not None and row[0]["warnings"] == []


def indexes(dsn: str) -> int:
    with psycopg.connect(dsn, autocommit=True) as db:
        row = db.execute("select count(*) from braid_store.vector_shards where state = 'serving'").fetchone()
        assert row is not None
        return int(row[0])


def run(monkeypatch: pytest.MonkeyPatch, capsys: Capture, *arguments: str) -> tuple[object, str]:
    monkeypatch.setattr(sys, "argv", ["pgbraid", *arguments])
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main()
    output = capsys.readouterr()
    return caught.value.code, output.out + output.err


def test_there_and_back(filled: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    maintain(filled.dsn)
    assert indexes(filled.dsn) == 1
    before = everything(filled.dsn)

    # A dry run changes nothing.
    code, output = run(monkeypatch, capsys, "distribute", "--dsn", filled.dsn, "--dry-run")
    assert (code, "8 shards" in output, "nothing was done" in output) == (0, True, True)
    assert everything(filled.dsn) == before

    # The next run brings up a worker that failed.
    bring_up = clusters.workers.bring_up
    failing = [*filled.workers][1]

    def interrupted(worker: psycopg.Connection[Any], *arguments: Any) -> None:
        if f"{worker.info.host}:{worker.info.port}" == failing:
            raise InstallationError("the worker is gone")
        bring_up(worker, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr("pgbraid_tools.cluster.distributing.bring_up", interrupted)
        with pytest.raises(InstallationError, match="gone"):
            distribute(filled.dsn)
    # The failed worker refuses clients.
    with pytest.raises(PgbraidError), pgbraid.connect(filled.workers[failing], tenant=TENANTS[0]) as client:
        client.search("rye", collection="loaves", mode="full_text")
    report = distribute(filled.dsn)
    assert report.rows_after["documents"] == 480
    assert everything(filled.dsn) == before

    # Vectors get their index on the tenant's node, which drops it after the tenant has moved.
    (name, dsn), (other, other_dsn) = filled.of(TENANTS[2]), filled.other(TENANTS[2])
    with psycopg.connect(dsn, autocommit=True) as db, psycopg.connect(other_dsn, autocommit=True) as other_db:
        for node in (db, other_db):
            node.execute("update braid_store.vector_settings set exact_rows = 100")
        db.execute("select braid_store.note_collection(c.id) from braid_store.collections c")
    maintain(dsn)
    assert (indexes(dsn), indexes(other_dsn)) == (1, 0)
    assert everything(filled.dsn) == before
    code, output = run(monkeypatch, capsys, "move-tenant", "--dsn", filled.dsn, TENANTS[2], other)
    assert (code, f"from {name} to {other}" in output) == (0, True)
    assert (indexes(dsn), indexes(other_dsn)) == (0, 0)
    assert everything(filled.dsn) == before
    maintain(other_dsn)
    assert indexes(other_dsn) == 1
    assert everything(filled.dsn) == before

    # The next move finishes a move that was interrupted before its end.
    with monkeypatch.context() as patch:
        patch.setattr("pgbraid_tools.cluster.moving._settle", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            move_tenant(filled.dsn, TENANTS[2], name)
    assert move_tenant(filled.dsn, TENANTS[2], name).target == name
    assert everything(filled.dsn) == before

    # After a move by Citus alone, the next distribution moves the vectors.
    maintain(dsn)
    assert indexes(dsn) == 1
    with psycopg.connect(filled.dsn, autocommit=True) as db:
        db.execute(
            "select citus_move_shard_placement("
            "   s.shard_id, a.nodename, a.nodeport, b.nodename, b.nodeport, 'block_writes')"
            " from braid_shards.node_shards s, braid_store.tenants t, pg_dist_node a, pg_dist_node b"
            " where s.remainder = braid_shards.shard_number(t.id) and t.key = %s"
            " and a.nodename || ':' || a.nodeport = %s and b.nodename || ':' || b.nodeport = %s",
            (TENANTS[2], name, other),
        )
    with (
        psycopg.connect(other_dsn, autocommit=True) as db,
        pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="being moved"),
    ):
        db.execute("select set_config('braid.tenant', %s, false)", (TENANTS[2],))
        db.execute("select * from braid.full_text_search('rye', collection => 'loaves')")
    distribute(filled.dsn)
    assert (indexes(dsn), filled.of(TENANTS[2])[0]) == (0, other)
    assert everything(filled.dsn) == before
    assert move_tenant(filled.dsn, TENANTS[2], name).target == name

    # Only one distribution runs at a time.
    with psycopg.connect(filled.dsn, autocommit=True) as db:
        db.execute("select pg_advisory_lock(%s)", (clusters.nodes.LOCK,))
        for call in (distribute, gather, lambda dsn: move_tenant(dsn, TENANTS[0], name)):
            with pytest.raises(ConflictError, match="another session"):
                call(filled.dsn)

    # The error names a node of another version.
    (one, one_dsn), first = filled.of(TENANTS[0]), filled.dsn
    with psycopg.connect(one_dsn, autocommit=True) as db:
        db.execute("update braid_store.parts set content_hash = 'another' where name = 'core'")
    with pytest.raises(VersionMismatchError, match=one) as caught, pgbraid.connect(first, tenant=TENANTS[0]) as client:
        client.search("rye", collection="loaves", mode="full_text")
    assert "pgbraid distribute" in str(caught.value)
    distribute(first)
    assert everything(first) == before

    code, output = run(monkeypatch, capsys, "maintain", "--dsn", filled.dsn)
    assert code == 0
    assert json.loads(output)["nodes"].keys() == filled.workers.keys()

    code, output = run(monkeypatch, capsys, "status", "--dsn", filled.dsn)
    assert "lives on another node" in output and "documents" not in output
    assert code == 0
    assert len(re.findall(r"node +\S+:\d+: \d tenants", output)) == 2
    assert TENANTS[2] in output

    with pytest.raises(NotFoundError, match="does not exist"):
        move_tenant(filled.dsn, "nobody", name)
    with pytest.raises(PgbraidError, match="no node with shards"):
        move_tenant(filled.dsn, TENANTS[0], "nowhere:5432")
    with pytest.raises(InstallationError, match="worker of the cluster"):
        distribute(dsn)

    rows = gather(filled.dsn)
    assert rows["documents"] == 480
    assert everything(filled.dsn) == before
    maintain(filled.dsn)
    with psycopg.connect(filled.dsn, autocommit=True) as db:
        db.execute("select set_config('braid.tenant', %s, false)", (TENANTS[0],))
        db.execute('select braid.upsert_documents(\'[{"external_id": "new", "content": "rye"}]\', \'loaves\')')
        # A worker could not create the tenant, and the coordinator could not write for it.
        db.execute("select braid.set_access(create_tenants => true)")
        with pytest.raises(NotSupportedError, match="first write creates its tenant"):
            distribute(filled.dsn)
        db.execute("select braid.set_access(create_tenants => false)")
    assert distribute(filled.dsn).rows_after["documents"] == 481


def test_without_citus_it_says_what_is_missing(filled: Cluster) -> None:
    with pytest.raises(NotSupportedError, match="no extension citus"):
        distribute(filled.plain)
