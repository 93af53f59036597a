"""Documents are listed page by page, also under filters."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import upsert
from support.filter_model import matches

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
# Some filters have an index that finds their matches, and some have none.
FILTERS: list[dict[str, Any]] = [
    {},
    {"speaker": "Ana"},
    {"speaker": {"$ne": "Ana"}},
    {"speaker": {"$in": ["Ana", "Ben", "Cyd", None]}, "external_id": {"$ne": "d9"}},
    {"half": 1, "speaker": "Ben"},
    {"external_id": {"$gte": "d3"}, "category": {"$exists": True}},
    {"$or": [{"place": {"$lt": 5}}, {"speaker": "Cyd"}]},
    {"$not": {"category": "news"}},
    {"place": 7},
    {"speaker": "nobody"},
]


def document(external_id: str, chance: random.Random, chunk_count: int) -> dict[str, Any]:
    return {
        "external_id": external_id,
        "metadata": {"half": chance.randrange(2), "place": chance.randrange(40)},
        "chunks": [
            {
                "content": f"words {n}",
                "speaker": chance.choice(["Ana", "Ben", "Cyd", None]),
                "category": chance.choice(["news", None]),
            }
            for n in range(chunk_count)
        ],
    }


def expected(documents: list[dict[str, Any]], filters: dict[str, Any]) -> list[str]:
    return sorted(
        made["external_id"]
        for made in documents
        if any(matches({"external_id": made["external_id"], "metadata": made["metadata"], **chunk}, filters)
               for chunk in made["chunks"])
    )  # fmt: skip


def listed(db: Connection, collection: str, filters: Any, count: int) -> list[str]:
    found: list[str] = []
    after: str | None = None
    while True:
        page = db.execute(
            "select external_id, chunk_count from braid.list_documents(%s, %s, %s, %s)",
            (collection, count, after, None if filters is None else Jsonb(filters)),
        ).fetchall()
        found += [row[0] for row in page]
        if len(page) < count:
            return found
        after = found[-1]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> tuple[Connection, dict[str, list[dict[str, Any]]]]:
    """Fill two collections: `some` has few chunks, and `many` has more than a page looks up one by one."""
    chance = random.Random(4)
    made = {
        "some": [document(f"d{n}", chance, chance.randrange(1, 5)) for n in range(60)],
        "many": [document(f"d{n}", chance, 100) for n in range(110)],
    }
    for collection, documents in made.items():
        shared_db.execute(
            "select braid.create_collection(%s, indexed_attributes => %s)", (collection, Jsonb({"place": "number"}))
        )
        upsert(shared_db, documents, collection)
    return shared_db, made


@pytest.mark.parametrize("collection", ["some", "many"])
@pytest.mark.parametrize("filters", FILTERS)
def test_documents_that_have_a_chunk_which_matches(filled: Any, collection: str, filters: dict[str, Any]) -> None:
    db, made = filled
    found = expected(made[collection], filters)
    assert listed(db, collection, filters, 7) == found == listed(db, collection, filters, 10_000)
    if not filters:
        assert listed(db, collection, None, 7) == found


def test_what_matches_is_deleted(filled: Any) -> None:
    db, made = filled
    matching = "array(select external_id from braid.list_documents('some', 10000, filters => %s))"
    call = f"select braid.delete_documents({matching}, 'some')"
    with db.transaction(force_rollback=True):
        for filters in ({"place": 7}, {"speaker": "nobody"}):
            gone = expected(made["some"], filters)
            assert db.execute(call, [Jsonb(filters)]).fetchall() == [(len(gone),)]
            assert listed(db, "some", filters, 10) == []
        assert len(listed(db, "some", None, 100)) == 60 - len(expected(made["some"], {"place": 7}))


def test_the_rows_are_those_without_filters(filled: Any) -> None:
    db, _ = filled
    call = "select * from braid.list_documents('some', 100, filters => %s)"
    rows = db.execute(call, [None]).fetchall()
    assert len(rows) == 60 and rows == db.execute(call, [Jsonb({"half": {"$gte": 0}})]).fetchall()


def test_what_is_no_filter_is_refused(filled: Any) -> None:
    db, _ = filled
    for filters in ([1], {"$x": 1}, {"occurred_at": "someday"}):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
            db.execute("select * from braid.list_documents('some', filters => %s)", [Jsonb(filters)])
        assert refused.value.diag.message_hint
