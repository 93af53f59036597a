"""Put PgBouncer and PostgREST before each worker, as docs/guide/citus.md describes."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import pgbraid
from support import npm
from support.pgbouncer import pooled
from support.postgrest import Gateway, running, token_for


@pytest.fixture(scope="module")
def roles(cluster: Cluster) -> Iterator[dict[str, str]]:
    """Yield a login of all tenants, PostgREST's login and its users' role, made at the coordinator alone."""
    suffix = uuid.uuid4().hex[:8]
    names = {kind: f"{kind}_{suffix}" for kind in ("service", "gateway", "member")}
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        db.execute("create role {service} login; create role {gateway} login noinherit".format(**names).encode())
        db.execute(
            "create role {member}; grant braid_writer to {member}, {service}; grant {member} to {gateway}".format(
                **names
            ).encode()
        )
        for kind in ("service", "gateway"):
            db.execute("select braid.add_trusted_role(%s, %s)", (names[kind], kind))
    yield names
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        for kind in ("service", "gateway"):
            db.execute("select braid.remove_trusted_role(%s, %s)", (names[kind], kind))
        # Citus drops the roles on the workers, too.
        db.execute("drop role {}".format(", ".join(names.values())).encode())


def test_a_client_goes_through_the_pooler_of_each_node(
    cluster: Cluster, roles: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    where: dict[str, Any] = {"collection": "loaves", "mode": "full_text"}
    with ExitStack() as stack:
        # This client connects before PGBRAID_NODES names the poolers.
        direct = stack.enter_context(pgbraid.connect(cluster.dsn))
        poolers = {
            name: conninfo_to_dict(stack.enter_context(pooled(dsn, roles["service"])))
            for name, dsn in cluster.workers.items()
        }
        monkeypatch.setenv(
            "PGBRAID_NODES", ", ".join(f"{name}={at['host']}:{at['port']}" for name, at in poolers.items())
        )
        for entry in poolers.values():
            dsn = make_conninfo("", host=entry["host"], port=entry["port"], dbname=entry["dbname"])
            with pgbraid.connect(make_conninfo(dsn, user=roles["service"])) as client:
                for tenant in (*TENANTS, *TENANTS):
                    client.tenant = direct.tenant = tenant
                    client.add_documents([{"external_id": "pooled", "content": "pumpernickel"}], collection="loaves")
                    found = [
                        [(row.external_id, row.score) for row in through.search("pumpernickel bread", **where)]
                        for through in (client, direct)
                    ]
                    assert found[0] == found[1]
                    assert "pooled" in {name for name, _ in found[0]}
                    home, _ = cluster.of(tenant)
                    assert client.connection.info.host == poolers[home]["host"]
                    assert client.delete_documents(["pooled"], collection="loaves") == 1


def test_each_gateway_serves_the_tenants_of_its_node_and_names_the_others(
    cluster: Cluster, roles: dict[str, str]
) -> None:
    with ExitStack() as stack:
        gateways: dict[str, Gateway] = {
            name: stack.enter_context(running(npm.postgrest(), dsn, roles["gateway"], roles["member"]))
            for name, dsn in cluster.workers.items()
        }
        search = {"query_text": "bread rye", "collection": "loaves"}
        with pgbraid.connect(cluster.dsn) as client:
            for tenant in TENANTS:
                client.tenant = tenant
                expected = [
                    (row.external_id, row.score)
                    for row in client.search("bread rye", collection="loaves", mode="full_text")
                ]
                home, _ = cluster.of(tenant)
                token = token_for(tenant, roles["member"])
                for name, gateway in gateways.items():
                    found = gateway.post("full_text_search", search, token)
                    written = gateway.post(
                        "upsert_documents",
                        {"documents": [{"external_id": "0", "content": f"bread of {name}"}], "collection": "loaves"},
                        token,
                    )
                    if name == home:
                        assert (found.status, written.status) == (200, 200), (found, written)
                        assert [(row["external_id"], row["score"]) for row in found.data] == expected
                    else:
                        host, _, port = home.rpartition(":")
                        for answer in (found, written):
                            assert (answer.status, answer.code) == (500, "55000")
                            assert answer.data["details"] == f'{{"host": "{host}", "port": {port}}}'
