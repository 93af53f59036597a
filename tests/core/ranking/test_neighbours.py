"""The options neighbour_weight and smoothing agree with a separate model, and with the collection's settings."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg import errors
from psycopg.types.json import Jsonb

from support.calls import one, set_tenant, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
WORDS = ["amber", "basket", "candle", "dolphin", "ember", "forest", "garden", "harbor", "island", "jungle", "kettle"]
QUERY = "amber basket candle"
EMBEDDING = [1.0, 0.5, -0.2, 0.1]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    """Fill conversations of turns, some of them without vectors; another tenant has the same turns and more."""
    rng = random.Random(11)
    shared_db.execute("select braid.create_collection('talk', dimensions => 4)")
    documents = [
        {
            "external_id": f"d{number}",
            "chunks": [
                {
                    "content": " ".join(rng.choices(WORDS, k=rng.randrange(2, 12))),
                    "metadata": {"part": number % 2},
                    **({"embedding": [rng.gauss(0, 1) for _ in range(4)]} if rng.random() < 0.9 else {}),
                }
                for _ in range(rng.randrange(1, 12))
            ],
        }
        for number in range(30)
    ]
    upsert(shared_db, documents, "talk")
    shared_db.execute("select braid.create_tenant('other')")
    set_tenant(shared_db, "other")
    upsert(shared_db, documents[::-1], "talk")
    set_tenant(shared_db, "default")
    return shared_db


def search(db: Connection, options: dict[str, Any], **arguments: Any) -> list[dict[str, Any]]:
    found = db.execute(
        "select to_jsonb(r) from braid.hybrid_search(%(query_text)s, %(query_embedding)s::vector,"
        " match_count => %(match_count)s, filters => %(filters)s, collection => 'talk',"
        " min_score => %(min_score)s, options => %(options)s) r",
        {
            "query_text": QUERY,
            "query_embedding": vector(EMBEDDING),
            "match_count": 1000,
            "filters": None,
            "min_score": None,
            "options": Jsonb(options),
            **{name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
        },
    )
    return [row[0] for row in found.fetchall()]


def vectors(db: Connection) -> dict[int, np.ndarray[Any, np.dtype[np.float64]]]:
    rows = db.execute(
        "select v.chunk_id, v.embedding::text from braid_store.chunk_vectors v"
        " join braid_store.tenants t on t.id = v.tenant_id where t.key = 'default'"
    )
    return {chunk: np.array([float(x) for x in text[1:-1].split(",")]) for chunk, text in rows.fetchall()}


def model(rows: list[dict[str, Any]], embeddings: dict[int, Any], weight: float, smoothing: float) -> dict[int, float]:
    """Compute scores from rows that were ranked without neighbours and smoothing."""
    own = {(row["document_id"], row["chunk_index"]): row["score"] for row in rows}
    scores = {
        row["chunk_id"]: row["score"]
        + weight * sum(max(own.get((row["document_id"], row["chunk_index"] + step), 0), 0) for step in (-1, 1))
        for row in rows
    }
    best = sorted(scores, key=lambda chunk: -scores[chunk])[:30]
    if not smoothing or len(scores) < 30:
        return scores
    known = [chunk for chunk in best if chunk in embeddings]
    centred = np.array([embeddings[chunk] for chunk in known])
    centred = centred - centred.mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    cosines = centred @ centred.T
    smoothed = dict(scores)
    for place, chunk in enumerate(known):
        others = [n for n in range(len(known)) if n != place]
        nearest = [n for n in sorted(others, key=lambda n: -cosines[place, n])[:10] if cosines[place, n] > 0]
        if nearest:
            mean = np.average([scores[known[n]] for n in nearest], weights=cosines[place, nearest])
            smoothed[chunk] = (1 - smoothing) * scores[chunk] + smoothing * float(mean)
    return smoothed


@pytest.mark.parametrize("filters", [None, {"part": 1}])
@pytest.mark.parametrize(("weight", "smoothing"), [(0, 0), (0.3, 0), (0, 0.5), (0.2, 0.7), (1, 1)])
def test_scores_are_those_of_the_model(
    filled: Connection, weight: float, smoothing: float, filters: dict[str, int] | None
) -> None:
    plain = search(filled, {"ranking": {"neighbour_weight": 0, "smoothing": 0}}, filters=filters)
    expected = model(plain, vectors(filled), weight, smoothing)
    found = search(filled, {"ranking": {"neighbour_weight": weight, "smoothing": smoothing}}, filters=filters)
    assert {row["chunk_id"]: row["score"] for row in found} == pytest.approx(expected, abs=1e-6)
    assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)
    fused = {row["chunk_id"]: row["score"] for row in plain}
    assert {row["chunk_id"]: row["fused_score"] for row in found} == fused
    assert len(found) > 30
    if weight or smoothing:
        assert {row["chunk_id"]: row["score"] for row in found} != fused


@pytest.mark.parametrize("arguments", [{}, {"filters": {"part": 1}}, {"min_score": 0.3}, {"query_embedding": None}])
@pytest.mark.parametrize("neighbour_weight", [0, 0.2])
def test_the_best_score_of_the_document_is_added(
    filled: Connection, neighbour_weight: float, arguments: dict[str, Any]
) -> None:
    given = {"neighbour_weight": neighbour_weight, "smoothing": 0}
    plain = search(filled, {"ranking": given}, **arguments)
    best: dict[int, float] = {}
    for row in plain:
        best[row["document_id"]] = max(best.get(row["document_id"], 0), row["fused_score"])
    expected = {row["chunk_id"]: row["score"] + 0.6 * best[row["document_id"]] for row in plain}
    found = search(filled, {"ranking": {**given, "document_weight": 0.6}}, **arguments)
    assert {row["chunk_id"]: row["score"] for row in found} == pytest.approx(expected)
    assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)
    assert len(best) > 2
    assert len(found) > len(best)


def test_few_candidates_are_not_smoothed(filled: Connection) -> None:
    plain = search(filled, {"ranking": {"smoothing": 0}}, filters={"external_id": {"$in": ["d1", "d2"]}})
    assert 2 < len(plain) < 30
    assert search(filled, {"ranking": {"smoothing": 1}}, filters={"external_id": {"$in": ["d1", "d2"]}}) == plain


def test_min_score_is_of_the_fused_score(filled: Connection) -> None:
    plain = search(filled, {"ranking": {"smoothing": 0}})
    least = plain[40]["score"]
    found = search(filled, {"ranking": {"neighbour_weight": 0.5}}, min_score=least)
    assert {row["chunk_id"] for row in found} == {row["chunk_id"] for row in plain if row["score"] >= least}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ranking": {"neighbour_weight": 0.3}},
        {"ranking": {"neighbour_weight": 0.1, "smoothing": 0}},
        {"ranking": {"document_weight": 0.6}},
        {
            "ranking": {"neighbour_weight": 0.3, "smoothing": 0.3},
            "boosts": [{"importance": {"missing": 0.7}, "weight": 0.3}],
        },
        {"ranking": {"smoothing": 0.5}, "boosts": [{"importance": {"missing": 0.7}, "mode": "additive"}]},
    ],
)
@pytest.mark.parametrize("legs", ["hybrid", "full_text", "semantic"])
def test_explanations_give_scores_to_the_last_bit(filled: Connection, options: dict[str, Any], legs: str) -> None:
    explained = one(
        filled,
        "select braid.explain_search(%s, %s::vector, match_count => 1000, collection => 'talk', options => %s)",
        None if legs == "semantic" else QUERY,
        None if legs == "full_text" else vector(EMBEDDING),
        Jsonb(options),
    )
    assert len(explained["results"]) > 30
    for row in explained["results"]:
        arithmetic = row["arithmetic"]
        assert set(arithmetic) <= set("0123456789.e+-*() ")
        assert eval(arithmetic) == row["score"], row
        assert ("smoothing * nearest" in row["formula"]) == bool((row["spread"] or {}).get("nearest") is not None)
    if options.get("ranking", {}).get("neighbour_weight"):
        assert any(row["spread"]["neighbours"] for row in explained["results"])
        assert explained["spread"]["neighbour_weight"] == options["ranking"]["neighbour_weight"]


def test_new_collections_are_smoothed_unless_the_search_asks_for_other_scores(filled: Connection) -> None:
    smoothed = search(filled, {"ranking": {"smoothing": 0.5}})
    assert search(filled, {}) == smoothed
    assert search(filled, {"ranking": {"normalisation": "minmax"}}) == search(
        filled, {"ranking": {"normalisation": "minmax", "smoothing": 0}}
    )
    paged = search(filled, {"cursor": ""})
    plain = search(filled, {"ranking": {"smoothing": 0}})
    assert [row["chunk_id"] for row in paged] == [row["chunk_id"] for row in plain]
    try:
        filled.execute("select braid.set_ranking('talk', '{\"preset\": \"conversation\"}')")
        talk = {"ranking": {"neighbour_weight": 0.2, "document_weight": 0.6, "question_penalty": 0.3, "smoothing": 0}}
        assert search(filled, {}) == search(filled, talk)
        row = filled.execute(
            "select full_text_weight, semantic_weight, neighbour_weight, smoothing, b from braid.collections"
            " where name = 'talk'"
        ).fetchone()
        assert row == (0.7, 0.3, 0.2, 0, None)
    finally:
        filled.execute("select braid.set_ranking('talk', '{\"preset\": \"prose\"}')")
    assert search(filled, {}) == smoothed


def test_a_collection_made_again_keeps_what_it_has(db: Connection) -> None:
    first = one(db, "select braid.create_collection('c', ranking => '{\"b\": 0.75, \"smoothing\": 0}')")
    assert one(db, "select braid.create_collection('c')") == first
    with pytest.raises(errors.InvalidParameterValue, match="other settings"):
        db.execute("select braid.create_collection('c', ranking => '{\"preset\": \"prose\"}')")
    with pytest.raises(errors.InvalidParameterValue, match="other settings"):
        db.execute("select braid.create_collection('c', ranking => '{\"b\": 0.5}')")
    talk = one(db, "select braid.create_collection('talk', ranking => '{\"preset\": \"conversation\"}')")
    assert one(db, "select braid.create_collection('talk', ranking => '{\"preset\": \"conversation\"}')") == talk


@pytest.mark.parametrize(
    ("option", "value"), [("neighbour_weight", -0.1), ("document_weight", 1.1), ("smoothing", 2), ("smoothing", "x")]
)
def test_values_that_cannot_be(filled: Connection, option: str, value: object) -> None:
    with pytest.raises(errors.InvalidParameterValue, match=f"ranking: {option} is") as raised:
        search(filled, {"ranking": {option: value}})
    assert "from 0" in (raised.value.diag.message_hint or "")


def test_settings_that_cannot_be(filled: Connection) -> None:
    for name, value in {"neighbour_weight": 2, "smoothing": -1, "statistics_scope": "x", "preset": "x"}.items():
        with pytest.raises(errors.InvalidParameterValue, match=name) as raised:
            filled.execute("select braid.set_ranking('talk', %s)", (Jsonb({name: value}),))
        assert raised.value.diag.message_hint
