"""A query that excludes in words gets a warning, because no leg understands it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.calls import upsert

Connection = psycopg.Connection[Any]


@pytest.mark.parametrize(
    ("query", "language", "told"),
    [
        ("coffee other than espresso", "en", "other than espresso"),
        ("languages Except for Java", "en", "Except for Java"),
        ("bread without the gluten", "en", "without the gluten"),
        ("jaguar, not car", "en", "not car"),
        ("jaguar but not the car", "en", "but not the car"),
        ("coffee -espresso", "en", None),
        ("why does it not start", "en", None),
        ("the printer is not found", "en", None),
        ("pods not starting", "en", None),
        ("notes about knots", "en", None),
        ("Brot ohne Gluten", "de", "ohne Gluten"),
        ("du pain sans gluten", "fr", "sans gluten"),
        ("хлеб без глютена", "ru", "без глютена"),
        ("original sin", "en", None),
        ('who wrote "Not without my daughter"', "en", None),
        ("who wrote “Everything, but not you”", "en", None),
        ('"coffee and tea" without milk', "en", "without milk"),
        ('coffee without "dark roast"', "en", 'without "dark roast"'),
        ('a 5" screen without glare', "en", "without glare"),
        ('"Ohne Worte" Text', "de", None),
    ],
)
def test_warning(db: Connection, query: str, language: str, told: str | None) -> None:
    upsert(db, [{"external_id": "a", "content": "coffee, bread, jaguar, Brot, pain, хлеб"}])
    row = db.execute(
        "select braid.search_json(%s, options => jsonb_build_object('language', %s::text))", (query, language)
    ).fetchone()
    assert row
    messages = [warning["message"] for warning in row[0]["warnings"] if warning["code"] == "negation_in_words"]
    if told is None:
        assert messages == []
        assert "negation_in_words" not in row[0]["stats"]
    else:
        assert len(messages) == 1 and f'"{told}"' in messages[0]
        assert row[0]["stats"]["negation_in_words"] == told
