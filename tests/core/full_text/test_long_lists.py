"""Scores are exact where common words have long lists, which are summed as vectors, beside short lists."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.bm25_model import Bm25Model, Chunk, Tokenizer, approximately, stored_chunks
from support.calls import full_text, hybrid, upsert

Connection = psycopg.Connection[Any]
# The words have only letters, and no two share a stem; the first words are in most chunks, the last in a few.
WORDS = [f"{a}{b}q" for a in "bcdfghjklmnp" for b in "aiou"]
SIZES = (2500, 700, 90, 8)


def random_text(rng: random.Random) -> str:
    words = rng.choices(WORDS, [1 / (rank + 1) ** 1.6 for rank in range(len(WORDS))], k=rng.randint(3, 25))
    return " ".join(words)


def angle(number: int) -> float:
    """Return a vector's angle to the first axis. Two angles differ enough for single precision."""
    return 0.5 + 2 * (number * 7919 % 10007) / 10007


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    """Fill one database for all tests, which only search."""
    db = shared_db
    rng = random.Random(7)
    number = 0
    db.execute(
        "select braid.create_collection('long', text_config => 'simple', dimensions => 2,"
        ' ranking => \'{"statistics_scope": "collection"}\')'
    )
    for size in SIZES:
        texts = [random_text(rng) for _ in range(size)]
        batch = [
            {
                "external_id": f"d{number + i}",
                "content": text,
                "embedding": [math.cos(angle(number + i)), math.sin(angle(number + i))],
                # These texts are many, but have low scores.
                "category": "wordy" if len(text.split()) > 20 else "terse",
                "speaker": rng.choice(["often"] * 60 + ["seldom"] * 3 + ["once"]),
                **({"title": rng.choice(WORDS)} if rng.random() < 0.2 else {}),
            }
            for i, text in enumerate(texts)
        ]
        upsert(db, batch, "long")
        number += size
    gone = rng.sample(range(number), number // 20)
    db.execute("select count(braid.delete_document('d' || n, 'long')) from unnest(%s::int[]) n", (gone,))
    long_lists = "select count(*) > 20 from braid_store.postings where blocks is not null"
    assert db.execute(long_lists).fetchone() == (True,)
    return db


def test_rankings_equal_the_model(filled: Connection) -> None:
    rng = random.Random(8)
    model = Bm25Model(stored_chunks(filled, collection="long"), Tokenizer(filled, "simple"))
    for _ in range(60):
        query = " ".join(rng.sample(WORDS, rng.randint(1, 7)))
        match = rng.choice(["any", "any", "all", "50%", "75%"])
        speaker = rng.choice([None, None, "often", "seldom", "once"])
        limit = rng.choice([1, 10, 50, 5000])
        filters = None if speaker is None else Jsonb({"speaker": speaker})
        expected = model.search(query, match, partial(said_by, speaker))
        found = full_text(filled, query, match_count=limit, filters=filters, match=match, collection="long")
        assert found == approximately(expected[:limit]), (query, match)


def said_by(speaker: str | None, chunk: Chunk) -> bool:
    return speaker in (None, chunk.body.split("\n")[0])


def test_a_filter_that_only_low_scores_pass(filled: Connection) -> None:
    rng = random.Random(10)
    model = Bm25Model(stored_chunks(filled, collection="long"), Tokenizer(filled, "simple"))
    for limit in (1, 5, 20) * 8:
        query = " ".join(rng.sample(WORDS, rng.randint(1, 5)))
        expected = model.search(query, "any", lambda chunk: len(chunk.body.split("\n")[1].split()) > 20)
        found = full_text(filled, query, match_count=limit, filters=Jsonb({"category": "wordy"}), collection="long")
        assert found == approximately(expected[:limit]), query


def test_no_score_reaches_the_highest_numbers(filled: Connection) -> None:
    for min_score in (1e30, 1e300, float("inf")):
        assert full_text(filled, " ".join(WORDS[:3]), min_score=min_score, collection="long") == []


def test_demands_are_met_by_all_that_have_what_is_demanded(filled: Connection) -> None:
    """Demanded terms restrict a query to the chunks that have them: the unrestricted query's results, without chunks
    that lack one."""
    rng = random.Random(9)
    texts = dict(
        filled.execute(
            "select d.external_id, concat_ws(' | ', d.title, c.speaker, c.content) from braid_store.chunks c "
            "join braid_store.documents d on d.id = c.document_id and d.tenant_id = c.tenant_id"
        ).fetchall()
    )
    for _ in range(8):
        first, second, third, fourth = rng.sample(WORDS[:20], 2) + rng.sample(WORDS, 2)
        all_found = {hit[0]: hit[2] for hit in full_text(filled, f"{first} {second} {third}", collection="long")}
        for query, needed, alternatives, excluded in (
            (f"+{first} {second} {third}", [first], [""], []),
            (f'"{first} {second}" {third}', [f"{first} {second}"], [""], []),
            (f"+{first} {second} {third} -{fourth}", [first], [""], [fourth]),
            (f"+{first} OR {second} {third}", [], [first, second], []),
            (f"{first} {second} {third} -{fourth}", [], [""], [fourth]),
            (f"{second} {third} -{first}", [], [""], [first]),
            (f'{first} {second} {third} -"{second} {first}"', [], [""], [f"{second} {first}"]),
        ):
            expected = {}
            for name, score in all_found.items():
                text = texts[name]
                is_there = all(word in text for word in needed) and any(word in text for word in alternatives)
                if is_there and not any(word in text for word in excluded):
                    expected[name] = score
            found = full_text(filled, query, collection="long")
            assert {hit[0] for hit in found} == set(expected), query
            assert all(abs(hit[2] - expected[hit[0]]) < 1e-9 for hit in found), query
            few = full_text(filled, query, match_count=10, collection="long")
            assert few == found[:10], query


def test_the_semantic_leg_finds_the_nearest_of_what_is_demanded(filled: Connection) -> None:
    """The semantic leg finds the nearest of the chunks that have the demanded terms. Common and rare terms are
    looked up one by one, by postings, or by reading all chunks."""
    rng = random.Random(12)
    chunks = filled.execute(
        "select d.external_id, ' ' || replace(c.content, ' ', '  ') || ' ', ' ' || coalesce(d.title, '') || ' ' "
        "from braid_store.chunks c join braid_store.documents d on d.id = c.document_id and d.tenant_id = c.tenant_id"
    ).fetchall()
    for common, other, rare in [rng.sample(WORDS[:6], 2) + rng.sample(WORDS[20:], 1) for _ in range(4)]:
        demands: list[tuple[str, Callable[..., bool]]] = [
            (f"+{common}", lambda text, w=common: f" {w} " in text),
            (f"+{rare}", lambda text, w=rare: f" {w} " in text),
            (f"+{common} -{other}", lambda text, w=common, x=other: f" {w} " in text and f" {x} " not in text),
            (f"-{common} -{other}", lambda text, w=common, x=other: f" {w} " not in text and f" {x} " not in text),
            (f'"{common} {other}"', lambda text, w=common, x=other: f" {w}  {x} " in text),
            (f'"{common} {other} {rare}"', lambda text, w=common, x=other, y=rare: f" {w}  {x}  {y} " in text),
            (f'-"{common} {other}"', lambda text, w=common, x=other: f" {w}  {x} " not in text),
            (f"+{common[:2]}*", lambda text, w=common[:2]: f" {w}" in text),
            (f"-{common[:1]}*", lambda text, w=common[:1]: f" {w}" not in text),
            (f"+{common} OR {rare}", lambda text, w=common, x=rare: f" {w} " in text or f" {x} " in text),
        ]
        for query, demand in demands:
            # The title's words stand before the text's words and form no phrase with them.
            wanted = {name: math.cos(angle(int(name[1:]))) for name, text, title in chunks if demand(f"{title}|{text}")}
            for count, as_found in ((7, list), (5000, set)):
                asked = {"query_text": query, "query_embedding": "[1,0]", "match_count": count}
                rows = hybrid(filled, **asked, full_text_weight=0, collection="long")
                nearest = sorted(wanted, key=lambda name: -wanted[name])[:count]
                assert as_found(row[0] for row in rows) == as_found(nearest), query


def test_prefixes_of_so_many_words_that_not_all_is_scored(db: Connection) -> None:
    rng = random.Random(13)
    words = [f"{a}{b}{c}" for a in "bc" for b in "aeiou" for c in "bcdfghjklmnpqrst"]
    texts = {f"d{n}": rng.choices(words, k=30) for n in range(5000)}
    db.execute("select braid.create_collection('prefixes', text_config => 'simple')")
    upsert(db, [{"external_id": name, "content": " ".join(text)} for name, text in texts.items()], "prefixes")
    query = "select braid.search_json(query_text => 'b* c*', match_count => 10, collection => 'prefixes')"
    row = db.execute(query).fetchone()
    assert row is not None
    assert [warning["code"] for warning in row[0]["warnings"]] == ["scoring_cut"]

    # A prefix's 64 commonest words are one term, as common as the commonest of them. All texts have the same length.
    frequencies = Counter(word for text in texts.values() for word in set(text))
    found = {result["external_id"]: result["score"] for result in row[0]["results"]}
    expected = dict.fromkeys(found, 0.0)
    for letter in "bc":
        of_letter = sorted((w for w in words if w[0] == letter), key=lambda w: (-frequencies[w], w))[:64]
        frequency = frequencies[of_letter[0]]
        idf = math.log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
        for name in found:
            count = sum(word in of_letter for word in texts[name])
            expected[name] += idf * count / (count + 1.2)
    assert len(found) == 10
    assert found == pytest.approx(expected, abs=1e-9)
    assert list(found.values()) == sorted(found.values(), reverse=True)
