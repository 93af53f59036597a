"""Fusion by scores and boosts agrees with an independent model, and each score can be recomputed from its row."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support import fusion_model as model
from support.calls import full_text, named, semantic, upsert, vector
from support.examples import examples

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
SETTINGS = settings(
    max_examples=examples(40),
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # each example is several searches: shrinking would take minutes
    suppress_health_check=list(HealthCheck),
)
CLOSE = 1e-9
DIMENSIONS = 8
DOCUMENTS = 90
WORDS = ["amber", "basket", "candle", "dolphin", "ember", "forest", "garden", "harbor", "island", "jungle"]
NORMALISATIONS = ["minmax", "theoretical", "centroid", "zscore", "saturate", "none"]
NOW = datetime(2026, 5, 1, tzinfo=timezone.utc)
DAY = 86400


def external_id(number: int) -> str:
    return f"d{number:03}"


def make_documents() -> list[dict[str, Any]]:
    rng = random.Random(7)
    # float4 stores and sums multiples of 1/8 exactly.
    vectors = np.random.default_rng(7).integers(-16, 17, (DOCUMENTS, DIMENSIONS)) / 8
    documents = []
    for number, embedding in enumerate(vectors):
        document: dict[str, Any] = {
            "external_id": external_id(number),
            "content": " ".join(rng.choices(WORDS, k=rng.randint(1, 12))),
            "category": rng.choice(["x", "y", "z"]),
            "metadata": {"views": rng.choice([0, 1, 7, 1000, 2.5, -3, "many", None, True])},
        }
        if number % 7:
            document["embedding"] = [float(value) for value in embedding]
        if number % 3:
            document["occurred_at"] = (NOW - timedelta(hours=rng.randint(-500, 5000))).isoformat()
        if number % 4:
            document["importance"] = rng.choice([0.0, 0.5, 1.0, 3.0, -1.0])
        documents.append(document)
    return documents


@pytest.fixture(params=["cosine", "inner_product", "l2"])
def filled(db: Connection, request: pytest.FixtureRequest) -> Iterator[Connection]:
    db.execute(
        # The model here has no neighbours; test_neighbours has a model with neighbours.
        "select braid.create_collection('small', dimensions => 8, distance => %s, embedding_model => 'test',"
        " ranking => '{\"smoothing\": 0}')",
        (request.param,),
    )
    upsert(db, make_documents(), "small")
    yield db


def distance_of(request: pytest.FixtureRequest) -> str:
    return str(request.node.callspec.params["filled"])


def mean_similarity(documents: list[dict[str, Any]], query: list[float], distance: str) -> float:
    vectors = np.array([document["embedding"] for document in documents if "embedding" in document])
    wanted = np.array(query)
    if distance == "l2":
        return float(1 / (1 + np.sqrt(((vectors - wanted) ** 2).sum(axis=1).mean())))
    products = vectors @ wanted
    if distance == "cosine":
        products = products / np.linalg.norm(vectors, axis=1) / np.linalg.norm(wanted)
    return float(products.mean())


def search_json(db: Connection, **arguments: Any) -> dict[str, Any]:
    values = {
        name: Jsonb(value) if isinstance(value, (dict, list)) else value
        for name, value in {"collection": "small", **arguments}.items()
    }
    row = db.execute(f"select braid.search_json({named(values)})", values).fetchone()
    assert row is not None
    answer: dict[str, Any] = row[0]
    return answer


def legs_of(db: Connection, query: str, embedding: list[float], distance: str) -> model.Legs:
    return model.Legs(
        {hit[0]: hit[2] for hit in full_text(db, query, collection="small")} if query else {},
        {hit[0]: hit[2] for hit in semantic(db, embedding, collection="small")},
        mean_similarity(make_documents(), embedding, distance),
        -1.0 if distance == "cosine" else 0.0,
    )


def close(value: float) -> Any:
    return pytest.approx(value, rel=CLOSE, abs=CLOSE)


def assert_reproducible(answer: dict[str, Any]) -> None:
    """Check to 1e-12 that each score follows from the row and from the fusion in stats."""
    fusion = answer["stats"]["fusion"]
    for row in answer["results"]:
        parts = []
        for leg in ("full_text", "semantic"):
            scale = fusion[leg]
            score = row[f"{leg}_score"] if row[f"{leg}_score"] is not None else scale["assumed"]
            normalised = (score - scale["shift"]) / scale["scale"] if score is not None else 0.0
            if scale["floor"] is not None:
                normalised = max(normalised, scale["floor"])
            if scale["ceiling"] is not None:
                normalised = min(normalised, scale["ceiling"])
            assert row[f"{leg}_normalised_score"] == pytest.approx(normalised, rel=1e-12, abs=1e-12)
            parts.append(fusion["weights"][leg] * row[f"{leg}_normalised_score"])
        fused = max(parts) if fusion["fusion"] == "max" else sum(parts)
        assert row["fused_score"] == pytest.approx(fused, rel=1e-12, abs=1e-12)
        assert_boosts_reproducible(row)


def assert_boosts_reproducible(row: dict[str, Any]) -> None:
    if row["boosts"] is None:
        assert row["score"] == row["fused_score"]
        return
    score = max(row["fused_score"], 0.0)
    for boost in row["boosts"]:
        score *= boost.get("factor", 1.0)
    for boost in row["boosts"]:
        score += boost.get("addend", 0.0)
    assert row["score"] == pytest.approx(score, rel=1e-12, abs=1e-12)


def assert_best(rows: list[dict[str, Any]], expected: dict[str, float], match_count: int) -> None:
    """Check that the rows are the best expected ones in order; only scores that rounding makes equal may change
    places."""
    assert len(rows) == min(match_count, len(expected))
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    for row, best in zip(rows, sorted(expected.values(), reverse=True), strict=False):
        assert row["score"] == close(best)
        assert row["score"] == close(expected[row["external_id"]])


queries = st.lists(st.sampled_from([*WORDS, "+amber", '"candle forest"']), min_size=1, max_size=4).map(" ".join)
embeddings = st.lists(st.integers(-4, 4).map(float), min_size=DIMENSIONS, max_size=DIMENSIONS).filter(any)


@SETTINGS
@given(
    query=queries.filter(lambda query: not set('+"') & set(query)),
    embedding=embeddings,
    fusion=st.sampled_from(["convex", "convex", "max", "dbsf"]),
    normalisations=st.tuples(st.sampled_from(NORMALISATIONS), st.sampled_from(NORMALISATIONS)),
    weights=st.tuples(st.sampled_from([0.0, 0.3, 1.0, 7.0]), st.sampled_from([0.0, 0.5, 1.0])).filter(any),
    candidate_count=st.sampled_from([1, 2, 5, 20, 100]),
    match_count=st.sampled_from([1, 10, 200]),
)
@example("zzz", [1.0] * 8, "convex", ("minmax", "minmax"), (1.0, 1.0), 1, 10)
@example("zzz", [1.0] * 8, "dbsf", ("minmax", "minmax"), (1.0, 1.0), 1, 10)
@example("amber", [-1.0] * 8, "max", ("centroid", "centroid"), (1.0, 0.0), 5, 10)
def test_fusion_equals_the_model(
    filled: Connection,
    request: pytest.FixtureRequest,
    query: str,
    embedding: list[float],
    fusion: str,
    normalisations: tuple[str, str],
    weights: tuple[float, float],
    candidate_count: int,
    match_count: int,
) -> None:
    legs = legs_of(filled, query, embedding, distance_of(request))
    options: dict[str, Any] = {"explain": True}
    if fusion == "dbsf":
        normalisations = ("dbsf", "dbsf")
    else:
        options["ranking"] = {"normalisation": dict(zip(("full_text", "semantic"), normalisations, strict=True))}
    expected = model.fuse(legs, fusion, normalisations, weights, candidate_count)
    answer = search_json(
        filled,
        query_text=query,
        query_embedding=vector(embedding),
        match_count=match_count,
        fusion=fusion,
        full_text_weight=weights[0],
        semantic_weight=weights[1],
        candidate_count=candidate_count,
        options=options,
    )
    assert_best(answer["results"], {name: row.score for name, row in expected.items()}, match_count)
    for row in answer["results"]:
        name = row["external_id"]
        assert row["full_text_score"] == close(legs.full_text.get(name, 0.0))
        assert row["semantic_score"] == (close(legs.semantic[name]) if name in legs.semantic else None)
        assert row["full_text_normalised_score"] == close(expected[name].full_text)
        assert row["semantic_normalised_score"] == close(expected[name].semantic)
        for leg, scores, weight in zip(
            ("full_text", "semantic"), (legs.full_text, legs.semantic), weights, strict=True
        ):
            proposed = list(scores)[:candidate_count] if weight else []
            assert row[f"{leg}_rank"] == (proposed.index(name) + 1 if name in proposed else None)
    assert_reproducible(answer)
    missing = sum(name not in legs.semantic for name in expected)
    assert answer["stats"]["candidates_without_embedding"] == missing
    codes = {warning["code"] for warning in answer["warnings"]}
    assert ("candidates_without_embedding" in codes) == (missing > 0)


durations = st.sampled_from([0.5, 3600.0, 30.0 * DAY])
modes = st.fixed_dictionaries(
    {}, optional={"mode": st.sampled_from(["multiplicative", "additive"]), "weight": st.sampled_from([0, 0.5, 1, 3])}
)
numbers = st.fixed_dictionaries(
    {},
    optional={
        "function": st.sampled_from(["linear", "log", "sqrt", "reciprocal"]),
        "factor": st.sampled_from([1, 0.25, 2, -1]),
        "missing": st.sampled_from([0, 2]),
    },
)
recencies = st.fixed_dictionaries(
    {"half_life": durations, "origin": st.just(NOW.isoformat())},
    optional={"offset": durations, "function": st.sampled_from(["exponential", "gaussian"])},
)
boosts = st.lists(
    st.one_of(
        st.builds(lambda given, mode: {"recency": given, **mode}, recencies, modes),
        st.builds(lambda given, mode: {"importance": given, **mode}, numbers, modes),
        st.builds(
            lambda key, given, mode: {"attribute": key, **given, **mode},
            st.sampled_from(["views", "importance", "nothing"]),
            numbers,
            modes,
        ),
        st.builds(
            lambda category, factor, mode: {"filter": {"category": category}, "factor": factor, **mode},
            st.sampled_from(["x", "y"]),
            st.sampled_from([0, 0.5, 1.5]),
            modes,
        ),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("filled", ["inner_product"], indirect=True)
@SETTINGS
@given(
    query=queries.filter(lambda query: not set('+"') & set(query)),
    embedding=embeddings,
    mode=st.sampled_from(["hybrid", "rrf", "full_text", "semantic"]),
    boosts=boosts,
)
def test_boosts_equal_the_model(
    filled: Connection, query: str, embedding: list[float], mode: str, boosts: list[dict[str, Any]]
) -> None:
    arguments: dict[str, Any] = {}
    if mode != "semantic":
        arguments["query_text"] = query
    if mode != "full_text":
        arguments["query_embedding"] = vector(embedding)
    if mode == "hybrid":
        arguments["fusion"] = "convex"
    everything = {"match_count": 200, "candidate_count": 200, **arguments}
    fused = {row["external_id"]: row["score"] for row in search_json(filled, **everything)["results"]}
    chunks = {
        document["external_id"]: {
            **document,
            "views": document["metadata"]["views"],
            "occurred_at": datetime.fromisoformat(document["occurred_at"]) if "occurred_at" in document else None,
        }
        for document in make_documents()
    }
    values = {
        name: [
            model.value(boost, chunks[name], boost.get("filter", {}).get("category") == chunks[name]["category"])
            for boost in boosts
        ]
        for name in fused
    }
    expected = {name: model.boosted(score, boosts, values[name]) for name, score in fused.items()}
    rows = search_json(filled, **everything, options={"boosts": boosts})["results"]
    assert_best(rows, expected, 200)
    for row in rows:
        assert row["fused_score"] == close(fused[row["external_id"]])
        assert [boost["value"] for boost in row["boosts"]] == [
            None if number is None else close(number) for number in values[row["external_id"]]
        ]
        assert_boosts_reproducible(row)
