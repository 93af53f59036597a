"""Test the store for LangChain beyond LangChain's own tests."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from langchain_core import retrievers as langchain_retrievers
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.indexing import InMemoryRecordManager
from langchain_core.indexing import index as langchain_index
from langchain_core.vectorstores import base as vectorstores_base

import pgbraid
from integrations.conftest import NOTHING, OFFICE, Model
from langchain_pgbraid import PgbraidRetriever, PgbraidVectorStore
from pgbraid.errors import InvalidArgumentError, NotFoundError
from pgbraid_stores.async_store import reading as async_reading
from pgbraid_stores.store import reading
from pgbraid_stores.tracking import IndexingCounts

pytestmark = pytest.mark.any_version

DOWN = "embedding_unavailable: .*the embedding service is down"


class ModelEmbeddings(Embeddings):
    def __init__(self, model: Model) -> None:
        self.model_name = "all-MiniLM-L6-v2"
        self._model = model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._model.documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._model.query(text)


@pytest.fixture
def store(shared_dsn: str, tenant: str, model: Model) -> Iterator[PgbraidVectorStore]:
    with PgbraidVectorStore(ModelEmbeddings(model), dsn=shared_dsn, tenant=tenant) as opened:
        yield opened


@pytest.fixture
def client(shared_dsn: str, tenant: str) -> Iterator[pgbraid.Client]:
    with pgbraid.connect(shared_dsn, tenant) as connected:
        yield connected


def pages(source: str, *texts: str) -> list[Document]:
    return [Document(text, metadata={"source": source, "page": number}) for number, text in enumerate(texts)]


def texts(documents: list[Document]) -> list[str]:
    return [document.page_content for document in documents]


# Searching


def test_searches_are_hybrid(store: PgbraidVectorStore) -> None:
    store.add_texts(["The export fails with error E42.", "Invoices are sent in May.", "Export of invoices, slowly."])
    assert texts(store.similarity_search("E42", k=1)) == ["The export fails with error E42."]
    # Full text alone finds one document; vectors find all.
    assert len(store.similarity_search("E42", k=3)) == 3
    assert len(store.similarity_search("E42", k=3, mode="full_text")) == 1
    scored = store.similarity_search_with_score("E42", k=3)
    assert [score for _, score in scored] == sorted((score for _, score in scored), reverse=True)
    assert all(type(score) is float for _, score in scored)
    found = store.similarity_search_with_relevance_scores("export error E42", k=3, score_threshold=0.6)
    assert texts([document for document, _ in found]) == ["The export fails with error E42."]
    assert all(0 <= score <= 1 for _, score in found)


@pytest.mark.parametrize("mode", ["hybrid", "full_text"])
def test_a_threshold_cuts_off_what_has_nothing_to_do_with_the_query(store: PgbraidVectorStore, mode: str) -> None:
    store.mode = mode  # type: ignore[assignment]
    store.add_texts(OFFICE)

    def found(query: str, threshold: float) -> list[str]:
        arguments = {"score_threshold": threshold, "k": 4}
        retriever = store.as_retriever(search_type="similarity_score_threshold", search_kwargs=arguments)
        documents = retriever.invoke(query)
        assert asyncio.run(retriever.ainvoke(query)) == documents
        return texts(documents)

    assert found(NOTHING, 0.5) == []
    assert found("printer toner", 0.5) == ["The printer of the office is out of toner."]
    scored = store.similarity_search_with_relevance_scores("new coffee machine", k=6)
    scores = [score for _, score in scored]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    assert scored[0][0].page_content == "The office has a new coffee machine." and scores[0] > 0.6
    assert len(scored) == len(store.similarity_search("new coffee machine", k=6))
    # The order equals a search's order.
    assert [document for document, _ in scored] == store.similarity_search("new coffee machine", k=6)


def test_numbers_beside_results(store: PgbraidVectorStore) -> None:
    store.add_documents(
        [
            Document("fox one", id="1", metadata={"team": "a", "price": 5}),
            Document("fox two", id="2", metadata={"team": "b", "price": 15}),
            Document("hen three", id="3", metadata={"team": "b"}),
        ]
    )
    arguments: dict[str, Any] = {"aggregations": {"price": {"interval": 10}, "all": {"total": True}}}
    found = store.facets(["team"], "fox", **arguments)
    assert asyncio.run(store.afacets(["team"], "fox", **arguments)) == found
    assert [(value.value, value.count) for value in found["team"]] == [("a", 1), ("b", 1)]
    assert [(value.value, value.count) for value in found["price"]] == [
        ({"gte": 0, "lt": 10}, 1),
        ({"gte": 10, "lt": 20}, 1),
    ]
    assert found["all"][0].count == 2
    missing = store.facets(filter={"team": "b"}, aggregations={"price": {"statistics": True}})["price"]
    assert [(value.value, value.count) for value in missing][1:] == [(None, 1)]


def test_filters_are_those_of_searches(store: PgbraidVectorStore) -> None:
    store.add_documents(
        [
            Document("fox one", id="1", metadata={"category": "a", "year": 2024, "occurred_at": "2026-01-05"}),
            Document("fox two", id="2", metadata={"category": "b", "year": 2026, "occurred_at": "no time"}),
            Document("fox three", id="3", metadata={"category": 7, "tags": ["x", "y"], "importance": 0.5}),
            Document("fox four", id="4", metadata={"occurred_at": "2026-W01-1", "importance": "high"}),
            Document("fox five", id="5", metadata={"occurred_at": "2026-01-05T10:00:00.25Z", "year": 1}),
        ]
    )

    def ids(filters: dict[str, Any]) -> set[str | None]:
        return {found.id for found in store.similarity_search("fox", filter=filters)}

    assert ids({"year": {"$gte": 2025}}) == {"2"}
    # Filters find metadata that has a column's name, and searches return it unchanged.
    assert ids({"category": {"$in": ["a", "b"]}}) == {"1", "2"}
    assert ids({"occurred_at": {"$lt": "2026-02-01"}}) == {"1", "5"}
    assert ids({"$or": [{"tags": "y"}, {"category": "a"}]}) == {"1", "3"}
    assert ids({"importance": {"$gt": 0.1}}) == {"3"}
    with pytest.raises(InvalidArgumentError, match="unknown operator"):
        ids({"year": {"$regex": "20.*"}})
    found = store.get_by_ids(["1", "2", "3"])
    assert [document.metadata for document in found] == [
        {"category": "a", "year": 2024, "occurred_at": "2026-01-05"},
        {"category": "b", "year": 2026, "occurred_at": "no time"},
        {"category": 7, "tags": ["x", "y"], "importance": 0.5},
    ]


def test_documents_that_came_otherwise(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    client.add_documents(
        [
            {
                "external_id": "docs/seats.md",
                "title": "Seats",
                "source_uri": "file:///docs/seats.md",
                "metadata": {"team": "sales"},
                "chunks": [
                    {"content": "A seat costs ten."},
                    {"content": "Seats are billed monthly.", "speaker": "Ana"},
                ],
            }
        ]
    )
    found = store.similarity_search("billed monthly", k=1, mode="full_text")
    assert found == [
        Document(
            "Seats are billed monthly.",
            id="docs/seats.md#1",
            metadata={
                "team": "sales",
                "title": "Seats",
                "source": "file:///docs/seats.md",
                "speaker": "Ana",
                "external_id": "docs/seats.md",
                "chunk_index": 1,
            },
        )
    ]
    assert store.get_by_ids(["docs/seats.md#1", "docs/seats.md", "docs/seats.md#2"]) == [
        *found,
        *store.similarity_search("costs ten", k=1, mode="full_text"),
    ]
    with pytest.raises(InvalidArgumentError, match=r"is chunk 1 of document 'docs/seats.md'"):
        store.add_documents(found)
    with pytest.raises(InvalidArgumentError, match=r"is chunk 0 of document 'docs/seats.md'"):
        store.index(store.get_by_ids(["docs/seats.md"]))
    kept = client.get_document("docs/seats.md")
    assert kept is not None and len(kept.chunks) == 2
    store.add_documents(found, ids=["a copy"])
    store.delete(["a copy"])
    (passage,) = store.similarity_search("billed", k=1, mode="full_text", options={"context": {"before": 1}})
    assert passage.page_content == "A seat costs ten.\nSeats are billed monthly."


def test_titles_and_sources_are_those_of_the_collection(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    store.add_documents([Document("Ten each.", id="1", metadata={"title": "Seats", "source": "seats.md"})])
    stored = client.get_document("1")
    assert stored is not None and (stored.title, stored.source_uri) == ("Seats", "seats.md")
    # Searches match the title as well.
    assert store.similarity_search("seats", mode="full_text") == store.get_by_ids(["1"])
    long = {"title": "t" * 5000, "source": 7}
    store.add_documents([Document("Other.", id="2", metadata=long)])
    assert store.get_by_ids(["2"])[0].metadata == long


def test_diverse_documents_and_vectors(store: PgbraidVectorStore, model: Model) -> None:
    store.add_texts(["fox in the snow", "fox in the snow again", "fox and hen"], ids=["1", "2", "3"])
    plain = store.similarity_search("fox snow", k=2)
    diverse = store.max_marginal_relevance_search("fox snow", k=2, lambda_mult=0.1)
    assert [found.id for found in plain] == ["1", "2"]
    assert [found.id for found in diverse] == ["1", "3"]
    vector = model.query("fox and hen")
    assert [found.id for found in store.similarity_search_by_vector(vector, k=1)] == ["3"]
    assert {found.id for found in store.max_marginal_relevance_search_by_vector(vector, k=2, lambda_mult=0.0)} == {
        "3",
        "2",
    }
    assert [found.id for found in asyncio.run(store.asimilarity_search_by_vector(vector, k=1))] == ["3"]
    retriever = store.as_retriever(search_type="mmr", search_kwargs={"k": 2, "lambda_mult": 0.1})
    assert retriever.invoke("fox snow") == diverse
    assert asyncio.run(retriever.ainvoke("fox snow")) == diverse


def test_a_retriever_takes_arguments_of_searches(store: PgbraidVectorStore) -> None:
    store.add_documents([Document(f"fox {number}", metadata={"n": number}) for number in range(5)])
    retriever = PgbraidRetriever(store=store, k=3, filter={"n": {"$gt": 1}}, search_kwargs={"mode": "full_text"})
    assert {found.metadata["n"] for found in retriever.invoke("fox")} == {2, 3, 4}
    assert {found.metadata["n"] for found in retriever.invoke("fox", filter={"n": 0})} == {0}


# Connections


def test_asynchronous_methods_are_no_threads(store: PgbraidVectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store has its own asynchronous methods: else LangChain would run the synchronous ones in a thread."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a thread is started")

    for module in (vectorstores_base, langchain_retrievers):
        monkeypatch.setattr(module, "run_in_executor", refuse)

    async def run() -> None:
        await store.aadd_texts(["fox", "hen"], ids=["1", "2"])
        await store.aadd_documents([Document("cow", id="3")])
        assert [found.id for found in await store.aget_by_ids(["3", "1"])] == ["3", "1"]
        vector = [1.0] * 384
        searches = [
            store.asimilarity_search("fox", k=1),
            store.asimilarity_search_by_vector(vector, k=1),
            store.amax_marginal_relevance_search("fox", k=1),
            store.amax_marginal_relevance_search_by_vector(vector, k=1),
            PgbraidRetriever(store=store, k=1).ainvoke("fox"),
        ]
        assert [len(found) for found in await asyncio.gather(*searches)] == [1] * 5
        assert len(await store.asimilarity_search_with_relevance_scores("fox", k=1)) == 1
        await store.aindex(pages("a.txt", "one"))
        await store.adelete(["1"])

    asyncio.run(run())


def test_threads_and_tasks_search_at_once(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    store.add_texts(["fox", "hen"])
    retriever = PgbraidRetriever(store=store, k=1)
    found = retriever.batch(["fox", "hen"] * 10)
    assert [texts(documents) for documents in found] == [["fox"], ["hen"]] * 10

    async def at_once() -> list[list[Document]]:
        return await asyncio.gather(*(retriever.ainvoke(query) for query in ["fox", "hen"] * 10))

    # Each run has another event loop.
    for _ in range(2):
        assert asyncio.run(at_once()) == found


def test_a_connection_that_broke_is_opened_again(store: PgbraidVectorStore, shared_dsn: str) -> None:
    store.add_texts(["fox"])
    with psycopg.connect(shared_dsn, autocommit=True) as other:
        other.execute(
            "select pg_terminate_backend(pid, 180000) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid() and application_name = 'pgbraid'"
        )
    assert texts(store.similarity_search("fox")) == ["fox"]


def test_idle_connections_that_the_server_ended_are_not_lent(store: PgbraidVectorStore, shared_dsn: str) -> None:
    store.add_texts(["fox"])

    async def search_twice() -> None:
        await asyncio.gather(*(store.asimilarity_search("fox") for _ in range(3)))
        with psycopg.connect(shared_dsn, autocommit=True) as other:
            other.execute(
                "select pg_terminate_backend(pid, 180000) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid() and application_name = 'pgbraid'"
            )
        found = await asyncio.gather(*(store.asimilarity_search("fox") for _ in range(3)))
        assert [texts(one) for one in found] == [["fox"]] * 3

    asyncio.run(search_twice())


def test_copies_have_connections_of_their_own(store: PgbraidVectorStore) -> None:
    store.add_texts(["fox"])
    for other in (pickle.loads(pickle.dumps(store)), copy.deepcopy(store)):
        with other:
            assert texts(other.similarity_search("fox")) == ["fox"]


FORKED = """
import os, sys
from pgbraid_stores.connections import Connections

