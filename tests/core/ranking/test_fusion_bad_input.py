"""Options of fusion and boosts that nobody means: an error that names what is wrong, with a hint."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]

OPTIONS: list[tuple[Any, str]] = [
    ({"normalisation": "average"}, "average"),
    ({"normalisation": ""}, "normalisation"),
    ({"normalisation": 7}, "normalisation is 7"),
    ({"normalisation": {"bm25": "minmax"}}, "bm25"),
    ({"normalisation": {"semantic": "best"}}, "best"),
    ({"normalisation": {"semantic": None}}, "semantic is null"),
    ({"statistics_scope": "conversation"}, "conversation"),
    ({"statistics_scope": True}, "statistics_scope"),
    ({"boosts": {}}, "boosts"),
    ({"boosts": "recency"}, "boosts"),
    ({"boosts": ["recency"]}, "recency"),
    ({"boosts": [None]}, "null"),
    ({"boosts": [{}]}, "0 signals"),
    ({"boosts": [{"novelty": {}}]}, "novelty"),
    ({"boosts": [{"recency": {"half_life": 1}, "importance": {}}]}, "2 signals"),
    ({"boosts": [{"recency": {}}]}, "half_life is missing"),
    ({"boosts": [{"recency": "30 days"}]}, "30 days"),
    ({"boosts": [{"recency": {"half_life": "-30 days"}}]}, "-30 days"),
    ({"boosts": [{"recency": {"half_life": 0}}]}, "half_life is 0"),
    ({"boosts": [{"recency": {"half_life": -1}}]}, "half_life is -1"),
    ({"boosts": [{"recency": {"half_life": "soon"}}]}, "soon"),
    ({"boosts": [{"recency": {"half_life": "infinity"}}]}, "infinity"),
    ({"boosts": [{"recency": {"half_life": True}}]}, "half_life is true"),
    ({"boosts": [{"recency": {"half_life": 10**400}}]}, "half_life"),
    ({"boosts": [{"recency": {"half_life": 1, "offset": "-1 day"}}]}, "offset"),
    ({"boosts": [{"recency": {"half_life": 1, "origin": "yesterday"}}]}, "yesterday"),
    ({"boosts": [{"recency": {"half_life": 1, "origin": "infinity"}}]}, "infinity"),
    ({"boosts": [{"recency": {"half_life": 1, "origin": 7}}]}, "origin is 7"),
    ({"boosts": [{"recency": {"half_life": 1, "function": "linear"}}]}, "linear"),
    ({"boosts": [{"recency": {"half_life": 1, "decay": 0.5}}]}, "decay"),
    ({"boosts": [{"importance": {"function": "exp"}}]}, "exp"),
    ({"boosts": [{"importance": {"factor": "2"}}]}, "factor"),
    ({"boosts": [{"importance": {"factor": 1e300}}]}, "factor"),
    ({"boosts": [{"importance": {"weight": 2}}]}, "weight"),
    ({"boosts": [{"importance": 2}]}, "importance is 2"),
    ({"boosts": [{"attribute": ["views"]}]}, "views"),
    ({"boosts": [{"attribute": "occurred_at"}]}, "occurred_at"),
    ({"boosts": [{"attribute": ""}]}, "attribute"),
    ({"boosts": [{"attribute": "views", "function": 1}]}, "function is 1"),
    ({"boosts": [{"attribute": "views", "missing": "0"}]}, "missing"),
    ({"boosts": [{"attribute": "views", "half_life": 1}]}, "half_life"),
    ({"boosts": [{"filter": {"category": "x"}}]}, "factor is missing"),
    ({"boosts": [{"filter": {"category": "x"}, "factor": -1}]}, "factor is -1"),
    ({"boosts": [{"filter": {"category": {"$near": 1}}, "factor": 2}]}, "$near"),
    ({"boosts": [{"filter": "x", "factor": 2}]}, "filter"),
    ({"boosts": [{"importance": {}, "weight": -1}]}, "weight is -1"),
    ({"boosts": [{"importance": {}, "weight": "1"}]}, "weight"),
    ({"boosts": [{"importance": {}, "mode": "subtractive"}]}, "subtractive"),
    ({"boosts": [{"importance": {}}, {"importance": {}, "mode": 1}]}, "number 2"),
    ({"boosts": [{"importance": {}}] * 9}, "9 boosts"),
    ({"rerank": "recency"}, "rerank"),
    ({"rerank": []}, "rerank"),
    ({"rerank": ["similarity", "speed"]}, "speed"),
    ({"rerank": ["similarity", "recency", "recency"]}, "recency"),
    ({"rerank": ["similarity", None]}, "rerank"),
    ({"rerank": ["similarity", ["recency"]]}, "rerank"),
]


@pytest.fixture(scope="module")
def searcher(new_database: Any) -> Any:
    """One database for all: nothing is written."""
    with new_database() as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(("options", "named"), OPTIONS, ids=lambda value: str(value)[:60])
def test_an_option_is_refused_by_name(searcher: Connection, options: Any, named: str) -> None:
    for function in ("hybrid_search", "full_text_search"):
        fusion = ", fusion => 'convex'" if function == "hybrid_search" else ""
        with pytest.raises(psycopg.Error) as raised:
            searcher.execute(f"select braid.{function}('a'{fusion}, options => %s)", (Jsonb(options),))
        error = raised.value.diag
        assert (raised.value.sqlstate, bool(error.message_hint)) == ("22023", True), raised.value
        assert named in (error.message_primary or ""), error.message_primary
        assert len(error.message_primary or "") < 500


@pytest.mark.parametrize("fusion", ["rrf", "dbsf"])
@pytest.mark.parametrize("normalisation", ["minmax", {}, {"semantic": "centroid"}])
def test_a_fusion_that_normalises_in_no_other_way(searcher: Connection, fusion: str, normalisation: Any) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        searcher.execute(
            "select braid.hybrid_search('a', fusion => %s, options => %s)",
            (fusion, Jsonb({"normalisation": normalisation})),
        )
    message = raised.value.diag.message_primary
    assert message == f"option normalisation is {json.dumps(normalisation)}, but fusion '{fusion}' takes none"
    assert raised.value.diag.message_hint


def test_null_is_as_if_left_out(searcher: Connection) -> None:
    options = dict.fromkeys(["boosts", "rank_by", "rerank", "normalisation", "saturate_at", "statistics_scope"])
    assert searcher.execute("select braid.hybrid_search('a', options => %s)", (Jsonb(options),)).fetchall() == []
    boost = {"recency": {"half_life": 1, "offset": None, "origin": None, "function": None}, "mode": None}
    options = {"boosts": [{**boost, "weight": None}, {"importance": {"factor": None, "missing": None}}]}
    assert searcher.execute("select braid.hybrid_search('a', options => %s)", (Jsonb(options),)).fetchall() == []
