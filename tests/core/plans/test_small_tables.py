"""Searches of little data also look up chunks and documents by their whole keys. While a table is small, the planner
rates a join, or an index used by tenant alone, as highly; either would read all rows of the tenant for each key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from core.plans.reading import document

from pgbraid import embedded
from support.calls import Connection, upsert, vector
from support.partitioned import partitioned_database
from support.parts import is_installed

# The number of results equals the number of candidates.
SEARCHES = {
    "hybrid_search": "select count(*) from braid.hybrid_search('alpha half', %(vector)s, 100)",
    "full_text_search": "select count(*) from braid.full_text_search('alpha half', 100)",
    "semantic_search": "select count(*) from braid.semantic_search(%(vector)s, 100)",
    "nearest of a category": """
      select count(*) from braid.semantic_search(%(vector)s, 100, filters => '{"category": "later"}')""",
    "facets": "select count(*) from braid.facets('{category,source_uri}', 'alpha half')",
    "timeline": "select count(*) from braid.conversation_timeline('alpha half', %(vector)s, match_count => 100)",
    "timeline by conversation": """select count(*) from braid.conversation_timeline('alpha half', %(vector)s,
      match_count => 100, conversation_key => 'conversation')""",
    "latest turns": "select count(*) from braid.conversation_timeline(match_count => 100)",
    "similar documents": "select count(*) from braid.similar_documents('doc 2', 100)",
    "scores explained": """select count(*) from braid.explain_score('alpha half',
      (select array_agg(r.chunk_id) from braid.full_text_search('alpha half', 100) r))""",
    "scores given": """select count(*) from braid.arrange_results(
      (select array_agg(r.chunk_id) from braid.full_text_search('alpha half', 100) r),
      array_fill(1.0::float8, array[100]), 100)""",
    "context of scores given": """select count(*) from braid.arrange_context(
      (select array_agg(r.chunk_id) from braid.full_text_search('alpha half', 100) r),
      array_fill(1.0::float8, array[100]), 100000, 100)""",
    "context": "select count(*) from braid.assemble_context('alpha half', %(vector)s, 100000, 100)",
    "documents": "select count(*) from braid.list_documents(match_count => 100)",
    "missing token vectors": "select count(*) from braid.missing_token_vectors(100)",
    "jobs": "select count(*) from braid.list_embedding_jobs()",
    "jobs claimed": "select count(*) from braid.claim_embedding_jobs(100)",
    **{
        name: f"select count(*) from braid.logged_search('alpha half', %(vector)s, 100, {argument})"
        for name, argument in {
            "category": """filters => '{"category": "later"}'""",
            "metadata": """filters => '{"color": "blue"}'""",
            "external_id": """filters => '{"external_id": {"$gte": "a"}}'""",
            "boosts": """options => '{"boosts": [{"filter": {"category": "later"}, "factor": 1.5}]}'""",
            "signals": """options => '{"rank_by": {"importance": 1}}'""",
            "neighbours": """options => '{"ranking": {"neighbour_weight": 0.2}}'""",
            "groups": """options => '{"group_by": {"key": "source_uri", "size": 10}}'""",
            "passages": """options => '{"context": {"before": 1}}'""",
        }.items()
    },
}
# This counts the rows and index entries that the transaction has read of a table or its partitions.
READ = r"""
select t.name, sum(pg_stat_get_xact_tuples_returned(r.oid) + pg_stat_get_xact_tuples_fetched(r.oid))::int
from unnest('{documents,chunks,segment_chunks}'::text[]) t (name)
join pg_class c on c.relname ~ ('^' || t.name || '(_\d+)?$')
  and c.relnamespace::regnamespace::text in ('braid_store', 'braid_shards')
cross join lateral (
  select c.oid union all select i.indexrelid from pg_index i where i.indrelid = c.oid
) r
group by 1
"""


@pytest.fixture(scope="module", params=["plain", "partitioned"])
def dsn(request: pytest.FixtureRequest, server: embedded.Server, pg_version: int, new_database: Any) -> Iterator[str]:
    if request.param == "plain":
        with new_database() as dsn:
            yield dsn
    else:
        with partitioned_database(server, pg_version) as dsn:
            yield dsn


def embedding(number: int) -> str:
    return vector([1, number / 60, *[0] * 382])


def read(db: Connection) -> dict[str, int]:
    return dict(db.execute(READ.encode()).fetchall())


# The planner expects one row of a table per tenant at the first size, and two rows at the second.
@pytest.mark.parametrize("size", [150, 350])
def test_rows_are_looked_up_by_their_keys(dsn: str, size: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as db:
        if is_installed(tokens := "select braid.set_token_vectors('default', 'tokens')"):
            db.execute(tokens)
        # Every third chunk waits for its embedding.
        given = [{**document(number), "embedding": embedding(number)} for number in range(size)]
        upsert(db, [{**one, "embedding": None} if number % 3 == 1 else one for number, one in enumerate(given)])
        db.execute("select braid.maintain('1 hour')")
        db.execute("vacuum analyze")
    for name, statement in SEARCHES.items():
        if not is_installed(statement):
            continue
        with psycopg.connect(dsn) as db:
            before = read(db)
            ((found,),) = db.execute(statement.encode(), {"vector": embedding(1)}).fetchall()
            after = read(db)
        assert found > 0
        for table, count in after.items():
            assert count - before[table] < 15 * size, f"{name} reads {count - before[table]} rows of {table}"
