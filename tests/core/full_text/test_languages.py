"""Each chunk is analysed in its own language, and so is a query that names its language."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.calls import upsert

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
DOCUMENTS: list[dict[str, Any]] = [
    {
        "external_id": "de",
        "content": "Die Häuser stehen in den Straßen",
        "language": "de",
    },
    {"external_id": "de-AT", "content": "Das Haus steht", "language": "de-AT"},
    {"external_id": "german", "content": "Hausbau und Häusern", "language": "german"},
    {
        "external_id": "en",
        "content": "The houses stand in the streets",
        "language": None,
    },
    {"external_id": "klingon", "content": "The houses are far", "language": "tlh"},
    {
        "external_id": "both",
        "chunks": [
            {"content": "Streets and houses"},
            {"content": "Straßen und Häuser", "language": "de"},
        ],
    },
]


def found(db: Connection, query: str, language: str | None = None) -> set[tuple[str, int]]:
    options = None if language is None else f'{{"language": "{language}"}}'
    return {
        (row[0], row[1])
        for row in db.execute(
            "select external_id, chunk_index from braid.full_text_search(%s, 20, options => %s::jsonb)",
            (query, options),
        )
    }


@pytest.fixture
def filled(db: Connection) -> Connection:
    upsert(db, DOCUMENTS)
    return db


def test_a_query_in_the_language_of_the_chunks_finds_their_forms(
    filled: Connection,
) -> None:
    german = {("de", 0), ("de-AT", 0), ("german", 0), ("both", 1)}
    assert found(filled, "Häuser", "de") == found(filled, "Haus", "german") == german
    assert found(filled, "streets") == {("en", 0), ("both", 0)}


def test_an_unknown_language_is_analysed_as_the_collection_says(
    filled: Connection,
) -> None:
    assert found(filled, "house") == found(filled, "house", "tlh") == {("en", 0), ("klingon", 0), ("both", 0)}


def test_another_language_makes_the_chunks_anew(filled: Connection) -> None:
    assert upsert(filled, [{**DOCUMENTS[0], "language": "en"}]) == {"de": "replaced"}
    assert ("de", 0) not in found(filled, "Haus", "de")
    assert upsert(filled, [DOCUMENTS[0]]) == {"de": "replaced"}
    assert ("de", 0) in found(filled, "Haus", "de")


def test_the_index_is_as_the_languages_say(filled: Connection) -> None:
    assert filled.execute("select * from braid.check_index()").fetchall() == []
