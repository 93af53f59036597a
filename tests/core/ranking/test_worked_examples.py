"""Published examples of reciprocal ranks, weighted sums and maxima are reproduced to the digit."""

from __future__ import annotations

import math
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import hybrid, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


def load(db: Connection, documents: dict[str, tuple[str, float]], **settings: Any) -> None:
    """Write documents by name: each has a text, and a cosine with the query (1, 0)."""
    db.execute(
        "select braid.create_collection('small', dimensions => 2, embedding_model => 'test', ranking => %s)",
        (Jsonb(settings),),
    )
    upsert(
        db,
        [
            {"external_id": name, "content": text, "embedding": [cosine, math.sqrt(1 - cosine**2)]}
            for name, (text, cosine) in documents.items()
        ],
        "small",
    )


def scores(db: Connection, text: str = "apple", **arguments: Any) -> dict[str, float]:
    found = hybrid(db, query_text=text, query_embedding=vector([1, 0]), collection="small", **arguments)
    return {name: score for name, _, score in found}


# By words, the order is B, A, D; by vectors it is A, B, C.
CROSSED = {
    "A": ("apple apple b c", 1.0),
    "B": ("apple apple apple c", 0.9),
    "C": ("c d e f", 0.8),
    "D": ("apple b c d", 0.1),
}


def test_reciprocal_ranks_from_zero_tie_where_the_legs_disagree(db: Connection) -> None:
    load(db, CROSSED)
    found = scores(db, fusion="rrf", rrf_k=59, candidate_count=3)
    assert {name: round(score, 5) for name, score in found.items()} == {
        "A": 0.03306,  # this is 1/60 + 1/61
        "B": 0.03306,
        "C": 0.01613,  # this is 1/62
        "D": 0.01613,
    }
    assert list(found) == ["A", "B", "C", "D"]
    # Cormack counts ranks from 1.
    assert scores(db, fusion="rrf")["A"] == pytest.approx(1 / 61 + 1 / 62)


def test_reciprocal_ranks_without_a_constant(db: Connection) -> None:
    # X is third by words and ninth by vectors.
    texts = {f"{n}": (" ".join(["apple"] * (9 - n) + ["b"] * n), 0.5 - n / 100) for n in range(2)}
    texts["X"] = ("apple " * 6 + "b b b", 0.1)
    near = {f"v{n}": ("b c", 0.9 - n / 100) for n in range(6)}
    load(db, texts | near)
    assert scores(db, fusion="rrf", rrf_k=0)["X"] == pytest.approx(1 / 3 + 1 / 9) == pytest.approx(0.444, abs=5e-4)


def test_default_weights_are_those_of_the_fusion(db: Connection) -> None:
    load(db, CROSSED)
    absolute = Jsonb({"ranking": {"normalisation": "theoretical"}})
    assert scores(db, fusion="max", options=absolute)["A"] == 1  # it matches perfectly
    assert max(scores(db, fusion="convex", options=absolute).values()) < 1
    assert scores(db, fusion="rrf", full_text_weight=2)["A"] == pytest.approx(2 / 62 + 1 / 61)
    # A leg that the collection's weights leave out stays out.
    db.execute("select braid.set_ranking('small', '{\"semantic_weight\": 0}')")
    assert "C" not in scores(db, fusion="rrf")


