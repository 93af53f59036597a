"""braid.fuse orders ids from elsewhere as a few lines of Python do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from pgbraid.errors import InvalidArgumentError, LimitExceededError

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]

in_one_database = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
IDS = st.sampled_from(["a", "b", "B", "ä", "c#1", "10", "9", ""])
PLACED = st.lists(IDS, max_size=10)
SCORES = st.sampled_from([-2.5, 0.0, 0.5, 1.0, 1e100, -1e100, 1e-300]) | st.floats(-1e100, 1e100)
SCORED = st.lists(st.tuples(IDS, SCORES), max_size=10)
WEIGHTS = st.sampled_from([1e-9, 0.4, 1, 3, 1e9])


def fuse(db: Connection, lists: Any, *more: Any) -> list[Any]:
    marks = ", ".join(["%s"] * (1 + len(more)))
    return db.execute(f"select id, score, parts from braid.fuse({marks})", (Jsonb(lists), *more)).fetchall()


def ranking(items: Sequence[Any]) -> list[tuple[str, float | None]]:
    """Return the ids of a list in the order of their ranks, each once, with scores."""
    pairs = [item if isinstance(item, tuple) else (item, None) for item in items]
    if pairs and pairs[0][1] is not None:
        pairs = sorted(pairs, key=lambda pair: -pair[1])
    first: dict[str, float | None] = {}
    for name, score in pairs:
        first.setdefault(name, score)
    return list(first.items())


def normalised(pairs: list[tuple[str, float]]) -> dict[str, float]:
    scores = [score for _, score in pairs]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-100):
        return {name: 1.0 for name, _ in pairs}
    return {name: (score - low) / (high - low) for name, score in pairs}


def written(items: Sequence[Any], weight: float) -> dict[str, Any]:
    return {
        "items": [{"id": item[0], "score": item[1]} if isinstance(item, tuple) else item for item in items],
        "weight": weight,
    }


def in_order(totals: dict[str, float]) -> list[str]:
    return sorted(totals, key=lambda name: (-totals[name], name.encode()))


@in_one_database
@given(lists=st.lists(st.tuples(PLACED | SCORED, WEIGHTS), min_size=1, max_size=4), k=st.sampled_from([0, 10, 60]))
def test_rrf_sums_weights_by_ranks(db: Connection, lists: list[tuple[list[Any], float]], k: int) -> None:
    totals: dict[str, float] = {}
    for items, weight in lists:
        for rank, (name, _) in enumerate(ranking(items), 1):
            totals[name] = totals.get(name, 0.0) + weight / (k + rank)
    found = fuse(db, [written(*one) for one in lists], "rrf", k)
    assert [(row[0], row[1]) for row in found] == [(name, totals[name]) for name in in_order(totals)]
    assert all(math.fsum(part["part"] for part in row[2]) == pytest.approx(row[1]) for row in found)


@in_one_database
@given(lists=st.lists(st.tuples(SCORED, WEIGHTS), min_size=1, max_size=4))
def test_convex_sums_weighted_scores(db: Connection, lists: list[tuple[list[Any], float]]) -> None:
    total_weight = sum(weight for _, weight in lists)
    expected: dict[str, float] = {}
    for items, weight in lists:
        for name, value in normalised(ranking(items)).items():  # type: ignore[arg-type]
            expected[name] = expected.get(name, 0.0) + weight / total_weight * value
    found = fuse(db, [written(*one) for one in lists], "convex")
    assert {row[0]: row[1] for row in found} == pytest.approx(expected, rel=1e-12, abs=1e-90)
    assert [row[0] for row in found] == in_order({row[0]: row[1] for row in found})
    for row in found:
        assert 0 <= row[1] <= 1 + 1e-12
        assert all(0 <= part["normalised_score"] <= 1 for part in row[2])


@in_one_database
@given(items=st.permutations([("a", 3.0), ("b", 2.0), ("c", 1.0), ("d", 1.0)]))
def test_scores_decide_and_ties_keep_the_given_order(db: Connection, items: list[tuple[str, float]]) -> None:
    tied = [name for name, score in items if score == 1]
    assert [row[0] for row in fuse(db, [written(items, 1)])] == ["a", "b", *tied]


@in_one_database
@given(order=st.permutations(range(3)))
def test_lists_of_equal_weight_may_come_in_any_order(db: Connection, order: list[int]) -> None:
    lists = [["a", "b", "c", "d"], ["d", "a"], ["x", "c", "a"]]
    expected = {row[0]: row[1] for row in fuse(db, lists)}
    assert {row[0]: row[1] for row in fuse(db, [lists[place] for place in order])} == pytest.approx(expected)


def test_parts_say_what_each_list_adds(db: Connection) -> None:
    lists = [
        {"name": "search", "items": [7, 8], "weight": 0.6},
        {"name": None, "items": [{"id": 8, "score": 4.5}, {"id": "7", "score": 2}], "weight": 0.4},
        [],
    ]
    best, second = fuse(db, lists, "rrf", 10)
    assert (best[0], second[0]) == ("7", "8")
    assert second[2] == [
        {"list": "search", "rank": 2, "score": None, "part": 0.6 / 12},
        {"list": 2, "rank": 1, "score": 4.5, "part": 0.4 / 11},
    ]
    assert fuse(db, lists, "rrf", 10, 1) == [best]
    lists = [{"name": "mine", "items": [{"id": 1, "score": 9}, {"id": 2, "score": 7}, {"id": 3, "score": 5}]}]
    assert fuse(db, lists, "convex")[1] == (
        "2",
        0.5,
        [{"list": "mine", "rank": 2, "score": 7, "part": 0.5, "normalised_score": 0.5}],
    )
    assert fuse(db, [[], []]) == []


def test_the_session_does_not_round_scores(db: Connection) -> None:
    db.execute("set extra_float_digits = -15")
    ((_, _, (part,)),) = fuse(db, [["a"]], "rrf", 2)
    assert part["part"] == 1 / 3


def test_the_client_fuses(client: pgbraid.Client) -> None:
    best, _ = client.fuse([["a", "b"], {"items": ["a"], "weight": 2}], rrf_k=1)
    assert (best["id"], best["score"]) == ("a", 1.5)
    assert [row["id"] for row in client.fuse([["a", "b"]], match_count=1)] == ["a"]
    with pytest.raises(LimitExceededError) as caught:
        client.fuse([list(range(60_000)), list(range(40_001))])
    assert caught.value.hint
    with pytest.raises(InvalidArgumentError, match="lists is an array of 0"):
        client.fuse([])


WRONG: list[tuple[Any, tuple[Any, ...], str]] = [
    ([], (), "lists is an array of 0"),
    ([["a"]] * 17, (), "lists is an array of 17"),
    ({"a": 1}, (), "lists is a JSON object"),
    ("[]", (), "lists is a JSON string"),
    ([["a"], "b"], (), "list 2 is a JSON string"),
    ([{"weight": 1}], (), "list 1: items is null"),
    ([{"items": "a"}], (), 'list 1: items is "a"'),
    ([{"items": ["a"], "weight": -1}], (), "list 1: weight is -1"),
    ([{"items": ["a"], "weight": 1e10}], (), "list 1: weight is 10000000000"),
    ([{"items": ["a"], "weight": "1"}], (), 'list 1: weight is "1"'),
    ([{"items": ["a"], "name": 1}], (), "list 1: name is 1"),
    ([{"items": ["a"], "wieght": 1}], (), "list 1: wieght is 1"),
    ([{"items": ["a"], "weight": 0}, {"items": ["b"], "weight": 0}], (), "all weights are 0"),
    ([["a", None]], (), "list 1: item 2 is null"),
    ([["a", 1.5]], (), r"list 1: item 2 is 1\.5"),
    ([["a", ["b"]]], (), "list 1: item 2 is \\["),
    ([[{"score": 1}]], (), "list 1: item 1 is {"),
    ([[{"id": "a", "rank": 1}]], (), "list 1: item 1 is {"),
    ([[{"id": "a", "score": "1"}]], (), "list 1: item 1 is {"),
    ([[{"id": "a", "score": 1}, "b"]], (), "list 1 has 2 items and 1 scores"),
    ([[{"id": "a", "score": 1e101}]], ("convex",), "list 1: item 1 is {"),
    ([["a"]], ("convex",), "list 1 has 1 items and 0 scores"),
    ([["a"]], ("dbsf",), "fusion is 'dbsf'"),
    ([["a"]], (None,), "fusion is null"),
    ([["a"]], ("rrf", -1), "rrf_k is -1"),
    ([["a"]], ("rrf", math.nan), "rrf_k is NaN"),
    ([["a"]], ("rrf", None), "rrf_k is null"),
    ([["a"]], ("rrf", 60, 0), "match_count is 0"),
]


@pytest.mark.parametrize(("lists", "more", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_bad_input_is_named(db: Connection, lists: Any, more: tuple[Any, ...], message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        fuse(db, lists, *more)
    assert caught.value.diag.message_hint


def test_null_lists_and_too_many_items(db: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="lists is null"):
        db.execute("select braid.fuse(null)")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="item 1"):
        db.execute("""select braid.fuse('[[{"id": 1, "score": 1e400}]]')""")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="item 2 is -100000"):
        db.execute("select braid.fuse('[[1e30, -1e130000]]')")
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="more than 100000 items"):
        fuse(db, [list(range(100_001))])
    assert len(fuse(db, [list(range(50_000))] * 2, "rrf", 60, None)) == 50_000
    assert len(fuse(db, [list(range(200))])) == 100
