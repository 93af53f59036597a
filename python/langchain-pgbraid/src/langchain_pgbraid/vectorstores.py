"""Provide a vector store on a collection of pgbraid."""

# LangChain calls an argument `filter`.
# ruff: noqa: A002

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from langchain_pgbraid.documents import (
    KEY,
    documents_of,
    embedder_of,
    indexed_record,
    records_of,
    relevant,
    scored,
)
from pgbraid.errors import InvalidArgumentError
from pgbraid_stores import async_store, store
from pgbraid_stores.connections import Connections
from pgbraid_stores.records import Passage

if TYPE_CHECKING:
    from typing_extensions import Self

    from pgbraid.arguments import Mode
    from pgbraid.embedders.protocol import Embedder
    from pgbraid.stored import FacetValue
    from pgbraid.vectors import VectorLike
    from pgbraid_stores.tracking import Cleanup, IndexingCounts

__all__ = ["PgbraidVectorStore"]

# In these modes, a score only compares rows of one search, so the search adds a relevance from 0 to 1.
RELEVANCE_MODES = ("hybrid", "full_text")


class PgbraidVectorStore(VectorStore):
    """Keep and search documents in a collection of pgbraid. Searches are hybrid unless `mode` is "semantic" or
    "full_text".

    `embedding` is a LangChain `Embeddings` or an embedder of pgbraid; without one, the offline model embeds collections
    made for it. `model_name` names the `Embeddings` in the collection, by default with its own name. The first write
    creates a missing collection, if the login is an administrator's. `dsn` and `tenant` are as in `pgbraid.connect`.
    With `embed=False`, documents wait for `pgbraid work`, which embeds them.

    A document is a document of pgbraid with one chunk; its id is the external_id. Its metadata `title` and `source`
    become title and source_uri. The keys `speaker`, `category`, `language`, `importance` and `occurred_at` fill the
    columns of the same names where their types fit. Searches also find documents that other programs wrote, such as
    `pgbraid ingest`. Each of their chunks is a Document, with title, source, external_id and chunk_index in its
    metadata. A filter's key named like a column means the column, and `metadata.category` means the metadata:
    docs/reference/filters.md.

    Each thread or task that makes a call uses its own connection, up to eight; `close()` or `with` closes them. Copies,
    unpickled stores and forked processes open their own connections. A pickled store contains its `dsn` with the
    password. Asynchronous methods use asynchronous connections, and call `embed_query` in a thread.

    Errors are PgbraidErrors. If a search has to leave out a step, such as embedding the query, it issues a UserWarning.
    """

    def __init__(
        self,
        embedding: Embeddings | Embedder | None = None,
        *,
        collection: str = "default",
        dsn: str | None = None,
        tenant: str = "default",
        mode: Mode = "hybrid",
        model_name: str | None = None,
        embed: bool = True,
    ) -> None:
        self.collection = collection
        self.mode: Mode = mode
        self._embed = embed
        self._embeddings = embedding if isinstance(embedding, Embeddings) else None
        self._embedder = embedder_of(embedding, model_name)
        self._connections = Connections(dsn, tenant, self._embedder)

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def embeddings(self) -> Embeddings | None:
        """Return the `Embeddings` that the store was made with."""
        return self._embeddings

    # Writing

    def add_documents(
        self, documents: list[Document], *, on_error: Literal["raise", "skip"] = "raise", **kwargs: Any
    ) -> list[str]:
        """Write documents, replace documents of the same id, and return the ids. `ids` override the documents' own
        ids; a document without an id gets a new one. An unchanged text is not embedded again. With
        `on_error="skip"`, refused documents are left out, and a UserWarning names them."""
        records = records_of(documents, **kwargs)
        failed: set[int] = set()
        if records:
            with self._connections.client() as client:
                written = store.write(client, records, self.collection, self._embedder, on_error)
                failed = {one.index for one in written.failed}
                if self._embed:
                    store.embed_waiting(client, self.collection)
        return [found["external_id"] for index, found in enumerate(records) if index not in failed]

    async def aadd_documents(
        self, documents: list[Document], *, on_error: Literal["raise", "skip"] = "raise", **kwargs: Any
    ) -> list[str]:
        """Run `add_documents` asynchronously."""
        records = records_of(documents, **kwargs)
        failed: set[int] = set()
        if records:
            async with self._connections.async_client() as client:
                written = await async_store.write(client, records, self.collection, self._embedder, on_error)
                failed = {one.index for one in written.failed}
                if self._embed:
                    await async_store.embed_waiting(client, self.collection)
        return [found["external_id"] for index, found in enumerate(records) if index not in failed]

    def delete(self, ids: list[str] | None = None, *, filter: Mapping[str, Any] | None = None, **kwargs: Any) -> bool:
        """Delete documents by their ids, or all that match a filter. The id of a later chunk, such as `doc#1`,
        deletes nothing."""
        _check_deletion(ids, filter, kwargs)
        with self._connections.client() as client:
            if ids is not None:
                client.delete_documents(ids, collection=self.collection)
            else:
                store.delete_matching(client, filter, self.collection)
        return True

    async def adelete(
        self, ids: list[str] | None = None, *, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> bool:
        """Run `delete` asynchronously."""
        _check_deletion(ids, filter, kwargs)
        async with self._connections.async_client() as client:
            if ids is not None:
                await client.delete_documents(ids, collection=self.collection)
            else:
                await async_store.delete_matching(client, filter, self.collection)
        return True

    def index(
        self,
        documents: BaseLoader | Iterable[Document],
        *,
        cleanup: Cleanup | None = None,
        source_id_key: str | Callable[[Document], str] = "source",
        batch_size: int = 1000,
    ) -> IndexingCounts:
        """Synchronise the collection with the documents of a loader, as `langchain_core.indexing.index` does. No record
        manager is needed: the collection itself records what is indexed.

        Only new and changed texts are embedded. After all are written, cleanup="incremental" deletes indexed documents
        that are missing in this run although their source is part of it. cleanup="full" deletes all indexed documents
        that are missing in this run. Documents of `add_documents` and of other programs stay. If a document is
        refused, nothing is deleted.
        """
        found = documents.lazy_load() if isinstance(documents, BaseLoader) else documents
        with self._connections.client() as client:
            return store.index(
                client, (indexed_record(document, source_id_key) for document in found), key=KEY,
                collection=self.collection, model=self._embedder, cleanup=cleanup, batch_size=batch_size,
                embed=self._embed,
            )  # fmt: skip

    async def aindex(
        self,
        documents: BaseLoader | Iterable[Document] | AsyncIterable[Document],
        *,
        cleanup: Cleanup | None = None,
        source_id_key: str | Callable[[Document], str] = "source",
        batch_size: int = 1000,
    ) -> IndexingCounts:
        """Run `index` asynchronously."""
        found = documents.alazy_load() if isinstance(documents, BaseLoader) else _each(documents)
        async with self._connections.async_client() as client:
            return await async_store.index(
                client, (indexed_record(document, source_id_key) async for document in found), key=KEY,
                collection=self.collection, model=self._embedder, cleanup=cleanup, batch_size=batch_size,
                embed=self._embed,
            )  # fmt: skip

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | Embedder | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Make a store and write these texts; further arguments are the store's."""
        made = cls(embedding, **kwargs)
        made.add_texts(texts, metadatas, ids=ids)
        return made

    @classmethod
    async def afrom_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | Embedder | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Run `from_texts` asynchronously."""
        made = cls(embedding, **kwargs)
        await made.aadd_texts(texts, metadatas, ids=ids)
        return made

    # Reading

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents of these ids, in this order; missing ids are left out."""
        with self._connections.client() as client:
            return documents_of(store.passages_by_id(client, ids, key=KEY, collection=self.collection))

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Run `get_by_ids` asynchronously."""
        async with self._connections.async_client() as client:
            return documents_of(await async_store.passages_by_id(client, ids, key=KEY, collection=self.collection))

    def similarity_search(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return the best `k` documents. Further arguments go to `pgbraid.Client.search`, such as mode, fusion,
        min_score, reranker and options. With the option context, a document's text includes its neighbouring chunks."""
        return documents_of(self._find(query, k, filter, **kwargs))

    async def asimilarity_search(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """Run `similarity_search` asynchronously."""
        return documents_of(await self._afind(query, k, filter, **kwargs))

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Return documents with the score that orders them: more is better."""
        return scored(self._find(query, k, filter, **kwargs))

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Run `similarity_search_with_score` asynchronously."""
        return scored(await self._afind(query, k, filter, **kwargs))

    def similarity_search_by_vector(
        self, embedding: VectorLike, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """Return the documents whose vectors are nearest."""
        return documents_of(self._find(None, k, filter, **{"mode": "semantic", "embedding": embedding, **kwargs}))

    async def asimilarity_search_by_vector(
        self, embedding: VectorLike, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """Run `similarity_search_by_vector` asynchronously."""
        return documents_of(
            await self._afind(None, k, filter, **{"mode": "semantic", "embedding": embedding, **kwargs})
        )

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Return documents that are relevant and differ from one another, chosen from `fetch_k` candidates of each
        leg."""
        return self.similarity_search(query, k, filter, **_diverse(k, fetch_k, lambda_mult, kwargs))

    async def amax_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Run `max_marginal_relevance_search` asynchronously."""
        return await self.asimilarity_search(query, k, filter, **_diverse(k, fetch_k, lambda_mult, kwargs))

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: VectorLike,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Return documents near the vector that differ from one another, as `max_marginal_relevance_search` does."""
        return self.similarity_search_by_vector(embedding, k, filter, **_diverse(k, fetch_k, lambda_mult, kwargs))

    async def amax_marginal_relevance_search_by_vector(
        self,
        embedding: VectorLike,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Run `max_marginal_relevance_search_by_vector` asynchronously."""
        diverse = _diverse(k, fetch_k, lambda_mult, kwargs)
        return await self.asimilarity_search_by_vector(embedding, k, filter, **diverse)

    def facets(
        self,
        keys: Sequence[str] = (),
        query: str | None = None,
        filter: Mapping[str, Any] | None = None,
        *,
        aggregations: Mapping[str, Mapping[str, Any]] | None = None,
        value_count: int = 10,
    ) -> dict[str, list[FacetValue]]:
        """Count the values of metadata keys, and ranges, dates and statistics, of all documents that the words of a
        query find; without a query, of all that match the filter. See `pgbraid.Client.facets`."""
        with self._connections.client() as client:
            return client.facets(
                keys, query, filters=filter, collection=self.collection, value_count=value_count,
                aggregations=aggregations,
            )  # fmt: skip

    async def afacets(
        self,
        keys: Sequence[str] = (),
        query: str | None = None,
        filter: Mapping[str, Any] | None = None,
        *,
        aggregations: Mapping[str, Mapping[str, Any]] | None = None,
        value_count: int = 10,
    ) -> dict[str, list[FacetValue]]:
        """Run `facets` asynchronously."""
        async with self._connections.async_client() as client:
            return await client.facets(
                keys, query, filters=filter, collection=self.collection, value_count=value_count,
                aggregations=aggregations,
            )  # fmt: skip

    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Return documents with their relevance from 0 to 1; the option `min_relevance` sets the lowest one."""
        return relevant(self._find(query, k, filter, **{"relevance_modes": RELEVANCE_MODES, **kwargs}))

    async def _asimilarity_search_with_relevance_scores(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Run `_similarity_search_with_relevance_scores` asynchronously."""
        return relevant(await self._afind(query, k, filter, **{"relevance_modes": RELEVANCE_MODES, **kwargs}))

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        """Return a function that clamps scores to 0 to 1, since boosts, inner products and distances can exceed this
        range."""
        return lambda score: min(max(score, 0.0), 1.0)

    def _find(self, query: str | None, k: int, filters: Mapping[str, Any] | None, **kwargs: Any) -> list[Passage]:
        with self._connections.client() as client:
            return store.find(
                client, query, k, key=KEY, collection=self.collection, filters=filters,
                **{"mode": self.mode, "relevance_modes": (), **kwargs},
            )  # fmt: skip

    async def _afind(
        self, query: str | None, k: int, filters: Mapping[str, Any] | None, **kwargs: Any
    ) -> list[Passage]:
        async with self._connections.async_client() as client:
            return await async_store.find(
                client, query, k, key=KEY, collection=self.collection, filters=filters,
                **{"mode": self.mode, "relevance_modes": (), **kwargs},
            )  # fmt: skip


def _diverse(k: int, fetch_k: int, lambda_mult: float, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    options = {**(kwargs.get("options") or {}), "diversify": {"lambda": lambda_mult}}
    return {"candidate_count": max(k, fetch_k), **kwargs, "options": options}


def _check_deletion(ids: list[str] | None, filters: Mapping[str, Any] | None, others: Mapping[str, Any]) -> None:
    if others:
        raise TypeError(f"delete() has no argument {next(iter(others))!r}")
    if (ids is None) == (not filters):
        raise InvalidArgumentError(
            "delete() needs either ids or a filter",
            hint="to delete all, use clear_collection() of pgbraid.connect()",
        )


async def _each(documents: Iterable[Document] | AsyncIterable[Document]) -> AsyncIterator[Document]:
    if isinstance(documents, AsyncIterable):
        async for document in documents:
            yield document
    else:
        for document in documents:
            yield document
