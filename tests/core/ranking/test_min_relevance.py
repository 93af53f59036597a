"""With the option min_relevance, a document that has nothing to do with the query is not found."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import hybrid, upsert, vector
from support.judged import Judged, load_judged
from support.loading import load
from support.vectors import cached_vectors

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


@pytest.fixture
def filled(db: Connection) -> Connection:
    """Fill a collection whose cosines with the query (1, 0, 0) are known, with a mean of 0.1."""
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    cosines = {"near": 0.6, "words": 0.1, "both": 0.5, "far": 0.1, "against": -0.8}
    texts = {"words": "price per seat", "both": "price of a seat"}
    upsert(
        db,
        [
            {
                "external_id": name,
                "content": texts.get(name, "other things"),
                "embedding": [cosine, math.sqrt(1 - cosine**2), 0],
            }
            for name, cosine in cosines.items()
        ],
        "small",
    )
    return db


def found(db: Connection, text: str | None, relevance: object, **arguments: Any) -> set[str]:
    rows = hybrid(
        db,
        query_text=text,
        query_embedding=vector([1, 0, 0]),
        collection="small",
        options=Jsonb({"min_relevance": relevance}),
        **arguments,
    )
    return {name for name, _, _ in rows}


def test_a_hit_stands_out_by_similarity_or_has_the_words(filled: Connection) -> None:
    assert found(filled, "seat price", "auto") == {"near", "words", "both"}
    assert found(filled, "seat price", 0.6) == {"both"}
    assert found(filled, "seat price", None) == {"near", "words", "both", "far", "against"}
    # With a vector alone, relevance is (0.6 - 0.1) / (1 - 0.1) and (0.5 - 0.1) / (1 - 0.1).
    assert found(filled, None, "auto") == {"near", "both"}
    assert found(filled, None, 0.5) == {"near"}


def test_a_word_that_no_text_has_is_missed(filled: Connection) -> None:
    assert "words" in found(filled, "seat price", 0.45)
    assert "words" not in found(filled, "seat price wombat quokka", 0.45)


def test_full_text_alone_keeps_what_it_finds(filled: Connection) -> None:
    rows = hybrid(filled, query_text="seat wombat", collection="small", options=Jsonb({"min_relevance": 1}))
    assert {name for name, _, _ in rows} == {"words", "both"}


def test_no_more_candidates_are_asked_for_once_something_was_left_out(filled: Connection) -> None:
    row = filled.execute(
        "select braid.search_json(null, %s::vector, 3, collection => 'small', options => %s)",
        (vector([1, 0, 0]), Jsonb({"min_relevance": "auto"})),
    ).fetchone()
    assert row and row[0]["stats"]["candidate_count"] == 3
    assert (row[0]["stats"]["fusion_method"], row[0]["stats"]["returned_results"]) == (None, 2)
    assert not row[0]["stats"]["underfilled"]


def test_the_relevance_of_each_row_is_in_the_stats(filled: Connection) -> None:
    def told(**arguments: Any) -> dict[str, float]:
        names = ", ".join(f"{name} => %({name})s" for name in arguments)
        row = filled.execute(
            f"select braid.search_json(collection => 'small', match_count => 10, {names})", arguments
        ).fetchone()
        assert row
        rows = [found["external_id"] for found in row[0]["results"]]
        return dict(zip(rows, row[0]["stats"].get("relevance", []), strict=False))

    asked = {"query_text": "seat price", "query_embedding": vector([1, 0, 0])}
    all_rows = told(**asked, options=Jsonb({"min_relevance": 0}))
    near = {"near": 5 / 9, "both": 4 / 9, "words": 0.0, "far": 0.0, "against": -1.0}
    words = {"both": 1.0, "words": 1.0}
    expected = {name: max(share, (share + words.get(name, 0)) / 2, 0) for name, share in near.items()}
    assert all_rows == pytest.approx(expected, abs=1e-6)
    for least in (0.3, 0.5):
        kept = told(**asked, options=Jsonb({"min_relevance": least}))
        assert kept == {name: share for name, share in all_rows.items() if share >= least}
    # Without a query vector, the words determine the relevance.
    assert told(query_text="seat wombat seat", options=Jsonb({"min_relevance": 0})).keys() == {"words", "both"}
    assert told(query_text="seat price", options=Jsonb({"min_relevance": 0})) == pytest.approx(words)
    assert told(**asked, options=Jsonb({})) == {}


@pytest.mark.parametrize("has_best", [False, True])
def test_more_candidates_are_asked_for_while_those_that_reach_min_score_are_relevant(
    db: Connection, has_best: bool
) -> None:
    """A search asks for more candidates while the candidates that reach min_score are relevant. Each leg's first
    candidates are not in the other leg, so they stay below min_score. Documents that both legs rank slightly lower
    come later. At most the best document is among the first candidates."""
    db.execute("select braid.create_collection('small', dimensions => 2, embedding_model => 'test')")
    kinds = {"text": ("amber " * 8, 0.0, 110), "near": ("stone", 1.0, 110), "both": ("amber amber basket", 0.9, 3)}
    if has_best:
        kinds["best"] = ("amber " * 8, 1.0, 1)
    upsert(
        db,
        [
            {"external_id": f"{kind}{n}", "content": text, "embedding": [cosine, math.sqrt(1 - cosine**2)]}
            for kind, (text, cosine, count) in kinds.items()
            for n in range(count)
        ],
        "small",
    )
    row = db.execute(
        "select braid.search_json('amber', %s::vector, 4, collection => 'small', min_score => 0.7, options => %s)",
        (vector([1, 0]), Jsonb({"min_relevance": "auto", "ranking": {"smoothing": 0}})),
    ).fetchone()
    assert row
    expected = ["best0"] * has_best + ["both0", "both1", "both2"]
    assert [found["external_id"] for found in row[0]["results"]] == expected
    assert row[0]["stats"]["candidate_count"] > 100


@pytest.mark.parametrize("wrong", [-0.1, 1.1, "most", True, []])
def test_another_value_is_refused(filled: Connection, wrong: object) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="option min_relevance is"):
        found(filled, "seat", wrong)


def test_a_vector_equal_to_all_others_is_a_hit(db: Connection) -> None:
    """A vector equal to all others is found, although the mean is as near as the nearest."""
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    upsert(db, [{"external_id": name, "content": name, "embedding": [1, 0, 0]} for name in "ab"], "small")
    assert found(db, None, "auto") == found(db, None, 0) == {"a", "b"}


def test_long_vectors_with_inner_products(db: Connection) -> None:
    """Long vectors can have a mean inner product above the query's product with itself, 1."""
    db.execute(
        "select braid.create_collection('small', dimensions => 3, embedding_model => 'test',"
        " distance => 'inner_product')"
    )
    products = {"best": 1.9, "good": 1.8, "worse": 1.2, "worst": 1.1}
    upsert(
        db,
        [{"external_id": name, "content": "x", "embedding": [of, 0.5, 0]} for name, of in products.items()],
        "small",
    )
    assert found(db, None, "auto") == {"best", "good"}