connections = Connections(sys.argv[1])
def session():
    with connections.client() as client:
        return client.connection.info.backend_pid
parents = session()
child = os.fork()
if not child:
    # The child ends as programs do, and closes open connections.
    sys.exit(session() == parents)
assert os.waitpid(child, 0)[1] == 0
assert session() == parents
with connections.client() as client:
    child = os.fork()
if not child:
    sys.exit(session() == parents)
assert os.waitpid(child, 0)[1] == 0
assert session() == parents
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
def test_a_forked_process_leaves_its_parents_connections_alone(shared_dsn: str) -> None:
    subprocess.run([sys.executable, "-c", FORKED, shared_dsn], check=True)


# Writing


def test_a_collection_is_created_by_the_first_write(shared_dsn: str, tenant: str, model: Model) -> None:
    options: dict[str, Any] = {"dsn": shared_dsn, "tenant": tenant, "collection": f"new-{tenant}"}
    with PgbraidVectorStore.from_texts(["fox"], ModelEmbeddings(model), model_name="hashes", **options) as store:
        assert texts(store.similarity_search("fox")) == ["fox"]
    with pgbraid.connect(shared_dsn) as connected:
        assert connected.connection.execute(
            "select dimensions, embedding_model from braid.collections where name = %s", (f"new-{tenant}",)
        ).fetchone() == (384, "hashes")
    with (
        PgbraidVectorStore(dsn=shared_dsn, collection="nothing") as without,
        pytest.raises(NotFoundError, match='"nothing" does not exist'),
    ):
        without.add_texts(["fox"])


