"""Run part of the calls of `isolation.test_attack` from both tenants' node, from the other worker and from the
coordinator, and call what Citus offers every login."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from random import Random

import psycopg
import pytest
from core.isolation.attack.calls import calls, functions, learn_keys
from core.isolation.attack.harness import attack
from core.isolation.test_attack import DOCUMENTED, ROLES, Attacker, assert_nothing_shows, attempts, fill, leaks
from core.isolation.world import Connection, Gateway, World
from install.citus.conftest import databases
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgbraid.install import install
from pgbraid_tools.cluster import distribute, move_tenant

# numbers of calls of each kind of login
AT_HOME, ELSEWHERE = 400, 100
# A call for a tenant on another node is refused, and so is a change of definitions outside the coordinator.
REFUSED = DOCUMENTED | {"55000"}
THEIRS = "$$select string_agg(c::text, ' ') from braid_store.chunks c$$"
BELOW = "'braid_shards.chunks', $$select string_agg(c::text, ' ') from %s c$$"
CITUS = [
    *(
        f"select s::text from {view} s"
        for view in ("citus_shards", "citus_tables", "citus_dist_stat_activity", "citus_lock_waits", "citus_locks",
                     "citus_stat_activity", "citus_stat_tenants", "citus_stat_statements", "pg_dist_shard",
                     "pg_dist_placement", "pg_dist_partition", "pg_dist_node", "pg_dist_object")
    ),
    f"select result from run_command_on_workers({THEIRS})",
    f"select result from run_command_on_all_nodes({THEIRS})",
    f"select result from run_command_on_coordinator({THEIRS})",
    f"select result from run_command_on_placements({BELOW})",
    f"select result from run_command_on_shards({BELOW})",
    "select c::text from braid_shards.chunks c",
    "select s::text from braid_shards.node_shards s",
    "select braid_shards.here(1)::text",
    "select citus_total_relation_size('braid_shards.chunks')::text",
    "select n::text from braid_shards.handed_over n",
    "select create_distributed_table('braid_shards.chunks', 'tenant_id')::text",
    "select undistribute_table('braid_shards.chunks')::text",
    "select lock_shard_metadata(7, array(select shardid from pg_dist_shard))::text",
    "select lock_shard_resources(7, array(select shardid from pg_dist_shard))::text",
]  # fmt: skip


class ClusterWorld(World):
    """Hold a world with alpha and beta on the same worker."""

    def __init__(self, dsn: str, workers: dict[str, str]) -> None:
        self.roles = []
        self.opened = []
        self.nodes = {"coordinator": dsn}
        self.definitions = self.superuser(dsn)
        self.define()
        where = dict(
            self.definitions.execute(
                "select t.key, n.nodename || ':' || n.nodeport from braid_store.tenants t"
                " join braid_shards.node_shards s on s.remainder = braid_shards.shard_number(t.id)"
                " join pg_dist_placement p on p.shardid = s.shard_id join pg_dist_node n on n.groupid = p.groupid"
            ).fetchall()
        )
        home = where["alpha"]
        move_tenant(dsn, "beta", home)
        self.dsn = self.nodes["home"] = workers[home]
        self.nodes["other"] = next(worker for name, worker in workers.items() if name != home)
        self.admin = self.superuser(self.dsn)

    def connect(self, login: str, **settings: str) -> Connection:
        # The attack makes a temporary function on a worker, which Citus refuses while it propagates DDL.
        return super().connect(login, citus__enable_ddl_propagation="off", **settings)

    def at(self, node: str) -> ClusterWorld:
        """Return the same world for connections to this node."""
        there = copy.copy(self)
        there.dsn = self.nodes[node]
        return there


@pytest.fixture(scope="module")
def world(coordinator: str) -> Iterator[ClusterWorld]:
    with databases(coordinator) as (dsn, workers, _):
        install(dsn)
        distribute(dsn)
        created = ClusterWorld(dsn, workers)
        try:
            fill(created)
            yield created
        finally:
            for connection in created.opened:
                connection.close()
    for node in (dsn, *workers.values()):
        with psycopg.connect(make_conninfo(node, dbname="postgres"), autocommit=True) as db:
            for role in reversed(created.roles):
                db.execute(sql.SQL("drop role if exists {}").format(sql.Identifier(role)))


@pytest.fixture(scope="module")
def statements(world: ClusterWorld) -> dict[str, list[str]]:
    api = functions(world.admin)
    own = world.chunk_ids("alpha")[0]
    with world.admin.transaction(force_rollback=True):
        world.admin.execute("set local braid.tenant = 'alpha'")
        for function in api:
            learn_keys(world.admin, function, own)
    ids = world.chunk_ids("beta")[:200]
    made = {function.name: list(calls(function, ids, Random(function.name), 10)) for function in api}
    return {kind: attempts(world, api, made, kind) for kind in ROLES}


@pytest.mark.parametrize("kind", ROLES)
@pytest.mark.parametrize("node", ["home", "other", "coordinator"])
def test_nothing_of_another_tenant_shows(
    world: ClusterWorld, statements: dict[str, list[str]], node: str, kind: str
) -> None:
    there = world.at(node)
    attacker = Attacker(there, Gateway(there), kind)
    # Indexed vectors and a day of the log are in tables that only the home node has.
    known = [made for made in statements[kind] if node == "home" or not re.search(r"braid_store\.\w+_\d+ r$", made)]
    chosen = Random(node + kind).sample(known, AT_HOME if node == "home" else ELSEWHERE)
    assert_nothing_shows(there, attacker, chosen, REFUSED)

    outcomes = list(attack(attacker.connection, CITUS))
    # Bare numbers come from Citus itself.
    shown = [(o.statement, [found for found in leaks(o.said, o.statement) if not found.isdigit()]) for o in outcomes]
    assert [found for found in shown if found[1]] == []
    # Nobody can lock the shards against Citus, and so against the writers.
    theirs = [o for o in outcomes if "braid_shards" in o.statement or "lock_shard" in o.statement]
    assert [o.statement for o in theirs if o.state == "00000" and o.said.strip()] == []
    assert {o.state for o in theirs if "lock_shard" in o.statement} == {"42501"}


def test_a_tenant_elsewhere_is_refused_and_one_at_home_is_served(world: ClusterWorld) -> None:
    """The attacks above are not all refused: a tenant of this node is served."""
    login = world.role("reader", "braid_reader")
    world.member("alpha", login)
    search = "select count(*) > 0 from braid.full_text_search('discount', collection => 'small')"
    states = {}
    for node in world.nodes:
        with psycopg.connect(make_conninfo(world.nodes[node], user=login), autocommit=True) as db:
            try:
                states[node] = db.execute(search.encode()).fetchall()[0][0]
            except psycopg.Error as error:
                states[node] = error.sqlstate
    assert states == {"home": True, "other": "55000", "coordinator": "55000"}
