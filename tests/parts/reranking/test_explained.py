"""The arithmetic that explain_search gives for late interaction yields the row's score."""

from __future__ import annotations

from typing import Any

import pytest
from core.search.test_explain_search import BOOSTS, SEARCHES, SIGNALS, Connection, assert_arithmetic, fill

pytestmark = pytest.mark.any_version
LATE = {"late_interaction": {"vectors": [[0.6, 0.8, 0], [1, 0, 0.1]], "candidates": 20, "weight": 0.3}}
SPREAD = {"ranking": {"smoothing": 0.5, "neighbour_weight": 0.2}}


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    return fill(shared_db, "select braid.set_token_vectors('small', 'any', 4)")


@pytest.mark.parametrize(
    "options", [LATE, {**LATE, **BOOSTS}, {**LATE, **SIGNALS, **BOOSTS, **SPREAD}, {**LATE, **SPREAD}]
)
@pytest.mark.parametrize("search", SEARCHES)
def test_arithmetic_gives_the_score(filled: Connection, search: dict[str, Any], options: dict[str, Any]) -> None:
    assert_arithmetic(filled, search, options)
