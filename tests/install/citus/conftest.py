"""Provide databases on a Citus cluster. PGBRAID_CITUS_DSN gives the coordinator: a database with the extension citus
and workers. Tests make databases of their own on all of its nodes, as the superuser of this DSN."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import pgbraid
from pgbraid.install import install
from pgbraid_tools.cluster import distribute

VARIABLE = "PGBRAID_CITUS_DSN"
NODES = "select groupid, nodename, nodeport from pg_dist_node where noderole = 'primary' order by groupid"
WORDS = ["bread", "sourdough", "rye", "flour", "water", "salt", "oven", "yeast", "crust", "crumb", "butter", "honey"]
TENANTS = [f"bakery {number}" for number in range(6)]


@dataclass
class Cluster:
    """Hold one database on all nodes. `plain` is a database with the same data on the coordinator's server, without
    Citus."""

    dsn: str
    workers: dict[str, str]
    plain: str

    def of(self, tenant: str) -> tuple[str, str]:
        """Return the name of the tenant's node, and its DSN."""
        with psycopg.connect(self.dsn, autocommit=True) as db, pytest.raises(psycopg.Error) as caught:
            db.execute("select set_config('braid.tenant', %s, false)", (tenant,))
            db.execute("select braid.current_tenant_id()")
        name = str(caught.value).split("another node, ")[1].split("\n")[0]
        return name, self.workers[name]

    def other(self, tenant: str) -> tuple[str, str]:
        """Return the name and the DSN of a worker that does not have the tenant."""
        name, _ = self.of(tenant)
        return next(item for item in self.workers.items() if item[0] != name)


def documents(tenant: str) -> list[dict[str, Any]]:
    place = TENANTS.index(tenant)
    return [
        {
            "external_id": f"{number}",
            "content": " ".join(WORDS[(number * step + place) % len(WORDS)] for step in range(1, 4 + number % 9)),
            "metadata": {"shelf": number % 3},
            "embedding": [1.0 + number % 7, number % 5 - 2.0, place + 0.5, (number * 37) % 11 - 5.0],
        }
        for number in range(40)
    ]


def fill(dsn: str, tenants: list[str]) -> None:
    with pgbraid.connect(dsn, tenant=tenants[0]) as client:
        for tenant in tenants:
            client.tenant = tenant
            client.add_documents(documents(tenant), collection="loaves")


def create(dsn: str) -> None:
    install(dsn)
    with pgbraid.connect(dsn) as client:
        client.create_collection("loaves", dimensions=4, embedding_model="none")
        for tenant in TENANTS:
            client.create_tenant(tenant)


def drop(dsn: str) -> None:
    name = conninfo_to_dict(dsn)["dbname"]
    with psycopg.connect(make_conninfo(dsn, dbname="postgres"), autocommit=True) as db:
        for _ in range(50):
            # Citus keeps a background worker in each database, and starts it again.
            with suppress(psycopg.errors.ObjectInUse):
                db.execute(f"drop database if exists {name} with (force)".encode())
                return
            db.execute("select pg_sleep(0.1)")


@contextmanager
def databases(coordinator: str, most: int | None = None) -> Iterator[tuple[str, dict[str, str], str]]:
    """Create a database on each node, with at most `most` workers. Yield the coordinator's DSN, the workers' DSNs by
    name, and the DSN of a database without Citus."""
    name = f"pgbraid_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(coordinator, autocommit=True) as db:
        nodes = [(group, host, port) for group, host, port in db.execute(NODES)][: None if most is None else most + 1]
    (_, here, at), *others = nodes
    server = {key: value for key, value in conninfo_to_dict(coordinator).items() if key != "dbname"}
    dsns = {
        f"{host}:{port}": make_conninfo("", **(server | ({"host": host, "port": port} if group else {})), dbname=name)
        for group, host, port in nodes
    }
    plain = make_conninfo("", **server, dbname=f"{name}_plain")
    made = [*dsns.values(), plain]
    try:
        for dsn in made:
            with psycopg.connect(make_conninfo(dsn, dbname="postgres"), autocommit=True) as db:
                db.execute(f"create database {conninfo_to_dict(dsn)['dbname']}".encode())
        for dsn in dsns.values():
            with psycopg.connect(dsn, autocommit=True) as db:
                db.execute("create extension citus")
        first, *workers = dsns
        with psycopg.connect(dsns[first], autocommit=True) as db:
            db.execute("select citus_set_coordinator_host(%s, %s)", (here, at))
            for _, host, port in others:
                db.execute("select citus_add_node(%s, %s)", (host, port))
        yield dsns[first], {worker: dsns[worker] for worker in workers}, plain
    finally:
        for dsn in made:
            drop(dsn)


@pytest.fixture(scope="session")
def coordinator() -> str:
    dsn = os.environ.get(VARIABLE)
    if not dsn:
        pytest.skip(f"{VARIABLE} does not name the coordinator of a Citus cluster with two workers")
    return dsn


@pytest.fixture(scope="package")
def cluster(coordinator: str) -> Iterator[Cluster]:
    """Yield a cluster that was distributed when half of the tenants had their documents; the others wrote theirs
    later."""
    with databases(coordinator) as (dsn, workers, plain):
        for new in (dsn, plain):
            create(new)
            fill(new, TENANTS[:3])
        distribute(dsn)
        for filled in (dsn, plain):
            fill(filled, TENANTS[3:])
        yield Cluster(dsn, workers, plain)
