"""Forget hand-overs of the coordinator once every node has processed them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from psycopg import Rollback

from pgbraid.install.state import Connection
from pgbraid_tools.cluster.nodes import cluster_session, find_nodes, one_at_a_time
from pgbraid_tools.cluster.tables import ROOT, SHARDS, Places, group_of, is_distributed, places

# Rows of dropped objects may remain until maintain() has removed the note.
DONE = f"""
select t.id from {SHARDS}.taken_over t join {SHARDS}.handed_over h on h.id = t.id
where not exists (select from braid_store.dropped_tenants d where h.kind = 'dropped_tenants' and d.id = h.object_id)
  and not exists (select from braid_store.dropped_collections d
                  where h.kind = 'dropped_collections' and d.id = h.object_id)
"""
SERVED = f"""
select s.remainder from {SHARDS}.node_shards s where s.is_served and pg_partition_root(s.attached) is not null
"""


def forget_handed_over(dsn: str) -> int:
    """Forget hand-overs that every node has processed, by the coordinator's DSN; return how many.

    The new node of a moving shard processes every hand-over again, because rows of dropped objects may come with the
    shard. So nothing is forgotten during a move.
    """
    with cluster_session(dsn) as coordinator, one_at_a_time(coordinator), ExitStack() as sessions:
        workers = [sessions.enter_context(cluster_session(node.dsn(dsn))) for node in find_nodes(coordinator)]
        before = places(coordinator)
        if not all(is_distributed(worker) and _has_its_shards(worker, before) for worker in workers):
            return 0
        done = set.intersection(*(_ids(worker, DONE) for worker in workers))
        if done:
            with coordinator.transaction():
                coordinator.execute(f"delete from {SHARDS}.handed_over where id = any(%s)".encode(), (list(done),))
                if places(coordinator) != before:
                    raise Rollback
        for worker in workers:
            taken = _ids(worker, f"select id from {SHARDS}.taken_over")
            # Read this afterwards: it lists every hand-over that the node has processed, except forgotten ones.
            gone = taken - _ids(coordinator, f"select id from {SHARDS}.handed_over")
            if gone:
                worker.execute(f"delete from {SHARDS}.taken_over where id = any(%s)".encode(), (list(gone),))
        return len(done)


def _has_its_shards(worker: Connection, places: Places) -> bool:
    group = group_of(worker)
    return _ids(worker, SERVED) == {remainder for remainder, _, at in places[ROOT] if at == group}


def _ids(connection: Connection, query: str) -> set[Any]:
    return {found for (found,) in connection.execute(query.encode())}
