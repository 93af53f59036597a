"""Ranking models are sums of features and of trees over them; searches rank by them and explain them to the last
bit."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import named, one, set_tenant, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
Model = dict[str, Any]
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "flint", "garnet", "hazel", "indigo", "jasper"]
FEATURES = [
    "full_text_score", "full_text_normalised_score", "full_text_reciprocal_rank", "semantic_score",
    "semantic_normalised_score", "semantic_reciprocal_rank", "sparse_score", "sparse_normalised_score",
    "sparse_reciprocal_rank", "fused_score", "score", "reciprocal_rank", "neighbour_score", "document_candidate_count",
    "word_match", "title_match", "log_token_count", "recency", "importance", "query_term_count",
]  # fmt: skip
LINEAR: Model = {
    "version": 1,
    "mode": "hybrid",
    "features": ["title_match", "semantic_score", "full_text_score", "importance", "recency"],
    "intercept": -1.3,
    "weights": [0.7, 1.1, 0.31, -0.017, 0.1],
}
TREES: Model = {
    "version": 1,
    "mode": "hybrid",
    "features": ["semantic_score", "importance", "log_token_count"],
    "intercept": 0.1,
    "trees": [
        {"feature": [0, 1], "threshold": [0.8, 1.5], "left": [-1, -2], "right": [1, -3], "value": [-0.4, 0.2, 0.7]},
        {"feature": [], "threshold": [], "left": [], "right": [], "value": [-0.3]},
        {"feature": [2], "threshold": [1.7], "left": [-2], "right": [-1], "value": [0.03, 1e-05]},
    ],
}
BOTH: Model = {**TREES, "weights": [0.25, 0, -1e-07]}


def embedding(angle: float) -> list[float]:
    return [math.cos(angle), math.sin(angle), 0.0]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    db = shared_db
    db.execute("select braid.create_collection('small', dimensions => 3)")
    documents: list[dict[str, Any]] = [
        {
            "external_id": f"d{n:02}",
            "title": WORDS[n % 10],
            "chunks": [
                {
                    "content": " ".join(WORDS[(n * k + p) % 10] for k in range(1, 4 + n % 5)),
                    "embedding": embedding(n / 20),
                }
                for p in range(1 + n % 3)
            ],
            **({"importance": n % 4} if n % 5 else {}),
            **({"occurred_at": f"2024-05-{n % 28 + 1:02}"} if n % 3 else {}),
        }
        for n in range(1, 40)
    ]
    upsert(db, documents, "small")
    upsert(db, [{"external_id": "unembedded", "content": "Nothing of interest."}], "small")
    db.execute("select braid.store_ranking_model('linear', %s)", (Jsonb(LINEAR),))
    db.execute("select braid.store_ranking_model('trees', %s)", (Jsonb(TREES),))
    return db


def search(db: Connection, options: dict[str, Any] | None = None, /, **more: Any) -> list[dict[str, Any]]:
    arguments = {"query_text": "amber cedar", "query_embedding": vector(embedding(0.3)), "collection": "small", **more}
    arguments = {key: value for key, value in arguments.items() if value is not None}
    found: list[dict[str, Any]] = rows(db, "search_json", {**arguments, "options": options})["results"]
    return found


def rows(db: Connection, function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in arguments.items() if value is not None}
    values = {key: Jsonb(value) if isinstance(value, dict) else value for key, value in given.items()}
    found: dict[str, Any] = db.execute(f"select braid.{function}({named(values)})", values).fetchall()[0][0]
    return found


def features(row: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = row["boosts"][0]["features"]
    return found


def model_sum(model: Model, values: dict[str, float]) -> float:
    """Compute the documented sum in the same order, so that it is equal to the last bit."""
    names = model["features"]
    found: float = model["intercept"]
    for name, weight in zip(names, model.get("weights", ()), strict=False):
        found += weight * values[name]
    for tree in model.get("trees", ()):
        node = 0 if tree["feature"] else -1
        while node >= 0:
            goes_left = values[names[tree["feature"][node]]] <= tree["threshold"][node]
            node = tree["left" if goes_left else "right"][node]
        found += tree["value"][-node - 1]
    return found


def model_score(total: float) -> float:
    return 0.5 / (1 - total) if total < 0 else 1 - 0.5 / (1 + total)


@pytest.mark.parametrize(
    "model", ["linear", "trees", LINEAR, TREES, BOTH], ids=["linear", "trees", "linear itself", "trees itself", "both"]
)
@pytest.mark.parametrize("mode", ["hybrid", "full_text", "semantic"])
def test_rows_are_ranked_by_the_model(filled: Connection, model: str | Model, mode: str) -> None:
    less = {"hybrid": {}, "full_text": {"query_embedding": None}, "semantic": {"query_text": None}}[mode]
    found = search(filled, {"ranking_model": model}, match_count=100, **less)
    assert len(found) > 20
    given = model if isinstance(model, dict) else {"linear": LINEAR, "trees": TREES}[model]
    for row in found:
        (boost,) = row["boosts"]
        assert (boost["signal"], boost["ranking_model"]) == ("ranking_model", model if isinstance(model, str) else None)
        assert features(row).keys() == set(given["features"])
        assert boost["value"] == model_sum(given, features(row))
        assert row["score"] == boost["score"] == model_score(boost["value"])
    order = [(-row["score"], row["external_id"], row["chunk_index"]) for row in found]
    assert order == sorted(order)
    assert {row["chunk_id"] for row in found} == {row["chunk_id"] for row in search(filled, match_count=100, **less)}
    assert found == search(filled, {"ranking_model": model}, match_count=100, **less)


def every_feature(name: str = "score") -> Model:
    weights = [int(feature == name) for feature in FEATURES]
    return {"version": 1, "mode": "hybrid", "features": FEATURES, "weights": weights}


def test_features_are_what_the_search_knows(filled: Connection) -> None:
    plain = search(filled, match_count=100)
    found = search(filled, {"ranking_model": every_feature()}, match_count=100)
    assert [row["chunk_id"] for row in found] == [row["chunk_id"] for row in plain]
    documents = [row["external_id"] for row in plain]
    newest = max(row["occurred_at"] for row in plain if row["occurred_at"])
    for rank, (row, before) in enumerate(zip(found, plain, strict=True), 1):
        values = features(row)
        for name in ("full_text_score", "full_text_normalised_score", "semantic_score", "semantic_normalised_score"):
            assert values[name] == (before[name] or 0), name
        for leg in ("full_text", "semantic", "sparse"):
            at = before[f"{leg}_rank"]
            assert values[f"{leg}_reciprocal_rank"] == (1 / at if at else 0)
        assert (values["fused_score"], values["score"]) == (before["fused_score"], before["score"])
        assert values["reciprocal_rank"] == 1 / rank
        assert values["document_candidate_count"] == documents.count(row["external_id"])
        assert values["log_token_count"] == pytest.approx(math.log(1 + before["token_count"]), abs=1e-15)
        assert values["importance"] == (before["importance"] or 0)
        days = one(filled, "select extract(epoch from %s::timestamptz - %s) / 86400", newest, before["occurred_at"])
        assert values["recency"] == (0 if days is None else pytest.approx(7 / (7 + float(days)), abs=1e-15))
        assert values["query_term_count"] == 2
        words = {word for word in ("amber", "cedar") if word in before["content"].split()}
        assert (values["word_match"] > 0.99) == (words | {before["title"]} >= {"amber", "cedar"})
        assert (values["word_match"] == 0) == (not words and before["title"] not in ("amber", "cedar"))
        assert (values["title_match"] > 0) == (before["title"] in ("amber", "cedar"))
        assert values["title_match"] <= values["word_match"]
    assert any(features(row)["neighbour_score"] > 0 for row in found)
    assert {features(row)["title_match"] > 0 for row in found} == {True, False}


def test_a_neighbour_counts_with_its_fused_score(filled: Connection) -> None:
    found = search(filled, {"ranking_model": every_feature()}, match_count=100)
    fused = {(row["external_id"], row["chunk_index"]): row["fused_score"] for row in found}
    for row in found:
        beside = [fused.get((row["external_id"], row["chunk_index"] + step), 0) for step in (-1, 1)]
        assert features(row)["neighbour_score"] == pytest.approx(sum(max(score, 0) for score in beside), abs=1e-12)


BOOSTS = {"boosts": [{"importance": {}, "weight": 0.3}, {"importance": {}, "mode": "additive", "weight": 0.01}]}
SIGNALS = {"rank_by": {"similarity": 0.7, "importance": 0.2}}


@pytest.mark.parametrize("model", ["linear", "trees", BOTH], ids=["linear", "trees", "both"])
@pytest.mark.parametrize(
    "options", [{}, BOOSTS, SIGNALS, {**SIGNALS, **BOOSTS}, {"ranking": {"neighbour_weight": 0.3}}], ids=str
)
@pytest.mark.parametrize("less", [{}, {"query_embedding": None}, {"query_text": None}], ids=str)
def test_the_arithmetic_gives_the_score(
    filled: Connection, model: str | Model, options: dict[str, Any], less: dict[str, Any]
) -> None:
    arguments = {"query_text": "amber cedar", "query_embedding": vector(embedding(0.3)), "collection": "small", **less}
    explained = rows(
        filled, "explain_search", {**arguments, "match_count": 30, "options": {"ranking_model": model, **options}}
    )
    assert len(explained["results"]) > 10
    given = model if isinstance(model, dict) else {"linear": LINEAR, "trees": TREES}[model]
    for row in explained["results"]:
        assert eval(row["arithmetic"], {"max": max}) == row["score"], row
        told = row["ranking_model"]
        assert eval(told["arithmetic"]) == told["sum"] == row["boosts"][0]["value"]
        values = {feature["feature"]: feature["value"] for feature in told["features"]}
        if "weights" in given:
            assert [feature["weight"] for feature in told["features"]] == given["weights"]
            for feature in told["features"]:
                assert feature["contribution"] == feature["weight"] * feature["value"]
        for tree, told_tree in zip(given.get("trees", ()), told.get("trees", ()), strict=True):
            assert told_tree["value"] in tree["value"]
            assert all(eval(step, {}, values) for step in told_tree["path"])
            assert bool(told_tree["path"]) == bool(tree["feature"])


def stats(db: Connection, options: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    arguments = {"query_text": "amber cedar", "query_embedding": vector(embedding(0.3)), "collection": "small", **more}
    found: dict[str, Any] = rows(db, "search_json", {**arguments, "options": options})["stats"]
    return found


def test_the_model_of_a_collection(filled: Connection) -> None:
    db = filled
    plain, ranked = search(db), search(db, {"ranking_model": "linear"})
    assert "ranking_model" not in stats(db)
    db.execute("select braid.set_ranking('small', '{\"ranking_model\": \"linear\"}')")
    try:
        assert one(db, "select parts ->> 'ranking_model' from braid.collections where name = 'small'") == "linear"
        assert one(db, "select collections from braid.list_ranking_models() where name = 'linear'") == ["small"]
        assert search(db) == ranked
        assert stats(db)["ranking_model"] == {"name": "linear", "state": "used"}
        assert search(db, {"ranking_model": False}) == plain
        assert search(db, {"ranking_model": "trees"}) != ranked
        # The model was learned for hybrid searches.
        assert stats(db, query_embedding=None)["ranking_model"] == {"name": "linear", "state": "other_mode"}
        assert all(row["boosts"] is None for row in search(db, query_embedding=None))
        assert stats(db, {"prefilter": True})["ranking_model"]["state"] == "other_mode"
        sparse = {"sparse": {"amber": 1}}
        assert stats(db, sparse)["ranking_model"]["state"] == "used"
        assert stats(db, sparse, query_embedding=None)["ranking_model"]["state"] == "other_mode"
        set_tenant(db, "another")
        db.execute("select braid.create_tenant('another')")
        upsert(db, [{"external_id": "a", "content": "amber", "embedding": embedding(0.1)}], "small")
        assert stats(db)["ranking_model"] == {"name": "linear", "state": "missing"}
        with pytest.raises(psycopg.errors.UndefinedObject, match='ranking model "linear" does not exist'):
            search(db, {"ranking_model": "linear"})
    finally:
        set_tenant(db, "default")
        db.execute("select braid.set_ranking('small', '{\"ranking_model\": null}')")
    assert search(db) == plain


def test_a_search_without_a_model_runs_no_function_of_models(filled: Connection) -> None:
    counted = """
        select coalesce(sum(calls), 0) from pg_stat_user_functions
        where funcname in ('choose_ranking_model', 'candidate_features', 'rank_by_ranking_model',
                           'ranking_model_expression', 'query_weight')
    """
    filled.execute("set track_functions = 'all'")
    try:
        for options, is_counted in (({}, False), ({"ranking_model": "linear"}, True)):
            filled.execute("select pg_stat_force_next_flush()")
            before = one(filled, counted)
            search(filled, options)
            filled.execute("select pg_stat_force_next_flush()")
            assert (one(filled, counted) > before) is is_counted
    finally:
        filled.execute("reset track_functions")


def test_pages_end_with_the_candidates(filled: Connection) -> None:
    whole = search(filled, {"ranking_model": "linear"}, match_count=100)
    paged: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = search(
            filled, {"ranking_model": "linear", "cursor": cursor, "ranking": {"smoothing": 0.5}}, match_count=7
        )
        paged += page
        cursor = page[-1]["cursor"] if page else None
    assert [row["chunk_id"] for row in paged] == [row["chunk_id"] for row in whole]


def test_a_cursor_is_of_its_model(filled: Connection) -> None:
    with filled.transaction(force_rollback=True):
        filled.execute("select braid.store_ranking_model('paged', %s)", (Jsonb(LINEAR),))
        cursor = search(filled, {"ranking_model": "paged", "cursor": ""}, match_count=7)[-1]["cursor"]
        assert len(search(filled, {"ranking_model": "paged", "cursor": cursor}, match_count=7)) == 7
        filled.execute("select braid.store_ranking_model('paged', %s)", (Jsonb(TREES),))
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="cursor"):
            search(filled, {"ranking_model": "paged", "cursor": cursor}, match_count=7)


def test_a_phrase_in_the_title_is_whole(filled: Connection) -> None:
    """A phrase in the title counts as a whole: a synonym of several words is looked up by its rarest lexeme."""
    filled.execute("select braid.create_collection('phrased', dimensions => 3)")
    filled.execute("select braid.set_synonyms('kube', '{container orchestration}', 'phrased')")
    titles = {
        "whole": "container orchestration",
        "word": "kube",
        "first": "container",
        "second": "orchestration",
        "turned": "orchestration container",
    }
    documents: list[dict[str, Any]] = [
        {"external_id": name, "title": title, "content": "zeta"} for name, title in titles.items()
    ]
    upsert(filled, documents, "phrased")
    asked = {"query_text": "kube zeta", "query_embedding": None, "collection": "phrased"}
    found = search(filled, {"ranking_model": every_feature()}, **asked)
    assert len(found) == len(titles)
    matched = {row["external_id"]: features(row)["title_match"] for row in found}
    assert matched["whole"] == matched["word"] > 0.5
    assert matched["first"] == matched["second"] == matched["turned"] == 0


def changed(model: Model, **changes: Any) -> Model:
    return {key: value for key, value in {**model, **changes}.items() if value != "left out"}


def tree(**changes: Any) -> Model:
    return changed(TREES, trees=[changed(TREES["trees"][0], **changes)])


BAD: list[tuple[str, Any]] = [
    ("22023", 7),
    ("22023", []),
    ("22023", {}),
    ("22023", changed(LINEAR, version=2)),
    ("22023", changed(LINEAR, version="1")),
    ("22023", changed(LINEAR, version="left out")),
    ("22023", changed(LINEAR, mode="sparse")),
    ("22023", changed(LINEAR, mode="left out")),
    ("22023", changed(LINEAR, more=1)),
    ("22023", changed(LINEAR, features=[])),
    ("22023", changed(LINEAR, features="score")),
    ("22023", changed(LINEAR, features=["title_match"] * 5)),
    ("22023", changed(LINEAR, features=["title_match", "score", "recency", "importance", "clicks; drop"])),
    ("22023", changed(LINEAR, features=["title_match", "score", "recency", "importance", 1])),
    ("22023", changed(LINEAR, features=[*FEATURES, "score"], weights=[1] * 21)),
    ("22023", changed(LINEAR, intercept="1")),
    ("22023", changed(LINEAR, intercept=1e101)),
    ("22023", changed(LINEAR, weights=[1, 2, 3, 4])),
    ("22023", changed(LINEAR, weights=[1, 2, 3, 4, "5"])),
    ("22023", changed(LINEAR, weights=[1, 2, 3, 4, None])),
    ("22023", changed(LINEAR, weights=[1, 2, 3, 4, 1e200])),
    ("22023", changed(LINEAR, weights=[1, 2, 3, 4, 1e-200])),
    ("22023", changed(LINEAR, weights={"title_match": 1})),
    ("22023", changed(LINEAR, weights="left out")),
    ("22023", changed(LINEAR, learned=7)),
    ("22023", changed(LINEAR, learned={"text": "x" * 20_000})),
    ("22023", changed(LINEAR, checksum=7)),
    ("22023", changed(LINEAR, checksum="0" * 64)),
    ("22023", changed(TREES, trees={})),
    ("22023", changed(TREES, trees=[7])),
    ("22023", tree(value="left out")),
    ("22023", tree(more=[1])),
    ("22023", tree(feature=[0])),
    ("22023", tree(feature=[0, 3])),
    ("22023", tree(feature=[0, 0.5])),
    ("22023", tree(feature=7)),
    ("22023", tree(threshold=[0.8, "x"])),
    ("22023", tree(threshold=[0.8, 1e200])),
    ("22023", tree(value=[1, 2])),
    ("22023", tree(value=[1, 2, None])),
    ("22023", tree(left=[0, -2])),  # the node is its own child
    ("22023", tree(right=[0, -3])),
    ("22023", tree(right=[1, 0])),  # the nodes form a circle
    ("22023", tree(left=[-1, -1])),  # two nodes share a leaf
    ("22023", tree(left=[-1, -4])),
    ("22023", tree(left=[-1, 2])),
    ("22023", changed(TREES, trees=[{"feature": [0] * 64, "threshold": [0] * 64, "left": [-1] * 64,
                                     "right": [-2] * 64, "value": [0] * 65}])),
    ("54000", changed(TREES, trees=[TREES["trees"][1]] * 501)),
    ("54000", changed(LINEAR, learned={"text": "x" * 500_000})),
]  # fmt: skip


@pytest.mark.parametrize(("sqlstate", "model"), BAD, ids=lambda value: str(value)[:60])
def test_what_is_no_model_is_refused(filled: Connection, sqlstate: str, model: Any) -> None:
    with pytest.raises(psycopg.Error) as raised:
        filled.execute("select braid.store_ranking_model('bad', %s)", (Jsonb(model),))
    assert (raised.value.sqlstate, bool(raised.value.diag.message_hint)) == (sqlstate, True), raised.value
    assert str(raised.value).startswith("model ")
    assert one(filled, "select braid.get_ranking_model('bad')") is None
    if isinstance(model, dict):
        with pytest.raises(psycopg.Error) as raised:
            search(filled, {"ranking_model": model})
        assert (raised.value.sqlstate, bool(raised.value.diag.message_hint)) == (sqlstate, True), raised.value
        assert str(raised.value).startswith("option ranking_model ")


def test_trees_have_at_most_5000_nodes(filled: Connection) -> None:
    def chain(length: int) -> Model:
        return {
            "feature": [0] * length,
            "threshold": list(range(length)),
            "left": list(range(-1, -length - 1, -1)),
            "right": [*range(1, length), -length - 1],
            "value": [n / 7 for n in range(length + 1)],
        }

    most = changed(TREES, trees=[chain(63)] * 79 + [chain(23)])
    assert search(filled, {"ranking_model": most})[0]["boosts"][0]["value"] == model_sum(
        most, features(search(filled, {"ranking_model": most})[0])
    )
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="5000 nodes"):
        search(filled, {"ranking_model": changed(most, trees=[*most["trees"], chain(1)])})

    # Work is the number of nodes times the number of candidates.
    request = {"parts": {"ranking_model": {"model": {**most, "trees": most["trees"] * 10}}}}
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="2001 candidates, each at 50000 nodes"):
        filled.execute(
            "select braid_store.rank_by_ranking_model(jsonb_populate_record(null::braid_store.search_request, %s),"
            " array_fill(null::braid_store.fused_candidate, '{2001}'))",
            (Jsonb(request),),
        )


def test_an_explanation_has_at_most_100000_trees(filled: Connection) -> None:
    explain = (
        "select braid_store.explain_rows(jsonb_populate_record(null::braid_store.search_request, %s), null, null,"
        " array_fill(null::braid_store.search_result, '{201}'))"
    )
    many = changed(TREES, trees=TREES["trees"][1:2] * 500)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="201 rows to explain, each by 500 trees") as raised:
        filled.execute(explain, (Jsonb({"parts": {"ranking_model": {"model": many}}}),))
    assert raised.value.diag.message_hint == "Give a lower match_count."


@pytest.mark.parametrize("option", [True, "", "x" * 256, 7, []], ids=str)
def test_options_that_are_no_model_are_refused(filled: Connection, option: Any) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="option ranking_model is"):
        search(filled, {"ranking_model": option})


def test_the_old_name_of_the_option_is_refused(filled: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='unknown key "model"') as raised:
        search(filled, {"model": "linear"})
    assert '"ranking_model": "linear"' in str(raised.value.diag.message_hint)


def test_a_model_that_was_changed_is_refused(filled: Connection) -> None:
    text = one(filled, "select %s::jsonb::text", json.dumps(BOTH))
    signed = {**BOTH, "checksum": hashlib.sha256(text.encode()).hexdigest()}
    assert one(filled, "select braid.store_ranking_model('signed', %s)", Jsonb(signed))
    assert not one(filled, "select braid.store_ranking_model('signed', %s)", Jsonb(signed))
    assert one(filled, "select braid.get_ranking_model('signed')") == signed
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="checksum differs"):
        filled.execute("select braid.store_ranking_model('signed', %s)", (Jsonb({**signed, "intercept": 0.2}),))
    assert one(filled, "select braid.drop_ranking_model('signed')")
    assert not one(filled, "select braid.drop_ranking_model('signed')")


@pytest.mark.parametrize("name", [None, "", "x" * 256])
def test_names(filled: Connection, name: str | None) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="name is"):
        filled.execute("select braid.store_ranking_model(%s, %s)", (name, Jsonb(LINEAR)))


def test_a_tenant_has_at_most_100_models(filled: Connection) -> None:
    with filled.transaction(force_rollback=True):
        count = one(filled, "select count(*) from braid.list_ranking_models()")
        filled.execute(
            "select braid.store_ranking_model('m' || n, %s) from generate_series(%s::int, 99) n", (Jsonb(LINEAR), count)
        )
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="100 ranking models"), filled.transaction():
            filled.execute("select braid.store_ranking_model('one more', %s)", (Jsonb(LINEAR),))
        assert not one(filled, "select braid.store_ranking_model('linear', %s)", Jsonb(LINEAR))


def test_what_is_infinite_or_missing_is_a_number(filled: Connection) -> None:
    db = filled
    set_tenant(db, "infinite")
    try:
        db.execute("select braid.create_tenant('infinite')")
        documents: list[dict[str, Any]] = [
            {"external_id": "none", "content": "amber"},
            {"external_id": "huge", "content": "amber", "importance": 1e300, "embedding": embedding(0.1)},
            {"external_id": "tiny", "content": "amber", "importance": 1e-300, "occurred_at": "0001-01-01"},
        ]
        upsert(db, documents, "small")
        db.execute("update braid_store.chunks set occurred_at = '-infinity' where importance = 1e300")
        for name in FEATURES:
            model = {**every_feature(name), "intercept": 1}
            found = search(db, {"ranking_model": model})
            assert len(found) == 3
            assert all(math.isfinite(value) for row in found for value in features(row).values())
        by_id = {row["external_id"]: features(row) for row in found}
        assert by_id["none"]["recency"] == by_id["none"]["importance"] == by_id["tiny"]["importance"] == 0
        assert by_id["none"]["semantic_score"] == 0
        assert by_id["huge"]["importance"] == 1e9
        assert by_id["tiny"]["recency"] == 1
        assert search(db, {"ranking_model": every_feature()}, query_text="nothing", query_embedding=None) == []
    finally:
        set_tenant(db, "default")
