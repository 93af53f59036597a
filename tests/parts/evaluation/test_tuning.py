"""Tuning tries configurations, chooses one, and measures its gain on queries that had no part in the choice."""

from __future__ import annotations

import itertools
import json
import math
import random
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "flint", "garnet", "hazel", "indigo", "jasper"]
TEXT = {"mode": "full_text", "collection": "notes"}


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    """Fill a collection where documents with the query's words in the title are relevant: a higher title_weight than
    the collection's 0 finds them."""
    chance = random.Random(7)
    shared_db.execute(
        "select braid.create_collection('notes', dimensions => 3, ranking => '{\"title_weight\": 0, \"b\": 0.4}')"
    )
    documents = []
    for n in range(120):
        title = " ".join(chance.sample(WORDS, 2))
        angle = chance.random()
        chunk = {"content": " ".join(chance.choices(WORDS, k=9)), "embedding": [math.cos(angle), math.sin(angle), 0.0]}
        documents.append({"external_id": f"d{n:03}", "title": title, "chunks": [chunk]})
    upsert(shared_db, documents, "notes")
    queries = []
    judgments = []
    for n in range(60):
        words = chance.sample(WORDS, 2)
        queries.append({"query_id": f"q{n:02}", "text": " ".join(words), "embedding": [1.0, 0.0, 0.0]})
        judgments += [
            {"query_id": f"q{n:02}", "external_id": document["external_id"], "grade": 1}
            for document in documents
            if set(words) & set(str(document["title"]).split())
        ]
    for name, some in (("asked", 40), ("few", 19), ("many", 60)):
        store(shared_db, name, queries[:some], judgments)
    store(shared_db, "irrelevant", queries, [{**judgment, "grade": 0} for judgment in judgments])
    return shared_db


def store(db: Connection, name: str, queries: list[dict[str, Any]], judgments: list[dict[str, Any]]) -> None:
    ids = {query["query_id"] for query in queries}
    db.execute("select braid.create_query_set(%s)", (name,))
    db.execute("select braid.store_queries(%s, %s, 'notes')", (name, Jsonb(queries)))
    kept = [judgment for judgment in judgments if judgment["query_id"] in ids]
    db.execute("select braid.store_judgments(%s, %s)", (name, Jsonb(kept)))


def call(db: Connection, function: str, *values: Any, **named: Any) -> Any:
    arguments = ", ".join(["%s"] * len(values) + [f"{name} => %s" for name in named])
    given = [Jsonb(value) if isinstance(value, dict | list) else value for value in (*values, *named.values())]
    return one(db, f"select braid.{function}({arguments})", *given)


