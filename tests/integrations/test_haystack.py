"""Test the document store and retrievers for Haystack beyond Haystack's own tests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.dataclasses import ByteStream, SparseEmbedding
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy, FilterPolicy
from haystack.errors import FilterError
from haystack.utils import Secret

import pgbraid
from haystack_integrations.components.retrievers.pgbraid import (
    PgbraidEmbeddingRetriever,
    PgbraidHybridRetriever,
    PgbraidKeywordRetriever,
)
from haystack_integrations.document_stores.pgbraid import PgbraidDocumentStore
from integrations.conftest import NOTHING, OFFICE, Model
from pgbraid.errors import EmbeddingError, InvalidArgumentError

pytestmark = pytest.mark.any_version

DOWN = "embedding_unavailable: .*the embedding service is down"


@component
class TextEmbedder:
    def __init__(self, model: Model) -> None:
        self.model_name = "all-MiniLM-L6-v2"
        self.is_warm = False
        self._model = model

    def warm_up(self) -> None:
        assert not self.is_warm
        self.is_warm = True

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        assert self.is_warm
        return {"embedding": self._model.query(text)}


@component
class DocumentEmbedder:
    def __init__(self, model: Model) -> None:
        self._model = model

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        vectors = self._model.documents([document.content or "" for document in documents])
        return {
            "documents": [
                Document(content=document.content, embedding=vector)
                for document, vector in zip(documents, vectors, strict=True)
            ]
        }


@pytest.fixture
def store(shared_dsn: str, tenant: str, model: Model) -> Iterator[PgbraidDocumentStore]:
    embedders = TextEmbedder(model), DocumentEmbedder(model)
    with PgbraidDocumentStore(*embedders, dsn=shared_dsn, tenant=tenant) as opened:
        yield opened


@pytest.fixture
def client(shared_dsn: str, tenant: str) -> Iterator[pgbraid.Client]:
    with pgbraid.connect(shared_dsn, tenant) as connected:
        yield connected


def ids(documents: list[Document]) -> list[str]:
    return [document.id for document in documents]


def test_scores_of_hybrid_searches_are_relevances(store: PgbraidDocumentStore) -> None:
    store.write_documents([Document(id=str(number), content=text) for number, text in enumerate(OFFICE)])
    hybrid = PgbraidHybridRetriever(store, top_k=6)
    found = hybrid.run("printer toner")["documents"]
    scores = [document.score or 0.0 for document in found]
    assert found[0].id == "2" and scores[0] > 0.5 > scores[1]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    assert max(document.score or 0.0 for document in hybrid.run(NOTHING)["documents"]) < 0.5


def test_the_retrievers(store: PgbraidDocumentStore, model: Model) -> None:
    store.write_documents(
        [
            Document(id="1", content="Error E42 of the export.", meta={"n": 1}),
            Document(id="2", content="Invoices in May.", meta={"n": 2}),
            Document(id="3", content="Export of invoices.", meta={"n": 3}),
        ]
    )
    hybrid = PgbraidHybridRetriever(store, top_k=3)
    found = hybrid.run("E42")["documents"]
    assert found[0].id == "1" and len(found) == 3
    scores = [document.score or 0.0 for document in found]
    assert scores == sorted(scores, reverse=True) and scores[0] > scores[-1]
    assert all(type(score) is float for score in scores)
    assert asyncio.run(hybrid.run_async("E42"))["documents"] == found
    assert ids(PgbraidKeywordRetriever(store).run("E42")["documents"]) == ["1"]
    assert ids(asyncio.run(PgbraidKeywordRetriever(store).run_async("E42"))["documents"]) == ["1"]
    nearest = PgbraidEmbeddingRetriever(store, top_k=1)
    vector = model.query("Invoices in May.")
    assert ids(nearest.run(vector)["documents"]) == ids(asyncio.run(nearest.run_async(vector))["documents"]) == ["2"]
    assert ids(hybrid.run("May", query_embedding=vector, top_k=1)["documents"]) == ["2"]

    few = {"field": "meta.n", "operator": "<", "value": 3}
    other = {"field": "meta.n", "operator": ">", "value": 1}
    replacing = PgbraidHybridRetriever(store, filters=few)
    assert set(ids(replacing.run("export invoices")["documents"])) == {"1", "2"}
    assert set(ids(replacing.run("export invoices", filters=other)["documents"])) == {"2", "3"}
    merging = PgbraidHybridRetriever(store, filters=few, filter_policy=FilterPolicy.MERGE)
    not_1 = {"field": "id", "operator": "!=", "value": "1"}
    assert ids(merging.run("export invoices", filters=not_1)["documents"]) == ["2"]
    diverse = PgbraidKeywordRetriever(store, search_kwargs={"match": "all"})
    assert ids(diverse.run("export invoices")["documents"]) == ["3"]


def test_an_embedding_service_that_is_down(store: PgbraidDocumentStore, client: pgbraid.Client, model: Model) -> None:
    model.is_down = True
    with pytest.warns(UserWarning, match="stored, but wait for their embeddings"):
        store.write_documents([Document(id="1", content="Error E42.")])
    with pytest.warns(UserWarning, match=DOWN):
        assert ids(PgbraidHybridRetriever(store).run("E42")["documents"]) == ["1"]
    with pytest.warns(UserWarning, match=DOWN):
        assert ids(asyncio.run(PgbraidHybridRetriever(store).run_async("E42"))["documents"]) == ["1"]
    with pytest.raises(EmbeddingError, match="the embedding service is down"):
        store.search("E42", mode="semantic")
    model.is_down = False
    client.retry_embedding_jobs()
    store.write_documents([Document(id="2", content="Another.")])
    assert sorted(model.texts) == ["Another.", "Error E42."]


def test_documents_come_back_as_they_were(store: PgbraidDocumentStore, model: Model) -> None:
    documents = [
        Document(id="1", content="one", meta={"title": "One", "file_path": "one.md", "category": 3, "list": [1, "a"]}),
        Document(id="2", blob=ByteStream(b"\x00\xff", meta={"k": 1}, mime_type="image/png")),
        Document(id="3", content="", sparse_embedding=SparseEmbedding([1, 7], [0.5, 0.25])),
    ]
    assert store.write_documents(documents) == 3
    assert store.filter_documents() == documents
    # A text that is already embedded is not embedded again.
    embedded = list(model.texts)
    store.write_documents([Document(id="1", content="one", meta={"title": "One", "page": 2})])
    assert model.texts == embedded
    (changed,) = store.filter_documents({"field": "id", "operator": "==", "value": "1"})
    assert changed.meta == {"title": "One", "page": 2}


def test_documents_that_came_otherwise(store: PgbraidDocumentStore, client: pgbraid.Client) -> None:
    chunks = [{"content": "A seat costs ten."}, {"content": "Seats are billed monthly.", "speaker": "Ana"}]
    seats = {"external_id": "seats.md", "title": "Seats", "source_uri": "file:///s.md", "chunks": chunks}
    client.add_documents([seats])
    (found,) = PgbraidKeywordRetriever(store).run("billed")["documents"]
    assert (found.id, found.content) == ("seats.md#1", "Seats are billed monthly.")
    assert found.meta == {
        "title": "Seats", "source": "file:///s.md", "speaker": "Ana", "external_id": "seats.md", "chunk_index": 1,
    }  # fmt: skip
    # A field without the prefix `meta.` names a column.
    by_column = {"field": "speaker", "operator": "==", "value": "Ana"}
    by_meta = {"field": "meta.speaker", "operator": "==", "value": "Ana"}
    assert len(store.search("seat", filters=by_column)) == 1 and store.search("seat", filters=by_meta) == []
    assert store.count_documents() == 1
    assert ids(store.filter_documents()) == ["seats.md", "seats.md#1"]
    for read in store.filter_documents():
        with pytest.raises(InvalidArgumentError, match=r"of document 'seats.md', which was not written"):
            store.write_documents([read], DuplicatePolicy.OVERWRITE)
    assert ids(store.filter_documents()) == ["seats.md", "seats.md#1"]


def test_policies(store: PgbraidDocumentStore) -> None:
    one, two = Document(id="1", content="one"), Document(id="2", content="two")
    assert store.write_documents([one, one, two], DuplicatePolicy.SKIP) == 2
    again = Document(id="1", content="again")
    assert store.write_documents([again], DuplicatePolicy.SKIP) == 0
    assert store.write_documents([], DuplicatePolicy.FAIL) == 0
    three = Document(id="3", content="three")
    for documents in ([three, again], [three, three]):
        with pytest.raises(DuplicateDocumentError, match="is there already"):
            store.write_documents(documents, DuplicatePolicy.FAIL)
    assert store.filter_documents() == [one, two]


def test_many_documents_are_looked_up(store: PgbraidDocumentStore) -> None:
    """More ids are looked up than one filter of at most 1 MiB can hold."""
    store.write_documents([Document(id="1", content="one")])
    many = [Document(id=f"{number:01000}", content="one") for number in range(1200)]
    with pytest.raises(DuplicateDocumentError, match="is there already"):
        store.write_documents([*many, Document(id="1", content="again")], DuplicatePolicy.FAIL)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"field": "meta.n", "operator": "~", "value": 1}, "the operator '~' of meta.n cannot be expressed"),
        ({"field": "content", "operator": "==", "value": "x"}, "content cannot be filtered by"),
        ({"field": "meta.n", "operator": "==", "value": [1]}, "meta.n cannot be compared with"),
        ({"operator": "XOR", "conditions": [{}]}, "the operator 'XOR' joins no conditions"),
        ({"operator": "AND", "conditions": []}, "is no list of conditions"),
        ({"operator": "AND", "conditions": ["x"]}, "a filter is a dictionary"),
    ],
)
def test_filters_that_are_refused(store: PgbraidDocumentStore, filters: dict[str, Any], message: str) -> None:
    with pytest.raises(FilterError, match=message):
        store.filter_documents(filters)


def test_filters_of_nothing_in_a_list(store: PgbraidDocumentStore) -> None:
    store.write_documents([Document(id="1", content="a", meta={"n": 1}), Document(id="2", content="b")])
    store.write_documents([Document(id="3", content="c", meta={"n": 3})])

    def found(operator: str, value: list[Any]) -> list[str]:
        return ids(store.filter_documents({"field": "meta.n", "operator": operator, "value": value}))

    assert found("in", [1, None]) == ["1", "2"]
    assert found("not in", [1, None]) == ["3"]
    assert found("not in", [1]) == ["2", "3"]
    for action in (store.delete_by_filter, lambda filters: store.update_by_filter(filters, {"k": 1})):
        with pytest.raises(ValueError, match="the filter is empty"):
            action({})


def test_a_pipeline_that_is_saved(
    shared_dsn: str, tenant: str, client: pgbraid.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.add_documents([{"external_id": "1", "content": "The fox sleeps."}])
    monkeypatch.setenv("PGBRAID_DSN", shared_dsn)
    with PgbraidDocumentStore(dsn=Secret.from_env_var("PGBRAID_DSN"), tenant=tenant) as store:
        pipeline = Pipeline()
        pipeline.add_component("retriever", PgbraidKeywordRetriever(store, top_k=1, filter_policy="merge"))
        saved = pipeline.dumps()
    assert shared_dsn not in saved
    loaded = Pipeline.loads(saved)
    found = loaded.run({"retriever": {"query": "fox"}})["retriever"]["documents"]
    assert ids(found) == ["1"]
    retriever: Any = loaded.get_component("retriever")
    assert retriever.filter_policy == FilterPolicy.MERGE
    retriever.document_store.close()
    with PgbraidDocumentStore(dsn=shared_dsn) as named, pytest.raises(ValueError, match="token-based secret"):
        named.to_dict()


def test_embedders(shared_dsn: str, tenant: str, model: Model) -> None:
    with pytest.raises(InvalidArgumentError, match="no text_embedder"):
        PgbraidDocumentStore(document_embedder=DocumentEmbedder(model))
    # An embedder for queries alone embeds documents one by one; the first write creates the collection.
    options: dict[str, Any] = {"dsn": shared_dsn, "tenant": tenant}
    with PgbraidDocumentStore(TextEmbedder(model), collection=tenant, model_name="hashes", **options) as store:
        store.write_documents([Document(id="1", content="fox")], DuplicatePolicy.FAIL)
        assert ids(store.search("fox", mode="semantic")) == ["1"]
        assert model.queries == ["dimensions", "fox", "fox"]
    # The documents bring their embeddings.
    with PgbraidDocumentStore(collection=f"{tenant}-given", **options) as store:
        store.write_documents([Document(id="1", content="fox", embedding=[1.0, 0.0, 0.5])])
        assert ids(PgbraidEmbeddingRetriever(store).run([1.0, 0.0, 0.5])["documents"]) == ["1"]
