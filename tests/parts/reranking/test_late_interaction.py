"""The option late_interaction ranks the best candidates by the vectors of their tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from support.calls import named, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Vectors = NDArray[np.float64]

WORDS = ["amber", "basalt", "cedar", "delta", "ember"]
COUNT = 30
RANDOM = np.random.default_rng(7)
# Every third text has no token vectors.
TOKENS = {f"d{n:02}": RANDOM.standard_normal((1 + n % 4, 4)) for n in range(COUNT) if n % 3}


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    shared_db.execute("select braid.create_collection('small', dimensions => 2)")
    shared_db.execute("select braid.set_token_vectors('small', 'colbert', 4, 4)")
    documents = [
        {
            "external_id": f"d{n:02}",
            "content": " ".join(WORDS[n * k % 5] for k in range(1, 3 + n % 4)),
            "embedding": [math.cos(n), math.sin(n)],
            "metadata": {"third": n % 3},
            **({"token_vectors": TOKENS[f"d{n:02}"].tolist()} if f"d{n:02}" in TOKENS else {}),
        }
        for n in range(COUNT)
    ]
    upsert(shared_db, documents, "small")
    return shared_db


def search(
    db: Connection, option: Mapping[str, Any] | None, options: Mapping[str, Any] | None = None, **arguments: Any
) -> dict[str, dict[str, Any]]:
    """Return the rows by external_id, in order."""
    values = {
        "query_text": "amber cedar",
        "query_embedding": vector([1, 0.3]),
        "match_count": 100,
        "collection": "small",
        **arguments,
        "options": Jsonb({**({} if option is None else {"late_interaction": option}), **(options or {})}),
    }
    rows = db.execute(f"select external_id, to_jsonb(s) from braid.hybrid_search({named(values)}) s", values)
    return dict(rows.fetchall())


def as_stored(vectors: Vectors) -> Vectors:
    """Round as pgvector does: to half precision, scale to length 1 in single precision, and to half precision again."""
    halves = np.asarray(vectors, np.float16).astype(np.float64)
    singles = (halves / np.linalg.norm(halves, axis=1, keepdims=True)).astype(np.float32)
    units: Vectors = singles.astype(np.float16).astype(np.float64)
    return units


def max_sim(query: Vectors, name: str) -> float | None:
    if name not in TOKENS:
        return None
    return float((as_stored(query) @ as_stored(TOKENS[name]).T).max(axis=1).mean())


numbers = st.floats(-1, 1, width=16).filter(lambda number: abs(number) > 0.01)


@settings(max_examples=30, deadline=None)
@given(
    query=st.lists(st.lists(numbers, min_size=4, max_size=4), min_size=1, max_size=5),
    candidates=st.integers(1, 40),
    weight=st.just(0.0) | st.floats(1e-9, 1),
    legs=st.sampled_from(["hybrid", "rrf", "full text", "semantic"]),
)
def test_scores_are_those_of_the_model(
    filled: Connection, query: list[list[float]], candidates: int, weight: float, legs: str
) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "hybrid": {},
        "rrf": {"fusion": "rrf"},
        "full text": {"query_embedding": None},
        "semantic": {"query_text": None},
    }
    arguments = kinds[legs]
    option: dict[str, Any] = {"vectors": query, "candidates": candidates, "weight": weight}
    before = search(filled, None, {"ranking": {"smoothing": 0}}, **arguments)
    found = search(filled, option, {"ranking": {"smoothing": 0}}, **arguments)
    assert sorted(before) == sorted(found)
    first = list(before)[:candidates]
    values: dict[str, float | None] = {}
    for name in first:
        told = found[name]["boosts"][0]
        assert (told["signal"], told["share"]) == ("late_interaction", weight)
        assert told["value"] == pytest.approx(max_sim(np.array(query), name), abs=1e-6)
        values[name] = told["value"]
    known = [value for value in values.values() if value is not None]
    low, high = min(before[name]["score"] for name in first), max(before[name]["score"] for name in first)
    for name, row in found.items():
        score: float = before[name]["score"]
        value = values.get(name)
        if value is not None and max(known) > min(known):
            normalised = low + (high - low) * ((value - min(known)) / (max(known) - min(known)))
            assert row["boosts"][0]["normalised_value"] == min(max(normalised, low), high)
            normalised = min(max(normalised, low), high)
            score = max(score + weight * (normalised - score), min(score, normalised))
        assert row["score"] == score
        assert (row["boosts"] is None) == (name not in first)
    scores = [row["score"] for row in found.values()]
    assert scores == sorted(scores, reverse=True)
    # Rows after the candidates keep their order, and stay after them.
    assert [name for name in found if name not in first] == list(before)[candidates:]
    assert all(row["score"] >= low for name, row in found.items() if name in first)


def test_the_weight_decides(filled: Connection) -> None:
    query: Vectors = RANDOM.standard_normal((3, 4))
    option: dict[str, Any] = {"vectors": query.tolist(), "candidates": 40}
    assert {name: row["score"] for name, row in search(filled, {**option, "weight": 0}).items()} == {
        name: row["score"] for name, row in search(filled, None).items()
    }
    filters = Jsonb({"third": {"$in": [1, 2]}})
    by_tokens = list(search(filled, {**option, "weight": 1}, {"ranking": {"smoothing": 0}}, filters=filters))
    assert by_tokens == sorted(by_tokens, key=lambda name: -(max_sim(query, name) or 0))
    assert len(by_tokens) == 20
    assert search(filled, option) == search(filled, {**option, "weight": 0.5, "candidates": 50})


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.7, 1])
def test_equal_candidates_stay_before_those_behind_them(db: Connection, weight: float) -> None:
    db.execute("select braid.create_collection('ties', dimensions => 2)")
    db.execute("select braid.set_token_vectors('ties', 'colbert', 4, 2)")
    upsert(
        db,
        [
            {"external_id": f"d{n:02}", "content": "x", "embedding": [1, 0.5], "token_vectors": [[1, n * 0.1]]}
            for n in range(10)
        ],
        "ties",
    )
    option = Jsonb({"late_interaction": {"vectors": [[0, 1]], "candidates": 3, "weight": weight}})
    rows = db.execute(
        "select external_id, score, score = fused_score"
        " from braid.semantic_search('[1,0.14]', collection => 'ties', options => %s)",
        (option,),
    ).fetchall()
    assert [name for name, _, _ in rows] == [f"d{n:02}" for n in range(10)]
    assert all(is_same for _, _, is_same in rows)
    (explained,) = db.execute(
        "select braid.explain_search(query_embedding => '[1,0.14]', collection => 'ties', options => %s)", (option,)
    ).fetchall()[0]
    assert len(explained["results"]) == 10
    for row in explained["results"]:
        assert eval(row["arithmetic"], {"max": max}) == row["score"]


def test_vectors_as_text_and_of_any_length(filled: Connection) -> None:
    query: list[list[float]] = [[1, 2, 3, 4], [-1, 0.5, 0, 0.25]]
    longer = [vector([8 * number for number in numbers]) for numbers in query]
    assert search(filled, {"vectors": longer}) == search(filled, {"vectors": query})


def test_signals_and_boosts_come_after(filled: Connection) -> None:
    option = {"vectors": [[1, 0, 0, 0]], "weight": 0.7}
    ranked = search(filled, option)
    boosted = search(filled, option, {"boosts": [{"filter": {"third": 1}, "factor": 2}]})
    name = next(name for name in ranked if int(name[1:]) % 3 == 1)
    assert boosted[name]["score"] == pytest.approx(2 * ranked[name]["score"], rel=1e-12)
    signals = search(filled, option, {"rank_by": ["similarity", "importance"]})
    assert [told["signal"] for told in signals[name]["boosts"]] == ["late_interaction", "similarity", "importance"]
    assert signals[name]["boosts"][1]["value"] == ranked[name]["score"]
    assert list(signals) == list(ranked)


def test_pages_show_every_row_once(filled: Connection) -> None:
    option = {"vectors": [[1, 0, 0, 1], [0, 1, 0, 0]], "candidates": 7}
    whole = list(search(filled, option, {"ranking": {"smoothing": 0}}))
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = search(filled, option, {"cursor": cursor, "ranking": {"smoothing": 0}}, match_count=4)
        seen += page
        cursor = list(page.values())[-1]["cursor"]
    assert len(seen) == len(set(seen)) == COUNT
    assert seen[:7] == whole[:7]


def test_a_chunk_without_token_vectors_keeps_its_score_and_is_told_of(filled: Connection) -> None:
    option = {"vectors": [[1, 0, 0, 0]], "candidates": 30}
    before, found = search(filled, None), search(filled, option)
    assert found["d03"]["score"] == before["d03"]["score"]
    assert found["d03"]["boosts"][0] == {
        "signal": "late_interaction",
        "value": None,
        "normalised_value": None,
        "share": 0.5,
        "score": before["d03"]["score"],
    }
    values = {"query_text": "amber", "collection": "small", "options": Jsonb({"late_interaction": option})}
    (answer,) = filled.execute(f"select braid.search_json({named(values)})", values).fetchall()[0]
    (warning,) = [w for w in answer["warnings"] if w["code"] == "candidates_without_token_vectors"]
    assert warning["message"].startswith(f"{answer['stats']['candidates_without_token_vectors']} of the chunks")
    assert answer["stats"]["candidates_without_token_vectors"] > 0


BAD: list[tuple[Any, str]] = [
    ({}, "has no vectors"),
    ({"vectors": []}, "vectors is []"),
    ({"vectors": None}, "vectors is null"),
    ({"vectors": "[1,0,0,0]"}, "vectors is"),
    ({"vectors": [1, 2]}, "vectors has an element that is not a vector"),
    ({"vectors": [["a"]]}, "vectors has an element that is not a vector"),
    ({"vectors": [None]}, "vector 1 of option late_interaction is null"),
    ({"vectors": [[]]}, "not a vector"),
    ({"vectors": [[1, 0, 0, 0], [1, 0, 0]]}, "vector 2 of option late_interaction has 3 dimensions"),
    ({"vectors": [[0, 0, 0, 0]]}, "zero vector"),
    ({"vectors": [[1e9, 0, 0, 0]]}, "not a vector"),
    ({"vectors": [[1, 0, 0, 0]] * 129}, "vectors is"),
    ({"vectors": [[1, 0, 0, 0]], "candidates": 0}, "candidates is 0"),
    ({"vectors": [[1, 0, 0, 0]], "candidates": 1001}, "candidates is 1001"),
    ({"vectors": [[1, 0, 0, 0]], "candidates": 2.5}, "candidates is 2.5"),
    ({"vectors": [[1, 0, 0, 0]], "weight": 1.1}, "weight is 1.1"),
    ({"vectors": [[1, 0, 0, 0]], "weight": "1"}, "weight is"),
    ({"vectors": [[1, 0, 0, 0]], "weight": 1e-10}, "weight is"),
    ({"vectors": [[1, 0, 0, 0]], "depth": 5}, "depth is 5"),
    ({"vectors": [[1, 0, 0, 0]], "embedding_model": "another"}, "'another'"),
    ({"vectors": [[1, 0, 0, 0]], "embedding_model": 5}, "embedding_model is 5"),
    (True, "late_interaction is true"),
    ([[1, 0, 0, 0]], "late_interaction is [["),
]


@pytest.mark.parametrize(("option", "said"), BAD, ids=range(len(BAD)))
def test_bad_input(filled: Connection, option: Any, said: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        search(filled, option)
    assert said in str(refused.value.diag.message_primary)
    assert refused.value.diag.message_hint
    assert search(filled, {"vectors": [[1, 0, 0, 0]], "embedding_model": "colbert"})


def test_too_much_work_is_refused(db: Connection) -> None:
    db.execute("select braid.create_collection('wide', dimensions => 2)")
    db.execute("select braid.set_token_vectors('wide', 'colbert', 512, 384)")
    db.execute("select braid.upsert_document('d', 'amber', collection => 'wide')")

    def compare(candidates: int, count: int) -> dict[str, Any]:
        option = {"vectors": [vector([1] * 384)] * count, "candidates": candidates}
        return search(db, option, collection="wide", query_embedding=None)

    assert compare(305, 128)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="20000000 pairs") as refused:
        compare(306, 128)
    assert refused.value.diag.message_hint
    assert compare(1000, 39)


def test_a_collection_without_token_vectors_refuses(filled: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="has no token vectors") as refused:
        search(filled, {"vectors": [[1, 0]]}, collection="default", query_embedding=None)
    assert "braid.set_token_vectors" in str(refused.value.diag.message_hint)


def test_functions_that_compare_stored_vectors_refuse(filled: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="late_interaction has no meaning"):
        filled.execute(
            "select braid.similar_documents('d01', collection => 'small', options => %s)",
            (Jsonb({"late_interaction": {"vectors": [[1, 0, 0, 0]]}}),),
        )


def test_several_queries_have_no_vectors_of_tokens(filled: Connection) -> None:
    options = Jsonb({"late_interaction": {"vectors": [[1, 0, 0, 0]]}})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="late_interaction is for one query") as refused:
        filled.execute('select braid.multi_search(\'["a", "b"]\', options => %s)', (options,))
    assert refused.value.diag.message_hint
