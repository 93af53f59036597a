"""Distribute an installation over the nodes of a Citus cluster, by tenant.

Tenants' tables are made once more in the schema braid_shards, which Citus distributes. On each worker, `braid_store`
has tables of the usual names, partitioned by tenant, and the worker's shards are their partitions. So the functions are
the same as everywhere, and PostgreSQL plans their statements, not Citus. Tables of definitions are reference tables:
triggers copy the coordinator's tables into them. On each worker, other triggers copy new rows into plain tables of the
usual names.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from pgbraid.errors import InstallationError, InvalidArgumentError
from pgbraid.install.session import Notify
from pgbraid.install.state import Connection, installed_parts
from pgbraid_tools.cluster.coordinator import dissolve, distribute_tables, refuse_what_cannot_be
from pgbraid_tools.cluster.nodes import (
    Node,
    check_node,
    cluster_session,
    create_roles,
    find_nodes,
    grant_memberships,
    missing_memberships,
    missing_roles,
    one_at_a_time,
)
from pgbraid_tools.cluster.tables import (
    SHARDS,
    apply_form,
    count_rows,
    is_distributed,
    placements,
    places,
    schema_of,
    tables_of,
)
from pgbraid_tools.cluster.workers import bring_up, rescue, serve

SHARDS_PER_NODE = 4


@dataclass
class DistributionReport:
    """Report the distribution, or with `dry_run` the planned one."""

    nodes: list[str]
    shard_count: int
    # The numbers of rows of each table: at the coordinator before the distribution, and on all nodes afterwards.
    rows_before: dict[str, int] = field(default_factory=dict)
    rows_after: dict[str, int] = field(default_factory=dict)
    tenants: dict[str, int] = field(default_factory=dict)
    index_problems: int = 0
    steps: list[str] = field(default_factory=list)


def distribute(
    dsn: str,
    *,
    shard_count: int | None = None,
    dry_run: bool = False,
    check: bool = True,
    notify: Notify = lambda _: None,
) -> DistributionReport:
    """Distribute the installation of `dsn`, a Citus coordinator with workers; or bring the nodes of a distributed one
    to this version. An interrupted run is resumed."""
    with cluster_session(dsn) as coordinator, one_at_a_time(coordinator):
        nodes = find_nodes(coordinator)
        report = DistributionReport([node.name for node in nodes], shard_count or SHARDS_PER_NODE * len(nodes))
        is_begun = is_distributed(coordinator)
        if is_begun:
            report.shard_count = len(placements(coordinator))
            if shard_count not in (None, report.shard_count):
                raise InvalidArgumentError(
                    f"tenants are in {report.shard_count} shards already: their number cannot change to {shard_count}",
                    hint="leave the number out, or gather the tenants first: pgbraid distribute --gather",
                    sqlstate="22023",
                )
        refuse_what_cannot_be(coordinator, is_begun)
        steps = _Steps(report, dry_run, notify)
        for node in nodes:
            with cluster_session(node.dsn(dsn)) as worker:
                check_node(coordinator, worker, node)
                missing = missing_roles(coordinator, worker)
                if missing and steps.begin(f"{node.name}: create the roles {', '.join(missing)}"):
                    create_roles(coordinator, worker, missing)
                memberships = missing_memberships(coordinator, worker)
                told = ", ".join(f"{role} to {member}" for role, member, _ in memberships)
                if memberships and steps.begin(f"{node.name}: grant {told}"):
                    grant_memberships(worker, memberships)
        if not is_begun:
            report.rows_before = count_rows(coordinator, schema_of)
            if steps.begin("coordinator: take vectors out of their indexes, where they are found by scans meanwhile"):
                dissolve(coordinator)
            count = sum(report.rows_before.values())
            if steps.begin(f"coordinator: distribute {count} rows of tenants over {report.shard_count} shards"):
                with coordinator.transaction():
                    report.rows_before = distribute_tables(coordinator, report.shard_count, notify)
        elif steps.begin("coordinator: apply what this version changes"):
            # A worker added since has no definitions yet.
            coordinator.execute("select replicate_reference_tables('block_writes')")
            with coordinator.transaction():
                apply_form(coordinator)
        for node in nodes:
            if steps.begin(f"{node.name}: install, with its shards as partitions"):
                with cluster_session(node.dsn(dsn)) as worker:
                    parts = installed_parts(coordinator)
                    bring_up(worker, places(coordinator), tables_of(coordinator), parts, notify)
        if is_begun and steps.begin("all nodes: bring vectors along that Citus' own moves have left behind"):
            _rescue(dsn, nodes)
        if steps.begin("all nodes: count rows, and let calls in"):
            _count(dsn, coordinator, nodes, report)
            _serve(dsn, coordinator, nodes)
        if check and steps.begin("all nodes: check the index of each tenant"):
            _check(dsn, nodes, report)
    return report


class _Steps:
    def __init__(self, report: DistributionReport, dry_run: bool, notify: Notify) -> None:
        self.report = report
        self.dry_run = dry_run
        self.notify = notify

    def begin(self, step: str) -> bool:
        self.report.steps.append(step)
        self.notify(step)
        return not self.dry_run


def _rescue(dsn: str, nodes: Sequence[Node]) -> None:
    with ExitStack() as sessions:
        workers = {node.group: sessions.enter_context(cluster_session(node.dsn(dsn))) for node in nodes}
        for group, worker in workers.items():
            rescue(worker, group, workers)


def _count(dsn: str, coordinator: Connection, nodes: Sequence[Node], report: DistributionReport) -> None:
    report.rows_after = dict.fromkeys(tables_of(coordinator).of_tenants, 0)
    is_used = False
    for node in nodes:
        with cluster_session(node.dsn(dsn)) as worker:
            for table, count in count_rows(worker, schema_of).items():
                report.rows_after[table] += count
            is_used |= (
                worker.execute(f"select from {SHARDS}.node_shards where is_served".encode()).fetchone() is not None
            )
    expected = report.rows_before or count_rows(coordinator, lambda _: SHARDS)
    # A node that already serves clients gets writes between two counts, so a difference is no error there.
    if report.rows_after != expected and not is_used:
        different = [name for name, count in expected.items() if report.rows_after[name] != count]
        raise InstallationError(
            f"the nodes do not have the same number of rows as the cluster of: {', '.join(different)}",
            hint="run pgbraid distribute again; if the error stays, please report it",
        )


def _serve(dsn: str, coordinator: Connection, nodes: Sequence[Node]) -> None:
    for node in nodes:
        with cluster_session(node.dsn(dsn)) as worker:
            serve(worker, places(coordinator))


def _check(dsn: str, nodes: Sequence[Node], report: DistributionReport) -> None:
    for node in nodes:
        with cluster_session(node.dsn(dsn)) as worker:
            tenants = worker.execute(
                "select t.key from braid_store.tenants t"
                f" join {SHARDS}.node_shards s on s.remainder = {SHARDS}.shard_number(t.id)"
                " where s.is_served order by 1".encode()
            ).fetchall()
            report.tenants[node.name] = len(tenants)
            for (tenant,) in tenants:
                worker.execute("select set_config('braid.tenant', %s, false)", (tenant,))
                row = worker.execute(
                    "select count(*) from braid_store.collections c, braid.check_index(c.name) p"
                ).fetchone()
                report.index_problems += row[0] if row else 0
    if report.index_problems:
        raise InstallationError(
            f"check_index found {report.index_problems} problems",
            hint="run braid.check_index for each tenant on its node",
        )
