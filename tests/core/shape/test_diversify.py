"""Maximal marginal relevance gives the same rows as a few lines of Python."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.arranged import fill, keys, plain_rows, search
from support.arrangement import Row, collapse, diversify, group
from support.calls import upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
COLUMNS = "external_id, chunk_index"


@pytest.mark.parametrize("seed", [3, 4])
def test_rows_are_those_of_the_model(db: Connection, seed: int) -> None:
    rows = plain_rows(db, fill(db, seed))
    cases: list[tuple[object, float]] = [(True, 0.5), ({}, 0.5), ({"lambda": 0.3}, 0.3), ({"lambda": 0}, 0.0)]
    for option, lambda_ in cases:
        expected = keys(diversify(rows, lambda_, 12))
        assert expected != keys(rows)[:12]
        assert search(db, COLUMNS, {"diversify": option}, match_count=12) == expected


def test_lambda_1_is_the_order_of_scores(db: Connection) -> None:
    rows = plain_rows(db, fill(db))
    assert search(db, COLUMNS, {"diversify": {"lambda": 1}}) == keys(rows)


def test_it_follows_what_was_collapsed(db: Connection) -> None:
    rows = plain_rows(db, fill(db))
    expected = keys(diversify(collapse(rows, 0.9), 0.4, 8))
    options = {"diversify": {"lambda": 0.4}, "collapse": {"similarity": 0.9}}
    assert search(db, COLUMNS, options, match_count=8) == expected


def test_groups_are_diversified_by_their_best_rows(db: Connection) -> None:
    rows = plain_rows(db, fill(db))
    groups = group(rows, lambda row: row.external_id, 2, "sum")
    best = {(found.rows[0].external_id): found for found in groups}
    firsts = [Row(found.rows[0].external_id, 0, found.score, "", found.rows[0].vector) for found in groups]
    expected = [key for first in diversify(firsts, 0.4, 6) for key in keys(best[first.external_id].rows)]
    options = {"diversify": {"lambda": 0.4}, "group_by": {"key": "document", "size": 2, "score": "sum"}}
    assert search(db, COLUMNS, options, match_count=6) == expected


def test_lambda_out_of_bounds_is_an_error(db: Connection) -> None:
    db.execute("select braid.create_collection('shapes', dimensions => 4, embedding_model => 'test')")
    wrong: list[object] = [2, "x", [1], {"mmr": 1}]
    wrong += [{"lambda": value} for value in (1.01, -0.01, "1", True)]
    for option in wrong:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="diversify") as error:
            search(db, COLUMNS, {"diversify": option})
        assert error.value.diag.message_hint


@pytest.mark.parametrize("options", [{"diversify": True}, {"collapse": {"similarity": 0.97}, "group_by": "speaker"}])
def test_comparing_too_many_is_refused(db: Connection, options: dict[str, Any]) -> None:
    db.execute("select braid.create_collection('wide', dimensions => 2, embedding_model => 'test')")
    upsert(db, [{"external_id": "one", "chunks": [{"content": f"amber {n}"} for n in range(6400)]}], "wide")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="would compare 6400 candidates") as raised:
        db.execute(
            "select braid.hybrid_search('amber', match_count => 6400, collection => 'wide', options => %s)",
            [Jsonb(options)],
        )
    assert "candidate_count" in (raised.value.diag.message_hint or "")
