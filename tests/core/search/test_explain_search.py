"""explain_search gives arithmetic that reproduces each row's score to the last bit, and the reason why a document is
not found."""

from __future__ import annotations

import math
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

import pgbraid
from support import HashEmbedder
from support.calls import named, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "flint", "garnet", "hazel", "indigo", "jasper"]
COUNT = 40


def embedding(angle: float) -> str:
    return vector([math.cos(angle), math.sin(angle), 0.0])


def fill(db: Connection, set_tokens: str = "") -> Connection:
    """Fill the collection `small`; if a statement sets token vectors, its chunks get them."""
    db.execute("select braid.create_collection('small', dimensions => 3)")
    if set_tokens:
        db.execute(set_tokens.encode())
    documents: list[dict[str, Any]] = [
        {
            "external_id": f"d{n}",
            "title": WORDS[n % 10],
            "content": " ".join(WORDS[(n * k) % 10] for k in range(1, 4 + n % 5)),
            "speaker": ("Ana", "Bo")[n % 2],
            "importance": n % 4,
            "metadata": {"year": 2000 + n},
            "embedding": embedding(n / 20),
            **({"token_vectors": [embedding(n / 7), embedding(n * n)]} if set_tokens and n % 5 else {}),
        }
        for n in range(1, COUNT)
    ]
    documents.append({**documents[4], "external_id": "twin"})
    documents.append({"external_id": "unembedded", "content": "Nothing of interest."})
    upsert(db, documents, "small")
    return db


@pytest.fixture
def db(db: Connection) -> Connection:
    return fill(db)


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    return fill(shared_db)


def explain(db: Connection, **arguments: Any) -> dict[str, Any]:
    arguments = {"query_text": "amber cedar", "query_embedding": embedding(0.3), "collection": "small", **arguments}
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()}
    found: dict[str, Any] = db.execute(f"select braid.explain_search({named(arguments)})", values).fetchall()[0][0]
    return found


def outcome(db: Connection, external_id: str, **arguments: Any) -> dict[str, Any]:
    document: dict[str, Any] = explain(db, external_id=external_id, **arguments)["document"]
    assert document["external_id"] == external_id
    return document


def numbers(explained: dict[str, Any], row: dict[str, Any]) -> dict[str, float]:
    """Return the numbers of an explanation by the names that its formulas use."""
    fusion, spread = explained["fusion"] or {}, {**(explained["spread"] or {}), **(row["spread"] or {})}
    found: dict[str, Any] = {"fused_score": row["fused_score"], "rrf_k": fusion.get("rrf_k")}
    for leg, weight in fusion.get("weights", {}).items():
        found[f"{leg}_weight"] = weight
    for leg in ("full_text", "semantic", "sparse"):
        for name in ("rank", "normalised_score"):
            found[f"{leg}_{name}"] = (row.get(leg) or {}).get(name)
    names = ("smoothing", "neighbour_weight", "neighbours", "document_weight", "best_of_document", "nearest")
    found |= {name: spread.get(name) for name in names}
    for place, boost in enumerate(row["boosts"] or [], 1):
        found[f"boost_{place}"] = boost.get("factor", boost.get("addend"))
        found[f"weight_{place}"], found[f"signal_{place}"] = boost.get("weight"), boost.get("normalised_value")
        if "share" in boost:
            found |= {"late_interaction": boost["normalised_value"], "late_interaction_weight": boost["share"]}
    return found


BOOSTS = {
    "boosts": [
        {"importance": {}, "weight": 0.3},
        {"filter": {"speaker": "Ana"}, "factor": 1.7},
        {"importance": {"function": "log"}, "mode": "additive", "weight": 0.01},
    ]
}


SEARCHES: list[dict[str, Any]] = [
    {"fusion": "rrf", "rrf_k": 7.5, "full_text_weight": 0.3},
    {"fusion": "convex", "full_text_weight": 0.7, "semantic_weight": 0.4},
    {"fusion": "dbsf"},
    {"fusion": "max", "semantic_weight": 0.9},
    {"fusion": "max", "full_text_weight": 0.0},
    {"query_embedding": None},
    {"query_text": None},
]
SIGNALS = {"rank_by": {"similarity": 0.7, "importance": 0.2, "recency": 0.3}}