def tune(db: Connection, space: Any, query_set: str = "asked", **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = call(db, "tune", query_set, search_space=space, **{"configuration": TEXT, **more})
    return answer


def plan(db: Connection, space: Any, query_set: str = "asked", **more: Any) -> list[dict[str, Any]]:
    more = {"configuration": TEXT, **more}
    arguments = ", ".join(f"{name} => %s" for name in more)
    rows = db.execute(
        f"select to_jsonb(p) from braid.plan_tuning(%s, search_space => %s, {arguments}) p",
        [query_set, Jsonb(space) if space is not None else None]
        + [Jsonb(v) if isinstance(v, dict | list) else v for v in more.values()],
    )
    return [row for (row,) in rows]


SPACE = {"title_weight": [0.5, 1, 4], "k1": [0.6, 1.2, 2]}


def test_the_gain_is_of_queries_that_did_not_choose(db: Connection) -> None:
    """The gain comes from queries that did not choose: each number is recomputed from evaluate's results for each
    configuration."""
    found = tune(db, SPACE)
    planned = plan(db, SPACE)
    values: list[dict[str, float]] = []
    for row in planned:
        evaluation = one(db, "select braid.evaluate('asked', %s, '{ndcg@10}')", Jsonb(row["candidate"]))
        values.append({q["query_id"]: q["metrics"]["ndcg@10"] for q in evaluation["queries"]})
    ids = sorted(values[0])
    hashed = db.execute(
        'select q from unnest(%s::text[]) q order by hashtextextended(q, 0), q collate "C"', (ids,)
    ).fetchall()
    fold = {asked: n % 5 + 1 for n, (asked,) in enumerate(hashed)}

    def mean(place: int, some: list[str]) -> float:
        return sum(values[place][asked] for asked in some) / len(some)

    def best(some: list[str]) -> int:
        means = [mean(place, some) for place in range(len(values))]
        return next(place for place, value in enumerate(means) if value >= max(means) - 1e-9)

    gains = {}
    for told in found["folds"]:
        others = [asked for asked in ids if fold[asked] != told["fold"]]
        own = [asked for asked in ids if fold[asked] == told["fold"]]
        assert (told["place"], told["query_count"]) == (best(others) + 1, len(own)) == (told["place"], 8)
        gains.update({asked: values[best(others)][asked] - values[0][asked] for asked in own})
        assert told["gain"] == pytest.approx(mean(best(others), own) - mean(0, own))
    gain = sum(gains.values()) / len(gains)
    held_out = found["held_out"]
    assert held_out["gain"] == pytest.approx(gain)
    assert held_out["baseline"] == pytest.approx(mean(0, ids))
    assert held_out["chosen"] == pytest.approx(mean(0, ids) + gain)
    assert held_out["wins"] == sum(value > 1e-9 for value in gains.values())
    assert held_out["losses"] == sum(value < -1e-9 for value in gains.values())
    assert held_out["wins"] + held_out["losses"] + held_out["ties"] == 40
    # The interval is over queries, not folds. It is wider by √(1 + 5/4), because each query also helped to choose for
    # the others.
    interval = one(
        db,
        "select to_jsonb(r) from braid_store.resampled_difference(%s::float8[], 2000, 0) r",
        [float(gains[asked]) for asked in ids],
    )
    stretched = [gain + 1.5 * (interval[bound] - gain) for bound in ("lower_bound", "upper_bound")]
    assert held_out["interval"] == pytest.approx(stretched)
    assert held_out["interval"][0] > 0 and held_out["query_count_needed"] is None
    assert [t["mean"] for t in found["tried"]] == pytest.approx([mean(place, ids) for place in range(len(values))])
    assert found["chosen"]["place"] == best(ids) + 1
    assert found["chosen"]["mean"] == pytest.approx(mean(best(ids), ids))
    assert found["chosen"]["ranking"] == planned[best(ids)]["candidate"]["options"]["ranking"]
    assert found["chosen"]["changes"]["title_weight"] == 4
    assert found["chosen"]["search_arguments"] == {}
    assert found["search_count"] == 40 * len(planned)


def test_what_is_chosen_can_be_applied_and_measures_the_same(db: Connection) -> None:
    chosen = tune(db, SPACE)["chosen"]
    version = call(db, "set_ranking", "notes", chosen["ranking"], "tuned")
    after = one(db, "select braid.evaluate('asked', %s, '{ndcg@10}') #> '{metrics,ndcg@10}'", Jsonb(TEXT))
    db.execute("select braid.restore_ranking('notes', %s)", (version - 1,))
    assert after == pytest.approx(chosen["mean"], abs=1e-12)


def test_all_combinations_are_tried_if_the_budget_is_enough(db: Connection) -> None:
    """If the budget is enough, all combinations are tried once, including the collection's own: 4 × 3, because its
    k1 is among the values."""
    planned = plan(db, SPACE, budget=12)
    assert {row["combination_count"] for row in planned} == {12}
    assert planned[0]["changes"] == {}
    seen = {json.dumps(row["candidate"]["options"]["ranking"], sort_keys=True) for row in planned}
    assert len(seen) == len(planned) == 12
    for row in planned:
        ranking = row["candidate"]["options"]["ranking"]
        assert {key: ranking[key] for key in row["changes"]} == row["changes"]
        assert ranking["b"] == 0.4
    assert [row["place"] for row in planned] == list(range(1, 13))
    assert plan(db, SPACE, budget=500) == planned


def test_a_smaller_budget_draws_combinations_by_the_seed(db: Connection) -> None:
    planned = plan(db, SPACE, budget=7)
    assert len(planned) == 7 and planned[0]["changes"] == {}
    assert plan(db, SPACE, budget=7) == planned
    assert plan(db, SPACE, budget=7, seed=1) != planned
    assert plan(db, SPACE, budget=5) == planned[:5]
    # With one more key, each key still changes in some combination, and in some it is the only change.
    drawn = [row["changes"] for row in plan(db, {**SPACE, "neighbour_weight": [0.1, 0.2], "b": [None, 0.9]}, budget=30)]
    assert {key for changes in drawn for key in changes} == {"title_weight", "k1", "neighbour_weight", "b"}
    assert {len(changes) for changes in drawn} == {0, 1, 2, 3, 4}


def test_what_changes_nothing_is_not_tried(db: Connection) -> None:
    hybrid = {"collection": "notes"}
    planned = plan(db, {"rrf_k": [10, 20], "fusion": ["rrf", "dbsf"]}, configuration=hybrid)
    changes = [row["changes"] for row in planned]
    assert changes == [
        {},
        {"fusion": "rrf"},
        {"fusion": "dbsf"},
        {"fusion": "rrf", "rrf_k": 10},
        {"fusion": "rrf", "rrf_k": 20},
    ]
    assert planned[1]["candidate"]["options"]["ranking"]["semantic_weight"] == 1
    assert planned[2]["candidate"]["options"]["ranking"]["semantic_weight"] == 0.4
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="no combination that ranks differently"):
        plan(db, {"rrf_k": [10, 20]}, configuration=hybrid)
    # The configuration of the searches overrides the collection's.
    assert len(plan(db, {"rrf_k": [10, 20]}, configuration={**hybrid, "fusion": "rrf"})) == 3
    planned = plan(db, {"full_text_weight": [0, 1], "semantic_weight": [0, 1]}, configuration=hybrid)
    assert {"full_text_weight": 0, "semantic_weight": 0} not in [row["changes"] for row in planned]
    assert len(planned) == 8


