"""After braid.set_ranking, scores are exactly BM25's with the new parameters, before and after maintain()."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support import OtherSession
from support.bm25_model import Bm25Model, Chunk, Tokenizer, stored_chunks
from support.calls import full_text, hybrid, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
# Common words have posting lists with heads; "the" is a stop word, and a text of stop words has length zero.
WORDS = [f"{letter}{letter}ord" for letter in "abcdefghijklmnopqrstuvwxyz"]
CHANGES: list[dict[str, float]] = [
    {"k1": 0},
    {"k1": 2.5},
    {"b": 0},
    {"b": 1},
    {"title_weight": 0},
    {"title_weight": 2},
    {"title_weight": 0, "b": 1, "k1": 0.3},
    {"title_weight": 20, "b": 0.1, "k1": 8},
    {"k1": 1.2, "b": 0.75, "title_weight": 1},
]
SETTINGS = {
    "k1": 1.2,
    "b": None,
    "title_weight": 1.0,
    "full_text_weight": 0.6,
    "semantic_weight": 0.4,
    "rrf_k": 60.0,
}


def change(db: Connection, changes: dict[str, Any], collection: str = "default") -> None:
    db.execute("select braid.set_ranking(%s, %s)", (collection, Jsonb(changes)))


def ranking(db: Connection, collection: str = "default") -> dict[str, float]:
    row = db.execute(
        f"select {', '.join(SETTINGS)} from braid.collections where name = %s",
        (collection,),
    ).fetchone()
    assert row is not None
    return dict(zip(SETTINGS, row, strict=True))


def random_words(rng: random.Random, longest: int) -> str:
    return " ".join(
        rng.choices(
            WORDS,
            [1 / (rank + 1) for rank in range(len(WORDS))],
            k=rng.randint(0, longest),
        )
    )


@pytest.fixture
def indexed(db: Connection) -> Connection:
    """Index long lists and short ones, titles with words that no body has, texts of stop words, several segments,
    and deletions."""
    rng = random.Random(11)
    documents: list[dict[str, Any]] = [
        {
            "external_id": f"d{number}",
            "title": rng.choice([None, "the", random_words(rng, 5), f"aaord only{number % 9}"]),
            "content": rng.choice(
                [
                    "the the",
                    "of the river",
                    random_words(rng, 8),
                    random_words(rng, 150),
                ]
            ),
        }
        for number in range(1200)
    ]
    upsert(db, documents[:700])
    upsert(db, documents[700:1100])
    for number in range(1100, 1110):
        upsert(db, documents[number : number + 1])
    db.execute("select braid.delete_document('d' || n) from generate_series(0, 300, 7) n")
    return db


class Checker:
    """Compare the first few hits, which the bounds decide, and then all hits."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.tokenizer = Tokenizer(db)
        self.chunks: list[Chunk] = []

    def check(self, rng: random.Random, query_count: int = 3) -> None:
        now = ranking(self.db)
        self.chunks = self.chunks or stored_chunks(self.db)
        model = Bm25Model(
            self.chunks,
            self.tokenizer,
            *(now[name] for name in ("k1", "b", "title_weight")),
        )
        # The first query has more postings than a search reads without a plan.
        queries = [
            " ".join(WORDS[:12]),
            "aaord",
            "the of",
            "only3",
            "aaord bbord only5",
            "river zzord aaord",
        ]
        queries += [random_words(rng, 6) + " yyord" for _ in range(query_count)]
        for query in queries:
            expected = model.search(query)
            scores = {(hit.external_id, hit.chunk_index): hit.score for hit in expected}
            for match_count in (1, 10, 10_000):
                found = full_text(self.db, query, match_count=match_count)
                # Scores that differ only in the last bit may come in another order.
                assert len(found) == len(expected[:match_count])
                for hit, best in zip(found, expected, strict=False):
                    assert abs(hit[2] - best.score) < 1e-9, (query, now)
                    assert abs(hit[2] - scores[hit[:2]]) < 1e-9, (query, now)


def test_rankings_are_exact_at_once_and_after_maintain(indexed: Connection) -> None:
    checker = Checker(indexed)
    rng = random.Random(5)
    checker.check(rng)
    for changes in CHANGES:
        before = ranking(indexed)
        change(indexed, changes)
        assert ranking(indexed) == before | changes
        checker.check(rng)
        indexed.execute("select braid.maintain()")
        checker.check(rng)
    assert indexed.execute("select * from braid.check_index()").fetchall() == []
    rewritten = indexed.execute(
        "select distinct k1, b, title_weight from braid_store.segments where not is_deletion"
    ).fetchall()
    assert rewritten == [(1.2, 0.75, 1)]


def test_a_ranking_that_is_changed_and_changed_back_is_the_same(
    indexed: Connection,
) -> None:
    query = " ".join(WORDS[:12])
    before = full_text(indexed, query, match_count=25)
    change(indexed, {"title_weight": 0})
    assert full_text(indexed, query, match_count=25) != before
    upsert(indexed, [{"external_id": "between", "content": "unrelated"}])
    indexed.execute("select braid.delete_document('between')")
    indexed.execute("select braid.maintain()")
    change(indexed, {"title_weight": 2})
    change(indexed, {"title_weight": 1})
    assert full_text(indexed, query, match_count=25) == before