def test_texts_that_did_not_change_are_not_embedded_again(store: PgbraidVectorStore, model: Model) -> None:
    store.add_texts(["one fox", "two foxes"], [{"page": 1}, {"page": 2}], ids=["1", "2"])
    assert model.texts == ["one fox", "two foxes"]
    store.add_texts(["one fox", "two hens"], [{"page": 3}, {"page": 2}], ids=["1", "2"])
    assert model.texts == ["one fox", "two foxes", "two hens"]
    assert store.get_by_ids(["1"])[0].metadata == {"page": 3}


def test_without_embedding_documents_wait(shared_dsn: str, tenant: str, model: Model) -> None:
    with PgbraidVectorStore(ModelEmbeddings(model), dsn=shared_dsn, tenant=tenant, embed=False) as store:
        store.add_texts(["one fox"])
        assert model.texts == []
        assert texts(store.similarity_search("fox")) == ["one fox"]


def test_an_embedding_service_that_is_down(store: PgbraidVectorStore, client: pgbraid.Client, model: Model) -> None:
    model.is_down = True
    with pytest.warns(UserWarning, match="stored, but wait for their embeddings"):
        ids = store.add_texts(["The export fails with error E42."])
    with pytest.warns(UserWarning, match=DOWN):
        assert texts(store.similarity_search("error E42")) == ["The export fails with error E42."]
    with pytest.warns(UserWarning, match=DOWN):
        assert len(asyncio.run(store.asimilarity_search("error E42"))) == 1
    with pytest.raises(pgbraid.PgbraidError, match="the embedding service is down"):
        store.similarity_search("error E42", mode="semantic")
    model.is_down = False
    # The next write embeds pending chunks, once they may be tried again.
    client.retry_embedding_jobs()
    store.add_texts(["Another."])
    assert model.texts == ["The export fails with error E42.", "Another."]
    assert store.similarity_search("export error E42", k=1, mode="semantic")[0].id == ids[0]


