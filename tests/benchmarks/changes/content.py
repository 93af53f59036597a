"""Fill collections of all kinds for three tenants through the API; only times differ between runs."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import psycopg

from support.calls import set_tenant, upsert
from support.nearest import maintain, set_threshold

Connection = psycopg.Connection[Any]
TENANTS = ("acme", "beta", "gamma")
# Each collection has dimensions, and a number of documents for each tenant.
COLLECTIONS = {"articles": (64, (800, 120, 40)), "papers": (48, (600, 50, 0)), "talks": (64, (20, 6, 2))}
COLLECTIONS |= {"notes": (32, (220, 60, 10)), "rows": (32, (60, 0, 0)), "plain": (64, (600, 0, 0))}
TOKEN_DIMENSIONS = 8
# A tenant's collection gets an HNSW index from this number of vectors on: acme's articles, papers and plain.
INDEXED_FROM = 400
SYLLABLES: list[str] = re.findall("..", "bacedifogulameniporusatewivozu")
ENGLISH: list[str] = re.findall(
    r"\w+",
    """price discount customer contract quarterly review roadmap budget invoice delivery supplier meeting objection
    server index database query upgrade backup release incident security password network latency kernel driver harbour
    ship quay crane ferry hotel tourist guide museum garden bridge river mountain weather storm""",
)
GERMAN = ["Preis", "Rabatt", "Kunde", "Vertrag", "Haus", "Häuser", "Straße", "Lieferung", "Rechnung", "Netzwerk"]
COMMON = ["the", "a", "of", "and", "to", "in", "is", "for", "with", "on", "that", "was", "as", "it", "by"]
MADE = [a + b + c for a in SYLLABLES[:10] for b in SYLLABLES for c in SYLLABLES[:3]]
WORDS = ENGLISH + MADE
SHARES = list(accumulate(1 / (rank + 2) for rank in range(len(WORDS))))
SPEAKERS = ("Ana", "Ben", "Cleo", "Dana")
MODELS = {
    "trees": {
        "version": 1,
        "mode": "hybrid",
        "features": ["score", "title_match", "recency", "neighbour_score"],
        "intercept": -0.5,
        "weights": [2, 0.5, 0.25, 0.1],
        "trees": [{"feature": [0], "threshold": [0.4], "left": [-1], "right": [-2], "value": [-0.2, 0.3]}],
    },
    "words": {"version": 1, "mode": "full_text", "features": ["score", "word_match"], "weights": [1, 1.5]},
}


def embed(text: str, dimensions: int) -> list[float]:
    """Return a vector of the text's words: texts that share words are near each other."""
    words = text.split()[:60] or [""]
    sums = sum(np.random.default_rng(list(word.encode())).normal(size=dimensions) for word in words)
    return [round(float(number), 4) for number in sums / len(words) ** 0.5]


def words(rng: random.Random, count: int) -> list[str]:
    made = rng.choices(WORDS, cum_weights=SHARES, k=count)
    return [rng.choice(COMMON) if rng.random() < 0.25 else word for word in made]