def test_adaptive_b_follows_the_length_of_chunks(db: Connection) -> None:
    rng = random.Random(8)
    checker = Checker(db)
    for number, length in enumerate((3, 9, 30, 200)):
        texts = [" ".join(rng.choices(WORDS, k=rng.randrange(1, 2 * length))) for _ in range(150)]
        upsert(db, [{"external_id": f"{number}-{place}", "content": text} for place, text in enumerate(texts)])
        checker.chunks = []
        checker.check(rng)  # the bounds of older segments still hold
    db.execute("select braid.maintain()")
    checker.check(rng)
    assert db.execute("select min(b), max(b) from braid_store.segments").fetchone() == (0.75, 0.75)
    before = full_text(db, "aaord bbord")
    change(db, {"b": 0.75})
    assert full_text(db, "aaord bbord") == before


def test_any_sequence_of_changes(indexed: Connection) -> None:
    """After any sequence of changes, scores are exact: a segment's bounds belong to the parameters of its time, and
    hold under all others."""
    checker = Checker(indexed)
    values = {
        "k1": st.sampled_from([0, 0.01, 0.5, 1.2, 3, 100]),
        "b": st.sampled_from([0, 0.01, 0.5, 0.75, 1]),
        "title_weight": st.sampled_from([0, 0.01, 0.5, 1, 2, 50]),
    }
    steps = st.tuples(
        st.fixed_dictionaries({}, optional=values),
        st.sampled_from(["maintain", "write", "none"]),
    )

    @settings(
        max_examples=8,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(steps, min_size=1, max_size=3), st.integers(0, 99))
    def run(sequence: list[tuple[dict[str, float], str]], seed: int) -> None:
        rng = random.Random(seed)
        for changes, then in sequence:
            if changes:
                change(indexed, changes)
            if then == "maintain":
                indexed.execute("select braid.maintain()")
            elif then == "write":
                # Longer and shorter documents change the average length too.
                text = random_words(rng, rng.choice([3, 2000])) + " aaord"
                upsert(
                    indexed,
                    [
                        {
                            "external_id": f"w{seed % 5}",
                            "title": random_words(rng, 3),
                            "content": text,
                        }
                    ],
                )
                checker.chunks = []
            checker.check(rng, 2)

    run()
    assert indexed.execute("select * from braid.check_index()").fetchall() == []


def test_an_open_snapshot_keeps_its_ranking(indexed: Connection, other_session: OtherSession) -> None:
    with other_session() as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        before = full_text(reader, "aaord bbord", match_count=20)
        change(indexed, {"k1": 0, "title_weight": 5})
        indexed.execute("select braid.maintain()")
        assert full_text(reader, "aaord bbord", match_count=20) == before
        reader.rollback()
        assert full_text(reader, "aaord bbord", match_count=20) != before


def test_weights_and_rrf_k_change_the_fusion(db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 2, ranking => '{\"fusion\": \"rrf\"}')")
    upsert(
        db,
        [
            {"external_id": "words", "content": "river", "embedding": "[0,1]"},
            {"external_id": "vector", "content": "amber", "embedding": "[1,0]"},
        ],
        "small",
    )

    def scores() -> dict[str, float]:
        hits = hybrid(db, query_text="river", query_embedding="[1,0]", collection="small")
        return {external_id: score for external_id, _, score in hits}

    change(db, {"full_text_weight": 3, "semantic_weight": 1, "rrf_k": 1}, "small")
    assert scores() == pytest.approx({"words": 3 / 2 + 1 / 3, "vector": 1 / 2})
    change(db, {"full_text_weight": 0, "semantic_weight": 2, "rrf_k": 0}, "small")
    assert scores()["vector"] == pytest.approx(2)
    assert ranking(db, "small") == SETTINGS | {
        "full_text_weight": 0,
        "semantic_weight": 2,
        "rrf_k": 0,
    }
    assert ranking(db) == SETTINGS


@pytest.mark.parametrize(
    "changes",
    [
        {"k1": -1},
        {"k1": "Infinity"},
        {"k1": "NaN"},
        {"b": 1.01},
        {"b": -0.1},
        {"title_weight": -1},
        {"full_text_weight": -1},
        {"semantic_weight": "NaN"},
        {"rrf_k": -1},
        {"full_text_weight": 0, "semantic_weight": 0},
    ],
)
def test_settings_that_no_collection_can_have(db: Connection, changes: dict[str, Any]) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=next(iter(changes))) as raised:
        change(db, changes)
    assert raised.value.diag.message_hint
    assert ranking(db) == SETTINGS


def test_both_weights_cannot_become_zero_one_after_the_other(db: Connection) -> None:
    change(db, {"full_text_weight": 0})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="both 0"):
        change(db, {"semantic_weight": 0})


@pytest.mark.parametrize("changes", [{}, {"k1": None}, {"full_text_weight": None}, {"rrf_k": None}])
def test_no_setting_and_none_in_place_of_one_are_refused(db: Connection, changes: dict[str, Any]) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=next(iter(changes), "ranking is empty")) as raised:
        change(db, changes)
    assert raised.value.diag.message_hint
    assert ranking(db) == SETTINGS


def test_a_collection_that_does_not_exist(db: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject) as raised:
        change(db, {}, "absent")
    assert raised.value.diag.message_hint
