"""Learning to rank computes features of judged candidates, and models whose sums are equal in Python and in SQL."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from pgbraid.errors import InvalidArgumentError
from pgbraid_tools.learning import Learned, learn, read_ranking_model, sums, write_ranking_model
from pgbraid_tools.learning import ranking_models as model_files
from pgbraid_tools.learning.queries import ndcg, read_queries
from support.calls import named, one, upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
Rows = list[dict[str, Any]]
WORDS = [first + last for first in ("stone", "river", "cloud", "ember", "field") for last in ("path", "light", "song")]
QUERIES = 45


@pytest.fixture(scope="module")
def texts(shared_db: Connection) -> Connection:
    """Fill documents of which the important ones with a query word in the title are relevant, so that there is
    something to learn."""
    chance = random.Random(11)
    db = shared_db
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    documents: list[dict[str, Any]] = [
        {
            "external_id": f"d{n:03}",
            "title": chance.choice(WORDS),
            "importance": chance.randrange(10),
            "chunks": [
                {
                    "content": " ".join(chance.choices(WORDS, k=chance.randrange(3, 12))),
                    "embedding": [round(chance.gauss(0, 1), 3) for _ in range(3)],
                }
                for _ in range(chance.randrange(1, 4))
            ],
        }
        for n in range(150)
    ]
    upsert(db, documents, "small")
    queries = [
        {
            "query_id": f"q{n:02}",
            "text": " ".join(chance.sample(WORDS, 3)),
            "embedding": [round(chance.gauss(0, 1), 3) for _ in range(3)],
        }
        for n in range(QUERIES)
    ]
    judgments = [
        {"query_id": query["query_id"], "external_id": document["external_id"], "grade": grade}
        for query in queries
        for document in documents
        if (grade := (document["title"] in query["text"]) * (document["importance"] // 4)) or chance.random() < 0.1
    ] + [{"query_id": "q00", "external_id": "not there", "grade": 2}]
    db.execute("select braid.create_query_set('asked')")
    db.execute("select braid.store_queries('asked', %s, 'small')", (Jsonb(queries),))
    db.execute("select braid.store_judgments('asked', %s)", (Jsonb(judgments),))
    db.execute("select braid.create_query_set('parts', 'chunk')")
    db.execute("select braid.store_queries('parts', %s, 'small')", (Jsonb(queries),))
    parts = [judgment | {"chunk_index": chance.randrange(2)} for judgment in judgments]
    db.execute("select braid.store_judgments('parts', %s)", (Jsonb(parts),))
    return db


def gather(db: Connection, query_set: str = "asked", configuration: dict[str, Any] | None = None, **more: Any) -> Rows:
    found: Rows = []
    after = None
    while True:
        given = {
            "query_set": query_set,
            "configuration": Jsonb({"collection": "small", **(configuration or {})}),
            **more,
        }
        given |= {"after": after} if after else {}
        page = [row for (row,) in db.execute(f"select to_jsonb(braid.ranking_features({named(given)}))", given)]
        if not page:
            return found
        found += page
        after = page[-1]["query_id"]


@pytest.fixture(scope="module")
def rows(texts: Connection) -> Rows:
    return gather(texts, query_count=20)


@pytest.fixture(scope="module")
def linear(rows: Rows) -> Learned:
    return learn(rows)


CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"mode": "full_text"},
    {"mode": "semantic"},
    {"fusion": "rrf", "candidate_count": 30},
    {"options": {"ranking": {"neighbour_weight": 0.2, "smoothing": 0.3}}, "min_score": 0.3},
]


@pytest.mark.parametrize("query_set", ["asked", "parts"])
@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_the_order_without_a_model_is_that_of_evaluate(
    texts: Connection, query_set: str, configuration: dict[str, Any]
) -> None:
    found = gather(texts, query_set, configuration)
    names = sorted(found[0]["features"])
    queries = read_queries(found, names, of_chunks=query_set == "parts")
    configuration = {"collection": "small", **configuration}
    evaluation = one(texts, "select braid.evaluate(%s, %s, '{ndcg@10}')", query_set, Jsonb(configuration))
    expected = {query["query_id"]: query["metrics"]["ndcg@10"] for query in evaluation["queries"]}
    assert {query.query_id: ndcg(query, None) for query in queries} == pytest.approx(expected, rel=0, abs=1e-9)
    # Scores rank as in SQL, with ties by external_id and chunk_index.
    place = names.index("score")
    assert {query.query_id: ndcg(query, query.features[:, place]) for query in queries} == pytest.approx(
        expected, abs=1e-9
    )


def test_features_are_those_of_a_search(texts: Connection, rows: Rows) -> None:
    names = sorted(rows[0]["features"])
    model = {"version": 1, "mode": "hybrid", "features": names, "weights": [int(name == "score") for name in names]}
    for query_id in ("q00", "q07"):
        query = texts.execute(
            "select q.query_text, e.embedding::text from braid_store.queries q join braid_store.query_set_embeddings e"
            " using (query_set, query_id) where q.query_set = 'asked' and q.query_id = %s",
            (query_id,),
        ).fetchall()[0]
        found = texts.execute(
            "select external_id, chunk_index, boosts -> 0 -> 'features' from braid.hybrid_search(%s, %s::vector,"
            " collection => 'small', candidate_count => 100, match_count => 400, options => %s)",
            (*query, Jsonb({"ranking_model": model})),
        ).fetchall()
        gathered = [row for row in rows if row["query_id"] == query_id and row["place"]]
        assert [(row["external_id"], row["chunk_index"], row["features"]) for row in gathered] == found
        assert [row["place"] for row in gathered] == list(range(1, len(found) + 1))
        assert [row["score"] for row in gathered] == [values["score"] for *_, values in found]


def test_grades_and_what_was_not_found(texts: Connection, rows: Rows) -> None:
    assert sorted({row["query_id"] for row in rows}) == [f"q{n:02}" for n in range(QUERIES)]
    for query_id in ("q00", "q20"):
        judged = dict(
            texts.execute("select external_id, grade from braid.list_judgments('asked', %s)", (query_id,)).fetchall()
        )
        of_query = [row for row in rows if row["query_id"] == query_id]
        assert all(row["grade"] == judged.get(row["external_id"]) for row in of_query)
        relevant = {external_id for external_id, grade in judged.items() if grade > 0}
        assert relevant <= {row["external_id"] for row in of_query}
    missed = [row for row in rows if row["features"] is None]
    assert ("q00", "not there", 2) in [(row["query_id"], row["external_id"], row["grade"]) for row in missed]
    assert all(row["place"] is None and row["score"] is None and row["grade"] > 0 for row in missed)


def in_sql(db: Connection, model: dict[str, Any], found: Rows) -> tuple[Any, Any]:
    """Return the sums of SQL and of Python for the candidates of three queries."""
    by_sql, by_python = [], []
    for query_id in ("q03", "q11", "q30"):
        query = db.execute(
            "select q.query_text, e.embedding::text from braid_store.queries q join braid_store.query_set_embeddings e"
            " using (query_set, query_id) where q.query_set = 'asked' and q.query_id = %s",
            (query_id,),
        ).fetchall()[0]
        ranked = db.execute(
            "select external_id, chunk_index, (boosts -> 0 ->> 'value')::float8"
            " from braid.hybrid_search(%s, %s::vector, collection => 'small', candidate_count => 100,"
            " match_count => 400, options => %s)",
            (*query, Jsonb({"ranking_model": model})),
        ).fetchall()
        values = {(external_id, index): value for external_id, index, value in ranked}
        for row in found:
            if row["query_id"] == query_id and row["place"]:
                by_sql.append(values[row["external_id"], row["chunk_index"]])
                by_python.append([row["features"][name] for name in model["features"]])
        assert len(values) > 50
    return np.array(by_sql), np.array(by_python)


def test_a_linear_model(texts: Connection, rows: Rows, linear: Learned) -> None:
    by_sql, features = in_sql(texts, linear.model, rows)
    assert np.abs(by_sql - sums(linear.model, features)).max() <= 1e-12
    weights = dict(zip(linear.model["features"], linear.model["weights"], strict=True))
    assert weights["importance"] > 0 and weights["title_match"] > 0
    assert linear.gain == pytest.approx(linear.learned - linear.baseline)
    assert linear.interval[0] > 0.1 and linear.interval[0] < linear.gain < linear.interval[1]
    assert linear.wins + linear.losses + linear.ties == linear.query_count == QUERIES
    # A search reaches the promised metric.
    evaluated = [
        one(texts, "select braid.evaluate('asked', %s, '{ndcg@10}') #>> '{metrics,ndcg@10}'", Jsonb(configuration))
        for configuration in (
            {"collection": "small"},
            {"collection": "small", "options": {"ranking_model": linear.model}},
        )
    ]
    assert float(evaluated[0]) == pytest.approx(linear.baseline, abs=1e-9)
    assert float(evaluated[1]) - float(evaluated[0]) > linear.gain / 2


def test_trees(texts: Connection, rows: Rows) -> None:
    try:
        lightgbm: Any = pytest.importorskip("lightgbm", reason="LightGBM is not installed: make build")
    except OSError as error:
        pytest.skip(f"LightGBM cannot be loaded (apt-get install libgomp1): {error}")
    trained: list[Any] = []
    train = lightgbm.train

    def keep(*arguments: Any, **named_arguments: Any) -> Any:
        trained.append(train(*arguments, **named_arguments))
        return trained[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lightgbm, "train", keep)
        learned = learn(rows, kind="trees")
    assert learned.interval[0] > 0.1
    by_sql, features = in_sql(texts, learned.model, rows)
    assert np.abs(by_sql - sums(learned.model, features)).max() <= 1e-12
    # The library itself gives the expected value, starting from the weighted sum.
    names = sorted(rows[0]["features"])
    whole = np.zeros((len(features), len(names)))
    whole[:, [names.index(name) for name in learned.model["features"]]] = features
    base = {key: value for key, value in learned.model.items() if key != "trees"}
    expected = sums(base, features) + trained[-1].predict(whole, raw_score=True)
    assert np.abs(by_sql - expected).max() <= 1e-9
    assert np.ptp(trained[-1].predict(whole, raw_score=True)) > 0.1
    assert learn(rows, kind="trees").model == learned.model


def test_trees_without_the_library(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(Exception, match=r"pgbraid\[learn\]"):
        learn(rows, kind="trees")


def test_the_same_rows_and_seed_give_the_same_model(rows: Rows, linear: Learned) -> None:
    assert learn(rows).model == linear.model
    other = learn(rows, seed=1)
    assert other.model["weights"] == linear.model["weights"]
    assert other.model["learned"]["gain"] != linear.model["learned"]["gain"]


def test_noise_gains_nothing(rows: Rows) -> None:
    """Noise gains nothing: if grades are unrelated to the features, no gain is promised."""
    chance = random.Random(3)
    documents = sorted({row["external_id"] for row in rows})
    noise = {(query, document): int(chance.random() < 0.1) for query in range(QUERIES) for document in documents}
    shuffled = [
        {**row, "grade": noise[int(row["query_id"][1:]), row["external_id"]]} for row in rows if row["features"]
    ]
    learned = learn(shuffled)
    assert learned.interval[0] < 0


def test_too_few_queries_are_refused(rows: Rows) -> None:
    few = [row for row in rows if row["query_id"] < "q29"]
    with pytest.raises(InvalidArgumentError, match="fewer than 30"):
        learn(few)
    with pytest.raises(InvalidArgumentError, match="0 of 45 judged queries"):
        learn([{**row, "grade": 0} for row in rows])
    with pytest.raises(InvalidArgumentError, match="0 of 0 judged queries"):
        learn([])
    with pytest.raises(InvalidArgumentError, match="folds is 1"):
        learn(rows, folds=1)
    broken = [{**row, "features": row["features"] and {**row["features"], "score": float("nan")}} for row in rows]
    with pytest.raises(InvalidArgumentError, match="no finite number"):
        learn(broken)


def test_files(texts: Connection, linear: Learned, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    write_ranking_model(linear.model, file)
    assert read_ranking_model(file) == linear.model
    # SQL computes the same checksum.
    assert one(texts, "select braid.store_ranking_model('learned', %s)", file.read_text())
    assert one(texts, "select braid.get_ranking_model('learned')") == linear.model
    text = file.read_text()
    for changed in (
        text.replace('"intercept": ', '"intercept": 1'),
        json.dumps([linear.model]),
        text[:-5],
        text.replace('"gain": ', '"gain": NaN, "old": '),
    ):
        file.write_text(changed)
        with pytest.raises(InvalidArgumentError) as raised:
            read_ranking_model(file)
        assert raised.value.hint
    file.write_text(" " * 2 * model_files.MOST_BYTES + "{}")
    with pytest.raises(InvalidArgumentError, match="too large"):
        read_ranking_model(file)


VALUES: list[Any] = [
    0.1,
    1e-07,
    1.5e-300,
    123456789.125,
    1e15,
    1e22,
    -0.25,
    0,
    -0.0,
    'Ünï"\\\n\x7f\u0001',
    True,
    None,
    [],
    {},
    [1, [2]],
]


def test_checksums_are_of_what_postgresql_writes(texts: Connection) -> None:
    model = {"short": VALUES, "a": {"bb": 1, "é": 2, "b": 3}, "zz": 5e-324}
    text = one(texts, "select %s::jsonb::text", json.dumps(model))
    assert model_files._jsonb(model) == text


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"query_set": "none"}, 'query set "none"'),
        ({"query_count": 0}, "query_count is 0"),
        ({"query_count": 1001}, "query_count is 1001"),
        ({"query_count": None}, "query_count is null"),
        ({"configuration": None}, "configuration is null"),
        ({"configuration": {"none": 1}}, "unknown key"),
        ({"configuration": {"collection": "none"}}, "none"),
        ({"configuration": {"collection": "default"}}, 'query "q00": no embedding'),
        ({"query_count": 101, "configuration": {"candidate_count": 10_000}}, "query_count times candidate_count"),
        ({"query_count": 101, "configuration": {"match_count": 2_500}}, "query_count times candidate_count"),
        *(
            ({"configuration": {"collection": "small", "options": {name: value}}}, f"option {name} has no meaning")
            for name, value in {
                "ranking_model": "x", "boosts": [{"importance": {}}], "rank_by": ["recency"], "profile": "x",
                "collapse": True, "diversify": True, "cursor": "", "group_by": {"key": "document", "score": "sum"},
                "min_relevance": "auto", "prefilter": True, "late_interaction": {"vectors": [[1, 0]]},
            }.items()
        ),
    ],
)  # fmt: skip
def test_bad_arguments(texts: Connection, given: dict[str, Any], match: str) -> None:
    given = {"query_set": "asked", "configuration": {"collection": "small"}, **given}
    values = {key: Jsonb(value) if isinstance(value, dict) else value for key, value in given.items()}
    with pytest.raises(psycopg.Error, match=match) as raised:
        texts.execute(f"select braid.ranking_features({named(values)})", values)
    assert raised.value.sqlstate in ("22023", "42704", "54000")
    assert raised.value.diag.message_hint
