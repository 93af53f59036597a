"""Run all of LangChain's own tests of vector stores and retrievers, sync and async."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests.retrievers import RetrieversIntegrationTests
from langchain_tests.integration_tests.vectorstores import EMBEDDING_SIZE, VectorStoreIntegrationTests

import pgbraid
from langchain_pgbraid import PgbraidRetriever, PgbraidVectorStore

pytestmark = pytest.mark.any_version


def empty_store(dsn: str, tenant: str, **options: Any) -> PgbraidVectorStore:
    """Return a store with an existing collection, because the tests search before they write."""
    store = PgbraidVectorStore(
        VectorStoreIntegrationTests.get_embeddings(), dsn=dsn, tenant=tenant, collection="standard", **options
    )
    with pgbraid.connect(dsn) as client:
        client.create_collection("standard", dimensions=EMBEDDING_SIZE, embedding_model="DeterministicFakeEmbedding")
    return store


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture(params=["hybrid", "semantic"])
    def vectorstore(self, shared_dsn: str, tenant: str, request: pytest.FixtureRequest) -> Iterator[VectorStore]:
        with empty_store(shared_dsn, tenant, mode=request.param) as store:
            yield store


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def filled(self, shared_dsn: str, tenant: str) -> Iterator[None]:
        with empty_store(shared_dsn, tenant) as store:
            store.add_documents([Document(text) for text in ("foo", "bar", "baz", "qux")])
            self.store = store
            yield

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return PgbraidRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"store": self.store}

    @property
    def retriever_query_example(self) -> str:
        return "foo"
