"""Each function that only reads gives the same answer on a hot standby as on its primary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from core.plans.calls import CALLS
from core.plans.reading import Connection, Tenant, tenant

import pgbraid
from pgbraid.errors import PgbraidError
from support.api import LOGGED, READING
from support.calls import one
from support.parts import is_installed
from support.replication import Replicated, set_on

DOCUMENTS = 1_000
# A correct index gives no rows, and a tenant without stored versions has no rankings.
EMPTY = {"check_index", "list_rankings"}
# These calls store more to read than the calls themselves prepare.
MORE = (
    "select braid.set_profile('ana', '[1,0,0]', collection => 'docs')",
    "select braid.record_embedding_usage('bench', 'third', 1, 1, 1)",
)
VIEWS = """
select oid::regclass::text from pg_class
where relnamespace = 'braid'::regnamespace and relkind = 'v' and has_table_privilege(oid, 'select') order by 1
"""


@dataclass
class Both:
    tenant: Tenant
    primary: Connection
    standby: Connection
    standby_dsn: str


@pytest.fixture(scope="module")
def both(pair: Replicated) -> Iterator[Both]:
    """Yield a tenant with data for all functions, and its sessions on both servers."""
    with tenant(pair.primary.dsn_for("postgres"), "pgbraid") as world:
        world.grow(DOCUMENTS)
        with world.connect("auto") as primary:
            steps = [step for name in sorted(READING | LOGGED) for call in CALLS[name] for step in call.prepare]
            for statement in dict.fromkeys([*steps, *filter(is_installed, MORE)]):
                primary.execute(statement.encode(), world.values)
            world.maintain()
            pair.caught_up()
            dsn = pair.standby.dsn_for(primary.info.dbname, world.login)
            with psycopg.connect(dsn, autocommit=True) as standby:
                assert one(standby, "select pg_is_in_recovery()")
                yield Both(world, primary, standby, dsn)


def answer(db: Connection, statement: str, values: dict[str, Any]) -> list[Any]:
    return [
        untimed(row) for (row,) in db.execute(f"select to_jsonb(q) from ({statement}) q".encode(), values).fetchall()
    ]


def untimed(value: Any) -> Any:
    """Remove parts that differ between two calls on the same server, and sizes of files: a standby makes free space
    maps later than its primary."""
    if isinstance(value, list):
        return [untimed(item) for item in value]
    if isinstance(value, dict):
        timed = re.compile(r".*_ms|reference_time|age|bytes|byte_count")
        return {key: untimed(item) for key, item in value.items() if not timed.fullmatch(key)}
    return value


@pytest.mark.parametrize("function", sorted(READING))
def test_answers_are_those_of_the_primary(both: Both, pair: Replicated, function: str) -> None:
    # health reports a standby without it.
    set_on(pair.standby, hot_standby_feedback="on" if function == "health" else "off")
    answers = []
    for call in CALLS[function]:
        # Scores by age change from one moment to the next.
        if "recency" in call.statement:
            continue
        expected = answer(both.primary, call.statement, both.tenant.values)
        assert answer(both.standby, call.statement, both.tenant.values) == expected, call.statement
        answers += expected
    assert answers or function in EMPTY


def test_views_are_those_of_the_primary(both: Both) -> None:
    views = [view for (view,) in both.primary.execute(VIEWS)]
    assert {"braid.collections", "braid.synonyms"} <= set(views)
    for view in views:
        statement = f"select * from {view} v order by v::text"
        assert answer(both.standby, statement, {}) == answer(both.primary, statement, {}), view


def test_a_search_on_a_standby_is_answered_and_not_logged(both: Both, pair: Replicated) -> None:
    search = "select braid.logged_search('needle', '[1,0,0]', collection => 'docs')"
    count = "select count(*) from braid.search_log"
    is_logging = is_installed(count)
    before = one(both.primary, count) if is_logging else 0
    logged, answered = one(both.primary, search), one(both.standby, search)
    assert (logged["stats"].pop("search_id", None) is not None) == is_logging
    assert untimed(answered) == untimed(logged) and answered["results"]
    if is_logging:
        pair.caught_up()
        assert one(both.primary, count) == one(both.standby, count) == before + 1


def test_what_writes_is_refused(both: Both) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        both.standby.execute("select braid.upsert_document('d', 'text', collection => 'docs')")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction) as caught:
        both.standby.execute("select braid.maintain()")
    assert caught.value.diag.message_hint is not None and "primary" in caught.value.diag.message_hint
    with pgbraid.connect(both.standby_dsn, tenant="bench") as client, pytest.raises(PgbraidError) as typed:
        client.delete_document("doc 1", collection="docs")
    assert typed.value.sqlstate == "25006"
    assert typed.value.hint is not None and "primary" in typed.value.hint
