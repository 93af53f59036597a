"""Fill a database through the API, with work left pending, and record its answers."""

from __future__ import annotations

import json
import random
from typing import Any

import psycopg

from support.calls import one, set_tenant, upsert, vector
from support.nearest import maintain, set_threshold

Connection = psycopg.Connection[Any]
DIMENSIONS = {"first-model": 4, "second-model": 6}
TENANTS = ("acme", "beta")
MEMBERS = {"acme": "release_ana", "beta": "release_ben"}
TRUSTED = {"gateway": "release_gateway", "service": "release_service", "administrator": "release_administrator"}
ENGLISH = """
price discount customer contract quarterly review roadmap budget invoice delivery supplier meeting objection
server index database query upgrade backup release incident security password network latency kernel driver
"""
GERMAN = """
Preis Rabatt Kunde Vertrag Haus Häuser Straße Lieferung Rechnung Besprechung Sicherheit Netzwerk
"""
COUNTS = """
select json_build_object(
  'documents', (select count(*) from braid_store.documents d where d.tenant_id = t.id and d.collection_id = c.id),
  'chunks', (select count(*) from braid_store.chunks d where d.tenant_id = t.id and d.collection_id = c.id))
from braid_store.tenants t, braid_store.collections c where t.key = %s and c.name = %s
"""


def embed(text: str, model: str = "first-model") -> str:
    """Return a vector of the model that depends on the text alone."""
    rng = random.Random(f"{model}/{text}")
    return vector([round(rng.gauss(0, 1), 4) for _ in range(DIMENSIONS[model])])


def document(number: int, tenant: str, version: int = 0) -> dict[str, Any]:
    rng = random.Random(f"{tenant}/{number}/{version}")
    is_german = number % 5 == 0
    words = rng.choices((GERMAN if is_german else ENGLISH).split(), k=90 if number % 10 == 1 else rng.randrange(8, 25))
    return {
        "external_id": f"d{number:03}",
        "content": " ".join(words) + f" {tenant}only.",
        "title": " ".join(words[:3]),
        "speaker": ("Ana", "Ben", "Cleo")[number % 3],
        "category": ("note", "mail")[number % 2],
        "importance": number % 7 / 7,
        "occurred_at": f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T12:00:00Z",
        "language": "de" if is_german else "en",
        "source_uri": f"https://example.org/{tenant}/{number}",
        "metadata": {"year": 2000 + number % 20, "team": ["red", "blue"][: number % 2 + 1], "more": {"number": number}},
    }


def store(db: Connection, collection: str, tenant: str, first: int, last: int, version: int = 0) -> None:
    """Store documents in batches, each of which becomes a segment."""
    set_tenant(db, tenant)
    for start in range(first, last, 20):
        upsert(db, [document(n, tenant, version) for n in range(start, min(start + 20, last))], collection)


def work(db: Connection, collection: str, tenant: str, model: str = "first-model", count: int = 1000) -> int:
    """Run one batch of the worker; return the number of its jobs."""
    set_tenant(db, tenant)
    jobs = db.execute(
        "select chunk_id, input from braid.claim_embedding_jobs(%s, '5 minutes', %s, %s) order by chunk_id",
        (count, collection, model),
    ).fetchall()
    db.execute(
        "select braid.store_embeddings(%s, %s::text[]::vector[], %s, %s)",
        ([chunk_id for chunk_id, _ in jobs], [embed(text, model) for _, text in jobs], collection, model),
    )
    return len(jobs)


