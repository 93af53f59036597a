"""evaluate gives the metrics of rankings that trec_eval gives."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from statistics import fmean
from typing import Any

import psycopg
import pytest
from core.search.test_bad_input import OTHER_NAMES, refused
from psycopg.types.json import Jsonb

from support.calls import one, upsert
from support.judged import load_judged, read_relevance

pytestmark = pytest.mark.any_version
pytrec_eval: Any = pytest.importorskip("pytrec_eval", reason="pytrec-eval-terrier is not installed: make build")
Connection = psycopg.Connection[Any]
WORDS = ["fox", "dog", "cat", "bird", "fish", "horse", "mouse", "lion", "bear", "wolf"]
DEPTHS = (1, 3, 10, 100)
# Each of our metrics stands beside trec_eval's name.
NAMES = {
    "ndcg": "ndcg",
    "map": "map",
    "mrr": "recip_rank",
    **{f"ndcg@{k}": f"ndcg_cut_{k}" for k in DEPTHS},
    **{f"map@{k}": f"map_cut_{k}" for k in DEPTHS},
    **{f"recall@{k}": f"recall_{k}" for k in DEPTHS},
    **{f"precision@{k}": f"P_{k}" for k in DEPTHS},
    **{f"success@{k}": f"success_{k}" for k in DEPTHS},
}
Qrels = dict[str, dict[str, int]]
Run = dict[str, list[str]]


def trec_eval(qrels: Qrels, run: Run) -> dict[str, dict[str, float]]:
    """Return each query's values from trec_eval itself. It sorts by score, so each rank becomes a score."""
    cuts = ",".join(map(str, DEPTHS))
    measures = {"ndcg", "map", "recip_rank", f"ndcg_cut.{cuts}", f"map_cut.{cuts}", f"recall.{cuts}", f"P.{cuts}"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures | {f"success.{cuts}"})
    scored = {query: {item: float(-place) for place, item in enumerate(items)} for query, items in run.items()}
    values = evaluator.evaluate({query: items for query, items in scored.items() if items})
    # A query without results counts as 0, like with trec_eval's option -c.
    return {query: {ours: values.get(query, {}).get(theirs, 0.0) for ours, theirs in NAMES.items()} for query in qrels}


def evaluate(db: Connection, configuration: dict[str, Any], metrics: Any = None, **more: Any) -> dict[str, Any]:
    given = {"query_set": "asked", "configuration": Jsonb(configuration), "metrics": metrics, **more}
    given = {name: value for name, value in given.items() if value is not None}
    arguments = ", ".join(f"{name} => %s" for name in given)
    answer: dict[str, Any] = one(db, f"select braid.evaluate({arguments})", *given.values())
    return answer


