"""Write random documents, and compute the results that a search must give."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from support.calls import full_text, upsert

Connection = psycopg.Connection[Any]
Document = dict[str, Any]
Hits = list[tuple[str, int, float]]

# The words are sorted from common to rare.
WORDS = [
    f"{first}{second}" for first in ("ba", "ke", "lo", "mu", "ti", "ra") for second in ("dan", "fel", "gor", "nim")
]
WEIGHTS = [1 / rank for rank in range(1, len(WORDS) + 1)]
SEARCH = """
select external_id, chunk_index, score, title, content
from braid.full_text_search(%s, %s, collection => %s)
"""


def text(rng: random.Random, length: int) -> str:
    return " ".join(rng.choices(WORDS, WEIGHTS, k=length))


def document(rng: random.Random, external_id: str, version: str) -> Document:
    """Return a document of one to three chunks, each of which names the version."""
    return {
        "external_id": external_id,
        "title": text(rng, 2) if rng.random() < 0.5 else None,
        "metadata": {"version": version},
        "chunks": [{"content": f"{text(rng, rng.randint(1, 40))} {version}"} for _ in range(rng.randint(1, 3))],
    }


def queries(count: int = 20) -> list[str]:
    rng = random.Random("queries")
    return [" ".join(rng.sample(WORDS, rng.randint(1, 6))) for _ in range(count)]


def rankings(db: Connection, collection: str = "default") -> list[Hits]:
    return [full_text(db, query, collection=collection) for query in queries()]


def differences(found: Hits, expected: Hits) -> list[str]:
    """Return a description of each difference that exceeds rounding, with exact scores. Hits whose scores differ only
    by rounding may change places, but `found` must be sorted by its own scores."""

    def shown(score: float | None) -> str:
        return "missing" if score is None else f"{score!r} ({score.hex()})"

    scores, expected_scores = ({hit[:2]: hit[2] for hit in hits} for hits in (found, expected))
    wrong = []
    for key in sorted(scores.keys() | expected_scores.keys()):
        score, wanted = scores.get(key), expected_scores.get(key)
        if score is None or wanted is None or abs(score - wanted) > 1e-9:
            wrong.append(f"{key}: {shown(score)} instead of {shown(wanted)}")
    if len(scores) < len(found):
        wrong.append(f"found twice: {[key for key, times in Counter(hit[:2] for hit in found).items() if times > 1]}")
    for first, second in pairwise(found):
        if (-first[2], first[0].encode(), first[1]) >= (-second[2], second[0].encode(), second[1]):
            wrong.append(f"in the wrong order: {first}, {second}")
    return wrong


def assert_same_rankings(found: Iterable[Hits], expected: Iterable[Hits]) -> None:
    for query, *rankings_of_both in zip(queries(), found, expected, strict=True):
        assert differences(*rankings_of_both) == [], query


def assert_consistent(rows: list[tuple[str, int, float, str | None, str]], query: str) -> None:
    """Check that rows come from one snapshot: no chunk twice, no two versions of a document, and a word of the query
    in each."""
    keys = [(external_id, chunk_index) for external_id, chunk_index, *_ in rows]
    assert len(keys) == len(set(keys))
    order = [(-score, external_id.encode(), chunk_index) for external_id, chunk_index, score, *_ in rows]
    assert order == sorted(order)
    versions: dict[str, str] = {}
    for external_id, _, _, title, content in rows:
        version = content.split()[-1]
        assert versions.setdefault(external_id, version) == version
        assert set(query.split()) & set(f"{title or ''} {content}".split()), (query, title, content)


def stored_documents(db: Connection, tenant: str = "default", collection: str = "default") -> dict[str, Document]:
    """Return the documents that the tables store, in a form that can be written again."""
    rows = db.execute(
        """
        select d.external_id, d.title, d.metadata,
               (select jsonb_agg(jsonb_build_object('content', c.content) order by c.chunk_index)
                from braid_store.chunks c where c.tenant_id = d.tenant_id and c.document_id = d.id)
        from braid_store.documents d
        join braid_store.tenants t on t.id = d.tenant_id
        join braid_store.collections k on k.id = d.collection_id
        where t.key = %s and k.name = %s
        order by d.external_id
        """,
        (tenant, collection),
    )
    return {
        external_id: {"external_id": external_id, "title": title, "metadata": metadata, "chunks": chunks}
        for external_id, title, metadata, chunks in rows
    }


def load_afresh(
    db: Connection, documents: Iterable[Document], collection: str, definitions: Connection | None = None
) -> None:
    """Write documents into a new collection, as one segment. `definitions` connects to the server where definitions
    are changed, if it is another server."""
    (definitions or db).execute("select braid.create_collection(%s)", (collection,))
    upsert(db, documents, collection)


def assert_as_if_loaded_afresh(db: Connection, fresh: str, definitions: Connection | None = None) -> None:
    assert db.execute("select * from braid.check_index('default')").fetchall() == []
    documents = stored_documents(db)
    load_afresh(db, documents.values(), fresh, definitions)
    expected = rankings(db, fresh)
    assert any(len(hits) > 10 for hits in expected)
    assert_same_rankings(rankings(db), expected)


def is_lost(db: Connection, error: BaseException) -> bool:
    """Return whether the error only reports the lost connection; nothing else may go wrong."""
    shut_down = (psycopg.errors.AdminShutdown, psycopg.errors.CrashShutdown)
    return isinstance(error, psycopg.OperationalError) and (db.broken or isinstance(error, shut_down))


def maintain(db: Connection) -> int:
    """Run maintain(); return how many merges it made."""
    row = db.execute("select braid.maintain('10 seconds')").fetchone()
    assert row is not None
    return int(row[0]["merges"])


def write(db: Connection, documents: list[Document], collection: str = "default") -> None:
    db.execute("select count(*) from braid.upsert_documents(%s, %s)", (Jsonb(documents), collection))