def test_what_only_searches_can_give_is_told_apart(db: Connection) -> None:
    boost = [{"importance": {"weight": 0.5}}]
    space = {"boosts": [boost, []], "candidate_count": [10, 50], "title_weight": [4]}
    planned = plan(db, space, configuration={**TEXT, "options": {"operators": False}})
    assert {row["candidate"].get("candidate_count") for row in planned} == {None, 10, 50}
    assert [row["candidate"]["options"].get("boosts") for row in planned].count(boost) == 6
    assert len(planned) == 12
    assert all(row["candidate"]["options"]["operators"] is False for row in planned)
    evaluations = made([0.1, 0.5])
    evaluations[1]["configuration"] = {"candidate_count": 50, "options": {"ef_search": 7, "ranking": {"k1": 2}}}
    evaluations[0]["configuration"] = {"options": {"ranking": {"k1": 1}}}
    chosen = call(db, "choose_configuration", evaluations)["chosen"]
    assert chosen["search_arguments"] == {"candidate_count": 50, "options": {"ef_search": 7}}
    assert chosen["changes"] == {"candidate_count": 50, "ef_search": 7, "k1": 2}
    assert chosen["ranking"] == {"k1": 2}


def made(means: list[float], count: int = 40, spread: float = 0.0) -> list[dict[str, Any]]:
    """Return evaluations of configurations that differ by their means."""
    chance = random.Random(3)

    def value(mean: float) -> float:
        return min(1, max(0, mean + chance.gauss(0, spread)))

    return [
        {
            "query_set": "made",
            "judge": None,
            "configuration": {"rrf_k": place},
            "metrics": {"ndcg@10": mean},
            "queries": [
                {"query_id": f"q{n}", "relevant": 2, "metrics": {"ndcg@10": value(mean)}} for n in range(count)
            ],
        }
        for place, mean in enumerate(means)
    ]


