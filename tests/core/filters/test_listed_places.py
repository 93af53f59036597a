"""If many chunks pass a filter, a large segment's lists give their positions, without one lookup per chunk. Chunks
that were written or deleted since are treated correctly."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from core.plans.reading import COUNTS
from psycopg.types.json import Jsonb

from support.calls import full_text, one, semantic, upsert, vector
from support.nearest import maintain, set_threshold

Connection = psycopg.Connection[Any]
SIZE = 3000
QUERY = [1.0, 0.3, 0.0]
FEW_OF_100 = {"declared": {"$lt": 20}}
OPTIONS = {"ranking": {"statistics_scope": "collection"}}


def document(number: int, version: int = 0) -> dict[str, Any]:
    dice = random.Random(f"{number} {version}")
    return {
        "external_id": str(number),
        "content": f"alpha {'beta ' * dice.randint(1, 9)} gamma{number} delta{version}",
        "metadata": {"declared": number % 100},
        "embedding": [dice.gauss(0, 1) for _ in range(3)],
    }


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    shared_db.execute(
        "select braid.create_collection('docs', 'simple', 3, indexed_attributes => %s)",
        (Jsonb({"declared": "number"}),),
    )
    set_threshold(shared_db, 500, 3)
    for first in range(0, SIZE, 1000):
        upsert(shared_db, map(document, range(first, first + 1000)), "docs")
    shared_db.execute("select braid.rebuild_index('docs')")  # makes one segment of all documents
    maintain(shared_db)
    return shared_db


def entries_read(db: Connection, call: str, *arguments: Any) -> dict[str, int]:
    """Return how many index entries of each table a statement reads."""
    for _ in range(2):
        one(db, call, *arguments)
    with db.transaction():
        before = {table: entries for table, _, entries, _ in db.execute(COUNTS).fetchall()}
        one(db, call, *arguments)
        return {table: entries - before[table] for table, _, entries, _ in db.execute(COUNTS).fetchall()}


def model(documents: dict[int, dict[str, Any]]) -> list[str]:
    """Return the documents that pass, nearest first."""

    def similarity(number: int) -> float:
        embedding = documents[number]["embedding"]
        product = sum(a * b for a, b in zip(embedding, QUERY, strict=True))
        return float(product / sum(x * x for x in embedding) ** 0.5)

    return list(map(str, sorted((n for n in documents if n % 100 < 20), key=similarity, reverse=True)))


def assert_found(db: Connection, documents: dict[int, dict[str, Any]]) -> None:
    nearest = model(documents)
    for count in (50, 10_000):
        found = semantic(db, QUERY, match_count=count, filters=FEW_OF_100, collection="docs")
        assert [external_id for external_id, *_ in found] == nearest[:count]
    for query in ("alpha", "beta delta1"):
        everywhere = full_text(db, query, collection="docs", options=OPTIONS)
        passing = [row for row in everywhere if row[0] in set(nearest)]
        assert full_text(db, query, collection="docs", options=OPTIONS, filters=FEW_OF_100) == passing
        few = full_text(db, query, collection="docs", options=OPTIONS, filters=FEW_OF_100, match_count=25)
        assert few == passing[:25]


def test_many_chunks_are_not_looked_up_one_by_one(db: Connection) -> None:
    call = (
        "select count(*) from braid.hybrid_search('alpha beta', %s::vector, filters => %s, options => %s, "
        "collection => 'docs')"
    )
    read = entries_read(db, call, vector(QUERY), Jsonb(FEW_OF_100), Jsonb(OPTIONS))
    # 600 chunks pass. A sample reads 64 or 250 of them, and 100 candidates of each leg are looked up for the other leg.
    assert read["segment_chunks"] < 500


def test_what_changed_since_is_found(db: Connection) -> None:
    documents = {number: document(number) for number in range(SIZE)}
    assert_found(db, documents)
    # Write chunks that are new, and chunks that the lists know.
    for number in [*range(0, SIZE, 7), *range(SIZE, SIZE + 300)]:
        documents[number] = document(number, 1)
    upsert(db, [documents[number] for number in documents if "delta1" in documents[number]["content"]], "docs")
    assert_found(db, documents)
    # Give some chunks other vectors, which then move into the shard.
    for number in range(1, SIZE, 9):
        documents[number]["embedding"] = document(number, 2)["embedding"]
    upsert(db, [documents[number] for number in range(1, SIZE, 9)], "docs")
    assert_found(db, documents)
    gone = [number for number in documents if number % 5 == 3]
    one(db, "select braid.delete_documents(%s, 'docs')", [str(number) for number in gone])
    for number in gone:
        del documents[number]
    assert_found(db, documents)
    maintain(db)
    assert_found(db, documents)
    assert db.execute("select * from braid.check_index('docs')").fetchall() == []


def write_list(db: Connection) -> None:
    """Make one segment of chunks whose ids are not consecutive, so that it has a list of them."""
    one(db, "select braid.delete_documents('{7}', 'docs')")
    db.execute("select braid.rebuild_index('docs')")
    assert one(db, "select count(*) from braid_store.segments where chunk_ids is not null") > 0


def test_check_index_compares_the_lists(db: Connection) -> None:
    with db.transaction(force_rollback=True):
        write_list(db)
        db.execute("update braid_store.segments set chunk_ids[2] = 0 where chunk_ids is not null")
        problems = {problem for problem, *_ in db.execute("select * from braid.check_index('docs')").fetchall()}
        assert problems == {"segment list differs"}


def test_a_list_that_ends_too_early_hides_nothing(db: Connection) -> None:
    with db.transaction(force_rollback=True):
        write_list(db)
        found = full_text(db, "alpha", collection="docs", options=OPTIONS, filters=FEW_OF_100)
        db.execute("update braid_store.segments set chunk_ids = chunk_ids[:100] where chunk_ids is not null")
        assert full_text(db, "alpha", collection="docs", options=OPTIONS, filters=FEW_OF_100) == found != []
