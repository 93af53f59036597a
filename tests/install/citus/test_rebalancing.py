"""Check that shards move until the nodes hold about the same, or until one is empty."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster, create, databases, fill

import pgbraid
from pgbraid.cli import main
from pgbraid.errors import InvalidArgumentError, PgbraidError
from pgbraid_tools.cluster import distribute, move_tenant, rebalance
from pgbraid_tools.mcp_server import Connections


@pytest.fixture(scope="module")
def own(coordinator: str) -> Iterator[Cluster]:
    with databases(coordinator) as (dsn, workers, plain):
        create(dsn)
        fill(dsn, TENANTS)
        distribute(dsn, shard_count=4)
        yield Cluster(dsn, workers, plain)


def shards(own: Cluster) -> Counter[str]:
    with psycopg.connect(own.dsn) as db:
        return Counter(
            node
            for (node,) in db.execute(
                "select n.nodename || ':' || n.nodeport from pg_dist_shard s join pg_dist_placement p using (shardid)"
                " join pg_dist_node n using (groupid) where s.logicalrelid = 'braid_shards.documents'::regclass"
            )
        )


def counts(own: Cluster) -> dict[str, int]:
    found = {}
    for tenant in TENANTS:
        with pgbraid.connect(own.dsn, tenant=tenant) as client:
            assert list(client.check_index("loaves")) == []
            found[tenant] = client.count("loaves")
    return found


def test_a_node_is_emptied_and_filled_again_while_it_is_written(
    own: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = own.workers
    before = counts(own)
    assert shards(own) == {first: 2, second: 2}
    stop = threading.Event()
    written: list[str] = []
    errors: list[PgbraidError] = []

    def write() -> None:
        with pgbraid.connect(own.dsn, tenant=TENANTS[0]) as client:
            while not stop.is_set():
                try:
                    name = f"new {len(written)}"
                    client.add_documents([{"external_id": name, "content": "brioche"}], collection="loaves")
                    written.append(name)
                except PgbraidError as error:
                    errors.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        planned = rebalance(own.dsn, drain=first, dry_run=True)
        assert len(planned) == 2 and shards(own)[first] == 2
        monkeypatch.setattr(sys, "argv", ["pgbraid", "rebalance", "--dsn", own.dsn, "--drain", first, "--json"])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        assert caught.value.code == 0
        assert [(move["source"], move["target"]) for move in json.loads(capsys.readouterr().out)] == [
            (first, second)
        ] * 2
        assert shards(own) == {second: 4}
        assert len(rebalance(own.dsn)) == 2
    finally:
        stop.set()
        writer.join()
    assert errors == [] and written
    assert shards(own) == {first: 2, second: 2}
    assert counts(own) == before | {TENANTS[0]: before[TENANTS[0]] + len(written)}
    assert rebalance(own.dsn) == []
    with pytest.raises(InvalidArgumentError, match="no node with shards"):
        rebalance(own.dsn, drain="nowhere:5432")


def test_services_follow_tenants(own: Cluster) -> None:
    """The connections of `pgbraid mcp` and of the workbench follow a tenant to its node."""
    expected = counts(own)

    async def asked() -> None:
        async with Connections(own.dsn, tenant=TENANTS[0]) as connections:

            async def count(tenant: str) -> int:
                async with connections.client(tenant) as client, client.transaction():
                    return await client.count("loaves")

            assert {tenant: await count(tenant) for tenant in TENANTS} == expected
            source, target = own.of(TENANTS[0])[0], own.other(TENANTS[0])[0]
            for node in (target, source):
                await asyncio.to_thread(move_tenant, own.dsn, TENANTS[0], node)
                assert await count(TENANTS[0]) == expected[TENANTS[0]]

    asyncio.run(asked())


def test_a_node_that_was_emptied_goes_and_comes_back(own: Cluster) -> None:
    """A removed node keeps its data other than tenants' rows, and receives the current definitions when it comes
    back."""
    first, second = own.workers
    before = counts(own)
    host, _, port = first.rpartition(":")
    rebalance(own.dsn, drain=first)
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("select citus_remove_node(%s, %s)", (host, int(port)))
        try:
            assert counts(own) == before
            # The removed node lacks what is defined while it is away.
            with pgbraid.connect(own.dsn) as client:
                client.set_synonyms("batard", ["bread"], collection="loaves")
                client.create_tenant("meanwhile")
            with pgbraid.connect(own.dsn, tenant="meanwhile") as client:
                client.add_documents([{"external_id": "1", "content": "bread"}], collection="loaves")
            distribute(own.dsn)
        finally:
            db.execute("select citus_add_node(%s, %s)", (host, int(port)))
    # A node without the tenant lets nobody in.
    assert counts(own) == before
    distribute(own.dsn)
    assert len(rebalance(own.dsn)) == 2
    assert shards(own) == {first: 2, second: 2}
    assert counts(own) == before
    for tenant in (*TENANTS, "meanwhile"):
        with pgbraid.connect(own.workers[own.of(tenant)[0]], tenant=tenant) as client:
            found = [
                {row.external_id for row in client.search(word, mode="full_text", collection="loaves", match_count=100)}
                for word in ("batard", "bread")
            ]
            assert found[0] == found[1] != set()