def test_chance_alone_gains_nothing_held_out(db: Connection) -> None:
    """Chance alone gains nothing held out: of 30 configurations that differ only by noise, the best looks better,
    but its gain held out does not."""
    found = call(db, "choose_configuration", made([0.5] * 30, spread=0.2))
    assert found["chosen"]["mean"] - found["tried"][0]["mean"] > 0.03
    low, high = found["held_out"]["interval"]
    assert low < 0 < high
    assert len({fold["place"] for fold in found["folds"]}) > 1


def test_chance_is_seldom_taken_for_a_gain(db: Connection) -> None:
    """Chance is seldom taken for a gain. In 80 sets without any difference, the 95 % interval excludes 0 about 4
    times, and p is below 0.05 about 4 times. The bootstrap alone, or a randomisation without a new choice, would err
    about 15 times."""
    chance = random.Random(11)
    sure, small = 0, 0
    for _ in range(80):
        evaluations = made([0.5] * 20, 20)
        for evaluation in evaluations:
            for query in evaluation["queries"]:
                query["metrics"]["ndcg@10"] = chance.gauss(0.5, 0.1)
        held_out = call(db, "choose_configuration", evaluations, resample_count=200)["held_out"]
        low, high = held_out["interval"]
        sure += low > 0 or high < 0
        small += held_out["p_value"] < 0.05
    assert sure <= 8
    assert small <= 8


def test_the_p_value_repeats_the_choice(db: Connection) -> None:
    """The p-value repeats the choice: all outcomes of swapping two configurations are counted one by one."""
    chance = random.Random(2)
    found = [[chance.random() for _ in range(8)] for _ in range(3)]
    folds = [1, 2, 1, 2, 2, 1, 1, 2]
    differences = [[value - found[0][n] for n, value in enumerate(values)] for values in found]

    def gain(signs: tuple[int, ...]) -> float:
        total = 0.0
        for fold in (1, 2):
            others = [sum(s * d for s, d, f in zip(signs, row, folds, strict=True) if f != fold) for row in differences]
            best = differences[others.index(max(others))]
            total += sum(s * d for s, d, f in zip(signs, best, folds, strict=True) if f == fold)
        return total / 8

    gains = [abs(gain(signs)) for signs in itertools.product((1, -1), repeat=8)]
    told = abs(gain((1,) * 8))
    expected = sum(value >= told - 1e-9 for value in gains) / len(gains)
    p = one(
        db,
        "select braid_store.p_value_of_choice(%s::float8[], %s::int[], %s, 5000, 0)",
        [value for values in found for value in values], folds, told,
    )  # fmt: skip
    assert 0.05 < expected < 0.95
    assert p == pytest.approx(expected, abs=0.03)


def test_weights_that_no_search_uses_are_not_tuned(db: Connection) -> None:
    """Weights that no search uses are not tuned: the searches use rrf, but the collection's weights are for convex."""
    asked = {"collection": "notes", "fusion": "rrf"}
    for weight in ("full_text_weight", "semantic_weight", "sparse_weight"):
        message = f"search_space has {weight}, which changes nothing: configuration asks for the fusion rrf"
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
            plan(db, {weight: [0.1, 0.9]}, configuration=asked)
        assert caught.value.diag.message_hint
    assert len(plan(db, {"full_text_weight": [0.1, 0.9]}, configuration={**asked, "fusion": "dbsf"})) == 3
    usual = {key for row in plan(db, None, budget=200, configuration=asked) for key in row["changes"]}
    assert "k1" in usual and "full_text_weight" not in usual


def test_an_unsure_gain_tells_how_many_queries_would_do(db: Connection) -> None:
    held_out = call(db, "choose_configuration", made([0.5, 0.53], spread=0.15))["held_out"]
    low, _ = held_out["interval"]
    assert low <= 0 < held_out["gain"]
    assert held_out["query_count_needed"] == math.ceil(40 * ((held_out["gain"] - low) / held_out["gain"]) ** 2) > 40
    sure = call(db, "choose_configuration", made([0.5, 0.7], spread=0.1))["held_out"]
    assert sure["query_count_needed"] is None and sure["p_value"] < 0.01
    same = call(db, "choose_configuration", made([0.5, 0.5]))
    assert (same["held_out"]["gain"], same["held_out"]["interval"], same["chosen"]["place"]) == (0, [0, 0], 1)


