"""With match all or a share, a text must have identifiers whole, in every entry point."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.calls import full_text, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]

TEXTS = {
    "17.1": "PostgreSQL 17.1 is out",
    "17.2": "PostgreSQL 17.2 is out",
    "16": "PostgreSQL 16 is out, and SQL has changed",
    "E-4012": "the export stops with error E-4012",
    "E-4099": "the export stops with error E-4099",
    "E4012": "error E4012 on start",
    "user_name": "call get_user_name() first",
    "user_id": "call get_user_id() first, the user has a name",
    "camel": "call getUserName first",
    "camel_id": "call getUserId first, get the user name",
    "app": "the entry point is src/main/app.py",
    "lib": "the entry point is src/main/lib.py",
    "other_app": "the entry point is src/other/app.py",
    "ann": "write to ann.lee@example.com",
    "bob": "write to bob.lee@example.com, not ann",
    "page": "see https://example.com/docs/install",
    "page2": "see https://example.com/docs/upgrade",
    "v1.2.3": "release v1.2.3 of the tool",
    "v1.2.4": "release v1.2.4 of the tool",
    "art": "a state-of-the-art engine",
    "art_words": "the state of the art in engines",
    "art_half": "the state of an engine",
    "email": "an email arrived",
    "mail": "the mail arrived",
    "brien": "Conan O'Brien laughed",
    "o": "the letter O laughed",
    "größe": "der Wert größe_max ist gesetzt",
    "größe_min": "der Wert größe_min ist gesetzt",
    "price": "it costs $19.99 a month",
    "price_2": "it costs $19.50 a month",
    "il6": "IL-6 rises",
    "il8": "IL-8 rises, and so do 6 others",
}


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    shared_db.execute("select braid.create_collection('whole', dimensions => 2, embedding_model => 'test')")
    documents = [
        {"external_id": name, "content": text, "embedding": [1, number / 10]}
        for number, (name, text) in enumerate(TEXTS.items())
    ]
    upsert(shared_db, documents, "whole")
    return shared_db


EXAMPLES = [
    ("PostgreSQL 17.2", "17.2"),
    ("PostgreSQL 17", "17.1 17.2"),
    ("error E-4012", "E-4012 E4012"),
    ("E-4012", "E-4012 E4012"),
    ("get_user_name", "user_name"),
    ("call get_user_name", "user_name"),
    ("getUserName", "camel"),
    ("get_user_name OR getUserName", "user_name camel"),
    ("src/main/app.py", "app"),
    ("app.py", "app other_app"),
    ("ann.lee@example.com", "ann"),
    ("https://example.com/docs/install", "page"),
    ("release v1.2.3", "v1.2.3"),
    ("v1.2.3", "v1.2.3"),
    ("release 1.2.3", "v1.2.3"),
    ("state-of-the-art engine", "art art_words"),
    ("state-of-the-art", "art art_words"),
    ("state of the art engine", "art art_words"),
    ("e-mail arrived", "email"),
    ("e-mail OR nowhere", "email mail"),
    ("O'Brien", "brien"),
    ("größe_max", "größe"),
    ("Wert größe_max", "größe"),
    ("costs $19.99", "price"),
    ("IL-6 rises", "il6"),
    ("IL6", "il6"),
    ("user get_user_name", "user_name"),
    ("get_user_name user", "user_name"),
    ("get_user_nowhere", ""),
    ("+get_user_name call", "user_name"),
    ('"get_user_name"', "user_name"),
    ("call -get_user_name", "user_id camel camel_id"),
]


@pytest.mark.parametrize(("query", "expected"), EXAMPLES)
def test_all_demands_identifiers_whole(filled: Connection, query: str, expected: str) -> None:
    for match in ("all", "100%"):
        rows = full_text(filled, query, collection="whole", match=match)
        assert {row[0] for row in rows} == set(expected.split()), match


@pytest.mark.parametrize(
    ("query", "match", "expected"),
    [
        ("error E-4012 nowhere", "60%", "E-4012 E4012"),
        ("error E-4012 nowhere gone", "75%", ""),
        ("E-4012 nowhere", "50%", "E-4012 E4012"),
        ("get_user_name nowhere gone away", "25%", "user_name"),
        ("get_user_name", "75%", "user_name"),
        ("17.2 17.1", "50%", "17.1 17.2"),
        # Without a demand, parts find a text as before.
        ("E-4012", "any", "E-4012 E4012 E-4099"),
        ("release v1.2.3", "0%", "v1.2.3 v1.2.4"),
        ("release v1.2.3", "any", "v1.2.3 v1.2.4"),
    ],
)
def test_shares_count_identifiers_whole(filled: Connection, query: str, match: str, expected: str) -> None:
    rows = full_text(filled, query, collection="whole", match=match)
    assert {row[0] for row in rows} == set(expected.split())


def test_all_entry_points_agree(filled: Connection) -> None:
    for query, expected in [("PostgreSQL 17.2", {"17.2"}), ("get_user_name", {"user_name"}), ("v1.2.3", {"v1.2.3"})]:
        row = filled.execute(
            "select braid.search_json(%s, %s, 50, match => 'all', collection => 'whole')", (query, vector([1, 0]))
        ).fetchone()
        assert row
        assert {hit["external_id"] for hit in row[0]["results"] if hit["full_text_rank"]} == expected
        # A filter is searched by another way.
        rows = full_text(
            filled, query, collection="whole", match="all", filters={"external_id": {"$in": sorted(TEXTS)[:60]}}
        )
        assert {row[0] for row in rows} == expected
        counts = filled.execute(
            "select value #>> '{}' from braid.facets('{external_id}', %s, match => 'all', collection => 'whole')",
            (query,),
        )
        assert {value for (value,) in counts} == expected
