"""Test clusters in use: snapshots older than a move, workers that come later, and objects that pgbraid did not make."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from install.citus.conftest import TENANTS, Cluster, create, databases, fill
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import pgbraid
from pgbraid.cli import main
from pgbraid.errors import ConflictError, InstallationError, PgbraidError
from pgbraid.install import install, uninstall
from pgbraid_tools.cluster import distribute, gather, move_tenant, nodes

SEARCH = "select count(*) from braid.full_text_search('bread', collection => 'loaves')"
WRITE = """select braid.upsert_documents('[{"external_id": "late", "content": "brioche"}]', 'loaves')"""


def session(dsn: str, tenant: str) -> psycopg.Connection[Any]:
    db = psycopg.connect(dsn, autocommit=True)
    db.execute("select set_config('braid.tenant', %s, false)", (tenant,))
    return db


def count(dsn: str, tenant: str) -> int:
    with session(dsn, tenant) as db:
        row = db.execute(SEARCH.encode()).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_a_write_with_a_snapshot_from_before_a_move_is_refused(cluster: Cluster, isolation: str) -> None:
    """A write with a snapshot from before a move is refused, because it would reach a shard that nobody reads any
    more."""
    tenant = TENANTS[1]
    _, source = cluster.of(tenant)
    target, _ = cluster.other(tenant)
    outcomes: list[str | None] = []

    def write() -> None:
        with session(source, tenant) as db:
            db.execute(f"set default_transaction_isolation = '{isolation}'".encode())
            db.execute("set application_name = 'late'")
            try:
                db.execute(WRITE.encode())
                outcomes.append(None)
            except psycopg.Error as error:
                outcomes.append(error.sqlstate)

    with (
        psycopg.connect(cluster.dsn) as move,
        psycopg.connect(source, autocommit=True) as watch,
    ):
        ((shard, host, port),) = move.execute(
            "select p.shardid, n.nodename, n.nodeport from braid_shards.node_shards s"
            " join pg_dist_placement p on p.shardid = s.shard_id join pg_dist_node n on n.groupid = p.groupid"
            " where s.remainder = braid_shards.shard_number((select id from braid_store.tenants where key = %s))",
            (tenant,),
        ).fetchall()
        other, _, other_port = target.rpartition(":")
        move.execute(
            "select citus_move_shard_placement(%s, %s, %s, %s, %s, 'block_writes')",
            (shard, host, port, other, int(other_port)),
        )
        writer = threading.Thread(target=write)
        writer.start()
        waits = "select from pg_stat_activity where application_name = 'late' and wait_event_type = 'Lock'"
        while writer.is_alive() and not watch.execute(waits.encode()).fetchall():
            pass
        move.commit()
        writer.join()
    assert outcomes == ["40001"]
    # A second move finishes the first one, which ended without its last step.
    move_tenant(cluster.dsn, tenant, target)


def test_searches_find_all_of_a_tenant_that_moves_meanwhile(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    tenant = TENANTS[1]
    _, source = cluster.of(tenant)
    target, target_dsn = cluster.other(tenant)
    expected = count(source, tenant)
    assert expected > 0
    found: list[object] = []

    def search() -> None:
        with session(source, tenant) as db:
            db.execute("set application_name = 'early'")
            found.extend(
                db.execute(
                    "with x as materialized (select braid.current_tenant_id(), pg_advisory_lock(77))"
                    f" select ({SEARCH} where (select true from x)) from x".encode()
                ).fetchone()
                or []
            )

    # A busy machine needs a long wait.
    monkeypatch.setattr("pgbraid_tools.cluster.workers.LONGEST_WAIT_SECONDS", 120)
    searcher = threading.Thread(target=search)
    mover = threading.Thread(target=move_tenant, args=(cluster.dsn, tenant, target))
    with psycopg.connect(source, autocommit=True) as gate:
        gate.execute("select pg_advisory_lock(77)")
        searcher.start()
        waits = "select from pg_stat_activity where application_name = 'early' and wait_event_type = 'Lock'"
        while searcher.is_alive() and not gate.execute(waits.encode()).fetchall():
            pass
        mover.start()
        while mover.is_alive():
            try:
                # Other sessions find the tenant on its new node.
                assert count(target_dsn, tenant) == expected
                break
            except psycopg.errors.ObjectNotInPrerequisiteState:
                pass
        mover.join(1)
        gate.execute("select pg_advisory_unlock(77)")
        searcher.join()
        mover.join()
    assert found == [expected]

    # A session that keeps its snapshot for longer than the longest wait gets an error.
    monkeypatch.setattr("pgbraid_tools.cluster.workers.LONGEST_WAIT_SECONDS", 0)
    with session(target_dsn, tenant) as db:
        db.execute("begin isolation level repeatable read")
        db.execute("select 1")
        move_tenant(
            cluster.dsn,
            tenant,
            next(name for name, dsn in cluster.workers.items() if dsn == source),
        )
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            db.execute(SEARCH.encode())
        db.execute("rollback")


def test_a_move_gives_up_where_a_writer_does_not_end(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """All other writers of the shard wait behind a move, so it gives up while a writer does not end."""
    monkeypatch.setattr("pgbraid_tools.cluster.moving.WRITERS_END", "200ms")
    tenant = TENANTS[2]
    name, source = cluster.of(tenant)
    target, _ = cluster.other(tenant)
    with session(source, tenant) as db:
        db.execute("begin")
        db.execute(WRITE.encode())
        with pytest.raises(ConflictError, match="does not end") as caught:
            move_tenant(cluster.dsn, tenant, target)
        assert name in str(caught.value)
        db.execute("rollback")
    assert cluster.of(tenant)[0] == name
    assert move_tenant(cluster.dsn, tenant, target).target == target


def test_definitions_are_mirrored_whatever_the_session_has_set(
    cluster: Cluster,
) -> None:
    with psycopg.connect(cluster.dsn) as db:
        for setting in (
            "datestyle = 'German'",
            "timezone = 'Asia/Tokyo'",
            "extra_float_digits = -9",
        ):
            db.execute(f"set local {setting}".encode())
        db.execute("select braid.create_tenant('Konditorei')")
        db.execute("update braid_store.collections set rrf_k = 61.0 / 3 where name = 'loaves'")
        db.execute("reset extra_float_digits")
        assert db.execute(
            "select b.rrf_k = s.rrf_k from braid_store.collections b join braid_shards.collections s using (id)"
            " where b.name = 'loaves'"
        ).fetchall() == [(True,)]
        db.rollback()


def test_a_lock_that_a_login_took_is_told(cluster: Cluster) -> None:
    with psycopg.connect(cluster.dsn, autocommit=True) as db:
        db.execute("select pg_advisory_lock(%s)", (nodes.LOCK,))
        row = db.execute("select current_user").fetchone()
        assert row is not None
        with pytest.raises(ConflictError, match=f"process {db.info.backend_pid}, login {row[0]}") as caught:
            distribute(cluster.dsn)
    assert "pg_terminate_backend" in str(caught.value)


def test_a_cluster_is_not_uninstalled(cluster: Cluster) -> None:
    for dsn in (cluster.dsn, *cluster.workers.values()):
        with pytest.raises(InstallationError, match="distributed over the nodes") as caught:
            uninstall(dsn)
        assert "--gather" in str(caught.value)


@pytest.fixture
def own(coordinator: str) -> Iterator[Cluster]:
    with databases(coordinator) as (dsn, workers, plain):
        create(dsn)
        fill(dsn, TENANTS[:2])
        yield Cluster(dsn, workers, plain)


def test_a_worker_with_an_installation_of_its_own_is_left_alone(own: Cluster) -> None:
    (name, theirs), _ = own.workers.items()
    install(theirs)
    with pgbraid.connect(theirs) as client:
        client.add_documents([{"external_id": "1", "content": "precious"}])
    for call in (distribute, gather):
        with pytest.raises(InstallationError, match=f"{name} has a pgbraid of its own"):
            call(own.dsn)
    with pgbraid.connect(theirs) as client:
        assert [row.external_id for row in client.search("precious", mode="full_text")] == ["1"]
    # The distribution has begun nothing.
    with psycopg.connect(own.dsn) as db:
        assert db.execute("select to_regnamespace('braid_shards')").fetchall() == [(None,)]


def test_a_worker_comes_later_and_a_distribution_that_ended_halfway_is_undone(
    own: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, first), (later, last) = own.workers.items()
    host, _, port = later.rpartition(":")
    with monkeypatch.context() as patch:
        patch.setattr("pgbraid_tools.cluster.distributing.bring_up", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            distribute(own.dsn)
    assert gather(own.dsn)["documents"] == 80
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("select citus_remove_node(%s, %s)", (host, int(port)))
        distribute(own.dsn)
        # The node knows the login, but not its rights.
        for dsn in (own.dsn, first, last):
            with psycopg.connect(dsn, autocommit=True) as node:
                node.execute("set citus.enable_ddl_propagation = off")
                if not node.execute("select from pg_roles where rolname = 'comes_later'").fetchall():
                    node.execute("create role comes_later login")
                if dsn == own.dsn:
                    node.execute("grant braid_reader to comes_later")
        db.execute("select citus_add_node(%s, %s)", (host, int(port)))
    try:
        distribute(own.dsn)
        assert move_tenant(own.dsn, TENANTS[0], later).target == later
        with psycopg.connect(own.dsn, autocommit=True) as db:
            db.execute("select braid.add_tenant_member(%s, 'comes_later')", (TENANTS[0],))
        with psycopg.connect(make_conninfo(last, user="comes_later")) as db:
            assert db.execute(SEARCH.encode()).fetchall()[0][0] > 0
    finally:
        gather(own.dsn)
        for dsn in (own.dsn, first, last):
            with psycopg.connect(dsn, autocommit=True) as node:
                node.execute("set citus.enable_ddl_propagation = off")
                node.execute("drop role if exists comes_later")


def test_a_node_that_does_not_answer_is_named(
    own: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other nodes still do what they can."""
    (name, _), (gone, gone_dsn) = own.workers.items()
    host, _, port = gone.rpartition(":")
    with psycopg.connect(own.dsn, autocommit=True) as db:
        db.execute("select citus_remove_node(%s, %s)", (host, int(port)))
        distribute(own.dsn)
        db.execute("select citus_add_node(%s, %s)", (host, int(port)))
        with pytest.raises(InstallationError, match=f"{gone} has no pgbraid yet"):
            move_tenant(own.dsn, TENANTS[0], gone)
    distribute(own.dsn)
    with psycopg.connect(make_conninfo(gone_dsn, dbname="postgres"), autocommit=True) as other:
        database = conninfo_to_dict(gone_dsn)["dbname"]

        def let_in(whether: bool) -> None:
            other.execute(f"alter database {database} allow_connections {whether}".encode())
            other.execute(
                "select pg_terminate_backend(pid, 180000) from pg_stat_activity"
                " where datname = %s and backend_type = 'client backend'",
                (database,),
            )

        let_in(False)
        try:
            with pgbraid.connect(own.dsn) as client, pytest.raises(PgbraidError) as caught:
                client.create_tenant("late")
            assert type(caught.value) is PgbraidError
            assert "nothing was done on any node" in str(caught.value)
            with pytest.raises(PgbraidError, match="not currently accepting connections"):
                move_tenant(own.dsn, TENANTS[0], gone)
            monkeypatch.setattr(sys, "argv", ["pgbraid", "maintain", "--dsn", own.dsn])
            capsys.readouterr()
            with pytest.raises(SystemExit) as exit_code:
                main()
        finally:
            let_in(True)
    output = capsys.readouterr()
    report = json.loads(output.out)
    assert (exit_code.value.code, report["complete"], [*report["nodes"]]) == (2, False, [name])
    assert f"pgbraid: {gone}: " in output.err
    with pgbraid.connect(own.dsn) as client:
        client.create_tenant("late")
    gather(own.dsn)