def test_the_usual_space_belongs_to_the_mode(db: Connection) -> None:
    keys = {key for row in plan(db, None, "many", budget=200) for key in row["changes"]}
    assert keys == {"k1", "b", "title_weight", "neighbour_weight"}
    asked = {"collection": "notes"}
    hybrid = {key for row in plan(db, None, "many", budget=200, configuration=asked) for key in row["changes"]}
    assert hybrid == keys | {"fusion", "full_text_weight", "normalisation", "smoothing"}
    semantic = {"collection": "notes", "mode": "semantic"}
    assert {key for row in plan(db, None, configuration=semantic) for key in row["changes"]} == {"neighbour_weight"}
    given = {"collection": "notes", "fusion": "convex"}
    without = {key for row in plan(db, None, "many", budget=200, configuration=given) for key in row["changes"]}
    assert without == hybrid - {"fusion"}


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({}, "search_space is empty"),
        ([], "search_space is a JSON array"),
        ({"k2": [1]}, 'search_space has the unknown key "k2"'),
        ({"match_count": [1]}, 'search_space has the unknown key "match_count"'),
        ({"k1": 1}, "search_space: k1 is 1"),
        ({"k1": []}, "search_space: k1 is []"),
        ({"k1": None}, "search_space: k1 is null"),
        ({"k1": list(range(51))}, "search_space: k1 is [0, 1"),
        ({"k1": [1, None]}, "search_space: k1 has null"),
        ({"k1": [1, -1]}, "search_space: k1 has -1"),
        ({"k1": [1, "NaN"]}, 'search_space: k1 has "NaN"'),
        ({"k1": [1e300]}, "search_space: k1 has 1000"),
        ({"k1": [1, 2, 1.0]}, "search_space: k1 has 1"),
        ({"b": [None, None]}, "search_space: b has null twice"),
        ({"candidate_count": [0]}, "search_space: candidate_count has 0"),
        ({"candidate_count": [10.5]}, "search_space: candidate_count has 10.5"),
        ({"candidate_count": [None]}, "search_space: candidate_count has null"),
        ({"boosts": [{}]}, "search_space: boosts has {}"),
        ({"fusion": ["rrf"]}, "search_space: fusion changes nothing in searches of the mode full_text"),
        ({"title_weight": [0], "k1": [1.2], "b": [0.4]}, "search_space has no value that the ranking of collection"),
    ],
    ids=str,
)
def test_what_is_no_search_space_is_refused_by_name(db: Connection, space: Any, message: str) -> None:
    for function in ("tune", "plan_tuning"):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
            db.execute(
                f"select braid.{function}('asked', search_space => %s, configuration => %s)",
                (Jsonb(space), Jsonb(TEXT)),
            )
        assert (caught.value.diag.message_primary or "").startswith(message)
        assert caught.value.diag.message_hint


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 1}, "budget is 1"),
        ({"budget": 501}, "budget is 501"),
        ({"budget": -5}, "budget is -5"),
        ({"budget": None}, "budget is null"),
        ({"fold_count": 1}, "fold_count is 1"),
        ({"fold_count": 6}, "fold_count is 6"),
        ({"fold_count": None}, "fold_count is null"),
        ({"seed": None}, "seed is null"),
        ({"metric": "ndcg"}, None),
        ({"metric": "good@10"}, "metrics has 'good@10'"),
        ({"metric": None}, "metrics has 'null'"),
        ({"configuration": {"what": 1}}, 'configuration has the unknown key "what"'),
        ({"configuration": {**TEXT, "options": {"ranking": {"k1": 1}}}}, "configuration has the option ranking"),
        ({"configuration": {"collection": "notes", "fusion": "rrf"}},
         "search_space has fusion, and configuration has fusion"),
    ],
    ids=str,
)  # fmt: skip
def test_arguments_that_cannot_be_are_refused_before_any_search(
    db: Connection, arguments: dict[str, Any], message: str | None
) -> None:
    if message is None:
        assert tune(db, {"k1": [2]}, **arguments)["metric"] == arguments["metric"]
        return
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        tune(db, {"k1": [2], "fusion": ["max"]}, **arguments)
    assert (caught.value.diag.message_primary or "").startswith(message)
    assert caught.value.diag.message_hint


