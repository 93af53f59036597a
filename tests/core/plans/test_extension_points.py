"""A search of a collection that uses no part calls no extension point."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.calls import one, upsert
from support.parts import is_installed

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
CALLED = """
select coalesce(array_agg(s.funcname::text order by s.funcname), '{}')
from pg_stat_user_functions s where s.schemaname = 'braid_store' and s.funcname ~ '^extend_'
"""
SEARCHES = [
    "braid.hybrid_search('harbour', '[1,0]', collection => 'c')",
    "braid.hybrid_search('harbour', collection => 'c')",
    "braid.search_json('harbour', '[1,0]', collection => 'c', filters => '{\"speaker\": \"Ana\"}')",
    "braid.full_text_search('harbour', collection => 'c')",
    "braid.semantic_search('[1,0]', collection => 'c')",
    "braid.logged_search('harbour', '[1,0]', collection => 'c')",
    "braid.multi_search('[\"harbour\", \"ship\"]', collection => 'c')",
    "braid.recall('harbour', collection => 'c', timeframe => '2026')",
    "braid.logged_recall('harbour', collection => 'c')",
]


@pytest.fixture
def stored(db: Connection) -> Connection:
    db.execute("select braid.create_collection('c', dimensions => 2, embedding_model => 'test')")
    upsert(db, [{"external_id": "a", "content": "Harbour", "speaker": "Ana", "embedding": [1, 0]}], "c")
    db.execute("set track_functions = 'all'")
    return db


def called(db: Connection, search: str) -> list[str]:
    db.execute("select pg_stat_reset()")
    db.execute(f"select * from {search}".encode()).fetchall()
    db.execute("select pg_stat_force_next_flush()")
    found: list[str] = one(db, CALLED)
    return found


def test_a_plain_search_calls_none(stored: Connection) -> None:
    searches = list(filter(is_installed, SEARCHES))
    assert {search: called(stored, search) for search in searches} == {search: [] for search in searches}


def test_calls_would_be_seen(stored: Connection) -> None:
    assert "extend_status" in called(stored, "braid.status()")
