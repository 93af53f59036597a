"""Test query vectors that the database stores: the client reads and fills them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

import pgbraid
from pgbraid.embedders.protocol import Vector
from pgbraid.errors import EmbeddingError, PermissionDeniedError
from support.calls import one
from support.embedder import HashEmbedder

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]


class Counting(HashEmbedder):
    """Embed and record texts. A new instance has no cached vectors, like another process."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked: list[str] = []
        self.fails = fails

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        if self.fails:
            raise EmbeddingError("the service is down")
        return super().embed_query(text)


@pytest.fixture
def filled(client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": "fox", "content": "A quick brown fox."}])
    client.embed_pending()
    client.set_query_embeddings("default", 5)


def count(db: Connection) -> int:
    return int(one(db, "select count(*) from braid_store.query_embeddings"))


def test_no_text_is_embedded_twice(dsn: str, db: Connection, filled: None) -> None:
    first, second = Counting(), Counting()
    with pgbraid.connect(dsn, embedder=first) as client:
        expected = client.search("+quick fox* -hen")
        assert client.search("+quick fox* -hen")[0].score == expected[0].score
    with pgbraid.connect(dsn, embedder=second) as client:
        found = client.search("+quick fox* -hen")
        assert (found[0].score, found[0].semantic_score) == (expected[0].score, expected[0].semantic_score)
        assert client.search("quick fox", mode="semantic")[0].external_id == "fox"
        assert client.recall("quick fox")[0].external_id == "fox"
    assert (first.asked, second.asked, count(db)) == (["quick fox"], [], 1)
    answer = one(db, "select braid.search_json('quick fox')")
    assert answer["stats"]["query_embedding"] == "stored"


def test_async(dsn: str, db: Connection, filled: None) -> None:
    async def search() -> list[str]:
        embedder = Counting()
        async with pgbraid.connect_async(dsn, embedder=embedder) as client:
            assert (await client.search("quick fox"))[0].external_id == "fox"
        return embedder.asked

    assert asyncio.run(search()) == ["quick fox"]
    assert asyncio.run(search()) == []
    assert count(db) == 1


def test_a_known_query_needs_one_statement(dsn: str, filled: None) -> None:
    with pgbraid.connect(dsn, embedder=Counting()) as client:
        client.search("quick fox")
        sent: list[str] = []
        rows = client._session.rows

        def counted(functions: str | tuple[str, ...], statement: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
            sent.append(statement)
            return rows(functions, statement, **parameters)

        client._session.rows = counted  # type: ignore[method-assign]
        client.search("quick fox")
        assert len(sent) == 1


def test_every_program_embeds_the_same_text_of_a_query(dsn: str, db: Connection, filled: None) -> None:
    queries = [
        'price* -renewal OR "per seat"',
        "ls -a",
        "a quick +fox",
        "-5 degrees",
        "plain words, e-mail",
        "the -the",
    ]
    embedder = Counting()
    with pgbraid.connect(dsn, embedder=embedder) as client:
        expected = {"fox"}
        for query in queries:
            expected.add(asked := one(db, "select braid.embedded_text(%s)", query))
            assert client.embedded_text(query) == asked
            client.search(query)
            client.recall(query)
            client.conversation_timeline(query)
            client.explain_search(query)
            client.search([query, "fox"])
        assert set(embedder.asked) == expected
        assert client.embedded_text("auto -die", options={"language": "de"}) == "auto die"
        assert client.embedded_text("auto -die", options={"operators": False}) == "auto -die"


def test_by_full_text_alone_it_is_not_taken(dsn: str, filled: None) -> None:
    with pgbraid.connect(dsn, embedder=Counting()) as client:
        client.search("quick fox")
        for found in (client.search("quick fox", mode="full_text"), client.recall("quick fox", strategy="full_text")):
            assert found.stats["mode"] == "full_text" and "query_embedding" not in found.stats


def test_a_service_that_is_down_is_not_missed(dsn: str, filled: None) -> None:
    with pgbraid.connect(dsn, embedder=Counting()) as client:
        client.search("quick fox")
    with pgbraid.connect(dsn, embedder=Counting(fails=True)) as client:
        found = client.search("quick fox")
        assert found.warnings == [] and found.stats["mode"] == "hybrid"
        assert [warning["code"] for warning in client.search("brown fox").warnings] == ["embedding_unavailable"]


def test_without_an_embedder(dsn: str, client: pgbraid.Client) -> None:
    client.create_collection("other", embedding_model="other", dimensions=384)
    client.set_query_embeddings("other")
    fox = {"external_id": "fox", "content": "A fox.", "embedding": [1.0] + [0.0] * 383}
    client.add_documents([fox], collection="other")
    embedder = Counting()
    embedder.model_name = "other"
    with pgbraid.connect(dsn, embedder=embedder) as other:
        other.search("fox", collection="other")
    with pgbraid.connect(dsn) as bare:
        found = bare.search("fox", collection="other")
        assert found.stats["query_embedding"] == "stored" and found.warnings == []
        unknown = bare.search("a fox", collection="other")
        assert [warning["code"] for warning in unknown.warnings] == ["embedding_unavailable"]


def test_an_embedder_of_another_name_stores_nothing(dsn: str, db: Connection, filled: None) -> None:
    embedder = Counting()
    embedder.model_name = "something-else"
    with pgbraid.connect(dsn, embedder=embedder) as client:
        assert [warning["code"] for warning in client.search("fox").warnings] == ["other_embedding_model"]
    assert count(db) == 0


def test_who_may_only_read_searches_all_the_same(
    dsn: str, db: Connection, filled: None, make_login: Callable[..., str]
) -> None:
    login = make_login("reader", "braid_reader")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    with pgbraid.connect(psycopg.conninfo.make_conninfo(dsn, user=login), embedder=Counting()) as client:
        assert client.search("quick fox")[0].external_id == "fox"
        assert client.search("brown fox")[0].external_id == "fox"
    assert count(db) == 0


def test_in_a_transaction_of_the_callers_nothing_is_stored(dsn: str, db: Connection, filled: None) -> None:
    with pgbraid.connect(dsn, embedder=Counting()) as client:
        with client.transaction():
            assert client.search("quick fox")[0].external_id == "fox"
        assert count(db) == 0


def test_connections_of_the_callers_own(dsn: str, db: Connection, filled: None) -> None:
    for _ in range(2):
        with psycopg.connect(dsn, autocommit=True) as connection:
            client = pgbraid.Client(connection, embedder=Counting())
            assert client.search("quick fox")[0].external_id == "fox"
            assert count(db) == 1


def answer(client: pgbraid.Client, query: str, **arguments: Any) -> Any:
    return client.search(query, **arguments)[0].semantic_score


def test_a_vector_of_one_tenant_is_not_used_for_another(dsn: str, db: Connection, filled: None) -> None:
    fox = [{"external_id": "fox", "content": "A quick brown fox."}]
    embedder = Counting()
    with pgbraid.connect(dsn, embedder=embedder) as client:
        client.create_tenant("other")
        client.tenant = "other"
        client.add_documents(fox)
        client.embed_pending()
        expected = answer(client, "brown fox", embedding=embedder.embed_query("brown fox"))
        embedder.asked.clear()
        false = [1.0] + [0.0] * 383
        client.tenant = "default"
        db.execute("select braid.store_query_embedding('brown fox', %s::vector)", (str(false),))
        assert answer(client, "brown fox") == answer(client, "brown fox", embedding=false) != expected
        client.tenant = "other"
        assert answer(client, "brown fox") == expected
        assert embedder.asked == ["brown fox"]
    # Another client with this embedder does not embed the query again either.
    with pgbraid.connect(dsn, tenant="other", embedder=embedder) as client:
        assert answer(client, "brown fox") == expected


def test_each_tenant_and_collection_stores_what_the_process_knows(dsn: str, db: Connection, filled: None) -> None:
    embedder = Counting()
    with pgbraid.connect(dsn, embedder=embedder) as client:
        client.create_collection("second", dimensions=384)
        client.set_query_embeddings("second", 5)
        client.create_tenant("other")
        for tenant in ("default", "other", "default", "other"):
            client.tenant = tenant
            for collection in ("default", "second"):
                client.search("fox", collection=collection)
    assert (embedder.asked, count(db)) == (["fox"], 4)


def test_after_a_cut_over_the_new_models_vector_is_not_taken_for_the_old_one(
    dsn: str, db: Connection, client: pgbraid.Client
) -> None:
    class Short(Counting):
        model_name = "short"
        dimensions = 3

        def embed_query(self, text: str) -> Vector:
            self.asked.append(text)
            return np.array([0, 1, 0], np.float32)

    old, new = Counting(), Short()
    client.set_query_embeddings("default", 5)
    with pgbraid.connect(dsn, embedder=[old, new]) as searching:
        searching.search("fox")
        client.start_model_change("default", "short", 3)
        client.maintain()
        client.cut_over_model_change("default")
        db.execute("select braid.store_query_embedding('hen', '[0,1,0]')")
        assert searching.search("hen").stats["mode"] == "hybrid"
        assert (old.asked, new.asked) == (["fox", "hen"], [])
        client.roll_back_model_change("default")
        assert searching.search("hen").stats["mode"] == "hybrid"


def test_long_queries_and_passing_errors_do_not_end_storing(dsn: str, db: Connection, filled: None) -> None:
    with pgbraid.connect(dsn, embedder=Counting()) as client:
        client.search("fox " * 5000)
        client.search("fox")
        assert count(db) == 1
        db.execute(
            """
            create function pg_temp.fail() returns trigger language plpgsql as
            $$ begin raise exception 'passing' using errcode = '40P01'; end $$;
            create trigger fail before insert on braid_store.query_embeddings
            for each row execute function pg_temp.fail();
            """
        )
        client.search("hen")
        db.execute("drop trigger fail on braid_store.query_embeddings")
        client.search("hen")
        assert count(db) == 2


def test_what_one_tenant_may_not_store_another_may(dsn: str, db: Connection, filled: None) -> None:
    tried: list[str] = []
    with pgbraid.connect(dsn, embedder=Counting()) as client:
        client.create_tenant("other")
        value = client._session.value

        def refused(function: str, arguments: str = "", /, **parameters: Any) -> Any:
            if function == "store_query_embedding":
                tried.append(client.tenant)
                if client.tenant == "default":
                    raise PermissionDeniedError("only for others", sqlstate="42501")
            return value(function, arguments, **parameters)

        client._session.value = refused  # type: ignore[method-assign]
        for client.tenant in ("default", "default", "other"):
            client.search("fox")
    assert (tried, count(db)) == (["default", "other"], 1)
