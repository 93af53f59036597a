"""A search reads more candidates where thresholds or boosts need them, and no more where they cannot help."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import named, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
EACH = 130


@pytest.fixture
def filled(db: Connection) -> Connection:
    """Fill documents: `word` ones are best by words, `near` ones by embedding, and `both` ones come behind them in
    both legs."""
    db.execute(
        "select braid.create_collection('small', dimensions => 2, embedding_model => 'test', "
        'ranking => \'{"fusion": "rrf"}\')'
    )
    documents: list[dict[str, Any]] = [
        {
            "external_id": f"{kind}{number:03}",
            "content": f"{words} {'filler ' * (number if kind == 'word' else 150 + number)}",
            "chunks": None,
            "embedding": [1.0, angle + number / 1000],
            "category": kind,
        }
        for kind, words, angle in (("word", "amber", 5.0), ("near", "basket", 0.0), ("both", "amber", 1.0))
        for number in range(EACH)
    ]
    for document in documents:
        document["chunks"] = [{"content": document.pop("content"), "embedding": document.pop("embedding")}]
    upsert(db, documents, "small")
    return db


def search(db: Connection, **arguments: Any) -> dict[str, Any]:
    arguments = {"query_text": "amber", "query_embedding": vector([1, 0]), "collection": "small", **arguments}
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()}
    row = db.execute(f"select braid.search_json({named(values)})", values).fetchone()
    assert row is not None
    answer: dict[str, Any] = row[0]
    return answer


def names(answer: dict[str, Any]) -> list[str]:
    return [row["external_id"] for row in answer["results"]]


def codes(answer: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in answer["warnings"]]


# One leg alone gives at most 1/10001; both together give nearly twice this score.
BOTH_LEGS = {"rrf_k": 10_000.0, "min_score": 1.5e-4, "match_count": 30}


def test_a_threshold_fetches_more(filled: Connection) -> None:
    deep = search(filled, **BOTH_LEGS, candidate_count=3 * EACH)
    assert len(deep["results"]) == 30
    found = search(filled, **BOTH_LEGS)
    assert names(found) == names(deep)
    assert found["stats"]["candidate_count"] == 480
    assert found["stats"]["underfilled"] is False


def test_a_candidate_count_that_is_given_stays(filled: Connection) -> None:
    found = search(filled, **BOTH_LEGS, candidate_count=120)
    assert names(found) == []
    assert found["stats"]["candidate_count"] == 120
    assert found["stats"]["underfilled"] is True
    assert codes(found) == ["underfilled"]


@pytest.mark.parametrize(
    "asked", [{"query_embedding": None}, {"query_text": None}, {"options": {"prefilter": True}}], ids=str
)
def test_fewer_candidates_than_rows_are_told_of(filled: Connection, asked: dict[str, Any]) -> None:
    found = search(filled, **asked, candidate_count=5, match_count=20)
    assert len(found["results"]) == found["stats"]["candidate_count"] == 20
    (message,) = [w["message"] for w in found["warnings"] if w["code"] == "candidate_count_raised"]
    assert message == "candidate_count 5 is below match_count, so 20 candidates were used."
    for arguments in ({"candidate_count": 20}, {"candidate_count": 30}, {}):
        assert "candidate_count_raised" not in codes(search(filled, **asked, **arguments, match_count=20))


def test_fewer_candidates_than_rows_stay_so_in_a_hybrid_search(filled: Connection) -> None:
    found = search(filled, candidate_count=5, match_count=20)
    assert len(found["results"]) == 10 and found["stats"]["candidate_count"] == 5
    assert codes(found) == ["underfilled"]


@pytest.mark.parametrize("fusion", ["rrf", "convex", "max", "dbsf"])
def test_a_threshold_that_nothing_reaches_fetches_no_more(filled: Connection, fusion: str) -> None:
    found = search(filled, fusion=fusion, min_score=5.0, match_count=30)
    assert names(found) == []
    assert found["stats"]["candidate_count"] == 120
    assert found["stats"]["underfilled"] is False


def test_the_fewest_candidates_that_do(filled: Connection) -> None:
    for match_count, expected in ((1, 100), (25, 100), (30, 120)):
        found = search(filled, match_count=match_count)
        assert (len(found["results"]), found["stats"]["candidate_count"]) == (match_count, expected)
    # A single leg in its own order needs no more candidates than rows.
    for leg in ({"query_embedding": None}, {"query_text": None}):
        assert search(filled, **leg)["stats"]["candidate_count"] == 10


@pytest.mark.parametrize("leg", [{"query_embedding": None}, {"query_text": None}])
def test_a_boost_reorders_more_than_what_is_returned(filled: Connection, leg: dict[str, Any]) -> None:
    plain = search(filled, match_count=90, **leg)
    chosen = names(plain)[80]
    boost = {"filter": {"external_id": chosen}, "factor": 1000}
    boosted = search(filled, match_count=5, options={"boosts": [boost]}, **leg)
    assert names(boosted) == [chosen, *names(plain)[:4]]
    assert boosted["stats"]["candidate_count"] == 100
    best = boosted["results"][0]
    assert best["boosts"] == [{"signal": "filter", "value": 1000, "factor": 1000}]
    assert best["score"] == best["fused_score"] * 1000
    second = boosted["results"][1]
    assert second["boosts"] == [{"signal": "filter", "value": None, "factor": 1}]
    assert second["score"] == second["fused_score"]


def test_thresholds_come_before_boosts(filled: Connection) -> None:
    plain = search(filled, match_count=20, fusion="convex", options={"ranking": {"smoothing": 0}})
    least = plain["results"][9]["score"]
    halved = search(
        filled,
        match_count=10,
        fusion="convex",
        min_score=least,
        options={"boosts": [{"filter": {"category": {"$exists": True}}, "factor": 0.5}], "ranking": {"smoothing": 0}},
    )
    assert names(halved) == names(plain)[:10]
    assert [row["score"] for row in halved["results"]] == [row["score"] * 0.5 for row in plain["results"][:10]]


def test_missing_groups_do_not_rank_everything(filled: Connection) -> None:
    """Fewer groups than requested do not make a search rank everything: with less than ten categories, it stops at
    some depth and says so."""
    documents = [
        {"external_id": f"more{number}", "chunks": [{"content": "amber"} for _ in range(2100)], "category": "word"}
        for number in range(6)
    ]
    upsert(filled, documents, "small")
    grouped = search(filled, query_embedding=None, options={"group_by": "category"})
    assert grouped["stats"]["candidate_count"] == 10_000
    assert codes(grouped) == ["underfilled"]
    compared = search(filled, query_embedding=None, options={"group_by": "category", "collapse": {"similarity": 0.97}})
    assert compared["stats"]["candidate_count"] == 2000


def test_rows_do_not_depend_on_statistics(db: Connection) -> None:
    """Rows do not depend on statistics: a chunk that no leg has found yet may have no embedding, and counts as of
    average similarity."""
    db.execute("select braid.create_collection('half', dimensions => 2, embedding_model => 'test')")
    words = " ".join(f"w{number}" for number in range(20))
    documents: list[dict[str, Any]] = [
        {
            "external_id": f"d{number}",
            "chunks": [{"content": f"alpha {words}", "embedding": [1.0 if number < 50 else -1.0, number / 100_000]}],
        }
        for number in range(500)
    ]
    longer = [{"content": f"alpha {words} more"}]
    documents += [{"external_id": f"e{number}", "chunks": longer} for number in range(1500)]
    upsert(db, documents, "half")
    arguments = {
        "query_text": "alpha",
        "query_embedding": vector([1, 0]),
        "match_count": 100,
        "min_score": 0.605,
        "options": Jsonb({"ranking": {"normalisation": "theoretical"}}),
        "collection": "half",
    }
    rows = db.execute(f"select external_id from braid.hybrid_search({named(arguments)})", arguments).fetchall()
    reported = search(db, **{**arguments, "options": {"ranking": {"normalisation": "theoretical"}}})
    assert [external_id for (external_id,) in rows] == names(reported)
    assert len(rows) == 100
