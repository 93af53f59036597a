"""Answer the page Observe: latency, pending work, growth, and problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgbraid.errors import PgbraidError
from pgbraid_tools.workbench.requests import read
from pgbraid_tools.workbench.searching import limit_time, rows

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient

__all__ = ["observe"]

# The time limit in seconds for each part of the page.
LONGEST = 10
# Each query takes the tenant and the collection.
PARTS = {
    "latency": """
        select to_jsonb(l) from braid.search_latency l
        where l.collection = %(collection)s and l.day > current_date - 14
        order by l.day desc, l.mode, l.semantic_mode limit 60
    """,
    "problems": """
        select to_jsonb(p) from braid.search_problems p where p.collection = %(collection)s
        order by p.searched_at desc limit 30
    """,
    "slow": """
        select to_jsonb(q) from braid.query_statistics q where q.collection = %(collection)s
        order by q.mean_ms desc limit 15
    """,
    "frequent": """
        select to_jsonb(q) from braid.query_statistics q where q.collection = %(collection)s
        order by q.calls desc, q.query limit 15
    """,
    "growth": """
        select to_jsonb(g) from braid.tenant_growth g
        where g.tenant = %(tenant)s and g.collection = %(collection)s and g.day > current_date - 90 order by g.day
    """,
    "outbox": """
        select to_jsonb(o) || jsonb_build_object('age', extract(epoch from o.age)::float8)
        from braid.outbox o where o.tenant = %(tenant)s order by o.age desc nulls last limit 50
    """,
    "indexes": """
        select to_jsonb(i) from braid.index_health i where i.tenant = %(tenant)s
        order by i.collection, i.shard limit 100
    """,
    "synonyms": """
        select to_jsonb(s) from braid.synonyms s where s.collection = %(collection)s order by s.word limit 200
    """,
}


async def observe(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return each part as `rows`, or as an `error` if only administrators may read it or it takes too long."""
    parameters = {"collection": read(body, "collection", str, "default"), "tenant": client.tenant}
    await limit_time(client, LONGEST)

    async def health() -> list[Any]:
        return await client.health()

    async def collections() -> list[Any]:
        return list((await client.status())["collections"])

    found: dict[str, Any] = {}
    for name, part in (("health", health), ("collections", collections)):
        found[name] = await _part(client, part())
    for name, statement in PARTS.items():
        found[name] = await _part(client, rows(client, statement, parameters))
    return found


async def _part(client: AsyncClient, asked: Any) -> dict[str, Any]:
    try:
        async with client.transaction():
            return {"rows": await asked}
    except PgbraidError as error:
        if error.retryable:
            raise
        return {"error": {"message": error.message, "hint": error.hint, "sqlstate": error.sqlstate}}
