"""Restore a dump of a cluster's node elsewhere."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster, create, databases, fill

import pgbraid
from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.errors import InstallationError
from pgbraid.install import install
from pgbraid_tools.cluster import distribute, gather
from support import clone

# This tenant has enough vectors for an index.
INDEXED = TENANTS[2]


@pytest.fixture(scope="module")
def own(coordinator: str) -> Iterator[Cluster]:
    with databases(coordinator) as (dsn, workers, plain):
        create(dsn)
        fill(dsn, TENANTS[:2])
        with pgbraid.connect(dsn, tenant=INDEXED) as client:
            client.add_documents(
                [
                    {"external_id": f"{n}", "content": "rye", "embedding": [n % 17 - 8, n % 13, n % 7, 1]}
                    for n in range(400)
                ],
                collection="loaves",
            )
        distribute(dsn)
        own = Cluster(dsn, workers, plain)
        with psycopg.connect(own.of(INDEXED)[1], autocommit=True) as db:
            db.execute("update braid_store.vector_settings set exact_rows = 100")
            db.execute("select braid_store.note_collection(c.id) from braid_store.collections c")
            for _ in range(8):
                db.execute("select braid.maintain('1 hour')")
            assert db.execute("select state from braid_store.vector_shards").fetchall() == [("serving",)]
        yield own


def restore(source: str, target: str, folder: Path) -> None:
    programs = installed_programs(18)
    dump = str(folder / "dump")
    subprocess.run([programs / "pg_dump", "-Fc", "-f", dump, "-d", source], check=True)
    # pg_restore fails in part, because the target has no extension citus.
    subprocess.run([programs / "pg_restore", "-d", target, dump], check=False, capture_output=True)


def found(dsn: str, tenant: str) -> list[tuple[str, float]]:
    with pgbraid.connect(dsn, tenant=tenant) as client:
        assert list(client.check_index("loaves")) == []
        rows = client.search("rye crumb", embedding=[1.0, 2.0, 3.0, 4.0], collection="loaves", match_count=30)
        return [(row.external_id, row.score) for row in rows]


def test_a_dump_of_the_coordinator_becomes_a_database_of_its_own(
    own: Cluster, server: embedded.Server, tmp_path: Path
) -> None:
    told: list[str] = []
    with clone(server, "template0") as name:
        dsn = server.dsn_for(name)
        restore(own.dsn, dsn, tmp_path)
        with pytest.raises(InstallationError, match="copy of a cluster's node") as caught:
            install(dsn, repair=True)
        assert "--gather" in str(caught.value)
        assert gather(dsn, notify=told.append)["documents"] == 480
        assert told[-1].startswith("400 chunks have no vector")
        assert [found(dsn, tenant) for tenant in TENANTS[:2]] == [found(own.dsn, tenant) for tenant in TENANTS[:2]]
        with pgbraid.connect(dsn, tenant=INDEXED) as client:
            assert client.status("loaves")["collections"][0]["pending_embeddings"] == 400
            client.add_documents([{"external_id": "new", "content": "bread"}], collection="loaves")
        with psycopg.connect(dsn) as db:
            assert db.execute("select to_regnamespace('braid_shards')").fetchall() == [(None,)]
        assert not install(dsn).changed


def test_a_dump_of_a_worker_is_refused(own: Cluster, tmp_path: Path) -> None:
    restore(own.of(TENANTS[0])[1], own.plain, tmp_path)
    with pytest.raises(InstallationError, match="copy of a worker"):
        gather(own.plain)
    # This server has the roles, and Citus.
    with psycopg.connect(own.plain, autocommit=True) as db:
        db.execute("select set_config('braid.tenant', %s, false)", (TENANTS[0],))
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="copy of a cluster's node"):
            db.execute("select * from braid.full_text_search('bread', collection => 'loaves')")