def test_the_weights_of_a_collection_are_those_of_its_fusion(db: Connection) -> None:
    def weights() -> Any:
        return db.execute(
            "select fusion, full_text_weight, semantic_weight from braid.collections where name = 'small'"
        ).fetchone()

    load(db, CROSSED, fusion="rrf")
    assert weights() == ("rrf", 1, 1)
    db.execute("select braid.set_ranking('small', '{\"full_text_weight\": 3}')")
    assert scores(db, fusion="rrf")["A"] == scores(db)["A"] == pytest.approx(3 / 62 + 1 / 61)
    db.execute("select braid.set_ranking('small', '{\"fusion\": \"max\"}')")
    assert weights() == ("max", 3, 1)
    db.execute("select braid.set_ranking('small', '{\"fusion\": \"convex\"}')")
    assert weights() == ("convex", 0.6, 0.4)
    db.execute('select braid.set_ranking(\'small\', \'{"fusion": "rrf", "semantic_weight": 5}\')')
    assert weights() == ("rrf", 1, 5)
    # An application that creates its collection at each start keeps the collection's weights.
    db.execute(
        "select braid.create_collection('small', dimensions => 2, embedding_model => 'test',"
        ' ranking => \'{"fusion": "rrf"}\')'
    )


def test_weighted_scores_and_the_greater_of_two(db: Connection) -> None:
    """The similarity is .85, and BM25 is 6.5, which becomes min(6.5 / 10, 1)."""
    load(db, {"A": ("apple", 0.85), **{f"{n}": ("b", 0.0) for n in range(9)}}, b=0)
    # One of ten documents has the word, once; the query has it four times. With b = 0, BM25 is 4 idf / (1 + k1).
    idf = math.log(1 + 9.5 / 1.5)
    db.execute("select braid.set_ranking('small', jsonb_build_object('k1', %s::float8))", (4 * idf / 6.5 - 1,))
    absolute = Jsonb({"ranking": {"normalisation": "saturate"}})
    query = "apple apple apple apple"
    weighted = scores(db, query, full_text_weight=0.4, semantic_weight=0.6, options=absolute)
    assert weighted["A"] == pytest.approx(0.77, abs=1e-6)  # this is .6 * .85 + .4 * .65
    assert scores(db, query, fusion="max", options=absolute)["A"] == pytest.approx(0.85, abs=1e-6)


def test_the_factor_of_the_classic_formula(db: Connection) -> None:
    """B has "apple" three times among four words, which is the average length; three of four texts have it."""
    load(db, CROSSED)
    found = db.execute(
        "select external_id, full_text_score from braid.full_text_search('apple', collection => 'small')"
    ).fetchall()
    ours = dict(found)
    idf = math.log(1 + (4 - 3 + 0.5) / (3 + 0.5))
    assert ours["B"] == pytest.approx(idf * 3 / (3 + 1.2))
    assert round(ours["B"], 4) == 0.2548
    assert round(ours["B"] * (1.2 + 1), 4) == 0.5605  # Robertson's formula has the factor k1 + 1

    # The example divides by 10, which is 10 / (k1 + 1) here.
    options = Jsonb({"ranking": {"normalisation": "saturate", "saturate_at": 10 / 2.2}})
    weights: dict[str, Any] = {"full_text_weight": 0.4, "semantic_weight": 0.6}
    assert scores(db, options=options, **weights)["B"] == pytest.approx(0.4 * 0.05605 + 0.6 * 0.9, abs=1e-5)


