"""Run Haystack's own tests of document stores, sync and async."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy
from haystack.testing.document_store import CountDocumentsByFilterTest, DocumentStoreBaseExtendedTests
from haystack.testing.document_store_async import (
    CountDocumentsAsyncTest,
    CountDocumentsByFilterAsyncTest,
    DeleteAllAsyncTest,
    DeleteByFilterAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    UpdateByFilterAsyncTest,
    WriteDocumentsAsyncTest,
)

import pgbraid
from haystack_integrations.document_stores.pgbraid import PgbraidDocumentStore

pytestmark = pytest.mark.any_version
# Haystack's tests write vectors of these dimensions.
DIMENSIONS = 768


@contextmanager
def empty_store(dsn: str, tenant: str) -> Iterator[PgbraidDocumentStore]:
    with pgbraid.connect(dsn) as client:
        client.create_collection("standard", dimensions=DIMENSIONS, embedding_model="random")
    with PgbraidDocumentStore(dsn=dsn, tenant=tenant, collection="standard", embed=False) as store:
        yield store


def assert_equal(received: list[Document], expected: list[Document]) -> None:
    """Compare documents without their order and without embeddings, which the store does not read back."""

    def known(documents: list[Document]) -> list[dict[str, Any]]:
        found = [{**document.to_dict(flatten=False), "embedding": None} for document in documents]
        return sorted(found, key=lambda one: str(one["id"]))

    assert known(received) == known(expected)


class TestDocumentStore(DocumentStoreBaseExtendedTests, CountDocumentsByFilterTest):
    @pytest.fixture
    def document_store(self, shared_dsn: str, tenant: str) -> Iterator[PgbraidDocumentStore]:
        with empty_store(shared_dsn, tenant) as store:
            yield store

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        assert_equal(received, expected)

    def test_write_documents(self, document_store: PgbraidDocumentStore) -> None:  # type: ignore[override]
        assert document_store.write_documents([Document(id="1", content="one")]) == 1
        assert document_store.write_documents([Document(id="1", content="two")], DuplicatePolicy.NONE) == 1
        assert_equal(document_store.filter_documents(), [Document(id="1", content="two")])


class TestDocumentStoreAsync(
    CountDocumentsAsyncTest,
    CountDocumentsByFilterAsyncTest,
    DeleteAllAsyncTest,
    DeleteByFilterAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    UpdateByFilterAsyncTest,
    WriteDocumentsAsyncTest,
):
    @pytest.fixture
    def document_store(self, shared_dsn: str, tenant: str) -> Iterator[PgbraidDocumentStore]:
        with empty_store(shared_dsn, tenant) as store:
            yield store

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        assert_equal(received, expected)

    async def test_write_documents_async(self, document_store: PgbraidDocumentStore) -> None:
        assert await document_store.write_documents_async([Document(id="1", content="one")]) == 1
        assert await document_store.write_documents_async([Document(id="1", content="two")]) == 1
        assert_equal(await document_store.filter_documents_async(), [Document(id="1", content="two")])
