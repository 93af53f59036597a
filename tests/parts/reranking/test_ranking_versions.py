"""Versions of a ranking can name a ranking model."""

from __future__ import annotations

from typing import Any

import pytest
from core.ranking.test_versions import (
    Connection,
    apply,
    assert_refused,
    assert_tried_as_applied,
    name,
    restore,
    settings,
    tried,
)
from psycopg.types.json import Jsonb

pytestmark = pytest.mark.any_version
__all__ = ["name", "tried"]


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    model = {"version": 1, "mode": "hybrid", "features": ["score", "title_match"], "weights": [2, 0.7]}
    shared_db.execute("select braid.store_ranking_model('sums', %s)", (Jsonb(model),))
    return shared_db


def test_the_option_has_the_scores_of_the_ranking_once_it_is_applied(db: Connection, tried: str) -> None:
    assert_tried_as_applied(db, tried, {"ranking_model": "sums", "b": 0.1})


@pytest.mark.parametrize(
    ("ranking", "message"),
    [
        ({"ranking_model": ""}, 'ranking: ranking_model is ""'),
        ({"ranking_model": "x" * 256}, 'ranking: ranking_model is "xxx'),
    ],
    ids=str,
)
def test_what_is_no_model_is_refused_by_name(db: Connection, tried: str, ranking: Any, message: str) -> None:
    assert_refused(db, tried, ranking, message)


def test_a_model_is_restored_with_its_ranking(db: Connection, name: str) -> None:
    apply(db, name, {"b": 0.3})
    first = settings(db, name)
    db.execute("select braid.set_ranking(%s, %s)", (name, Jsonb({"k1": 7, "ranking_model": "sums"})))
    second = settings(db, name)
    assert first["parts"]["ranking_model"] is None and second["parts"]["ranking_model"] == "sums"
    restore(db, name, 2)
    assert settings(db, name) == first
    restore(db, name, 3)
    assert settings(db, name) == second