def test_a_model_of_other_dimensions(shared_dsn: str, tenant: str, client: pgbraid.Client) -> None:
    """The store warns that texts are stored without embeddings: after an error, callers would write them again."""
    short = DeterministicFakeEmbedding(size=3)
    options: dict[str, Any] = {"dsn": shared_dsn, "tenant": tenant, "model_name": "all-MiniLM-L6-v2"}
    warned = pytest.warns(UserWarning, match="stored, but wait for their embeddings")
    with PgbraidVectorStore(short, **options) as other, warned:
        (id_,) = other.add_texts(["fox"])
    stored = client.get_document(id_)
    assert client.count() == 1 and stored is not None and stored.chunks[0].content == "fox"


def test_what_is_refused(store: PgbraidVectorStore) -> None:
    with pytest.raises(InvalidArgumentError, match="1 ids and 2 documents"):
        store.add_documents([Document("a"), Document("b")], ids=["1"])
    with pytest.raises(InvalidArgumentError, match="has the key '_langchain'"):
        store.add_documents([Document("a", metadata={"_langchain": 1})])
    with pytest.raises(InvalidArgumentError, match="needs either ids or a filter"):
        store.delete()
    with pytest.raises(InvalidArgumentError, match="needs either ids or a filter"):
        store.delete(filter={})
    with pytest.raises(TypeError, match="no argument 'namespace'"):
        store.delete(["1"], namespace="x")
    with pytest.raises(TypeError, match="vector_field"):
        store.add_documents([Document("a")], vector_field="x")
    with pytest.raises(InvalidArgumentError, match="values of type object are not JSON"):
        store.add_documents([Document("a", metadata={"made": object()})])
    assert store.get_by_ids(["1"]) == [] and store.similarity_search("a") == []