def test_a_configuration_that_counts_before_the_space_is_refused(db: Connection) -> None:
    for key, value, given in (
        ("fusion", "rrf", {"fusion": "convex"}),
        ("full_text_weight", 0.1, {"full_text_weight": 0.4}),
    ):
        with pytest.raises(
            psycopg.errors.InvalidParameterValue, match=f"search_space has {key}, and configuration has"
        ):
            plan(db, {key: [value]}, configuration={"collection": "notes", **given})


def test_few_queries_choose_among_few_settings(db: Connection) -> None:
    """Without a search space, fewer than 60 queries tune weights and smoothing; what is given is tried as it is."""
    hybrid = {"collection": "notes"}
    tried = [row["changes"] for row in plan(db, None, configuration=hybrid)]
    assert {key for changes in tried for key in changes} == {"full_text_weight", "smoothing"}
    assert len(tried) == 21
    assert {"k1", "title_weight"} <= {key for row in plan(db, None) for key in row["changes"]}
    given = plan(db, {"k1": [0.5], "smoothing": [0]}, configuration=hybrid)
    assert {key for row in given for key in row["changes"]} == {"k1", "smoothing"}


def test_too_few_judged_queries_are_refused(db: Connection) -> None:
    for query_set, count in (("few", 19), ("irrelevant", 0)):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
            tune(db, SPACE, query_set)
        assert caught.value.diag.message_primary == (
            f'query set "{query_set}" has {count} queries for which something is judged relevant, and tuning needs 20'
        )
        assert f"Judge results of {20 - count} more" in (caught.value.diag.message_hint or "")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='by judge "nobody", and tuning needs 20'):
        tune(db, SPACE, judge="nobody")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="evaluations have 19 queries"):
        call(db, "choose_configuration", made([0.5, 0.6], 19))
    with pytest.raises(psycopg.errors.UndefinedObject, match='query set "none" does not exist'):
        tune(db, SPACE, "none")


def test_names_that_are_not_there_are_refused(db: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject, match='collection "none" does not exist'):
        plan(db, SPACE, configuration={**TEXT, "collection": "none"})


def broken(place: int, **changes: Any) -> list[dict[str, Any]]:
    evaluations = made([0.5, 0.6])
    evaluations[place].update(changes)
    return evaluations


@pytest.mark.parametrize(
    ("evaluations", "message"),
    [
        ({}, "evaluations is a JSON object"),
        ([], "evaluations is an array of 0"),
        (made([0.5]), "evaluations is an array of 1"),
        ([1, 2], "evaluations[1] is a JSON number"),
        ([*made([0.5]), {}], "evaluations[2] has no query_set, metrics or queries"),
        (broken(1, query_set="other"), "evaluations[2] has other queries or another judge"),
        (broken(1, judge="ana"), "evaluations[2] has other queries or another judge"),
        (broken(1, queries=made([0.5], 39)[0]["queries"]), "evaluations[2] has other queries or another judge"),
        (broken(1, metrics={}), "evaluations[2] has no metric ndcg@10"),
        (broken(0, queries=made([0.5])[0]["queries"] * 2), "evaluations[1] has a query twice"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_evaluations_that_do_not_go_together_are_refused(db: Connection, evaluations: Any, message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        call(db, "choose_configuration", evaluations)
    assert (caught.value.diag.message_primary or "").startswith(message)
    assert caught.value.diag.message_hint


def test_it_only_reads(db: Connection) -> None:
    with db.transaction():
        db.execute("set transaction read only")
        assert tune(db, {"title_weight": [4]}, judge="default")["query_count"] == 40
