"""compare_evaluations gives a paired comparison of two evaluations."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]


def evaluation(values: list[float], metric: str = "ndcg@10", **more: Any) -> dict[str, Any]:
    queries = [
        {"query_id": f"q{n:03}", "query_text": f"text {n}", "metrics": {metric: value}}
        for n, value in enumerate(values)
    ]
    return {"query_set": "asked", "judge": None, "metrics": {metric: float(np.mean(values))}, "queries": queries} | more


def compare(db: Connection, baseline: Any, candidate: Any, *more: int) -> dict[str, Any]:
    marks = ", %s" * len(more)
    statement = f"select braid.compare_evaluations(%s, %s{marks})"
    answer: dict[str, Any] = one(db, statement, Jsonb(baseline), Jsonb(candidate), *more)
    return answer


def drawn(gain: float, count: int = 60, seed: int = 3) -> tuple[list[float], list[float]]:
    chance = random.Random(seed)
    baseline = [chance.uniform(0.2, 0.8) for _ in range(count)]
    return baseline, [value + chance.gauss(gain, 0.05) for value in baseline]


@pytest.mark.parametrize("gain", [0.0, 0.01, 0.05])
def test_interval_and_test_agree_with_numpy(shared_db: Connection, gain: float) -> None:
    baseline, candidate = drawn(gain)
    found = compare(shared_db, evaluation(baseline), evaluation(candidate), 5000)["metrics"]["ndcg@10"]
    differences = np.subtract(candidate, baseline)
    chance = np.random.default_rng(1)
    means = differences[chance.integers(0, 60, (20_000, 60))].mean(axis=1)
    assert found["interval"] == pytest.approx(list(np.percentile(means, (2.5, 97.5))), abs=0.001)
    swapped = (chance.choice((-1.0, 1.0), (20_000, 60)) * differences).mean(axis=1)
    assert found["p_value"] == pytest.approx((np.abs(swapped) >= abs(differences.mean())).mean(), abs=0.02)
    assert found["difference"] == pytest.approx(differences.mean(), abs=1e-12)
    assert found["baseline"] == pytest.approx(np.mean(baseline), abs=1e-12)
    assert found["candidate"] == pytest.approx(np.mean(candidate), abs=1e-12)


def test_the_same_seed_gives_the_same_answer(shared_db: Connection) -> None:
    baseline, candidate = map(evaluation, drawn(0.01))
    first = compare(shared_db, baseline, candidate, 500, 1)
    assert compare(shared_db, baseline, candidate, 500, 1) == first
    assert compare(shared_db, baseline, candidate, 500, 2)["metrics"] != first["metrics"]
    backwards = {**candidate, "queries": candidate["queries"][::-1]}
    assert compare(shared_db, baseline, backwards, 500, 1) == first


def test_wins_losses_and_what_changed_most(shared_db: Connection) -> None:
    baseline, candidate = [0.5, 0.5, 0.5, 0.2, 0.5], [0.5, 0.5 + 1e-12, 0.9, 0.0, 0.6]
    found = compare(shared_db, evaluation(baseline), evaluation(candidate), 200, 0, 2)["metrics"]["ndcg@10"]
    assert (found["wins"], found["losses"], found["ties"]) == (2, 1, 2)
    assert [(query["query_id"], query["query_text"]) for query in found["changed"]] == [
        ("q002", "text 2"),
        ("q003", "text 3"),
    ]
    assert found["changed"][1] == {
        "query_id": "q003",
        "query_text": "text 3",
        "baseline": 0.2,
        "candidate": 0,
        "difference": -0.2,
    }


def test_an_evaluation_is_like_itself(shared_db: Connection) -> None:
    same = evaluation([0.1, 0.9, 0.4])
    found = compare(shared_db, same, same)["metrics"]["ndcg@10"]
    assert found["interval"] == [0, 0]
    assert (found["p_value"], found["ties"], found["changed"]) == (1, 3, [])


def test_only_what_both_have_is_compared(shared_db: Connection) -> None:
    baseline, candidate = evaluation([0.1, 0.2, 0.3, 0.4]), evaluation([0.2, 0.3, 0.4])
    candidate["metrics"]["map"] = 0.5
    for query in candidate["queries"]:
        query["metrics"]["map"] = 0.5
    found = compare(shared_db, baseline, candidate)
    assert (found["query_count"], found["only_in_baseline"], found["only_in_candidate"]) == (3, 1, 0)
    assert found["metrics"].keys() == {"ndcg@10"}
    assert found["metrics"]["ndcg@10"]["baseline"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (7, "candidate is a JSON number"),
        ({}, "candidate has no query_set, metrics or queries"),
        (evaluation([0.1, 0.2], query_set="others"), "different query sets or judges"),
        (evaluation([0.1, 0.2], judge="ana"), "different query sets or judges"),
        (evaluation([0.1]), "1 metrics and 1 queries in common"),
        (evaluation([0.1, 0.2], "map"), "0 metrics and 2 queries in common"),
        (evaluation([0.1, 2]), "candidate has a query without one of its metrics"),
        (evaluation([0.1, 0.2]) | {"queries": [{}]}, "candidate has a query without query_id"),
        (evaluation([0.1, 0.2], queries=[{"query_id": "1", "metrics": {"ndcg@10": "NaN"}}]), "a number from 0 to 1"),
        (evaluation([0.1, 0.2]) | {"queries": evaluation([0.1])["queries"] * 2}, "candidate has a query twice"),
    ],
)
def test_what_is_no_evaluation_is_refused(shared_db: Connection, candidate: Any, message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        compare(shared_db, evaluation([0.1, 0.2, 0.3]), candidate)
    assert caught.value.diag.message_hint


def test_work_is_bounded(shared_db: Connection) -> None:
    many = evaluation([0.5] * 2000)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="2000 queries, 1 metrics and 100000 samples"):
        compare(shared_db, many, many, 100_000)
    for wrong, message in (((99,), "resample_count is 99"), ((100, 0, -1), "changed_count is -1")):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=message):
            compare(shared_db, many, many, *wrong)