@pytest.mark.parametrize("is_async", [False, True])
def test_deletion_by_filter(store: PgbraidVectorStore, monkeypatch: pytest.MonkeyPatch, is_async: bool) -> None:
    """A deletion by filter also deletes more documents than one call returns."""
    for module in (reading, async_reading):
        monkeypatch.setattr(module, "PAGE", 3)
        monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    ids = [f"{number}-ä" if number % 3 else f"Z{number}" for number in range(10)]
    store.add_texts([f"fox {number}" for number in range(10)], [{"odd": n % 2} for n in range(10)], ids=ids)
    store.add_documents([Document("hen", id="hen")])
    if is_async:
        assert asyncio.run(store.adelete(filter={"odd": 1}))
    else:
        assert store.delete(filter={"odd": 1})
    left = store.get_by_ids([*ids, "hen"])
    assert [document.id for document in left] == [*(found for n, found in enumerate(ids) if n % 2 == 0), "hen"]


# Indexing


@pytest.mark.parametrize("is_async", [False, True])
def test_unchanged_documents_of_later_batches(store: PgbraidVectorStore, model: Model, is_async: bool) -> None:
    """langchain#32612: if a batch was smaller than a source, every run deleted and embedded its documents again."""

    async def loaded() -> AsyncIterator[Document]:
        for document in pages("a.txt", "one", "two", "three", "four", "five"):
            yield document

    def run() -> IndexingCounts:
        if is_async:
            return asyncio.run(store.aindex(loaded(), cleanup="incremental", batch_size=2))
        documents = pages("a.txt", "one", "two", "three", "four", "five")
        return store.index(documents, cleanup="incremental", batch_size=2)

    assert run() == {"num_added": 5, "num_updated": 0, "num_deleted": 0, "num_skipped": 0}
    assert sorted(model.texts) == ["five", "four", "one", "three", "two"]
    assert run() == {"num_added": 0, "num_updated": 0, "num_deleted": 0, "num_skipped": 5}
    assert len(model.texts) == 5