# Relevances of these texts to the vector (1, 0), whose mean similarity in the collection is 0.
SHARES = {"best": 0.6, "good": 0.4, "fair": 0.34, "related": 0.2, "weak": 0.1}
BEST_ROW, EACH_ROW = "below 0.335, which min_relevance auto asks of it", "below 0.15, which min_relevance auto asks of"


@pytest.fixture
def shares(db: Connection) -> Connection:
    db.execute("select braid.create_collection('small', dimensions => 2, embedding_model => 'test')")
    opposite = {f"opposite {name}": -share for name, share in SHARES.items()}
    upsert(
        db,
        [
            {
                "external_id": name,
                "content": name,
                "embedding": [share, math.sqrt(1 - share**2)],
                "metadata": {"name": name},
                "importance": 1 if name == "related" else 0,
            }
            for name, share in {**SHARES, **opposite}.items()
        ],
        "small",
    )
    return db


def asked(db: Connection, count: int = 10, names: list[str] | None = None, **options: Any) -> dict[str, Any]:
    filters = None if names is None else Jsonb({"name": {"$in": names}})
    row = db.execute(
        "select braid.search_json(null, %s::vector, %s, collection => 'small', filters => %s, options => %s)",
        (vector([1, 0]), count, filters, Jsonb({"min_relevance": "auto", **options})),
    ).fetchone()
    assert row
    answer: dict[str, Any] = row[0]
    return answer


