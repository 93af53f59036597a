"""Retrieve the best documents of a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from langchain_pgbraid.vectorstores import PgbraidVectorStore

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun

__all__ = ["PgbraidRetriever"]


class PgbraidRetriever(BaseRetriever):
    """Retrieve the best `k` documents of a store. `search_kwargs` are further arguments of the store's
    `similarity_search`, such as `{"mode": "full_text"}`; arguments of `invoke` override them."""

    store: PgbraidVectorStore
    k: int = 4
    filter: dict[str, Any] | None = None
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return self.store.similarity_search(query, **self._arguments(kwargs))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await self.store.asimilarity_search(query, **self._arguments(kwargs))

    def _arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {"k": self.k, "filter": self.filter, **self.search_kwargs, **given}