def test_okapi_scores_are_classic_wherever_they_are_shown_or_compared(db: Connection) -> None:
    load(db, CROSSED)
    text = "select external_id, full_text_score from braid.full_text_search('apple', collection => 'small'"
    lucene = dict(db.execute(f"{text})").fetchall())
    db.execute("select braid.set_ranking('small', '{\"bm25_variant\": \"okapi\"}')")
    okapi = dict(db.execute(f"{text})").fetchall())
    assert list(okapi) == list(lucene) == ["B", "A", "D"]
    assert okapi == pytest.approx({name: 2.2 * score for name, score in lucene.items()}, rel=1e-14)
    assert round(okapi["B"], 4) == 0.5605

    # Scores are classic where they are compared with a threshold.
    assert [name for name, _ in db.execute(f"{text}, min_score => 0.56)").fetchall()] == ["B"]
    full_text = {"min_scores": {"full_text": 0.56, "semantic": 0.95}}
    assert set(scores(db, options=Jsonb(full_text))) == {"A", "B"}
    # Scores are classic where they are normalised.
    weights: dict[str, Any] = {"full_text_weight": 0.4, "semantic_weight": 0.6}
    saturated = scores(db, options=Jsonb({"ranking": {"normalisation": "saturate"}}), **weights)
    assert saturated["B"] == pytest.approx(0.4 * 0.05605 + 0.6 * 0.9, abs=1e-5)
    plain = scores(db, options=Jsonb({"ranking": {"normalisation": "none"}}), **weights)
    assert plain["B"] == pytest.approx(0.4 * 0.5605 + 0.6 * 0.9, abs=1e-4)
    # Scores are classic where statistics come from the filter's matches.
    scoped = {"ranking": {"statistics_scope": "filter"}}
    inside = db.execute(
        f"{text}, filters => %s, options => %s)", (Jsonb({"external_id": {"$in": ["B", "C"]}}), Jsonb(scoped))
    ).fetchall()
    assert dict(inside) == {"B": pytest.approx(math.log(1 + 1.5 / 1.5) * 3 / 4.2 * 2.2)}

    # Scores are classic where they are explained: to the last bit, with the formula's idf.
    explained = db.execute(
        "select r.external_id, sum(e.contribution), min(e.idf)"
        " from braid.full_text_search('apple', collection => 'small') r,"
        " braid.explain_score('apple', array[r.chunk_id], collection => 'small') e group by 1"
    ).fetchall()
    assert {name: total for name, total, _ in explained} == okapi
    assert [idf for _, _, idf in explained] == pytest.approx([math.log(1 + 1.5 / 3.5)] * 3, rel=1e-15)


def test_okapi_changes_neither_the_index_nor_what_is_relevant(db: Connection) -> None:
    load(db, CROSSED)
    index = "select md5(string_agg(p::text, '' order by p::text)) from braid_store.postings p"
    before = db.execute(index).fetchone()
    relevant = [scores(db, "apple quokka", options=Jsonb({"min_relevance": least / 20})) for least in range(21)]
    db.execute("select braid.set_ranking('small', '{\"bm25_variant\": \"okapi\"}')")
    assert not db.execute("select from braid_store.due_collections").fetchall()
    maintained = db.execute("select braid.maintain()").fetchone()
    assert maintained and db.execute(index).fetchone() == before
    okapi = [scores(db, "apple quokka", options=Jsonb({"min_relevance": least / 20})) for least in range(21)]
    assert [list(found) for found in okapi] == [list(found) for found in relevant]
    assert len({len(found) for found in okapi}) > 2


def test_a_collection_is_made_with_okapi(db: Connection) -> None:
    load(db, CROSSED, bm25_variant="okapi", k1=2)
    kept = "select bm25_variant from braid.collections where name = 'small'"
    assert db.execute(kept).fetchone() == ("okapi",)
    # With k1 = 2 and b without effect, the score is 3 / (3 + 2) x 3.
    assert db.execute(
        "select full_text_score from braid.full_text_search('apple', 1, collection => 'small')"
    ).fetchone() == (pytest.approx(math.log(1 + 1.5 / 3.5) * 3 / 5 * 3),)
    db.execute("select braid.set_ranking('small', '{\"preset\": \"conversation\"}')")
    assert db.execute(kept).fetchone() == ("okapi",)
    for call in (
        "select braid.create_collection('small', dimensions => 2, embedding_model => 'test', "
        "ranking => '{\"k1\": 1.2}')",
        "select braid.set_ranking('small', '{\"bm25_variant\": \"atire\"}')",
        "select braid.create_collection('other', ranking => '{\"bm25_variant\": null}')",
    ):
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            db.execute(call)


