"""Install one database, which the catalog tests only read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row

Catalog = psycopg.Connection[Any]

FUNCTIONS = """
select p.oid, n.nspname as schema, p.proname as name, n.nspname || '.' || p.proname as full_name,
  p.provolatile as volatility, p.proparallel as parallel, p.prosecdef as is_definer, p.proowner::regrole::text as owner,
  coalesce(p.proconfig, '{}') as settings, p.proacl as privileges, coalesce(obj_description(p.oid,
  'pg_proc'), '') as comment,
  coalesce(p.proargnames, '{}') as argument_names, p.pronargs as argument_count, p.pronargdefaults as default_count,
  cardinality(coalesce(p.proallargtypes::oid[], p.proargtypes::oid[])) as all_argument_count, p.prosrc as body
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('braid', 'braid_calls', 'braid_store') and p.prokind = 'f'
order by full_name
"""


def make_shard(db: Catalog) -> None:
    """Make the table vectors_1, which must be as safe as the tables of the migrations."""
    db.execute("select braid.create_collection('promoted', dimensions => 2)")
    db.execute(
        "select braid.upsert_documents((select jsonb_agg(jsonb_build_object('external_id', n::text, 'content', 'x',"
        " 'embedding', jsonb_build_array(1, n))) from generate_series(1, 9) n), 'promoted')"
    )
    db.execute("update braid_store.vector_settings set exact_rows = 1")
    for _ in range(3):
        db.execute("select braid.maintain()")
    assert db.execute("select id from braid_store.vector_shards where state = 'serving'").fetchall() == [(1,)]


@dataclass(frozen=True)
class Functions:
    """Hold pgbraid's functions, and which of them call which."""

    rows: list[Any]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    @cached_property
    def _by_name(self) -> dict[str, Any]:
        # The first of several functions of one name wins.
        return {row.full_name: row for row in reversed(self.rows)}

    @cached_property
    def _calls(self) -> dict[str, set[str]]:
        return {}

    def named(self, full_name: str) -> Any:
        return self._by_name[full_name]

    def calls(self, function: Any) -> set[str]:
        if function.oid not in self._calls:
            body = re.sub(r"--[^\n]*", "", function.body)
            found = re.findall(r"\b(braid(?:_calls|_store)?\.\w+)\s*\(", body)
            self._calls[function.oid] = self._by_name.keys() & found
        return self._calls[function.oid]

    def reached_from(self, *full_names: str) -> set[str]:
        reached: set[str] = set()
        waiting = list(full_names)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting.extend(self.calls(self.named(name)))
        return reached


@pytest.fixture(scope="module")
def catalog(new_database: Any) -> Iterator[Catalog]:
    """Yield a superuser's connection; a test rolls back what it tries."""
    with new_database() as dsn, psycopg.connect(dsn, autocommit=True, row_factory=namedtuple_row) as connection:
        make_shard(connection)
        yield connection


@pytest.fixture(scope="module")
def functions(catalog: Catalog) -> Functions:
    return Functions(catalog.execute(FUNCTIONS).fetchall())