def by_query(evaluation: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {query["query_id"]: query["metrics"] for query in evaluation["queries"]}


def assert_as_trec_eval(evaluation: dict[str, Any], qrels: Qrels, run: Run) -> None:
    expected, found = trec_eval(qrels, run), by_query(evaluation)
    assert found.keys() == expected.keys()
    for query, values in expected.items():
        assert {name: found[query][name] for name in values} == pytest.approx(values, rel=0, abs=1e-9), query
    means = {name: fmean(values[name] for values in expected.values()) for name in NAMES}
    assert {name: evaluation["metrics"][name] for name in means} == pytest.approx(means, rel=0, abs=1e-9)


@pytest.fixture(scope="module")
def texts(shared_db: Connection) -> Connection:
    """Fill documents of random words, each with one to four chunks, and judged queries, some without anything to
    find."""
    chance = random.Random(7)
    db = shared_db
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")

    def chunk() -> dict[str, Any]:
        embedding = [round(chance.gauss(0, 1), 3) for _ in range(3)]
        return {"content": " ".join(chance.choices(WORDS, k=chance.randrange(2, 9))), "embedding": embedding}

    documents = [
        {
            "external_id": f"d{n}",
            "metadata": {"half": n % 2},
            "chunks": [chunk() for _ in range(chance.randrange(1, 5))],
        }
        for n in range(60)
    ]
    upsert(db, documents, "small")
    queries: list[dict[str, Any]] = [
        {
            "query_id": f"q{n:02}",
            "text": " ".join(chance.sample(WORDS, 2)) if n else "unicorn",
            "embedding": [round(chance.gauss(0, 1), 3) for _ in range(3)],
        }
        for n in range(30)
    ]
    queries[7]["filters"] = {"half": 1}
    for query_set, level in (("asked", "document"), ("parts", "chunk")):
        db.execute("select braid.create_query_set(%s, %s)", (query_set, level))
        db.execute("select braid.store_queries(%s, %s, 'small')", (query_set, Jsonb(queries)))
    for n in range(29):
        grades = [-2, -1, 0, 0, 0] if n == 3 else [-1, 0, 0, 1, 2, 4]
        judged = chance.sample(range(60), chance.randrange(5, 30))
        made = [{"query_id": f"q{n:02}", "external_id": f"d{d}", "grade": chance.choice(grades)} for d in judged] + [
            {"query_id": f"q{n:02}", "external_id": "not there", "grade": 1 if n == 5 else 0}
        ]
        db.execute("select braid.store_judgments('asked', %s)", (Jsonb(made),))
        parts = [judgment | {"chunk_index": chance.randrange(3)} for judgment in made]
        db.execute("select braid.store_judgments('parts', %s)", (Jsonb(parts),))
    return db


def grades(db: Connection, query_set: str = "asked") -> Qrels:
    found: Qrels = {}
    ids = [query_id for (query_id,) in db.execute("select query_id from braid.list_queries(%s)", (query_set,))]
    for query_id in ids:
        rows = db.execute("select * from braid.list_judgments(%s, %s)", (query_set, query_id)).fetchall()
        for external_id, chunk_index, _, grade, _ in rows:
            item = external_id if chunk_index is None else f"{external_id}#{chunk_index}"
            found.setdefault(query_id, {})[item] = grade
    return found


CONFIGURATIONS: list[dict[str, Any]] = [
    {"mode": "full_text"},
    {"mode": "semantic"},
    {},
    {"fusion": "rrf", "rrf_k": 10, "options": {"group_by": {"key": "document", "score": "mean"}}},
    {"full_text_weight": 0.1, "semantic_weight": 0.9, "filters": {"half": 0}, "match": "all"},
    {"options": {"group_by": None, "ranking": {"neighbour_weight": 0.3}}, "candidate_count": 50, "min_score": 0.2},
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
@pytest.mark.parametrize("query_set", ["asked", "parts"])
def test_metrics_are_those_of_trec_eval(texts: Connection, configuration: dict[str, Any], query_set: str) -> None:
    evaluation = evaluate(texts, {"collection": "small", **configuration}, list(NAMES), query_set=query_set)
    run: Run = {}
    for query_id, text, filters, *_ in texts.execute("select * from braid.list_queries('asked')").fetchall():
        given = dict(configuration)
        mode = given.pop("mode", "hybrid")
        if filters:
            given["filters"] = {"$and": [given["filters"], filters]} if "filters" in given else filters
        if query_set == "asked":
            given["options"] = {"group_by": "document", **given.get("options", {})}
        embedding = one(
            texts,
            "select embedding::text from braid_store.query_set_embeddings where query_set = 'asked' and query_id = %s",
            query_id,
        )
        arguments = {
            "query_text": None if mode == "semantic" else text,
            "query_embedding": None if mode == "full_text" else embedding,
            "match_count": 100,
            "collection": "small",
            **{name: Jsonb(value) if isinstance(value, dict) else value for name, value in given.items()},
        }
        names = ", ".join(f"{name} => %s" for name in arguments)
        answer = one(texts, f"select braid.search_json({names})", *arguments.values())
        parts = [f"{row['external_id']}#{row['chunk_index']}" for row in answer["results"]]
        documents = [row["external_id"] for row in answer["results"]]
        run[query_id] = list(dict.fromkeys(documents if query_set == "asked" else parts))
    qrels = grades(texts, query_set)
    run = {query: items for query, items in run.items() if query in qrels}
    assert_as_trec_eval(evaluation, qrels, run)
    assert len({round(value, 6) for value in evaluation["metrics"].values()}) > 10
    unjudged = sum(qrels[query].get(item, -1) < 0 for query, items in run.items() for item in items)
    assert evaluation["counts"]["unjudged_results"] == unjudged > 0
    assert evaluation["counts"]["results"] == sum(map(len, run.values()))


def test_judged_tells_how_many_results_are(texts: Connection) -> None:
    found = evaluate(texts, {"collection": "small"}, ["judged@5", "judged@10"], details=True)
    for query in found["queries"]:
        known = [(row["grade"] if row["grade"] is not None else -1) >= 0 for row in query["rows"]]
        for depth in (5, 10):
            assert query["metrics"][f"judged@{depth}"] == pytest.approx(sum(known[:depth]) / depth)
        assert query["unjudged"] == known.count(False)
    assert 0.1 < found["metrics"]["judged@10"] < 0.9


def test_nothing_is_left_out_in_silence(texts: Connection) -> None:
    found = evaluate(texts, {"collection": "small", "mode": "full_text"})
    assert found["counts"] == {
        "queries": 29,
        "unjudged_queries": 1,
        "queries_without_relevant": 1,
        "queries_without_results": 1,
        "results": found["counts"]["results"],
        "unjudged_results": found["counts"]["unjudged_results"],
        "disputed_judgments": 0,
        "missing_documents": 1,
    }
    assert [warning["code"] for warning in found["warnings"]] == [
        "unjudged_results",
        "unjudged_queries",
        "queries_without_relevant",
        "queries_without_results",
        "missing_documents",
    ]
    assert by_query(found)["q03"]["ndcg@10"] == by_query(found)["q00"]["ndcg@10"] == 0
    assert found["metrics"]["ndcg@10"] == pytest.approx(fmean(q["ndcg@10"] for q in by_query(found).values()))
    times = sorted(query["query_time_ms"] for query in found["queries"])
    assert found["latency"]["max_ms"] == times[-1] >= found["latency"]["p95_ms"] >= times[len(times) // 2] > 0


def test_details_have_the_rows_and_what_was_missed(texts: Connection) -> None:
    plain = evaluate(texts, {"collection": "small", "match_count": 10})
    assert "rows" not in plain["queries"][0]
    qrels = grades(texts)
    for query in evaluate(texts, {"collection": "small", "match_count": 10}, details=True)["queries"]:
        known = qrels[query["query_id"]]
        shown = [row["external_id"] for row in query["rows"]]
        assert [row["rank"] for row in query["rows"]] == list(range(1, len(shown) + 1))
        assert [row["grade"] for row in query["rows"]] == [known.get(document) for document in shown]
        missed = {document["external_id"]: document["grade"] for document in query["missed"]}
        assert missed == {name: grade for name, grade in known.items() if grade > 0 and name not in shown}


def test_of_several_judges_the_median_counts(db: Connection) -> None:
    db.execute("select braid.upsert_document('a', 'the quick fox')")
    db.execute("select braid.create_query_set('asked')")
    db.execute("""select braid.store_queries('asked', '[{"query_id": "1", "text": "fox"}]')""")
    votes = {"ana": 3, "bo": 0, "cleo": 2}
    made = [{"query_id": "1", "external_id": "a", "grade": grade, "judge": judge} for judge, grade in votes.items()]
    db.execute("select braid.store_judgments('asked', %s)", (Jsonb(made),))

    def grade(**more: Any) -> int:
        found = evaluate(db, {"mode": "full_text"}, details=True, **more)
        assert found["counts"]["disputed_judgments"] == (0 if more else 1)
        return int(found["queries"][0]["rows"][0]["grade"])

    assert grade() == 2
    assert {judge: grade(judge=judge) for judge in ("ana", "cleo")} == {"ana": 3, "cleo": 2}
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"no judgment .* above 0"):
        grade(judge="bo")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='no judgments of judge "nobody"'):
        grade(judge="nobody")
    # The median of two grades is the lower one.
    made[0]["grade"] = None
    db.execute("select braid.store_judgments('asked', %s)", (Jsonb(made),))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"no judgment .* above 0"):
        grade()