@pytest.mark.parametrize(
    "options",
    [
        {},
        BOOSTS,
        SIGNALS,
        {**SIGNALS, **BOOSTS},
        {"group_by": {"key": "speaker", "size": 3}},
        {**SIGNALS, **BOOSTS, "ranking": {"smoothing": 0.5, "neighbour_weight": 0.2, "document_weight": 0.3}},
        {"ranking": {"smoothing": 0.5, "neighbour_weight": 0.2}},
        {"ranking": {"document_weight": 0.6}},
    ],
)
@pytest.mark.parametrize("search", SEARCHES)
def test_arithmetic_gives_the_score(filled: Connection, search: dict[str, Any], options: dict[str, Any]) -> None:
    assert_arithmetic(filled, search, options)


def assert_arithmetic(filled: Connection, search: dict[str, Any], options: dict[str, Any]) -> None:
    explained = explain(filled, options=options, **search)
    arguments = {
        "query_text": "amber cedar",
        "query_embedding": embedding(0.3),
        "collection": "small",
        "options": options,
        **search,
    }
    found = filled.execute(
        f"select chunk_id, score from braid.hybrid_search({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()
    assert [(row["chunk_id"], row["score"]) for row in explained["results"]] == found
    assert len(found) > 3
    for place, row in enumerate(explained["results"], 1):
        assert row["place"] == place
        assert eval(row["arithmetic"], {"max": max}) == row["score"]
        assert eval(row["formula"], {"max": max, **numbers(explained, row)}) == row["score"], row["formula"]
        if row["full_text"] is not None:
            parts = [part["contribution"] for part in row["full_text"]["terms"]]
            assert math.fsum(parts) == pytest.approx(row["full_text"]["score"] or 0, rel=1e-12)
        changed = bool({"boosts", "rank_by", "late_interaction"} & options.keys())
        assert changed == (row["boosts"] is not None)


def test_statistics_of_a_search(filled: Connection) -> None:
    explained = explain(filled, match_count=5, min_score=0.0001, filters={"speaker": "Ana"}, candidate_count=10)
    statistics = explained["statistics"]
    assert statistics["returned_results"] == 5 == len(explained["results"])
    assert explained["legs"]["full_text"]["candidates"] == explained["legs"]["semantic"]["candidates"] == 10
    # The summary does not repeat the legs' statistics.
    keys = {"query_time_ms", "total_candidates", "fusion_method", "filtered_results", "returned_results"}
    assert set(statistics) == keys
    assert 10 <= statistics["filtered_results"] <= statistics["total_candidates"] <= 20
    assert statistics["fusion_method"] == explained["fusion"]["fusion"]
    assert statistics["query_time_ms"] >= sum(explained["timings"].values()) - 0.01
    assert [term["term"] for term in explained["query"]["terms"]] == ["amber", "cedar"]


def test_a_document_that_is_returned(filled: Connection) -> None:
    first = explain(filled)["results"][0]
    document = outcome(filled, first["external_id"])
    assert (document["outcome"], document["chunks"][0]["place"]) == ("returned", 1)
    assert document["chunks"][0]["score"] == first["score"]


@pytest.mark.parametrize(
    ("external_id", "expected", "arguments", "said"),
    [
        ("nowhere", "absent", {}, 'no document "nowhere" in collection "small"'),
        ("d5", "filtered", {"filters": {"speaker": "Bo", "year": {"$gte": 2006}}}, '{"year": {"$gte": 2006}}'),
        ("d5", "demands_not_met", {"query_text": 'amber "cedar cedar cedar"'}, "demands"),
        ("unembedded", "no_match", {}, "no embedding yet"),
        ("d38", "below_min_score", {"min_score": 0.99, "fusion": "convex"}, "min_score 0.99"),
        ("d38", "below_min_relevance", {"options": {"min_relevance": 0.99}}, "min_relevance 0.99"),
        (
            "d10",
            "below_leg_min_score",
            {"options": {"min_scores": {"full_text": 100, "semantic": 0.9999}}},
            "min_scores.full_text 100",
        ),
        ("unembedded", "no_match", {"query_text": None}, "no embedding yet"),
        (
            "d38",
            "below_leg_min_score",
            {"query_text": None, "options": {"min_scores": {"semantic": 0.9999}}},
            "below min_scores.semantic 0.9999",
        ),
        ("d38", "below_leg_min_score", {"query_text": None, "min_score": 0.999}, "below min_scores.semantic 0.999"),
        ("d39", "not_a_candidate", {"candidate_count": 3, "match_count": 3}, "in semantic"),
        ("d39", "not_shown", {"match_count": 3}, "candidates"),
        ("twin", "collapsed", {"match_count": COUNT, "options": {"collapse": True}}, '"d5", chunk 0'),
        ("d6", "collapsed", {"match_count": COUNT, "options": {"collapse": {"similarity": 0.5}}}, "vector"),
        ("d39", "grouped", {"match_count": 2, "options": {"group_by": "speaker"}}, "speaker"),
    ],
)
def test_why_a_document_is_not_found(
    filled: Connection, external_id: str, expected: str, arguments: dict[str, Any], said: str
) -> None:
    document = outcome(filled, external_id, **arguments)
    assert document["outcome"] == expected
    assert said in document["reason"]
    shown = explain(filled, **arguments)["results"]
    assert external_id not in [row["external_id"] for row in shown]


def test_ranks_of_a_document_are_those_of_the_legs(db: Connection) -> None:
    everything = explain(db, match_count=COUNT, candidate_count=100)["results"]
    few = {"candidate_count": 1, "match_count": 1}
    for row in everything[1:]:
        chunk = outcome(db, row["external_id"], **few)["chunks"][0]
        assert chunk["full_text_rank"] == (row["full_text"] or {}).get("rank")
        assert chunk["semantic_rank"] == (row["semantic"] or {}).get("rank")


def test_chunks_in_a_passage_of_another(db: Connection) -> None:
    chunks = [{"content": f"{word} cedar", "embedding": embedding(0.3)} for word in WORDS]
    upsert(db, [{"external_id": "long", "chunks": chunks}], "small")
    document = outcome(db, "long", options={"context": {"before": 20, "after": 20}})
    assert document["outcome"] == "returned"
    assert {chunk["outcome"] for chunk in document["chunks"][1:]} == {"merged"}
    assert all('"long"' in chunk["reason"] for chunk in document["chunks"][1:])


def test_prefilter_says_what_it_does_not_look_at(db: Connection) -> None:
    prefilter = {"prefilter": True}
    found = {row["external_id"] for row in explain(db, options=prefilter, match_count=100)["results"]}
    assert 3 < len(found) < COUNT
    other = next(f"d{n}" for n in range(1, COUNT) if f"d{n}" not in found)
    missed = outcome(db, other, options=prefilter)
    assert missed["outcome"] == "not_a_candidate"
    assert "prefilter ranks only chunks with these words" in missed["reason"]

    rows = explain(db, options=prefilter, match_count=100)["results"]
    low = outcome(db, rows[-1]["external_id"], options=prefilter, min_score=rows[0]["score"])
    assert low["outcome"] == "below_leg_min_score"
    assert low["reason"].startswith("Its similarity ")


def test_a_row_of_an_earlier_page_is_not_said_to_be_worse(db: Connection) -> None:
    arguments = {"query_text": "amber", "collection": "small", "match_count": 2}
    first = db.execute(
        f'select external_id, cursor from braid.hybrid_search({named(arguments)}, options => \'{{"cursor": ""}}\')',
        arguments,
    ).fetchall()
    cursor = {"cursor": first[-1][1]}
    earlier = outcome(db, first[0][0], query_text="amber", query_embedding=None, match_count=2, options=cursor)
    assert earlier["outcome"] == "not_shown"
    assert "this page shows other candidates" in earlier["reason"]


def test_the_text_names_what_scores_share(dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        documents = [{"external_id": str(number), "content": f"amber cedar {number % 3}"} for number in range(40)]
        client.add_documents(documents)
        client.embed_pending()
        told = str(client.explain_search("amber cedar", options={"ranking": {"smoothing": 0.5}}))
        plain = str(client.explain_search("amber cedar", options={"ranking": {"smoothing": 0}}))
    assert "smoothing 0.5 of nearest" in told and ") + smoothing * nearest\n" in told
    assert "smoothing" not in plain and "= full_text_weight * full_text_normalised_score + semantic_weight *" in plain
