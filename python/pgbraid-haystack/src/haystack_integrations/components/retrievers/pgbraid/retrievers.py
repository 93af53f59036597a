"""Retrieve documents of a store by full text, by vectors, or by both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import FilterPolicy, apply_filter_policy

from haystack_integrations.document_stores.pgbraid import PgbraidDocumentStore

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PgbraidEmbeddingRetriever", "PgbraidHybridRetriever", "PgbraidKeywordRetriever"]


class _Retriever:
    """Share the code of all retrievers. `search_kwargs` are further arguments of `store.search`."""

    def __init__(
        self,
        document_store: PgbraidDocumentStore,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        search_kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k
        self.filter_policy = FilterPolicy.from_str(filter_policy) if isinstance(filter_policy, str) else filter_policy
        self.search_kwargs = search_kwargs or {}

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(
            self, document_store=self.document_store, filters=self.filters, top_k=self.top_k,
            filter_policy=self.filter_policy.value, search_kwargs=self.search_kwargs,
        )  # fmt: skip

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return default_from_dict(cls, data)

    def _arguments(self, filters: dict[str, Any] | None, top_k: int | None, **more: Any) -> dict[str, Any]:
        wanted = apply_filter_policy(self.filter_policy, self.filters, filters)
        return {**self.search_kwargs, **more, "filters": wanted, "top_k": self.top_k if top_k is None else top_k}


@component
class PgbraidHybridRetriever(_Retriever):
    """Retrieve the best documents by full text and vectors. Without a `query_embedding`, the store embeds the query;
    if that fails, full text answers, with a UserWarning."""

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        query_embedding: list[float] | None = None,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        arguments = self._arguments(filters, top_k, mode="hybrid", embedding=query_embedding)
        return {"documents": self.document_store.search(query, **arguments)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        query_embedding: list[float] | None = None,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        arguments = self._arguments(filters, top_k, mode="hybrid", embedding=query_embedding)
        return {"documents": await self.document_store.search_async(query, **arguments)}


@component
class PgbraidKeywordRetriever(_Retriever):
    """Retrieve the best documents by full text."""

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        arguments = self._arguments(filters, top_k, mode="full_text")
        return {"documents": self.document_store.search(query, **arguments)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        arguments = self._arguments(filters, top_k, mode="full_text")
        return {"documents": await self.document_store.search_async(query, **arguments)}


@component
class PgbraidEmbeddingRetriever(_Retriever):
    """Retrieve the documents with the nearest vectors."""

    @component.output_types(documents=list[Document])
    def run(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        arguments = self._arguments(filters, top_k, mode="semantic", embedding=query_embedding)
        return {"documents": self.document_store.search(None, **arguments)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        arguments = self._arguments(filters, top_k, mode="semantic", embedding=query_embedding)
        return {"documents": await self.document_store.search_async(None, **arguments)}
