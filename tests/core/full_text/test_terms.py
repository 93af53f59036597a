"""Scores computed from a forward row's terms are, to the last bit, the scores computed from its lexemes.

Without its terms, as where a frequency is too high for them, a chunk is scored from its lexemes.
"""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import full_text, hybrid, one, upsert, vector

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]

COMMON = ["amber", "river", "the", "Ana", "17.2.1", "fooBar", "京都"]
WORDS = [*COMMON, *(f"w{number}" for number in range(60))]
DEFAULTS: dict[str, Any] = {"k1": 1.2, "b": 0.75, "title_weight": 1, "bm25_variant": "lucene"}
RANKINGS: list[dict[str, Any]] = [
    {},
    {"k1": 0},
    {"k1": 0.4, "b": 1},
    {"b": 0},
    {"bm25_variant": "okapi", "k1": 2},
    {"title_weight": 0},
    {"title_weight": 3.7, "b": 0.33},
]
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"options": {"ranking": {"b": 0.9}}},
    {"options": {"ranking": {"statistics_scope": "filter"}}, "filters": {"category": "x"}},
    {"match": "all"},
    {"filters": {"n": {"$lt": 20}}},
]
OWN = "tenant_id = braid.current_tenant_id()"


def text(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, [1 / (place + 2) for place in range(len(WORDS))], k=rng.randint(1, 60)))


def near(rng: random.Random) -> str:
    return vector([rng.random() for _ in range(384)])


def document(rng: random.Random, number: int) -> dict[str, Any]:
    given: dict[str, Any] = {
        "external_id": f"d{number}",
        "category": rng.choice(["x", "y", None]),
        "metadata": {"n": number},
        "chunks": [{"content": text(rng), "embedding": near(rng)} for _ in range(rng.choice([1, 1, 1, 3]))],
    }
    if rng.random() < 0.4:
        given["title"] = text(rng)
    return given


def history(db: Connection, rng: random.Random) -> None:
    """Write, replace and delete documents, and merge some of their segments."""
    upsert(db, [document(rng, number) for number in range(60)])
    upsert(db, [{"external_id": "most", "title": "amber w1", "chunks": [{"content": "amber " * 254 + "w1 w2"}]}])
    upsert(db, [{"external_id": "more", "title": "amber w1", "chunks": [{"content": "amber " * 255 + "w1 w2"}]}])
    for _ in range(20):
        upsert(db, [document(rng, rng.randrange(80))])
        db.execute("select braid.delete_document(%s)", (f"d{rng.randrange(80)}",))
    db.execute("select braid.maintain()")
    upsert(db, [document(rng, rng.randrange(100)) for _ in range(5)])
    db.execute("select braid.delete_document(%s)", (f"d{rng.randrange(60)}",))


def answers(db: Connection, seed: int, ranking: dict[str, Any]) -> list[Any]:
    db.execute("select braid.set_ranking('default', %s)", (Jsonb(DEFAULTS | ranking),))
    rng = random.Random(f"{seed} {ranking}")
    found: list[Any] = []
    for _ in range(6):
        query = " ".join(rng.sample(WORDS[:25], rng.choice([1, 2, 4, 9])))
        arguments = {"match_count": rng.choice([1, 10, 200]), **rng.choice(ARGUMENTS)}
        found.append((query, arguments, full_text(db, query, **arguments)))
        found.append((query, arguments, hybrid(db, query_text=query, query_embedding=near(rng), **arguments)))
    return found


@pytest.mark.parametrize("seed", range(2))
def test_terms_give_the_scores_of_lexemes(db: Connection, seed: int) -> None:
    history(db, random.Random(seed))
    by_terms = [answers(db, seed, ranking) for ranking in RANKINGS]
    assert all(any(rows for *_, rows in found) for found in by_terms)
    assert one(db, f"select count(*) from braid_store.forward_rows where terms is null and {OWN}") == 1
    assert db.execute("select * from braid.check_index()").fetchall() == []

    db.execute(f"update braid_store.forward_rows set terms = null, title_terms = null where {OWN}")
    assert [answers(db, seed, ranking) for ranking in RANKINGS] == by_terms
