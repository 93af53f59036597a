"""The legs find, and the fusion ranks, what a few lines of numpy compute."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import full_text, hybrid, named, semantic, upsert, vector

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
Vectors = npt.NDArray[np.float32]
DIMENSIONS = 8
DOCUMENTS = 120
WORDS = ["amber", "basket", "candle", "dolphin", "ember", "forest", "garden", "harbor", "island", "jungle"]
QUERY = "amber candle forest"


def document_id(number: int) -> str:
    return f"d{number:03}"


def make_vectors() -> Vectors:
    """Return vectors of small whole numbers: their distances are exact, and many are equal."""
    vectors = np.random.default_rng(5).integers(-2, 3, (DOCUMENTS, DIMENSIONS)).astype(np.float32)
    vectors[~vectors.any(axis=1)] = 1
    return vectors


QUERY_VECTOR = [2.0, 1.0, 0.0, -1.0, 1.0, 0.0, 2.0, -2.0]


@pytest.fixture(params=["cosine"])
def filled(db: Connection, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Fill a collection `small` with the requested distance; every third document has category x."""
    db.execute(
        "select braid.create_collection('small', dimensions => 8, distance => %s, "
        'embedding_model => \'test\', ranking => \'{"fusion": "rrf", "full_text_weight": 2, "semantic_weight": 1}\')',
        (request.param,),
    )
    rng = random.Random(11)
    upsert(
        db,
        [
            {
                "external_id": document_id(number),
                "content": " ".join(rng.choices(WORDS, k=rng.randint(1, 12))),
                "category": "x" if number % 3 == 0 else "y",
                "embedding": [float(value) for value in embedding],
            }
            for number, embedding in enumerate(make_vectors())
        ],
        "small",
    )
    yield db


