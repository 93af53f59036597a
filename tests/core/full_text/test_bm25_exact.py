"""Scores are exactly BM25's, compared with bm25s and with the model in support.bm25_model."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import bm25s
import numpy as np
import psycopg
import pytest
from psycopg import errors

from support.bm25_model import Bm25Model, Tokenizer, approximately, stored_chunks
from support.calls import full_text, set_tenant, upsert

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]

# The words include no stop words and no compounds, and no two share a stem.
WORDS = [
    "amber",
    "basket",
    "candle",
    "dolphin",
    "ember",
    "forest",
    "garden",
    "harbor",
    "island",
    "jungle",
    "kettle",
    "lantern",
    "marble",
    "nectar",
    "orchid",
    "pepper",
    "quartz",
    "river",
    "saddle",
    "timber",
    "umbrella",
    "velvet",
    "willow",
    "yellow",
    "zebra",
]


def random_text(rng: random.Random, longest: int = 40) -> str:
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    return " ".join(rng.choices(WORDS, weights, k=rng.randint(1, longest)))


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 0.0), (0.0, 1.0)])
def test_scores_equal_bm25s(db: Connection, k1: float, b: float) -> None:
    rng = random.Random(f"{k1}/{b}")
    db.execute(
        "select braid.create_collection('plain', ranking => jsonb_build_object('k1', %s::float8, 'b', %s::float8))",
        (k1, b),
    )
    texts = [random_text(rng) for _ in range(300)]
    # There are several segments; replaced and deleted documents leave no trace in the scores.
    upsert(db, [{"external_id": f"d{i}", "content": random_text(rng)} for i in range(0, 300, 3)], "plain")
    upsert(db, [{"external_id": f"gone{i}", "content": random_text(rng)} for i in range(40)], "plain")
    for start in range(0, 300, 60):
        batch = range(start, start + 60)
        upsert(db, [{"external_id": f"d{i}", "content": texts[i]} for i in batch], "plain")
    db.execute("select braid.delete_document('gone' || n, 'plain') from generate_series(0, 39) n")

    retriever = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    retriever.index([text.split() for text in texts], show_progress=False)
    queries = [" ".join(rng.choices(WORDS, k=rng.randint(1, 8))) for _ in range(40)]
    queries.append("river river river zebra")
    assert max(max(Counter(query.split()).values()) for query in queries) >= 3
    for query in queries:
        expected = retriever.get_scores(query.split())
        found = {external_id: score for external_id, _, score in full_text(db, query, collection="plain")}
        assert found.keys() == {f"d{i}" for i in np.flatnonzero(expected)}
        for external_id, score in found.items():
            assert score == pytest.approx(expected[int(external_id[1:])], abs=1e-6)


@pytest.mark.usefixtures("dsn")
def test_ties_are_in_the_order_of_external_id_whatever_the_plan(db: Connection) -> None:
    """Ties come in the order of external_id under every plan. Sums are added in a fixed order, so texts with equal
    counts have scores that are equal to the last bit."""
    rng = random.Random(7)
    # The addends differ, so another order of the sum would round differently.
    words = [word for times, word in enumerate(WORDS[:8], 1) for _ in range(times)]
    for batch in range(5):
        documents = [{"external_id": f"x{batch}", "content": WORDS[batch]}]
        for number in range(200):
            rng.shuffle(words)
            documents.append({"external_id": f"{batch}-{number:03}", "content": " ".join(words)})
        upsert(db, documents)
    in_order = sorted(f"{batch}-{number:03}" for batch in range(5) for number in range(200))
    for setting in ("enable_hashagg", "enable_sort", "enable_nestloop", "enable_hashjoin"):
        db.execute(f"set {setting} = off")
        hits = full_text(db, " ".join(WORDS[:8]), match="all")
        assert [external_id for external_id, _, _ in hits] == in_order, setting
        assert len({score for _, _, score in hits}) == 1, setting
        best = full_text(db, " ".join(WORDS[:8]), match_count=7)
        assert [external_id for external_id, _, _ in best] == in_order[:7], setting
        db.execute("reset all")
    # Each match_count gives another threshold, and some thresholds lie between nearly equal bounds.
    for match_count in (*range(1, 60), 120, 400):
        best = full_text(db, " ".join(WORDS[:8]), match_count=match_count)
        assert [external_id for external_id, _, _ in best] == in_order[:match_count], match_count


@pytest.mark.parametrize("title_weight", [0.0, 1.0, 2.5])
def test_titles_and_speakers(db: Connection, title_weight: float) -> None:
    rng = random.Random(title_weight)
    db.execute(
        "select braid.create_collection('titled', ranking => jsonb_build_object('title_weight', %s::float8))",
        (title_weight,),
    )
    upsert(
        db,
        [
            {
                "external_id": f"d{number}",
                "title": rng.choice([None, random_text(rng, 6)]),
                "speaker": rng.choice([None, "Amber Rivers"]),
                "content": random_text(rng),
            }
            for number in range(120)
        ],
        "titled",
    )
    model = Bm25Model(stored_chunks(db, collection="titled"), Tokenizer(db), title_weight=title_weight)
    for query in ("amber", "river amber", *(random_text(rng, 5) for _ in range(20))):
        for match in ("any", "all", "75%"):
            expected = model.search(query, match)
            assert full_text(db, query, match=match, collection="titled") == approximately(expected)


@pytest.mark.parametrize(
    "query",
    [
        "the who",
        "The",
        "ORA-00942 ora",
        "foo_bar fooBar foo bar",
        "re-entry entry re-entry",
        "東京都 京都",
        "東",
        "naïve café NAIVE",
        "v17.2.1 17.2 17",
        "https://example.org/src/main.py main",
        "🎸 leeds",
    ],
)
def test_tokens_of_every_kind(db: Connection, query: str) -> None:
    texts = [
        "The Who played at Leeds 🎸 and the crowd was loud",
        "who is the one that is not the",
        "error ORA-00942: table or view does not exist, ora ora",
        "fooBar calls foo_bar, foo.bar and foo-bar, never foo bar",
        "re-entry of a capsule: entry and reentry",
        "東京都に住んでいる。京都ではない。東",
        "Naïve naive café cafe",
        "version 17.2.1 comes after 17.2 and 17",
        "see https://example.org/src/main.py or main.py",
    ]
    upsert(db, [{"external_id": f"d{number}", "content": text} for number, text in enumerate(texts)])
    model = Bm25Model(stored_chunks(db), Tokenizer(db))
    for match in ("any", "all", "50%"):
        expected = model.search(query, match)
        assert expected or match != "any"
        assert full_text(db, query, match=match) == approximately(expected)


@pytest.mark.usefixtures("dsn")
def test_another_tenants_documents_change_no_score(db: Connection) -> None:
    rng = random.Random(3)
    db.execute("select braid.create_tenant('other')")
    upsert(db, [{"external_id": f"d{number}", "content": random_text(rng)} for number in range(30)])
    before = full_text(db, "river zebra amber")
    assert before
    set_tenant(db, "other")
    assert full_text(db, "river zebra amber") == []
    upsert(db, [{"external_id": f"d{number}", "content": "river zebra " * 3} for number in range(50)])
    assert len(full_text(db, "river")) == 50
    set_tenant(db, "default")
    assert full_text(db, "river zebra amber") == before


def test_another_collections_documents_change_no_score(db: Connection) -> None:
    rng = random.Random(4)
    db.execute("select braid.create_collection('other')")
    upsert(db, [{"external_id": f"d{number}", "content": random_text(rng)} for number in range(30)])
    before = full_text(db, "river zebra amber")
    upsert(db, [{"external_id": f"d{number}", "content": "river zebra"} for number in range(50)], "other")
    assert full_text(db, "river zebra amber") == before


def test_a_query_of_a_hundred_words_finds_the_text_that_has_them_all(db: Connection) -> None:
    """A query of a hundred words finds the text that has all of them. Only the 64 most selective terms are searched;
    the other terms do not affect the score."""
    words = [f"word{chr(97 + number // 10)}{chr(97 + number % 10)}" for number in range(100)]
    upsert(db, [{"external_id": "all", "chunks": [{"content": " ".join(words)}]}])
    # The last words are the most common, so that the terms kept are not simply the first 64.
    upsert(
        db,
        [{"external_id": f"d{number}", "content": " ".join(words[number % 7 :: 3])} for number in range(20)],
    )
    model = Bm25Model(stored_chunks(db), Tokenizer(db))
    query = " ".join(words)
    for match in ("all", "any", "60%"):
        expected = model.search(query, match)
        assert expected[0].external_id == "all"
        assert full_text(db, query, match=match) == approximately(expected)


def test_reads_its_own_writes(db: Connection, dsn: str) -> None:
    upsert(db, [{"external_id": "a", "content": "amber"}, {"external_id": "b", "content": "basket amber"}])
    tokenizer = Tokenizer(db)
    with db.transaction(force_rollback=True):
        upsert(db, [{"external_id": "a", "content": "candle"}, {"external_id": "c", "content": "amber river"}])
        db.execute("select braid.delete_document('b')")
        model = Bm25Model(stored_chunks(db), tokenizer)
        for query in ("amber", "candle amber", "basket"):
            assert [tuple(hit) for hit in model.search(query)] == full_text(db, query)
        assert [hit[0] for hit in full_text(db, "amber")] == ["c"]
        with psycopg.connect(dsn, autocommit=True) as other:
            assert [hit[0] for hit in full_text(other, "amber")] == ["a", "b"]
    assert [hit[0] for hit in full_text(db, "amber")] == ["a", "b"]


def test_an_old_snapshot_stays_exact_across_a_merge(db: Connection, dsn: str) -> None:
    for number in range(20):
        upsert(db, [{"external_id": f"d{number}", "content": f"amber {WORDS[number]} river"}])
    db.execute("select braid.delete_document('d3')")
    with psycopg.connect(dsn) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        before = full_text(reader, "amber dolphin")
        assert len(before) == 19
        db.execute("select braid.clear_collection()")
        upsert(db, [{"external_id": f"n{number}", "content": "amber"} for number in range(9)])
        db.execute("select braid.delete_document('n' || n) from generate_series(0, 4) n")
        db.execute("select braid.maintain()")
        assert len(full_text(db, "amber")) == 4
        assert full_text(reader, "amber dolphin") == before
        reader.rollback()
        assert len(full_text(reader, "amber")) == 4


def test_maintain_refuses_a_snapshot_of_the_transaction(db: Connection) -> None:
    with db.transaction():
        db.execute("set transaction isolation level repeatable read")
        with pytest.raises(errors.FeatureNotSupported) as raised:
            db.execute("select braid.maintain()")
    assert raised.value.diag.message_hint