def test_grades_below_0_are_no_votes(db: Connection) -> None:
    db.execute("select braid.upsert_document('a', 'the quick fox')")
    db.execute("select braid.upsert_document('b', 'another fox')")
    db.execute("select braid.create_query_set('asked')")
    db.execute("""select braid.store_queries('asked', '[{"query_id": "1", "text": "fox"}]')""")
    votes = [("a", "ana", 2), ("a", "bo", -1), ("a", "cleo", -2), ("b", "ana", -3), ("b", "bo", -1)]
    made = [{"query_id": "1", "external_id": d, "grade": grade, "judge": judge} for d, judge, grade in votes]
    db.execute("select braid.store_judgments('asked', %s)", (Jsonb(made),))
    found = evaluate(db, {"mode": "full_text"}, details=True)
    assert {row["external_id"]: row["grade"] for row in found["queries"][0]["rows"]} == {"a": 2, "b": -1}
    assert found["counts"]["disputed_judgments"] == 0
    assert found["counts"]["unjudged_results"] == 1


def test_a_metric_of_all_rows_is_the_same_beside_others(texts: Connection) -> None:
    alone = evaluate(texts, {"collection": "small"}, ["map"])["metrics"]["map"]
    assert evaluate(texts, {"collection": "small"}, ["map", "ndcg@3"])["metrics"]["map"] == alone
    # An explicit match_count limits the rows.
    assert evaluate(texts, {"collection": "small", "match_count": 3}, ["map", "ndcg@3"])["metrics"]["map"] < alone


