"""Only the best of several rows with the same text, or nearly the same vectors, is shown."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.arranged import fill, keys, plain_rows, search
from support.arrangement import collapse, group
from support.calls import semantic, upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
COLUMNS = "external_id, chunk_index"


def test_the_best_of_those_alike_stays(db: Connection) -> None:
    rows = plain_rows(db, fill(db))
    cases: list[tuple[object, float | None]] = [
        (True, None),
        ({}, 0.97),
        ({"similarity": None}, 0.97),
        ({"similarity": 0.8}, 0.8),
        ({"similarity": 1}, 1 - 1e-9),
    ]
    for option, similarity in cases:
        kept = collapse(rows, similarity)
        assert len(kept) < len(rows)
        for match_count in (1, 7, 1000):
            found = search(db, COLUMNS, {"collapse": option}, match_count=match_count)
            assert found == keys(kept)[:match_count]


def test_groups_and_variety_are_made_of_what_is_left(db: Connection) -> None:
    rows = plain_rows(db, fill(db))
    kept = collapse(rows, 0.9)
    groups = group(kept, lambda row: row.external_id, 2, "sum")
    options = {"collapse": {"similarity": 0.9}, "group_by": {"key": "document", "size": 2, "score": "sum"}}
    expected = [key for found in groups for key in keys(found.rows)]
    assert search(db, COLUMNS, options) == expected


def test_a_vector_without_direction_is_like_nothing(db: Connection) -> None:
    db.execute("select braid.create_collection('l', dimensions => 2, embedding_model => 'test', distance => 'l2')")
    vectors = {"a": [0, 0], "b": [0, 0], "c": [1, 0], "d": [2, 0]}
    upsert(db, [{"external_id": key, "content": key, "embedding": value} for key, value in vectors.items()], "l")
    found = semantic(db, [0, 0], collection="l", options={"collapse": {"similarity": 0.5}})
    assert [row[0] for row in found] == ["a", "b", "c"]
    found = semantic(db, [0, 0], collection="l", options={"diversify": {"lambda": 0.5}})
    assert sorted(row[0] for row in found) == ["a", "b", "c", "d"]


def test_what_cannot_be_collapsed_is_an_error(db: Connection) -> None:
    db.execute("select braid.create_collection('shapes', dimensions => 4, embedding_model => 'test')")
    wrong: list[object] = [1, "true", [], {"cosine": 1}]
    wrong += [{"similarity": value} for value in (1.01, -0.1, "x")]
    for option in wrong:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="collapse") as error:
            search(db, COLUMNS, {"collapse": option})
        assert error.value.diag.message_hint
