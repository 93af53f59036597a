"""The chunks that pass a filter are found once for both legs of a search, and a slow or misspelt filter causes a
warning."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from core.plans.reading import COUNTS
from psycopg.types.json import Jsonb

from support.calls import one, semantic, upsert, vector

Connection = psycopg.Connection[Any]
SIZE = 4000
# An index keeps numbers in double precision, where both are equal.
LARGE, SAME = 9007199254740993, 9007199254740992
QUERY = [1.0, 0.0, 0.0]
# A list of values this long is not looked up in the lists that maintain() makes.
NONE = list(range(1000, 2001))


def document(number: int) -> dict[str, Any]:
    dice = random.Random(number)
    metadata = {"declared": number % 100, "undeclared": number % 100}
    if number % 40 == 0:
        metadata["large"] = SAME if number % 120 == 0 else LARGE
    return {
        "external_id": str(number),
        "content": f"alpha {'beta ' * dice.randint(0, 9)} gamma{number}",
        "metadata": metadata,
        "embedding": [dice.gauss(0, 1) for _ in range(3)],
    }


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    shared_db.execute(
        "select braid.create_collection('docs', 'simple', 3, indexed_attributes => %s)",
        (Jsonb({"declared": "number", "large": "number"}),),
    )
    for first in range(0, SIZE, 1000):
        upsert(shared_db, [document(number) for number in range(first, first + 1000)], "docs")
    shared_db.execute("select braid.maintain()")
    return shared_db


def entries_read(
    db: Connection, filters: dict[str, Any], query: str = "alpha beta", rows: int = 10, **options: Any
) -> dict[str, int]:
    """Return how many index entries of each table a hybrid search reads."""
    call = (
        "select count(*) from braid.hybrid_search(%s, %s::vector, filters => %s, options => %s, collection => 'docs')"
    )
    arguments = (query, vector(QUERY), Jsonb(filters), Jsonb(options))
    for _ in range(2):
        assert one(db, call, *arguments) == rows
    with db.transaction():
        before = {table: entries for table, _, entries, _ in db.execute(COUNTS).fetchall()}
        assert one(db, call, *arguments) == rows
        return {table: entries - before[table] for table, _, entries, _ in db.execute(COUNTS).fetchall()}


def test_an_index_is_read_once_and_what_it_finds_is_hardly_tested(db: Connection) -> None:
    read = entries_read(db, {"declared": {"$gte": 7, "$lt": 12}})
    assert SIZE // 20 <= read["chunk_attributes"] < 1.5 * SIZE // 20
    assert read["chunks"] < SIZE // 4


def test_chunks_are_read_once_where_there_is_no_index(db: Connection) -> None:
    assert SIZE < entries_read(db, {"undeclared": {"$in": [7, *NONE]}})["chunks"] < 1.3 * SIZE


def test_chunks_are_not_read_again_for_more_candidates(db: Connection) -> None:
    # Grouping makes one group of all candidates, so the search asks for more candidates.
    filters = {"undeclared": {"$in": [7, *NONE]}}
    assert entries_read(db, filters, rows=1, group_by="undeclared")["chunks"] < 1.3 * SIZE


def test_chunks_are_not_read_again_for_more_similar_ones(db: Connection) -> None:
    # The 160 chunks that pass form four groups, so a first round of 100 candidates cannot fill ten.
    call = (
        "select count(*) from braid.similar_chunks((select min(chunk_id) from braid.hybrid_search('gamma7', "
        "collection => 'docs')), 10, %s, options => %s)"
    )
    arguments = (Jsonb({"undeclared": {"$in": [0, 1, 2, 3, *NONE]}}), Jsonb({"group_by": "undeclared"}))
    for _ in range(2):
        assert one(db, call, *arguments) == 4
    with db.transaction():
        before = {table: entries for table, _, entries, _ in db.execute(COUNTS).fetchall()}
        assert one(db, call, *arguments) == 4
        after = {table: entries for table, _, entries, _ in db.execute(COUNTS).fetchall()}
    assert SIZE < after["chunks"] - before["chunks"] < 1.5 * SIZE


def test_few_chunks_that_pass_are_not_looked_for_in_the_index(db: Connection) -> None:
    read = entries_read(db, {"declared": 7})
    assert read["segment_chunks"] == 0
    # Each leg tests all 40 chunks in order to count them. The other reads serve the result rows.
    assert read["chunks"] < 3.5 * SIZE // 100


def test_few_chunks_with_a_word_are_tested_one_by_one(db: Connection) -> None:
    assert entries_read(db, {"undeclared": 7}, "+gamma107", rows=1)["chunks"] < SIZE // 10


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        ({"declared": 7}, lambda number: number % 100 == 7),
        ({"undeclared": 7}, lambda number: number % 100 == 7),
        # The index entries of these filters pass mostly, by half, or rarely.
        ({"large": LARGE}, lambda number: number % 40 == 0 and number % 120),
        ({"large": SAME}, lambda number: number % 120 == 0),
        ({"declared": {"$lt": 30}, "undeclared": {"$in": [3, 45]}}, lambda number: number % 100 == 3),
    ],
)
def test_the_nearest_that_pass_are_found(db: Connection, filters: dict[str, Any], passes: Any) -> None:
    def similarity(number: int) -> float:
        embedding = document(number)["embedding"]
        return float(embedding[0] / sum(x * x for x in embedding) ** 0.5)

    nearest = sorted(filter(passes, range(SIZE)), key=similarity, reverse=True)
    for count in (10, 30):
        found = semantic(db, QUERY, match_count=count, filters=filters, collection="docs")
        assert [external_id for external_id, *_ in found] == [str(number) for number in nearest[:count]]
    rows = db.execute(
        "select external_id from braid.full_text_search('alpha', 1000, filters => %s, collection => 'docs')",
        (Jsonb(filters),),
    ).fetchall()
    assert {external_id for (external_id,) in rows} == set(map(str, nearest))


def warnings(db: Connection, filters: dict[str, Any]) -> dict[str, str]:
    given = one(
        db,
        "select braid.search_json('alpha', %s::vector, filters => %s, collection => 'docs') -> 'warnings'",
        vector(QUERY),
        Jsonb(filters),
    )
    return {warning["code"]: warning["message"] for warning in given}


def test_a_slow_filter_without_index_is_told_of(db: Connection) -> None:
    slow = [{"undeclared": {"$ne": -number}} for number in range(900)]
    given = warnings(db, {"$and": slow, "undeclared": {"$in": [7, *NONE]}})
    assert '{"undeclared": "number"}' in given["undeclared_filter"]
    assert "undeclared_filter" not in warnings(db, {"$and": slow, "declared": 7})


def test_a_key_that_no_chunk_has_is_told_of(db: Connection) -> None:
    assert '"undeclaerd"' in warnings(db, {"undeclaerd": 7, "undeclared": 7})["unknown_filter_key"]
    assert "undeclaerd" in warnings(db, {"undeclared": -1, "metadata.undeclaerd": 1})["unknown_filter_key"]
    for filters in ({"undeclared": 1000}, {"declared": 1000}, {"undeclaerd": {"$ne": 7}}):
        assert "unknown_filter_key" not in warnings(db, filters)


def test_a_key_that_no_chunk_has_is_told_of_beside_rows(db: Connection) -> None:
    for misspelt in (7, "Ana", True, {"$exists": True}, {"$in": [7, "Ana"]}, {"$gt": 1}):
        message = warnings(db, {"$or": [{"$and": [{"undeclaerd": misspelt}]}, {"undeclared": 7}]})["unknown_filter_key"]
        assert '"undeclaerd"' in message and '"undeclared"' not in message
    assert '"undeclaerd"' in warnings(db, {"undeclaerd": True})["unknown_filter_key"]
    assert "undeclaerd" in warnings(db, {"$or": [{"metadata.undeclaerd": 7}, {"speaker": ""}]})["unknown_filter_key"]
    for absent in ({"$ne": 7}, {"$nin": [7]}, {"$exists": False}, None, {"$not": {"$eq": 7}}):
        assert "unknown_filter_key" not in warnings(db, {"$or": [{"undeclaerd": absent}, {"undeclared": 7}]})
    # Some chunks have both keys, but no row of the result does.
    both = {"$or": [{"large": LARGE}, {"undeclared": 7}, {"speaker": "Ana"}]}
    assert "unknown_filter_key" not in warnings(db, both)


def test_every_way_to_search_tells_of_an_unknown_key(db: Connection) -> None:
    found = {"$or": [{"undeclaerd": 7}, {"undeclared": 7}]}
    for function in ("search_json", "explain_search"):
        call = f"select braid.{function}('alpha', filters => %s, collection => 'docs')"
        answer = one(db, call, Jsonb(found))
        assert answer["results"] and "unknown_filter_key" in {warning["code"] for warning in answer["warnings"]}
