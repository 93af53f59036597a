"""An invalid option of fusion or boosts raises an error that names it and has a hint."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]

OPTIONS: list[tuple[Any, str]] = [
    ({"ranking": {"normalisation": "average"}}, "average"),
    ({"ranking": {"normalisation": ""}}, "normalisation"),
    ({"ranking": {"normalisation": 7}}, "normalisation is 7"),
    ({"ranking": {"normalisation": {"bm25": "minmax"}}}, "bm25"),
    ({"ranking": {"normalisation": {"semantic": "best"}}}, "best"),
    ({"ranking": {"normalisation": {"semantic": None}}}, "semantic is null"),
    ({"ranking": {"statistics_scope": "conversation"}}, "conversation"),
    ({"ranking": {"statistics_scope": True}}, "statistics_scope"),
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
    ({"rank_by": "recency"}, "rank_by"),
    ({"rank_by": []}, "rank_by"),
    ({"rank_by": ["similarity", "speed"]}, "speed"),
    ({"rank_by": ["similarity", "recency", "recency"]}, "recency"),
    ({"rank_by": ["similarity", None]}, "rank_by"),
    ({"rank_by": ["similarity", ["recency"]]}, "rank_by"),
]


@pytest.fixture(scope="module")
def searcher(new_database: Any) -> Any:
    """Yield one database for all tests, which write nothing."""
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
@pytest.mark.parametrize("normalisation", [{"full_text": "minmax"}, {"semantic": "centroid"}])
def test_a_fusion_that_normalises_in_no_other_way(searcher: Connection, fusion: str, normalisation: Any) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        searcher.execute(
            "select braid.hybrid_search('a', fusion => %s, options => %s)",
            (fusion, Jsonb({"ranking": {"normalisation": normalisation}})),
        )
    message = raised.value.diag.message_primary
    assert message == f"ranking: normalisation is one for each leg, but fusion '{fusion}' takes none"
    assert raised.value.diag.message_hint


# Former options stand beside a value and the option that the hint gives instead.
SAID: dict[str, tuple[Any, str]] = {
    "normalisation": ("minmax", '{"ranking": {"normalisation": "minmax"}}'),
    "saturate_at": (5, '{"ranking": {"normalisation": "saturate", "saturate_at": 5}}'),
    "smoothing": (0.5, '{"ranking": {"smoothing": 0.5}}'),
    "neighbour_weight": (0.3, '{"ranking": {"neighbour_weight": 0.3}}'),
    "statistics_scope": ("filter", '{"ranking": {"statistics_scope": "filter"}}'),
    "sparse_weight": (2, '{"ranking": {"sparse_weight": 2}}'),
    "full_text_min_score": (1, '{"min_scores": {"full_text": 1}}'),
    "semantic_min_score": (0.1, '{"min_scores": {"semantic": 0.1}}'),
    "sparse_min_score": (1, '{"min_scores": {"sparse": 1}}'),
    "rerank": (["similarity", "recency"], '{"rank_by": ["similarity", "recency"]}'),
    "group_size": (2, '{"group_by": {"key": "document", "size": 2}}'),
    "group_score": ("sum", '{"group_by": {"key": "document", "score": "sum"}}'),
    "context_before": (1, '{"context": {"before": 1}}'),
    "context_after": (2, '{"context": {"after": 2}}'),
}


@pytest.mark.parametrize("name", SAID)
def test_an_option_of_old_is_refused_with_what_is_given_instead(searcher: Connection, name: str) -> None:
    value, said = SAID[name]
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        searcher.execute("select braid.hybrid_search('a', options => %s)", (Jsonb({name: value}),))
    assert raised.value.diag.message_primary == f'options has an unknown key "{name}"'
    assert said in (raised.value.diag.message_hint or "")
    # The search accepts the hint's option.
    sparse = {"sparse": {"a": 1}} if name.startswith("sparse") else {}
    given = Jsonb({**json.loads(said), **sparse})
    assert searcher.execute("select braid.hybrid_search('a', options => %s)", (given,)).fetchall() == []


@pytest.mark.parametrize("value", [{"model": "cohere"}, "cohere", "similarity", ["newest"], [], {}, True])
def test_what_rank_by_does_not_take_is_not_in_the_hint(searcher: Connection, value: Any) -> None:
    """The hint for the former option rerank names rank_by, and only values that rank_by accepts."""
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        searcher.execute("select braid.hybrid_search('a', options => %s)", (Jsonb({"rerank": value}),))
    assert raised.value.diag.message_primary == 'options has an unknown key "rerank"'
    hint = raised.value.diag.message_hint or ""
    assert hint.startswith("Use the option rank_by in its place. Give an array, such as")


def test_null_is_as_if_left_out(searcher: Connection) -> None:
    options: dict[str, Any] = dict.fromkeys(["boosts", "rank_by", "ranking", "min_scores", "group_by", "smoothing"])
    assert searcher.execute("select braid.hybrid_search('a', options => %s)", (Jsonb(options),)).fetchall() == []
    boost = {"recency": {"half_life": 1, "offset": None, "origin": None, "function": None}, "mode": None}
    options = {"boosts": [{**boost, "weight": None}, {"importance": {"factor": None, "missing": None}}]}
    assert searcher.execute("select braid.hybrid_search('a', options => %s)", (Jsonb(options),)).fetchall() == []