def test_details_are_bounded(texts: Connection) -> None:
    deep = {"collection": "small", "mode": "full_text", "match_count": 10000}
    message = "details of 29 judged queries with 10000 rows each are more than 200000 rows"
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=message) as caught:
        evaluate(texts, deep, details=True)
    assert "without details" in str(caught.value.diag.message_hint)
    assert evaluate(texts, deep)["counts"]["queries"] == 29


def test_an_evaluation_writes_nothing(texts: Connection) -> None:
    with texts.transaction():
        texts.execute("set transaction read only")
        assert evaluate(texts, {"collection": "small"})["counts"]["queries"] == 29


@pytest.mark.parametrize(
    ("configuration", "metrics", "message"),
    [
        ([], None, "configuration is a JSON array"),
        ({"ranking": {"smoothing": 0.5}}, None, 'configuration has the unknown key "ranking"'),
        ({"match_count": 2.5}, ["ndcg@1"], "configuration: match_count is 2.5"),
        ({"match_count": 5}, None, "a metric looks at 10 rows, and match_count is 5"),
        ({"mode": "fuzzy"}, None, 'configuration: mode is "fuzzy"'),
        ({"fusion": 1}, None, "configuration: fusion is 1"),
        ({"min_score": "x"}, None, 'configuration: min_score is "x"'),
        ({"options": {"nothing": 1}}, None, 'query "q00": .*nothing'),
        ({"filters": {"half": {"$like": 1}}}, None, 'query "q00": .*like'),
        ({}, [], "metrics is {}"),
        ({}, ["ndcg@0"], "metrics has 'ndcg@0'"),
        ({}, ["ndcg@10001"], "metrics has 'ndcg@10001'"),
        ({}, ["precision"], "metrics has 'precision'"),
        ({}, ["nDCG@10"], "metrics has 'nDCG@10'"),
        ({}, ["map", "map"], "metrics has a name twice"),
        ({}, ["map", None], "metrics has 'null'"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(texts: Connection, configuration: Any, metrics: Any, message: str) -> None:
    if isinstance(configuration, dict):
        configuration = {"collection": "small", **configuration}
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        evaluate(texts, configuration, metrics)
    assert caught.value.diag.message_hint


def test_an_evaluation_by_vectors_needs_them_all(texts: Connection) -> None:
    with texts.transaction(force_rollback=True):
        texts.execute("""select braid.store_queries('asked', '[{"query_id": "q04", "text": "another"}]', 'small')""")
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="1 of 29 judged queries have no embedding"):
            evaluate(texts, {"collection": "small"})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="29 of 29 judged queries have no embedding"):
        evaluate(texts, {})
    with pytest.raises(psycopg.errors.UndefinedObject, match="none"):
        evaluate(texts, {"collection": "none"})


def test_a_set_without_judgments_is_refused(db: Connection) -> None:
    db.execute("select braid.create_query_set('asked')")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="has 0 queries, and no judgments"):
        evaluate(db, {})


def test_cranfield_is_measured_as_by_trec_eval(db: Connection, shared_data: Path) -> None:
    judged = load_judged(shared_data / "cranfield").sample(40, 8)
    upsert(db, judged.documents())
    db.execute("select braid.create_query_set('asked')")
    queries = [{"query_id": i, "text": text} for i, text in zip(judged.query_ids, judged.queries, strict=True)]
    db.execute("select braid.store_queries('asked', %s)", (Jsonb(queries),))
    made = [
        {"query_id": query, "external_id": document, "grade": grade}
        for query, documents in judged.relevance.items()
        for document, grade in documents.items()
    ]
    db.execute("select braid.store_judgments('asked', %s)", (Jsonb(made),))
    evaluation = evaluate(db, {"mode": "full_text"}, list(NAMES))
    run = {
        query["query_id"]: [
            external_id
            for (external_id,) in db.execute(
                'select external_id from braid.full_text_search(%s, 100, options => \'{"group_by": "document"}\')',
                (query["text"],),
            )
        ]
        for query in queries
    }
    assert_as_trec_eval(evaluation, judged.relevance, run)
    assert evaluation["metrics"]["ndcg@10"] > 0.3


SETS = ["cisi", "cranfield", "locomo", "qmsum", "scifact", "xquad"]
MOST_QUERIES = 300


