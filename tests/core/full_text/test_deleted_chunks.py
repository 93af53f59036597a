"""Deleted chunks do not pile up in the index between calls of maintain()."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest

from support.calls import one, upsert

Connection = psycopg.Connection[Any]

# With this number of words, eight batches of a hundred documents have more postings than a write may merge.
WORDS = 60
DOCUMENTS = 300
BATCH = 100


def documents(numbers: list[int], version: int) -> list[dict[str, Any]]:
    """Return documents of one chunk and 60 words each."""
    words = [f"{letter}{other}" for letter in "bcdfghjk" for other in "bcdfghjkl"]
    return [
        {"external_id": f"d{number}", "content": " ".join([*words[: WORDS - 1], f"n{number}v{version}"])}
        for number in numbers
    ]


def rows(db: Connection, table: str) -> int:
    return int(one(db, f"select count(*) from braid_store.{table}"))


def deleted_chunks(db: Connection) -> int:
    """Return the number of deleted chunks that segments still hold."""
    return rows(db, "segment_chunks") - rows(db, "chunks")


@pytest.mark.parametrize("same_batches", [True, False], ids=["same-batches", "other-batches"])
def test_batches_rewritten_again_and_again(db: Connection, same_batches: bool) -> None:
    order = random.Random(3)
    numbers = list(range(DOCUMENTS))
    for version in range(9):
        for first in range(0, DOCUMENTS, BATCH):
            upsert(db, documents(numbers[first : first + BATCH], version))
            assert deleted_chunks(db) <= (0 if same_batches else DOCUMENTS + BATCH + 64)
        if not same_batches:
            order.shuffle(numbers)
    assert rows(db, "chunks") == DOCUMENTS
    assert db.execute("select * from braid.check_index()").fetchall() == []


def test_one_document_rewritten_again_and_again(db: Connection) -> None:
    for version in range(20):
        upsert(db, documents([1], version))
        assert (rows(db, "segments"), rows(db, "segment_chunks"), rows(db, "tombstones")) == (1, 1, 0)
    db.execute("select braid.delete_document('d1')")
    for table in ("segments", "segment_chunks", "postings", "forward_rows", "tombstones"):
        assert rows(db, table) == 0, table


def test_a_dropped_collection_leaves_nothing_behind(db: Connection) -> None:
    db.execute("select braid.create_collection('gone')")
    upsert(db, documents(list(range(DOCUMENTS)), 0), "gone")
    for number in range(5):
        db.execute("select braid.delete_document(%s, 'gone')", (f"d{number}",))
    assert deleted_chunks(db) == 5
    db.execute("select braid.drop_collection('gone')")
    db.execute("select braid.maintain()")
    for table in ("segments", "segment_chunks", "postings", "forward_rows", "tombstones", "chunks", "documents"):
        assert rows(db, table) == 0, table
