"""A query of plain words with spaces takes a faster path, which gives the same results as the general path.

A tab in place of a space sends a query to the general path.
"""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from support.calls import Connection, one, upsert

QUERIES = (
    "running dogs",
    "The Quick brown FOXes, 42 times!",
    "the of and",
    "the dog",
    "dog dog cats dog",
    "agac kitab kitabi, renk",
    "PDFs USA usa a A",
    "  spaced   words.  ",
    "007 7 42;",
    "absent words nowhere",
    "x" * 254 + " y",
    "x" * 255 + " y",
    "ba" * 126 + "ing y",
    "ba" * 127 + "ing y",
    "MOTOR FORM motor",
)
CONFIGS = ("english", "simple", "turkish")


@pytest.fixture(scope="module")
def db_of_languages(shared_db: Connection) -> Connection:
    for config in CONFIGS:
        shared_db.execute("select braid.create_collection(%s, text_config => %s)", (config, config))
        texts = [*QUERIES, "dogs run", "ağaç kitap ağacı", "quick foxes", "cat and dog"]
        upsert(shared_db, [{"external_id": str(n), "content": text} for n, text in enumerate(texts)], config)
    return shared_db


@pytest.mark.parametrize("config", CONFIGS)
def test_plain_queries_find_what_others_find(db_of_languages: Connection, config: str) -> None:
    for query in QUERIES:
        general = query.replace(" ", "\t", 1)
        expected = found(db_of_languages, general, config)
        assert found(db_of_languages, query, config) == expected, query
        # With operators off, every sign is text, but these queries have no signs.
        assert found(db_of_languages, query, config, operators=False) == expected, query


def found(db: Connection, query: str, collection: str, **options: Any) -> tuple[Any, ...]:
    answer = one(
        db,
        "select braid.search_json(%s, match_count => 50, collection => %s, options => %s)",
        query,
        collection,
        Jsonb({"snippet": True, **options}),
    )
    rows = [(row["external_id"], row["score"], row["snippet"]) for row in answer["results"]]
    return rows, answer["stats"]["terms"], answer["stats"]["corrections"]
