"""A plain hybrid search runs few statements of PL/pgSQL: each one costs CPU, whatever the amount of data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from benchmarks.full_text.corpus import Synthetic
from benchmarks.profile import install_profiler, read_profile, start_profile
from benchmarks.semantic.corpus import Corpus, text
from support.calls import upsert
from support.nearest import maintain, set_threshold

Connection = psycopg.Connection[Any]
# It was 421 once, before plain searches had a path of their own.
STATEMENTS = 180
SIZE, DIMENSIONS = 1500, 16
SEARCH = "select external_id from braid.hybrid_search(%s, %s::vector, collection => 'searched')"


@pytest.mark.parametrize("is_indexed", [False, True])
def test_statements_of_a_plain_hybrid(
    db: Connection,
    dsn: str,
    make_login: Callable[..., str],
    connect_as: Callable[..., Connection],
    is_indexed: bool,
) -> None:
    if not install_profiler(dsn):
        pytest.skip("there is no C compiler to make the profiler")
    db.execute("select braid.create_collection('searched', text_config => 'simple', dimensions => %s)", (DIMENSIONS,))
    if is_indexed:
        set_threshold(db, 500, DIMENSIONS)
    words, vectors = Synthetic(SIZE), Corpus(SIZE, dimensions=DIMENSIONS)
    documents = [
        {**document, "chunks": [{**document["chunks"][0], "embedding": text(vector)}]}
        for document, vector in zip(words.documents(0, SIZE), vectors.vectors, strict=True)
    ]
    upsert(db, documents, "searched")
    maintain(db)
    login = make_login("reader", "braid_reader")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    reader = connect_as(login, "default")
    queries = list(zip((query.text for query in words.queries(4, 10)), map(text, vectors.queries(10)), strict=True))
    for query in queries:
        reader.execute(SEARCH, query).fetchall()
    start_profile(reader)
    for query in queries:
        assert len(reader.execute(SEARCH, query).fetchall()) == 10
    statements = [part for part in read_profile(reader) if part.is_statement]
    assert 0 < sum(part.calls for part in statements) / len(queries) <= STATEMENTS
