"""Index recall is measured with stored queries first, then with queries of query sets, then with a sample."""

from __future__ import annotations

import pytest
from core.vectors.test_measure_index_recall import drawn, dsn, filled, measure, vectors
from parts.query_vectors.test_measure_index_recall import ask
from psycopg.types.json import Jsonb

from support.nearest import Connection, Vector

pytestmark = pytest.mark.any_version
__all__ = ["dsn", "filled", "vectors"]


def test_queries_of_query_sets_come_after_stored_ones(db: Connection, vectors: list[Vector]) -> None:
    db.execute("select braid.set_query_embeddings('c', 200)")
    ask(db, drawn(3, 1))
    db.execute("select braid.create_query_set('s')")
    questions = [
        {"query_id": str(number), "text": "x", "embedding": query.tolist()} for number, query in enumerate(drawn(4, 2))
    ]
    db.execute("select braid.store_queries('s', %s, 'c')", (Jsonb(questions),))
    assert measure(db, query_count=50)["queries"] == {"stored": 3, "query_sets": 4, "sample": 43}