def names_of(answer: dict[str, Any]) -> list[str]:
    return [found["external_id"] for found in answer["results"]]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["best", "related", "weak"], ["best", "related"]),
        (["fair", "related", "weak"], ["fair", "related"]),
        (["related", "weak"], []),
        (["weak"], []),
    ],
)
def test_auto_judges_by_the_best_row_of_the_filter(shares: Connection, names: list[str], expected: list[str]) -> None:
    answer = asked(shares, names=names)
    assert names_of(answer) == expected
    assert answer["stats"]["best_relevance"] == pytest.approx(max(SHARES[name] for name in names), abs=1e-6)
    by_number = asked(shares, names=names, min_relevance=0.15)
    assert names_of(by_number) == [name for name in names if SHARES[name] >= 0.15]


@pytest.mark.parametrize("call", ["semantic_search", "hybrid_search"])
def test_auto_holds_for_vectors_alone(shares: Connection, call: str) -> None:
    vector_at = "null, " if call == "hybrid_search" else ""
    for names, expected in ((["best", "related", "weak"], {"best", "related"}), (["related", "weak"], set())):
        rows = shares.execute(
            f"select external_id from braid.{call}({vector_at}%s::vector, collection => 'small', filters => %s,"
            " options => %s)",
            (vector([1, 0]), Jsonb({"name": {"$in": names}}), Jsonb({"min_relevance": "auto"})),
        ).fetchall()
        assert {name for (name,) in rows} == expected


def test_each_page_judges_by_the_best_row_of_all(shares: Connection) -> None:
    found, cursor = [], ""
    while cursor is not None:
        answer = asked(shares, count=1, cursor=cursor)
        found += names_of(answer)
        cursor = answer["stats"]["next_cursor"]
    # The row "related" is alone on its page, and its relevance is below the limit of the best row.
    assert found == ["best", "good", "fair", "related"]


@pytest.mark.parametrize(
    "options", [{"group_by": "name"}, {"boosts": [{"importance": {}, "weight": 5}]}, {"rank_by": ["importance"]}]
)
def test_order_and_groups_leave_the_best_row_as_it_is(shares: Connection, options: dict[str, Any]) -> None:
    assert set(names_of(asked(shares, **options))) == {"best", "good", "fair", "related"}
    assert names_of(asked(shares, names=["related", "weak"], **options)) == []


@pytest.mark.parametrize(
    ("names", "relevance", "said"),
    [
        (["best", "weak"], "auto", EACH_ROW),
        (["related", "weak"], "auto", BEST_ROW),
        (["best", "weak"], 0.15, "below min_relevance 0.15"),
    ],
)
def test_the_explanation_names_the_limit(shares: Connection, names: list[str], relevance: object, said: str) -> None:
    row = shares.execute(
        "select braid.explain_search(null, %s::vector, collection => 'small', filters => %s, options => %s,"
        " external_id => 'weak')",
        (vector([1, 0]), Jsonb({"name": {"$in": names}}), Jsonb({"min_relevance": relevance})),
    ).fetchone()
    assert row
    (chunk,) = row[0]["document"]["chunks"]
    assert chunk["outcome"] == "below_min_relevance"
    assert said in chunk["reason"]


def test_questions_that_no_text_answers_find_nothing(db: Connection, shared_data: Path) -> None:
    """With auto, 90 % of another collection's questions find nothing, and at most one of the collection's own."""
    xquad = english(load_judged(shared_data / "xquad"))
    answerable = xquad.queries[:: len(xquad.queries) // 50][:50]
    unanswerable = load_judged(shared_data / "cranfield").queries[:50]
    load(db, xquad, cached_vectors(xquad.embedded_texts))

    def empty(queries: list[str]) -> int:
        options = Jsonb({"min_relevance": "auto", "operators": False})
        embeddings = cached_vectors(queries)
        return sum(
            not hybrid(db, query_text=text, query_embedding=vector(embedding), options=options)
            for text, embedding in zip(queries, embeddings, strict=True)
        )

    assert empty(answerable) <= 1
    assert empty(unanswerable) >= 45


def english(judged: Judged) -> Judged:
    texts = [n for n, name in enumerate(judged.document_ids) if name.startswith("en-")]
    asked = [n for n, name in enumerate(judged.query_ids) if name.startswith("en-")]
    return replace(
        judged,
        document_ids=[judged.document_ids[n] for n in texts],
        titles=[judged.titles[n] for n in texts],
        contents=[judged.contents[n] for n in texts],
        query_ids=[judged.query_ids[n] for n in asked],
        queries=[judged.queries[n] for n in asked],
    )