def document(collection: str, number: int, tenant: str, version: int = 0) -> dict[str, Any]:
    rng = random.Random(f"{collection}/{number}/{tenant}/{version}")
    is_german = collection in ("articles", "talks") and number % 7 == 0
    text = " ".join(rng.choices(GERMAN, k=12) if is_german else words(rng, rng.randrange(6, 60)))
    # Some texts occur twice.
    if number % 25 == 24:
        text = "the price of the contract is up for review " + " ".join(words(random.Random(number // 50), 5))
    made: dict[str, Any] = {
        "external_id": f"d{number:04}",
        "title": " ".join(words(rng, 3)),
        "speaker": rng.choice(SPEAKERS),
        "category": rng.choice(["note", "mail", "faq"]),
        "source_uri": f"https://example.org/{number % 40}",
        "language": "de" if is_german else "en",
        "metadata": {
            "year": 2000 + number % 25,
            "team": rng.sample(["red", "blue", "green"], rng.randrange(3)),
            "published": f"20{number % 20 + 10}-0{number % 9 + 1}-11T00:00:00Z",
            "session": f"s{number // 12}",
            "views": rng.randrange(1000),
            "is_open": number % 3 == 0,
            "more": {"number": number, "items": [{"sku": f"k{number % 9}", "price": number % 50}]},
        },
    }
    if number % 4:
        made["importance"] = round(rng.random() * 10, 2)
    if number % 5:
        made["occurred_at"] = f"202{number % 5}-{number % 12 + 1:02}-{number % 28 + 1:02}T{number % 24:02}:30:00Z"
    dimensions = COLLECTIONS[collection][0]
    if collection == "talks":
        turns = [" ".join(words(rng, rng.randrange(4, 16))) for _ in range(12)]
        made["chunks"] = [
            {
                "content": turn,
                "speaker": SPEAKERS[place % 3],
                "embedding": embed(turn, dimensions),
                "occurred_at": f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T10:{place * 3:02}:00Z",
            }
            for place, turn in enumerate(turns)
        ]
        return made
    made["content"] = text
    if number % 9:
        made["embedding"] = embed(text, dimensions)
    if collection == "articles" and number % 2 and "embedding" in made:
        made["token_vectors"] = [embed(word, TOKEN_DIMENSIONS) for word in text.split()[:8]]
    if collection in ("notes", "articles") and number % 3:
        made["sparse"] = {word: round(0.5 + rng.random(), 3) for word in text.split()[:10]}
    return made


def store(db: Connection, collection: str, tenant: str, numbers: range, version: int = 0) -> None:
    for start in range(numbers.start, numbers.stop, 100):
        upsert(
            db,
            [document(collection, n, tenant, version) for n in numbers if start <= n < start + 100],
            collection,
        )


def set_ranking(db: Connection, collection: str, ranking: dict[str, Any]) -> None:
    db.execute("select braid.set_ranking(%s, %s, 'loaded')", (collection, json.dumps(ranking)))


def load(db: Connection, member: Callable[[str], str]) -> None:
    """Load all collections as a superuser."""
    indexed = '{"year": "number", "team": "text", "published": "time", "session": "text"}'
    for name, (dimensions, _) in COLLECTIONS.items():
        given = {
            "articles": ", indexed_attributes => %(indexed)s",
            "papers": ", text_config => 'simple', distance => 'l2'",
            "notes": ", distance => 'inner_product'",
        }.get(name, "")
        db.execute(
            "select braid.create_collection(%(name)s, dimensions => %(dimensions)s, embedding_model => 'm'"
            + given
            + ")",
            {"name": name, "dimensions": dimensions, "indexed": indexed},
        )
    rankings: dict[str, dict[str, Any]] = {
        "articles": {"title_weight": 2, "k1": 1.1},
        "papers": {"bm25_variant": "okapi", "fusion": "dbsf", "statistics_scope": "collection"},
        "talks": {"full_text_weight": 0.65, "semantic_weight": 0.3, "neighbour_weight": 0.2, "smoothing": 0},
        "rows": {"fusion": "rrf", "smoothing": 0},
    }
    for name, ranking in rankings.items():
        set_ranking(db, name, ranking)
    for word, synonyms in {
        "discount": ["rebate", "price review"],
        "ship": ["ferry"],
        "price review": ["budget"],
    }.items():
        db.execute("select braid.set_synonyms(%s, %s, 'articles')", (word, synonyms))
    weights = {word: 0.5 + place % 7 / 5 for place, word in enumerate(WORDS[:60])} | {"##s": 0.1}
    db.execute("select braid.set_sparse_encoder('words', %s)", (json.dumps(weights),))
    set_ranking(db, "notes", {"sparse_encoder": "words"})
    db.execute("select braid.set_token_vectors('articles', 'tokens', 8, %s)", (TOKEN_DIMENSIONS,))
    db.execute("select braid.set_collection('papers', '{\"vector_storage\": \"halfvec\"}')")
    db.execute("select braid.set_search_log('articles')")
    db.execute("select braid.set_query_embeddings('articles', 50)")
    set_threshold(db, INDEXED_FROM, 64)
    db.execute("select braid.set_access(create_tenants => true)")
    for tenant in TENANTS:
        db.execute("select braid.create_tenant(%s)", (tenant,))
        db.execute("select braid.add_tenant_member(%s, %s)", (tenant, member(tenant)))
    db.execute("create table public.items (id int primary key, title text, body text, made timestamptz, kind text)")
    for number in range(60):
        row = (
            number,
            f"item {WORDS[number]}",
            " ".join(words(random.Random(number), 15)),
            f"2024-0{number % 9 + 1}-03",
        )
        db.execute("insert into public.items values (%s, %s, %s, %s, 'note')", row)
    db.execute(
        "select braid.sync_table('public.items', '{body}', title => 'title', occurred_at => 'made',"
        " metadata => '{kind}', collection => 'rows', tenant => 'acme')"
    )
    for place, tenant in enumerate(TENANTS):
        set_tenant(db, tenant)
        for name, (_, counts) in COLLECTIONS.items():
            if name != "rows":
                store(db, name, tenant, range(counts[place]))
    set_tenant(db, "acme")
    while db.execute("select (braid.apply_changes() ->> 'complete')::bool").fetchall() == [(False,)]:
        pass
    maintain(db)
    for tenant in TENANTS:
        set_tenant(db, tenant)
        # Maintenance has not yet processed these segments and deleted chunks; the HNSW indexes stay unchanged.
        store(db, "notes", tenant, range(5, 15), version=1)
        db.execute("select braid.delete_documents('{d0003,d0004,d0017}', 'notes')")
        db.execute("select braid.delete_documents('{d0003,d0033}', 'articles')")
        db.execute("select braid.store_query_embedding('price review', %s, 'articles')", (str(embed("price", 64)),))
        likes = {"speaker": {"Ana": 0.5}, "team": {"red": -0.25}}
        db.execute(
            "select braid.set_profile('ana', %s, %s, 'articles')", (str(embed("harbour ship", 64)), json.dumps(likes))
        )
        for name, model in MODELS.items():
            db.execute("select braid.store_ranking_model(%s, %s)", (name, json.dumps(model)))
        judge(db)
    set_tenant(db, "")


def judge(db: Connection) -> None:
    db.execute("select braid.create_query_set('asked')")
    queries, judgments = [], []
    for number in range(32):
        rng = random.Random(number)
        text = " ".join(rng.sample(WORDS[:60], 2))
        queries.append({"query_id": str(number), "text": text, "embedding": embed(text, 64)})
        for grade in (1, 2, 0):
            found = f"d{rng.randrange(40):04}"
            judgments.append({"query_id": str(number), "external_id": found, "grade": grade, "judge": f"j{grade}"})
    db.execute("select braid.store_queries('asked', %s, 'articles')", (json.dumps(queries),))
    db.execute("select braid.store_judgments('asked', %s)", (json.dumps(judgments),))