def test_documents_that_the_store_lost_come_back(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    """langchain#39937: a separate record manager skipped lost documents for ever, and each run reported success."""
    documents = pages("a.txt", *(f"text {number}" for number in range(10)))
    store.index(documents, cleanup="incremental")
    client.delete_documents([found.external_id for found in client.list_documents()[:7]])
    assert store.index(documents, cleanup="incremental") == {
        "num_added": 7, "num_updated": 0, "num_deleted": 0, "num_skipped": 3,
    }  # fmt: skip
    assert client.count() == 10


def test_what_cleanup_deletes(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    store.add_texts(["not indexed"], ids=["mine"])
    client.add_documents([{"external_id": "theirs", "content": "Of others.", "metadata": {"source": "a.txt"}}])
    store.index(pages("a.txt", "one", "two") + pages("b.txt", "three"))

    def left() -> set[str]:
        found = store.similarity_search("one two three four six", k=20, filter={"_langchain.indexed": True})
        return set(texts(found))

    assert store.index(pages("a.txt", "one")) == {
        "num_added": 0, "num_updated": 0, "num_deleted": 0, "num_skipped": 1,
    }  # fmt: skip
    assert store.index(pages("a.txt", "four", "one"), cleanup="incremental") == {
        "num_added": 1, "num_updated": 1, "num_deleted": 1, "num_skipped": 0,
    }  # fmt: skip
    assert left() == {"one", "three", "four"}
    assert store.index(pages("a.txt", "one"), cleanup="full")["num_deleted"] == 2
    assert left() == {"one"}
    assert client.get_document("mine") and client.get_document("theirs")
    with pytest.raises(InvalidArgumentError, match="the loader gave no document, so the 1 indexed documents are kept"):
        store.index([], cleanup="full")
    with pytest.raises(InvalidArgumentError, match="has no source: 'stray'"):
        store.index([Document("stray")], cleanup="incremental")

    def broken() -> Iterator[Document]:
        yield from pages("a.txt", "six")
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        store.index(broken(), cleanup="full", batch_size=1)
    assert left() == {"one", "six"}


def test_equal_texts_of_a_source(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    footers = pages("a.txt", "Page footer", "Page footer") + pages("b.txt", "Page footer")
    assert store.index([*footers, footers[0]], cleanup="incremental") == {
        "num_added": 3, "num_updated": 0, "num_deleted": 0, "num_skipped": 1,
    }  # fmt: skip
    assert client.count() == 3
    assert store.index(footers[:1] + footers[2:], cleanup="incremental")["num_deleted"] == 1
    # A given id is the external_id.
    named = Document("Page footer", id="footer", metadata={"from": "c"})
    assert store.index([named], source_id_key="from", cleanup="incremental")["num_added"] == 1
    assert store.get_by_ids(["footer"])[0].metadata == {"from": "c"}
    assert store.index([named], source_id_key=lambda _: "c", cleanup="incremental")["num_skipped"] == 1


def test_an_interrupted_embedding_is_made_up_for(
    store: PgbraidVectorStore, client: pgbraid.Client, model: Model
) -> None:
    model.is_down = True
    with pytest.warns(UserWarning, match="stored, but wait for their embeddings"):
        store.index(pages("a.txt", "one"))
    model.is_down = False
    client.retry_embedding_jobs()
    assert store.index(pages("a.txt", "one"))["num_skipped"] == 1
    assert model.texts == ["one"]


def test_langchains_own_index_works_as_well(store: PgbraidVectorStore, client: pgbraid.Client) -> None:
    records = InMemoryRecordManager("test")
    records.create_schema()
    for documents, expected in ((pages("a.txt", "one", "two"), 2), (pages("a.txt", "one"), 1)):
        langchain_index(documents, records, store, cleanup="incremental", source_id_key="source", key_encoder="sha256")
        assert client.count() == expected
