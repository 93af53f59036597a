"""Versions of a ranking can name a sparse encoder."""

from __future__ import annotations

import psycopg
import pytest
from core.ranking.test_versions import (
    SEARCHES,
    WORDS,
    Connection,
    apply,
    assert_refused,
    assert_tried_as_applied,
    name,
    restore,
    search,
    settings,
    tried,
)
from psycopg.types.json import Jsonb

pytestmark = pytest.mark.any_version
__all__ = ["name", "tried"]


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    weights = {word: 1 + len(word) / 9 for word in WORDS}
    shared_db.execute("select braid.set_sparse_encoder('letters', %s)", (Jsonb(weights),))
    return shared_db


def test_the_option_has_the_scores_of_the_ranking_once_it_is_applied(db: Connection, tried: str) -> None:
    assert_tried_as_applied(db, tried, {"sparse_encoder": "letters", "sparse_weight": 0.8})


def test_what_is_no_encoder_is_refused_by_name(db: Connection, tried: str) -> None:
    assert_refused(db, tried, {"sparse_encoder": {}}, "ranking: sparse_encoder is {}")


def test_a_sparse_encoder_that_is_not_there_is_refused(db: Connection, tried: str) -> None:
    for refused in (
        lambda: apply(db, tried, {"sparse_encoder": "none"}),
        lambda: search(db, tried, SEARCHES[0], {"ranking": {"sparse_encoder": "none"}}),
    ):
        with pytest.raises(psycopg.errors.UndefinedObject, match='sparse encoder "none" does not exist'):
            refused()


def test_a_version_with_an_encoder_that_is_gone_is_refused(db: Connection, name: str) -> None:
    db.execute("select braid.set_sparse_encoder('gone', '{\"a\": 1}')")
    apply(db, name, {"sparse_encoder": "gone"})
    apply(db, name, {"sparse_encoder": None})
    db.execute("select braid.set_sparse_encoder('gone', null)")
    with pytest.raises(psycopg.errors.UndefinedObject, match='sparse encoder "gone" does not exist'):
        restore(db, name, 2)
    assert settings(db, name)["parts"]["sparse_encoder"] is None