def test_where_saturation_begins(db: Connection) -> None:
    load(db, CROSSED)
    absolute = {"ranking": {"normalisation": {"full_text": "saturate", "semantic": "none"}}}
    text: dict[str, Any] = {"full_text_weight": 1, "semantic_weight": 0}
    ten = scores(db, options=Jsonb(absolute), **text)
    assert ten["B"] == pytest.approx(0.02548, abs=1e-5)
    assert scores(db, options=Jsonb({"ranking": {**absolute["ranking"], "saturate_at": 10}}), **text) == ten
    five = scores(db, options=Jsonb({"ranking": {**absolute["ranking"], "saturate_at": 5}}), **text)
    assert five["B"] == pytest.approx(2 * ten["B"])
    low = scores(db, options=Jsonb({"ranking": {**absolute["ranking"], "saturate_at": 0.25}}), **text)
    assert (low["B"], low["D"] < 1) == (1, True)
    # The similarity is not divided.
    near = scores(
        db,
        options=Jsonb({"ranking": {**absolute["ranking"], "saturate_at": 0.25}}),
        full_text_weight=0,
        semantic_weight=1,
    )
    assert near["B"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({"ranking": {"normalisation": "saturate", "saturate_at": 0}}, {}),
        ({"ranking": {"normalisation": "saturate", "saturate_at": "10"}}, {}),
        ({"ranking": {"normalisation": "saturate", "saturate_at": 1e10}}, {}),
        ({"ranking": {"saturate_at": 10}}, {}),
        ({"ranking": {"normalisation": {"semantic": "saturate"}, "saturate_at": 10}}, {}),
        ({"ranking": {"saturate_at": 10}}, {"fusion": "rrf"}),
    ],
)
def test_where_saturation_cannot_begin(db: Connection, options: Any, arguments: dict[str, Any]) -> None:
    load(db, CROSSED)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        scores(db, options=Jsonb(options), **arguments)
    assert "saturate_at is" in (raised.value.diag.message_primary or "")
    assert raised.value.diag.message_hint


def test_one_setting_makes_a_collection_rank_by_reciprocal_ranks(db: Connection) -> None:
    settings = "select fusion, rrf_k, full_text_weight, semantic_weight from braid.collections where name = 'own'"
    db.execute(
        "select braid.create_collection('own', dimensions => 2, embedding_model => 'm',"
        ' ranking => \'{"preset": "rrf"}\')'
    )
    assert db.execute(settings).fetchone() == ("rrf", 60, 1, 1)
    documents = [
        {"external_id": "a", "content": "wolf wolf", "embedding": [0.5, 1]},
        {"external_id": "b", "content": "wolf and a hen", "embedding": [1, 0]},
    ]
    db.execute("select braid.upsert_documents(%s, collection => 'own')", (Jsonb(documents),))
    search = "select external_id, score from braid.hybrid_search('wolf', '[0,1]', collection => 'own')"
    assert db.execute(search).fetchall() == [("a", 1 / 61 + 1 / 61), ("b", 1 / 62 + 1 / 62)]
    # Given settings win over the preset, and another preset does not change the fusion.
    db.execute('select braid.set_ranking(\'own\', \'{"preset": "rrf", "rrf_k": 0}\')')
    assert db.execute(search).fetchall() == [("a", 2.0), ("b", 1.0)]
    db.execute("select braid.set_ranking('own', '{\"fusion\": \"convex\"}')")
    assert db.execute(settings).fetchone() == ("convex", 0, 0.6, 0.4)
    db.execute("select braid.set_ranking('own', '{\"preset\": \"rrf\"}')")
    assert db.execute(settings).fetchone() == ("rrf", 60, 1, 1)
    db.execute(
        "select braid.create_collection('own', dimensions => 2, embedding_model => 'm',"
        ' ranking => \'{"preset": "rrf"}\')'
    )
    with pytest.raises(psycopg.Error) as raised:
        db.execute('select braid.create_collection(\'other\', ranking => \'{"fusion": "max", "preset": "rrf"}\')')
    assert raised.value.sqlstate == "22023" and raised.value.diag.message_hint
