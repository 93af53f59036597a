"""The Python client searches collections that the database embeds."""

from __future__ import annotations

import psycopg
import pytest
from parts.static_embeddings.test_static_embedder import Connection, create, store

import pgbraid

pytestmark = pytest.mark.any_version


@pytest.fixture
def ports(db: Connection) -> Connection:
    store(db)
    create(db)
    return db


def test_a_client_without_an_embedder_searches_by_meaning(ports: Connection, dsn: str) -> None:
    for name, content in (("a", "A ship in the harbour"), ("b", "An invoice")):
        ports.execute("select braid.upsert_document(%s, %s, collection => 'ports')", (name, content))
    with pgbraid.connect(dsn, embedder=[]) as client:
        found = client.search("port", collection="ports")
        assert [row.external_id for row in found] == ["a", "b"]
        assert [warning["code"] for warning in found.warnings] == ["no_query_terms"]
        assert found.stats["query_embedding"] == "static"
        assert [row.external_id for row in client.search("port", collection="ports", mode="semantic")] == ["a", "b"]
        assert len(client.search("port", collection="ports", mode="full_text")) == 0
        assert client.embed_pending("ports") == 0
        both = client.search(["port", "invoice"], collection="ports", mode="semantic")
        assert {row.external_id for row in both} == {"a", "b"}


def test_a_login_that_only_reads_embeds_queries(ports: Connection, dsn: str) -> None:
    ports.execute("select braid.upsert_document('a', 'A ship in the harbour', collection => 'ports')")
    with psycopg.connect(dsn, autocommit=True, options="-c default_transaction_read_only=on") as reading:
        rows = reading.execute("select external_id from braid.hybrid_search('port', collection => 'ports')").fetchall()
        assert rows == [("a",)]