def fuse(legs: list[tuple[list[str], float]], rrf_k: float, candidate_count: int) -> list[tuple[str, float]]:
    """Compute reciprocal rank fusion (Cormack, Clarke & Büttcher 2009) with weights."""
    scores: dict[str, float] = {}
    for ranking, weight in legs:
        if weight:
            for rank, external_id in enumerate(ranking[:candidate_count], 1):
                scores[external_id] = scores.get(external_id, 0) + weight / (rrf_k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def ids(hits: list[tuple[str, int, float]]) -> list[str]:
    return [hit[0] for hit in hits]


def approximately(expected: list[tuple[str, float]]) -> list[tuple[str, int, Any]]:
    return [(external_id, 0, pytest.approx(score, rel=1e-12)) for external_id, score in expected]


@pytest.mark.parametrize("filled", ["cosine", "inner_product", "l2"], indirect=True)
@pytest.mark.parametrize("match_count", [5, 40, DOCUMENTS + 1])
def test_semantic_search_equals_numpy(filled: Connection, request: pytest.FixtureRequest, match_count: int) -> None:
    vectors, query = make_vectors().astype(np.float64), np.array(QUERY_VECTOR)
    products = vectors @ query
    similarity = {
        # pgvector divides like this: 1 - distance is equal to the last bit.
        "cosine": 1 - (1 - products / np.sqrt((vectors**2).sum(axis=1) * (query**2).sum())),
        "inner_product": products,
        "l2": 1 / (1 + np.linalg.norm(vectors - query, axis=1)),
    }[request.node.callspec.params["filled"]]
    found = semantic(filled, QUERY_VECTOR, collection="small", match_count=match_count)
    for external_id, _, score in found:
        assert score == pytest.approx(similarity[int(external_id[1:])], abs=1e-12)
    # Ties are in the order of external_id, also where match_count cuts through them.
    order = sorted(range(DOCUMENTS), key=lambda number: (-similarity[number], number))
    assert len(set(similarity)) < DOCUMENTS
    assert ids(found) == [document_id(number) for number in order[:match_count]]


@pytest.mark.parametrize(
    ("arguments", "weights", "rrf_k", "candidate_count"),
    [
        ({}, (2, 1), 60, 100),
        ({"match_count": 50}, (2, 1), 60, 200),
        ({"full_text_weight": 1}, (1, 1), 60, 100),
        ({"full_text_weight": 0.3, "semantic_weight": 0.7}, (0.3, 0.7), 60, 100),
        ({"rrf_k": 0}, (2, 1), 0, 100),
        ({"rrf_k": 1.5, "candidate_count": 7}, (2, 1), 1.5, 7),
        ({"candidate_count": 1}, (2, 1), 60, 1),
        ({"full_text_weight": 0}, (0, 1), 60, 100),
        ({"semantic_weight": 0}, (2, 0), 60, 100),
        ({"fusion": "rrf"}, (2, 1), 60, 100),
    ],
)
def test_hybrid_search_fuses_the_legs_by_rank(
    filled: Connection,
    arguments: dict[str, Any],
    weights: tuple[float, float],
    rrf_k: float,
    candidate_count: int,
) -> None:
    legs = [
        (ids(full_text(filled, QUERY, collection="small")), weights[0]),
        (ids(semantic(filled, QUERY_VECTOR, collection="small")), weights[1]),
    ]
    expected = fuse(legs, rrf_k, candidate_count)[: arguments.get("match_count", 10)]
    found = hybrid(filled, query_text=QUERY, query_embedding=vector(QUERY_VECTOR), collection="small", **arguments)
    assert found == approximately(expected)


@pytest.mark.any_version
def test_a_row_tells_what_each_leg_gave(filled: Connection) -> None:
    text, nearest = full_text(filled, QUERY, collection="small"), semantic(filled, QUERY_VECTOR, collection="small")
    rows = filled.execute(
        "select external_id, score, full_text_score, full_text_normalised_score, full_text_rank, "
        "semantic_score, semantic_normalised_score, semantic_rank "
        "from braid.hybrid_search(%s, %s, 200, collection => 'small', candidate_count => 30)",
        (QUERY, vector(QUERY_VECTOR)),
    ).fetchall()
    ranks: list[dict[str, tuple[int, float]]] = [
        {hit[0]: (rank, hit[2]) for rank, hit in enumerate(leg[:30], 1)} for leg in (text, nearest)
    ]
    assert {row[0] for row in rows} == ranks[0].keys() | ranks[1].keys()
    for external_id, score, *legs in rows:
        total = 0.0
        for (leg_score, normalised, rank), expected, weight in zip((legs[:3], legs[3:]), ranks, (2, 1), strict=True):
            assert (rank, leg_score) == expected.get(external_id, (None, None))
            if rank is None:
                assert normalised is None
            else:
                assert normalised == pytest.approx(1 / (60 + rank), rel=1e-12)
                total += weight * normalised
        assert score == pytest.approx(total, rel=1e-12)


@pytest.mark.any_version
def test_one_leg_alone_keeps_its_score(filled: Connection) -> None:
    small = {"collection": "small", "match_count": 20}
    text, nearest = full_text(filled, QUERY, **small), semantic(filled, QUERY_VECTOR, **small)
    assert hybrid(filled, query_text=QUERY, **small) == text
    assert hybrid(filled, query_text=QUERY, full_text_weight=0, semantic_weight=0, **small) == text
    for nothing in (None, ""):
        found = hybrid(filled, query_text=nothing, query_embedding=vector(QUERY_VECTOR), **small)
        assert found == nearest


@pytest.mark.any_version
def test_min_score(filled: Connection) -> None:
    small = {"collection": "small", "match_count": 1000}
    text, nearest = full_text(filled, QUERY, **small), semantic(filled, QUERY_VECTOR, **small)
    embedding = vector(QUERY_VECTOR)
    fused = hybrid(filled, query_text=QUERY, query_embedding=embedding, **small)
    searches: list[tuple[list[tuple[str, int, float]], Callable[[float], list[tuple[str, int, float]]]]] = [
        (text, lambda least: full_text(filled, QUERY, min_score=least, **small)),
        (nearest, lambda least: semantic(filled, QUERY_VECTOR, min_score=least, **small)),
        (fused, lambda least: hybrid(filled, query_text=QUERY, query_embedding=embedding, min_score=least, **small)),
    ]
    for hits, search in searches:
        least = hits[len(hits) // 3][2]
        assert search(least) == [hit for hit in hits if hit[2] >= least] != hits
        assert search(hits[0][2] + 1) == []
        assert search(-1e300) == hits


@pytest.mark.any_version
def test_each_legs_own_least_score(filled: Connection) -> None:
    text, nearest = full_text(filled, QUERY, collection="small"), semantic(filled, QUERY_VECTOR, collection="small")
    least = {"min_scores": {"full_text": text[9][2], "semantic": nearest[19][2]}}
    legs = [
        ([hit[0] for hit in text if hit[2] >= least["min_scores"]["full_text"]], 2.0),
        ([hit[0] for hit in nearest if hit[2] >= least["min_scores"]["semantic"]], 1.0),
    ]
    found = hybrid(
        filled,
        query_text=QUERY,
        query_embedding=vector(QUERY_VECTOR),
        collection="small",
        match_count=200,
        options=least,
    )
    assert found == approximately(fuse(legs, 60, 800))


def test_filters_bind_both_legs(filled: Connection) -> None:
    filters = {"category": "x"}
    legs = []
    for leg, weight in (
        (full_text(filled, QUERY, collection="small"), 2.0),
        (semantic(filled, QUERY_VECTOR, collection="small"), 1.0),
    ):
        legs.append(([hit[0] for hit in leg if int(hit[0][1:]) % 3 == 0], weight))
    small = {"collection": "small", "match_count": 200, "filters": filters}
    assert ids(full_text(filled, QUERY, **small)) == legs[0][0]
    assert ids(semantic(filled, QUERY_VECTOR, **small)) == legs[1][0]
    # With only 10 candidates, a filter applied after the legs would leave fewer.
    found = hybrid(filled, query_text=QUERY, query_embedding=vector(QUERY_VECTOR), candidate_count=10, **small)
    assert found == approximately(fuse(legs, 60, 10))
    assert (
        hybrid(
            filled, query_text=QUERY, query_embedding=vector(QUERY_VECTOR), **{**small, "filters": {"category": "none"}}
        )
        == []
    )


def search_json(db: Connection, **arguments: Any) -> dict[str, Any]:
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()}
    row = db.execute(f"select braid.search_json({named(arguments)})", values).fetchone()
    assert row is not None
    answer: dict[str, Any] = row[0]
    return answer


@pytest.mark.any_version
def test_search_json_has_the_rows_of_hybrid_search(filled: Connection) -> None:
    arguments = {"query_text": QUERY, "query_embedding": vector(QUERY_VECTOR), "collection": "small"}
    answer = search_json(filled, **arguments)
    assert answer.keys() == {"results", "stats", "warnings"}
    rows = filled.execute(f"select to_jsonb(r) from braid.hybrid_search({named(arguments)}) r", arguments).fetchall()
    assert answer["results"] == [row[0] for row in rows]
    assert len(rows) == 10
    stats = answer["stats"]
    assert stats["mode"] == "hybrid"
    assert stats["returned_results"] == 10
    assert stats["full_text_candidates"] == len(full_text(filled, QUERY, collection="small"))
    assert stats["semantic_candidates"] == 100
    assert stats["terms"] == ["amber", "candl", "forest"]
    assert stats["query_time_ms"] > 0
    assert answer["warnings"] == []


def codes(answer: dict[str, Any]) -> set[str]:
    assert all(warning["message"] for warning in answer["warnings"])
    return {warning["code"] for warning in answer["warnings"]}


@pytest.mark.any_version
def test_search_json_warns(filled: Connection) -> None:
    db, embedding = filled, vector(QUERY_VECTOR)
    nothing = search_json(db, query_text="zzz", collection="small")
    assert nothing["results"] == []
    assert nothing["stats"]["mode"] == "full_text"
    assert codes(nothing) == {"no_query_terms"}

    upsert(db, [{"external_id": "new", "content": "amber"}], "small")
    assert codes(search_json(db, query_embedding=embedding, collection="small")) == {"chunks_not_embedded"}
    assert codes(search_json(db, query_text=QUERY, collection="small")) == set()

    few = search_json(
        db, query_text=QUERY, query_embedding=embedding, collection="small", match_count=50, candidate_count=20
    )
    assert few["stats"]["underfilled"] is True
    assert "underfilled" in codes(few)

    words = [f"w{number}x" for number in range(80)]
    upsert(db, [{"external_id": "many", "chunks": [{"content": " ".join(words)}]}], "small")
    many = search_json(db, query_text=" ".join(words), collection="small")
    assert "terms_dropped" in codes(many)
    assert len(many["stats"]["terms"]) == 64
    assert [row["external_id"] for row in many["results"]] == ["many"]


def test_a_read_only_transaction_will_do(filled: Connection) -> None:
    with filled.transaction():
        filled.execute("set transaction read only")
        embedding = vector(QUERY_VECTOR)
        assert full_text(filled, QUERY, collection="small")
        assert semantic(filled, QUERY_VECTOR, collection="small")
        assert hybrid(filled, query_text=QUERY, query_embedding=embedding, collection="small")
        assert search_json(filled, query_text=QUERY, query_embedding=embedding, collection="small")["results"]