@pytest.mark.parametrize("name", SETS)
def test_the_judgments_of_real_sets_give_the_values_of_trec_eval(
    shared_db: Connection, shared_data: Path, name: str
) -> None:
    """The judgments of real sets give trec_eval's values. The rankings are random, long and short, with relevant,
    irrelevant and unjudged rows."""
    chance = random.Random(name)
    folder = shared_data / name
    qrels: Qrels = {}
    for file in sorted((folder / "qrels").iterdir()):
        split = file.name.removesuffix(".tsv.gz")
        qrels |= {f"{split} {query}": grades for query, grades in read_relevance(folder, split).items()}
    qrels = {query: qrels[query] for query in chance.sample(sorted(qrels), min(MOST_QUERIES, len(qrels)))}
    run: Run = {}
    for query, known in qrels.items():
        found = [document for document in known if chance.random() < 0.7][:90]
        found += [f"unjudged {place}" for place in range(chance.randrange(101 - len(found)))]
        run[query] = chance.sample(found, len(found))
    rankings = [
        {"grades": [qrels[query].get(document) for document in documents], "judged": list(qrels[query].values())}
        for query, documents in run.items()
    ]
    rows = shared_db.execute(
        """
        select braid_store.ranking_metrics(
          array(select g::int from jsonb_array_elements_text(r -> 'grades') with ordinality u (g, n) order by n),
          array(select j::int from jsonb_array_elements_text(r -> 'judged') j), %s)
        from jsonb_array_elements(%s) with ordinality u (r, place)
        order by place
        """,
        (list(NAMES), Jsonb(rankings)),
    ).fetchall()
    expected = trec_eval(qrels, run)
    for query, (values,) in zip(run, rows, strict=True):
        found_values = dict(zip(NAMES, values, strict=True))
        assert found_values == pytest.approx(expected[query], rel=0, abs=1e-9), query


RANKED: list[dict[str, Any]] = [
    {},
    {"fusion": "rrf", "rrf_k": 10},
    {"fusion": "rrf", "full_text_weight": 0.3, "options": None},
    {"fusion": "max", "options": {"ranking": {"full_text_weight": 0.9, "k1": 0.9}}},
    {"full_text_weight": 0.1, "options": {"ranking": {"fusion": "dbsf", "semantic_weight": 0.2}}},
    {"semantic_weight": 0, "options": {"ranking": {"preset": "conversation", "b": None}}},
    {"options": {"ranking": None}, "match": "all"},
]
ARGUMENTS = ("fusion", "rrf_k", "full_text_weight", "semantic_weight")


# The collection's own settings meet each way in which a search sets the fusion.
STARTS = [{"fusion": "rrf", "full_text_weight": 0.5}, {"fusion": "max", "b": 0.5}]


@pytest.mark.parametrize(
    ("configuration", "start"),
    [*((each, {}) for each in RANKED), *itertools.product((RANKED[0], RANKED[2], RANKED[4]), STARTS)],
)
def test_what_is_deployed_ranks_as_what_was_measured(
    texts: Connection, configuration: dict[str, Any], start: dict[str, Any]
) -> None:
    configuration = {"collection": "small", **configuration}
    rest = {name: value for name, value in configuration.items() if name not in ARGUMENTS}
    rest["options"] = {k: v for k, v in (rest.get("options") or {}).items() if k != "ranking"}
    with texts.transaction(force_rollback=True):
        if start:
            texts.execute("select braid.set_ranking('small', %s)", [Jsonb(start)])
        measured = evaluate(texts, configuration, details=True)
        for name in measured["ranking"]:
            # Without one of the settings, the ranking differs.
            fewer = {key: value for key, value in measured["ranking"].items() if key != name}
            with texts.transaction(force_rollback=True):
                if fewer:
                    texts.execute("select braid.set_ranking('small', %s)", [Jsonb(fewer)])
                assert name in evaluate(texts, configuration)["ranking"]
        if measured["ranking"]:
            texts.execute("select braid.set_ranking('small', %s)", [Jsonb(measured["ranking"])])
        deployed = evaluate(texts, rest, details=True)
        assert deployed["ranking"] == {}
        for one_of, other in zip(measured["queries"], deployed["queries"], strict=True):
            assert one_of["rows"] == other["rows"]


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_what_others_call_a_mode_is_refused_with_its_name_here(shared_db: Connection, name: str) -> None:
    shared_db.execute("select braid.create_query_set('named')")
    for other in OTHER_NAMES[name]:
        given = {"query_set": "named", "configuration": {"mode": other}}
        refusal = refused(shared_db, "22023", "evaluate", given)
        assert f'"{other}" elsewhere is {name} here.' in (refusal.diag.message_hint or "")