def fill(db: Connection) -> None:
    """Fill an installed database as a superuser. Repeated runs differ only in times and transaction numbers."""
    for role in (*MEMBERS.values(), *TRUSTED.values()):
        db.execute(f"create role {role} login")
    for name in ("articles", "moving", "gone"):
        db.execute(
            "select braid.create_collection(%s, dimensions => 4, embedding_model => 'first-model', chunk_tokens => 64,"
            ' indexed_attributes => \'{"year": "number", "team": "text"}\')',
            (name,),
        )
    db.execute("select braid.set_synonyms('discount', '{rebate,Rabatt}', 'articles')")
    db.execute("select braid.set_access(create_tenants => true)")
    for kind, role in TRUSTED.items():
        db.execute("select braid.add_trusted_role(%s, %s)", (role, kind))
    for tenant, role in MEMBERS.items():
        db.execute("select braid.create_tenant(%s)", (tenant,))
        db.execute("select braid.add_tenant_member(%s, %s)", (tenant, role))
    db.execute("select braid.create_tenant('leaver')")

    for tenant, count in {"acme": 150, "beta": 40, "leaver": 15}.items():
        store(db, "articles", tenant, 0, count)
        work(db, "articles", tenant)
    for tenant, count in {"acme": 20, "beta": 15}.items():
        store(db, "moving", tenant, 0, count)
        work(db, "moving", tenant)
        store(db, "gone", tenant, 0, 5)
    set_threshold(db, 120, DIMENSIONS["first-model"])
    db.execute("select braid.set_search_log('articles')")
    set_tenant(db, "acme")
    search_logged(db)
    maintain(db)

    db.execute("select braid.start_model_change('moving', 'second-model', %s)", (DIMENSIONS["second-model"],))
    maintain(db)
    work(db, "moving", "acme", "second-model", 10)

    # Maintenance has not yet processed these segments, tombstones and jobs.
    for tenant in TENANTS:
        store(db, "articles", tenant, 20, 40, version=1)
        store(db, "articles", tenant, 150, 170)
        db.execute("select braid.delete_documents(%s, 'articles')", ([f"d{n:03}" for n in range(5, 12)],))
        claim = "select array_agg(chunk_id) from braid.claim_embedding_jobs(4, '1 second', 'articles')"
        db.execute(f"select braid.fail_embedding_jobs(({claim}), 'the model refused', 'articles')")
        db.execute(claim)
    set_tenant(db, "acme")
    model = '{"version": 1, "mode": "hybrid", "features": ["score"], "weights": [1]}'
    db.execute("select braid.set_ranking('articles', '{\"rrf_k\": 61}', 'filled')")
    db.execute("select braid.store_ranking_model('learned', %s)", (model,))
    db.execute("select braid.set_profile('ana', %s, '{\"speaker\": {\"Ana\": 0.5}}', 'articles')", (embed("likes"),))
    db.execute("select braid.create_query_set('asked')")
    query = [{"query_id": "1", "text": "discount for the customer", "embedding": embed("a question")}]
    db.execute("select braid.store_queries('asked', %s, 'articles')", (json.dumps(query),))
    judgment = [{"query_id": "1", "external_id": "d020", "grade": 2}]
    db.execute("select braid.store_judgments('asked', %s)", (json.dumps(judgment),))
    db.execute("create table public.notes (id int primary key, body text)")
    db.execute("insert into public.notes select n, 'note ' || n from generate_series(1, 9) n")
    db.execute("select braid.sync_table('public.notes', '{body}', collection => 'moving', tenant => 'beta')")
    db.execute("select braid.apply_changes()")
    db.execute("update public.notes set body = 'changed' where id < 4")
    db.execute("select braid.record_embedding_usage('acme', 'first-model', 3, 64, 1500, cost => 0.01)")
    search_logged(db)
    db.execute("select braid.drop_collection('gone')")
    db.execute("select braid.drop_tenant('leaver', 'leaver')")


def search_logged(db: psycopg.Connection[Any]) -> None:
    search_id = one(db, "select braid.logged_search('discount', collection => 'articles') #>> '{stats,search_id}'")
    found = one(db, "select external_ids[1] from braid.search_log where search_id = %s", search_id)
    assert one(db, "select braid.record_feedback(%s, %s, 'click')", search_id, found)


def searches() -> dict[str, tuple[str, dict[str, Any]]]:
    exact = '{"exact": true}'
    question = {"query_text": "discount for the customer", "query_embedding": embed("a question")}
    # These are the collection's weights, which earlier releases used for every fusion.
    weights = {"full_text_weight": 0.6, "semantic_weight": 0.4}
    filters = {
        "indexed": '{"year": {"$gte": 2010}, "team": "blue"}',
        "metadata": '{"more.number": {"$lt": 30}}',
        "columns": '{"speaker": "Ana", "occurred_at": {"$lt": "2025-06-01T00:00:00Z"}}',
    }
    filtered = {
        f"hybrid, {name}": ("hybrid_search", {**question, "options": exact, "filters": text})
        for name, text in filters.items()
    }
    return {
        "full text": ("full_text_search", {"query_text": "price objection review"}),
        "full text, phrase": ("full_text_search", {"query_text": '"discount customer" OR -server index'}),
        "full text, synonym": ("full_text_search", {"query_text": "discount"}),
        "full text, German": ("full_text_search", {"query_text": "Häuser", "options": '{"language": "de"}'}),
        "semantic": ("semantic_search", {"query_embedding": embed("a question"), "options": exact}),
        "hybrid": ("hybrid_search", {**question, "options": exact}),
        "hybrid, rrf": ("hybrid_search", {**question, "options": exact, "fusion": "rrf", **weights}),
        **filtered,
        "moving": ("hybrid_search", {**question, "collection": "moving", "options": exact}),
    }


def answers(db: Connection) -> dict[str, Any]:
    """Return each tenant's search results, in order, and its counts."""
    found: dict[str, Any] = {}
    for tenant in TENANTS:
        set_tenant(db, tenant)
        found[tenant] = {}
        for name, (function, arguments) in searches().items():
            arguments = {"collection": "articles", "match_count": 30, **arguments}
            cast = {"query_embedding": "::vector", "filters": "::jsonb", "options": "::jsonb"}
            given = ", ".join(f"{key} => %({key})s{cast.get(key, '')}" for key in arguments)
            rows = db.execute(
                f"select external_id, chunk_id, chunk_index, score from braid.{function}({given})", arguments
            ).fetchall()
            found[tenant][name] = [list(row) for row in rows]
        for collection in ("articles", "moving"):
            row = db.execute(COUNTS, (tenant, collection)).fetchone()
            assert row is not None
            found[tenant][f"counts of {collection}"] = row[0]
    return found


def problems(db: Connection) -> list[Any]:
    """Return the findings of check_index for every tenant."""
    found: list[Any] = []
    for tenant in (*TENANTS, "default"):
        set_tenant(db, tenant)
        for (collection,) in db.execute("select name from braid.collections").fetchall():
            found += db.execute("select * from braid.check_index(%s)", (collection,)).fetchall()
    return found
