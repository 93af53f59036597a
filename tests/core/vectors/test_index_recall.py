"""Calibration chooses a narrow width, and a distance beyond which answers are searched again, if that costs less."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest

pytestmark = pytest.mark.any_version
WIDTHS = [40, 100, 400]
Recalls = np.ndarray[Any, Any]


def chosen(db: psycopg.Connection[Any], recalls: Recalls, distances: Recalls, margin: float = 1.5) -> tuple[Any, ...]:
    """Return what is chosen from the index recall and the distance of the tenth vector, each by width and query."""
    row = db.execute(
        "select n.ef_search, n.ef_search_fused, n.far_distance, n.index_recall from braid_store.choose_narrow("
        "row(%s, %s::float8[], %s::float8[], %s::float8[], false)::braid_store.recall_curve, %s) n",
        (WIDTHS, recalls.tolist(), recalls.tolist(), distances.tolist(), margin),
    ).fetchone()
    assert row is not None
    return tuple(row)


def missed(queries: list[int], least: int = 400) -> Recalls:
    """Return the index recall if searches narrower than `least` find nothing for these queries."""
    recalls = np.ones((len(WIDTHS), 200))
    for place, width in enumerate(WIDTHS):
        recalls[place, queries] = float(width >= least)
    return recalls


def distances(recalls: Recalls, bad: float) -> Recalls:
    """Return a distance of about 0.3 for good answers and `bad` for others."""
    near = np.random.default_rng(0).uniform(0.25, 0.35, 200)
    return np.where(recalls > 0.5, near, bad)


LOST = list(range(0, 200, 21))  # a twentieth of the queries, of odd and even numbers


def test_far_answers_are_searched_again(shared_db: psycopg.Connection[Any]) -> None:
    recalls = missed(LOST)
    width, fused, distance, recall = chosen(shared_db, recalls, distances(recalls, 0.8))
    assert (width, fused, recall) == (64, 64, 1)
    assert 0.25 < distance < 0.8
    # Queries of one's own have no margin.
    assert chosen(shared_db, recalls, distances(recalls, 0.8), margin=1)[:2] == (40, 40)


def test_distances_that_do_not_separate_choose_one_width(shared_db: psycopg.Connection[Any]) -> None:
    recalls = missed(LOST)
    assert chosen(shared_db, recalls, distances(recalls, 0.24))[:2] == (600, 400)
    # No width finds these.
    recalls = missed(LOST, least=1000)
    assert chosen(shared_db, recalls, distances(recalls, 0.8)) == (None,) * 4


def test_a_distance_must_hold_for_queries_that_did_not_choose_it(shared_db: psycopg.Connection[Any]) -> None:
    """Every second query, the first included, chooses the distance. Here the others' answers are four times as far."""
    recalls = missed(LOST)
    choosing, others = distances(recalls, 0.8), distances(recalls, 0.8)
    choosing[:, 1::2] /= 4
    others[:, 0::2] /= 4
    # The bad answers of the second kind of queries lie within the distance that the first kind chose.
    assert chosen(shared_db, recalls, choosing)[1] == 400
    assert chosen(shared_db, recalls, others)[1] == 64
