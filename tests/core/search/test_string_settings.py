"""standard_conforming_strings is a setting of each session, and functions are read under it: it changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from pgbraid.install import install

Connection = psycopg.Connection[Any]

DOCUMENTS = [
    {
        "external_id": "call",
        "title": "ORA-00942 in src/app/main.py",
        "content": "It's a Straße: café, ΣΊΣΥΦΟΣ, camelCase 17.2.1. The price per seat went up!\n\n"
        "東京都に住んでいる。한국어 문장 — U.S. 1,000 👩\u200d💻 a\\b",
        "speaker": "Ana",
        "occurred_at": "2025-03-05T10:00:00Z",
        "metadata": {"path": "a\\b", "year": 2025, "loc": {"page": 3}},
    },
    {"external_id": "note", "content": "Prices of seats. " * 60, "category": "faq", "importance": 3},
]
CALLS = [
    """select (braid.search_json(q, options => '{"snippet": true, "explain": true}') #- '{stats,timings}') #-
              '{stats,query_time_ms}'
       from unnest(array['price -cafe', '"per seat"', 'pri* OR sisyphos', 'strasse', '東京都', '한국어', 'ora-942',
                         'objcts 17.2', E'a\\\\b', 'https://x.y/z?a=b', '👩']) q""",
    "select external_id, score from braid.full_text_search('+price \"seat\"', options => '{\"operators\": false}')",
    """select external_id from braid.full_text_search(
         'price', filters => E'{"path": "a\\\\\\\\b", "metadata.year": {"$gte": 2025}, "loc.page": {"$in": [3]},
                               "occurred_at": {"$gte": "2025-01-01"}}')""",
    "select external_id from braid.full_text_search('price', options => '{\"group_by\": \"metadata.year\"}')",
    """select external_id, score from braid.full_text_search('price', options =>
         '{"boosts": [{"recency": {"half_life": "30 days", "origin": "2025-06-01"}}]}')""",
    "select braid.highlight(r.chunk_id, 'cafe 東京 price', fragment_words => 5) from braid.full_text_search('cafe') r",
    "select passage from braid.full_text_search('price', options => '{\"context\": {\"after\": 1}}')",
    "select key, value, count from braid.facets('{speaker,metadata.year,loc.page}', 'price')",
    "select title, content from braid.assemble_context('price', token_budget => 200)",
]


@pytest.fixture
def sessions(dsn: str) -> Iterator[tuple[Connection, Connection]]:
    """Yield two new sessions, one with the setting on and one with it off."""
    with psycopg.connect(dsn, autocommit=True) as on, psycopg.connect(dsn, autocommit=True) as off:
        off.execute("set standard_conforming_strings = off; set escape_string_warning = off")
        yield on, off


def write(connection: Connection) -> None:
    connection.execute("""select braid.set_indexed_attributes('{"metadata.year": "number"}')""")
    connection.execute("select braid.upsert_documents(%s)", (Jsonb(DOCUMENTS),))
    connection.execute("select braid.set_synonyms('cost', '{price}')")


def test_a_search_finds_the_same(sessions: tuple[Connection, Connection]) -> None:
    assert_the_same(sessions, CALLS)


def assert_the_same(sessions: tuple[Connection, Connection], calls: list[str]) -> None:
    on, off = sessions
    write(on)
    for call in calls:
        answers = [connection.execute(call.encode()).fetchall() for connection in (on, off)]
        assert answers[0] == answers[1], call
        assert answers[0], call
    assert off.execute("select braid.check_index()").fetchall() == []


def test_what_is_written_is_the_same(sessions: tuple[Connection, Connection]) -> None:
    stored = []
    for connection in sessions:
        write(connection)
        stored.append(
            connection.execute(
                "select c.chunk_index, c.content, c.token_count, f.lexemes, f.positions, f.position_ends"
                " from braid_store.chunks c join braid_store.forward_rows f on f.chunk_id = c.id"
                " order by c.document_id, c.chunk_index"
            ).fetchall()
        )
        connection.execute("select braid.clear_collection()")
    assert stored[0] and stored[0] == stored[1]


def test_it_installs_where_the_setting_is_off(dsn: str, db: Connection) -> None:
    name = db.info.dbname
    db.execute(sql.SQL("alter database {} set standard_conforming_strings = off").format(sql.Identifier(name)))
    install(dsn, repair=True)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select braid.upsert_documents(%s)", (Jsonb(DOCUMENTS),))
        found = connection.execute("select external_id from braid.full_text_search('cafe')").fetchall()
        assert found == [("call",)]
