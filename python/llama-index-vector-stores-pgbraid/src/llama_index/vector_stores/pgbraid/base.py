"""Provide a vector store on a collection of pgbraid, and its retriever."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import (
    BaseNode,
    NodeWithScore,
    QueryBundle,
)
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.vector_stores.pgbraid.filters import REF_DOC_ID, is_always, translated
from llama_index.vector_stores.pgbraid.nodes import KEY, indexed_records, node_of, record_of

from pgbraid.errors import InvalidArgumentError
from pgbraid_stores import async_store, store
from pgbraid_stores.connections import Connections
from pgbraid_stores.embedders import EmbeddingModel, FrameworkEmbedder, KnownModel, model_name_of
from pgbraid_stores.records import Passage

if TYPE_CHECKING:
    from typing_extensions import Self

    from pgbraid.arguments import Mode
    from pgbraid.embedders.protocol import Embedder
    from pgbraid_stores.tracking import Cleanup, IndexingCounts

__all__ = ["PgbraidRetriever", "PgbraidVectorStore"]

FULL_TEXT = (VectorStoreQueryMode.SPARSE, VectorStoreQueryMode.TEXT_SEARCH)
QUERY_MODES = (VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.HYBRID, VectorStoreQueryMode.MMR, *FULL_TEXT)
# These arguments of a store are fields as well, and to_dict includes them.
SAVED = ("collection", "tenant", "mode", "embed")
MMR_ARGUMENTS = ("mmr_threshold", "mmr_prefetch_factor", "mmr_prefetch_k")


class PgbraidVectorStore(BasePydanticVectorStore):
    """Keep and search nodes in a collection of pgbraid. Queries of the mode DEFAULT are hybrid unless `mode` is
    "semantic" or "full_text".

    `embed_model` is a `BaseEmbedding`, or an embedder of pgbraid. The store then embeds queries and nodes without an
    embedding, and answers by full text if the model fails. Without `embed_model`, LlamaIndex embeds, and `model_name`
    names its model for the collection that the first write creates. `dsn` and `tenant` are as in `pgbraid.connect`.
    With `embed=False`, nodes without an embedding wait for `pgbraid work`.

    A node is a document of pgbraid with one chunk; its id is the external_id, and its relationships are kept. Its
    metadata `title` or `file_name` becomes title; `source`, `file_path` or `url` becomes source_uri. The keys
    `speaker`, `category`, `language`, `importance` and `occurred_at` fill the columns of the same names where their
    types fit. Searches also find documents that other programs wrote. Each of their chunks is a TextNode, with the
    document as its source node. A filter's key means the metadata of a node, and the column of the same name in a
    document that another program wrote.

    Each thread or task that makes a call uses its own connection, up to eight; `close()` or `with` closes them. Copies,
    unpickled stores and forked processes open their own connections. A store can be pickled if its model can; the
    pickle contains the `dsn` with the password. `to_dict` omits `dsn` and model, so give them again:
    `PgbraidVectorStore.from_dict(data, embed_model=…, dsn=…)`.

    Errors are PgbraidErrors. If a search has to leave out a step, such as embedding the query, it issues a UserWarning.
    """

    stores_text: bool = True
    is_embedding_query: bool = True
    collection: str = "default"
    tenant: str = "default"
    mode: str = "hybrid"
    embed: bool = True
    _connections: Connections = PrivateAttr()
    _embed_model: Any = PrivateAttr()
    _model_name: str | None = PrivateAttr()

    def __init__(
        self,
        embed_model: BaseEmbedding | Embedder | None = None,
        *,
        collection: str = "default",
        dsn: str | None = None,
        tenant: str = "default",
        mode: Mode = "hybrid",
        model_name: str | None = None,
        embed: bool = True,
    ) -> None:
        fields: dict[str, Any] = {"collection": collection, "tenant": tenant, "mode": mode, "embed": embed}
        super().__init__(is_embedding_query=embed_model is None, **fields)
        embedder: Embedder | None = (
            FrameworkEmbedder(
                model_name or model_name_of(embed_model),
                embed_model.get_text_embedding_batch,
                embed_model.get_query_embedding,
            )
            if isinstance(embed_model, BaseEmbedding)
            else embed_model
        )
        self._connections = Connections(dsn, tenant, embedder)
        self._embed_model = embed_model
        self._model_name = model_name

    def __reduce__(self) -> tuple[Callable[[], Self], tuple[()]]:
        # LlamaIndex drops attributes that cannot be pickled, so the store would lose its connections.
        arguments: dict[str, Any] = {name: getattr(self, name) for name in SAVED}
        arguments |= {"dsn": self._connections.dsn, "model_name": self._model_name}
        return partial(type(self), self._embed_model, **arguments), ()

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Copy the store, with the same model."""
        return self.__reduce__()[0]()

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """Make a store from the result of `to_dict`; further arguments are the store's, and override `data`."""
        saved: dict[str, Any] = {name: data[name] for name in SAVED if name in data}
        return cls(**(saved | kwargs))

    @classmethod
    def class_name(cls) -> str:
        return "PgbraidVectorStore"

    @property
    def client(self) -> Connections:
        """Return the pool that lends clients: `with store.client.client() as client:`."""
        return self._connections

    def close(self) -> None:
        """Close the connections. The next call opens new ones."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def add(
        self, nodes: Sequence[BaseNode], *, on_error: Literal["raise", "skip"] = "raise", **kwargs: Any
    ) -> list[str]:
        """Write nodes, replace nodes of the same id, and return the ids. Nodes without an embedding are embedded,
        unless their text is unchanged. With `on_error="skip"`, refused nodes are left out, and a UserWarning names
        them."""
        records = [record_of(node) for node in nodes]
        failed: set[int] = set()
        if records:
            with self._connections.client() as client:
                written = store.write(client, records, self.collection, self._model(nodes), on_error)
                failed = {one.index for one in written.failed}
                if self._has_to_embed(nodes):
                    store.embed_waiting(client, self.collection)
        return [node.node_id for index, node in enumerate(nodes) if index not in failed]

    async def async_add(
        self, nodes: Sequence[BaseNode], *, on_error: Literal["raise", "skip"] = "raise", **kwargs: Any
    ) -> list[str]:
        """Run `add` asynchronously."""
        records = [record_of(node) for node in nodes]
        failed: set[int] = set()
        if records:
            async with self._connections.async_client() as client:
                written = await async_store.write(client, records, self.collection, self._model(nodes), on_error)
                failed = {one.index for one in written.failed}
                if self._has_to_embed(nodes):
                    await async_store.embed_waiting(client, self.collection)
        return [node.node_id for index, node in enumerate(nodes) if index not in failed]

    def index(
        self, nodes: Sequence[BaseNode], *, cleanup: Cleanup | None = None, batch_size: int = 1000
    ) -> IndexingCounts:
        """Synchronise the collection with nodes, without a docstore: the collection itself records what is indexed.

        Nodes get ids made from their document and text, and references between nodes are adapted, so that only new
        texts are embedded. After all are written, cleanup="incremental" deletes indexed nodes that are missing in this
        run although their document is part of it. cleanup="full" deletes all indexed nodes that are missing in this
        run. Nodes of `add` and documents of other programs stay.
        """
        records = indexed_records(nodes)
        with self._connections.client() as client:
            return store.index(
                client, iter(records), key=KEY, collection=self.collection, model=self._model(nodes), cleanup=cleanup,
                batch_size=batch_size, embed=self._has_to_embed(nodes),
            )  # fmt: skip

    async def aindex(
        self, nodes: Sequence[BaseNode], *, cleanup: Cleanup | None = None, batch_size: int = 1000
    ) -> IndexingCounts:
        """Run `index` asynchronously."""
        records = indexed_records(nodes)
        async with self._connections.async_client() as client:
            return await async_store.index(
                client, _each(records), key=KEY, collection=self.collection, model=self._model(nodes), cleanup=cleanup,
                batch_size=batch_size, embed=self._has_to_embed(nodes),
            )  # fmt: skip

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Delete the nodes of one document only, even if another document has the same texts."""
        with self._connections.client() as client:
            store.delete_matching(client, _of_document(ref_doc_id), self.collection)

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Run `delete` asynchronously."""
        async with self._connections.async_client() as client:
            await async_store.delete_matching(client, _of_document(ref_doc_id), self.collection)

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Delete nodes by their ids, by a filter, or by both. Raise InvalidArgumentError for a filter that keeps
        every node, such as `nin` of an empty list."""
        wanted = _deleted(node_ids, filters)
        with self._connections.client() as client:
            store.delete_matching(client, wanted, self.collection, node_ids)

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Run `delete_nodes` asynchronously."""
        wanted = _deleted(node_ids, filters)
        async with self._connections.async_client() as client:
            await async_store.delete_matching(client, wanted, self.collection, node_ids)

    def clear(self) -> None:
        """Delete all the tenant's documents in the collection, including documents of other programs."""
        with self._connections.client() as client:
            client.clear_collection(self.collection)

    async def aclear(self) -> None:
        """Run `clear` asynchronously."""
        async with self._connections.async_client() as client:
            await client.clear_collection(self.collection)

    # Reading

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """Return nodes by their ids, in this order, by a filter, or by both."""
        with self._connections.client() as client:
            if filters is None and node_ids is not None:
                found = store.passages_by_id(client, node_ids, key=KEY, collection=self.collection)
            else:
                wanted = _wanted(node_ids, filters)
                found = store.passages_matching(client, wanted, key=KEY, collection=self.collection, ids=node_ids)
        return [node_of(passage) for passage in found]

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Run `get_nodes` asynchronously."""
        async with self._connections.async_client() as client:
            if filters is None and node_ids is not None:
                found = await async_store.passages_by_id(client, node_ids, key=KEY, collection=self.collection)
            else:
                wanted = _wanted(node_ids, filters)
                found = await async_store.passages_matching(
                    client, wanted, key=KEY, collection=self.collection, ids=node_ids
                )
        return [node_of(passage) for passage in found]

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Search. Further arguments go to `pgbraid.Client.search`, such as fusion, min_score and options."""
        match_count, arguments = _search_of(query, self.mode, kwargs)
        return _result(self._find(query.query_str, match_count, **arguments))

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Run `query` asynchronously."""
        match_count, arguments = _search_of(query, self.mode, kwargs)
        return _result(await self._afind(query.query_str, match_count, **arguments))

    def _find(self, query: str | None, match_count: int, **arguments: Any) -> list[Passage]:
        with self._connections.client() as client:
            return store.find(client, query, match_count, key=KEY, collection=self.collection, **arguments)

    async def _afind(self, query: str | None, match_count: int, **arguments: Any) -> list[Passage]:
        async with self._connections.async_client() as client:
            return await async_store.find(client, query, match_count, key=KEY, collection=self.collection, **arguments)

    def _model(self, nodes: Sequence[BaseNode]) -> EmbeddingModel | None:
        if self._connections.embedder is not None:
            return self._connections.embedder
        given = next((node.embedding for node in nodes if node.embedding is not None), None)
        return None if given is None else KnownModel(self._model_name or "LlamaIndex", len(given))

    def _has_to_embed(self, nodes: Sequence[BaseNode]) -> bool:
        return self.embed and any(node.embedding is None for node in nodes)


class PgbraidRetriever(BaseRetriever):
    """Retrieve the best nodes of a store, which embeds the query itself. `filters` are `MetadataFilters` or a filter
    of pgbraid; further arguments go to `pgbraid.Client.search`, such as mode, reranker and options."""

    def __init__(
        self,
        store: PgbraidVectorStore,
        *,
        similarity_top_k: int = 4,
        filters: MetadataFilters | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.similarity_top_k = similarity_top_k
        self._store = store
        self._arguments = {"mode": store.mode, "filters": translated(filters), **options}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        arguments = {**self._arguments, "embedding": query_bundle.embedding}
        return _scored(self._store._find(query_bundle.query_str, self.similarity_top_k, **arguments))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        arguments = {**self._arguments, "embedding": query_bundle.embedding}
        return _scored(await self._store._afind(query_bundle.query_str, self.similarity_top_k, **arguments))


def _search_of(query: VectorStoreQuery, default: str, kwargs: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return how many rows a query asks for, and the further arguments of the search."""
    if query.mode not in QUERY_MODES:
        raise InvalidArgumentError(
            f"the query mode {query.mode.value!r} cannot be done",
            hint=f"use one of {', '.join(mode.value for mode in QUERY_MODES)}",
        )
    match_count = query.similarity_top_k
    given = dict(kwargs)
    # LlamaIndex' own vector store takes these arguments.
    diversity = {name: given.pop(name) for name in MMR_ARGUMENTS if name in given}
    arguments: dict[str, Any] = {"mode": default}
    if query.mode in FULL_TEXT:
        arguments["mode"] = "full_text"
    elif query.mode == VectorStoreQueryMode.HYBRID:
        arguments["mode"] = "hybrid"
        match_count = query.hybrid_top_k or match_count
        if query.alpha is not None:
            arguments |= {"full_text_weight": 1 - query.alpha, "semantic_weight": query.alpha}
        if query.sparse_top_k is not None:
            arguments["candidate_count"] = max(query.sparse_top_k, query.similarity_top_k, match_count)
    elif query.mode == VectorStoreQueryMode.MMR:
        threshold = diversity.get("mmr_threshold", query.mmr_threshold)
        arguments["options"] = {"diversify": {"lambda": 0.5 if threshold is None else threshold}}
        if diversity.get("mmr_prefetch_k") is not None and diversity.get("mmr_prefetch_factor") is not None:
            raise InvalidArgumentError("mmr_prefetch_k and mmr_prefetch_factor are given", hint="give one")
        if diversity.get("mmr_prefetch_k") is not None:
            arguments["candidate_count"] = max(int(diversity["mmr_prefetch_k"]), match_count)
        elif diversity.get("mmr_prefetch_factor") is not None:
            arguments["candidate_count"] = max(int(match_count * diversity["mmr_prefetch_factor"]), match_count)
    if query.query_str is None and arguments["mode"] == "hybrid":
        arguments["mode"] = "semantic"
    if arguments["mode"] != "full_text":
        arguments["embedding"] = query.query_embedding
    parts = [part for part in (translated(query.filters),) if part]
    if query.doc_ids:
        parts.append({REF_DOC_ID: {"$in": query.doc_ids}})
    if query.node_ids:
        parts.append({"external_id": {"$in": query.node_ids}})
    options = {**arguments.pop("options", {}), **(given.pop("options", None) or {})}
    filters = {"$and": parts} if parts else None
    return match_count, {**arguments, **given, "filters": filters, "options": options or None}


def _of_document(ref_doc_id: str) -> dict[str, Any]:
    """Return a filter that matches the nodes of a document, and the document itself if it is a node or was written
    by another program."""
    return {"$or": [{REF_DOC_ID: ref_doc_id}, {"external_id": ref_doc_id}]}


def _wanted(node_ids: Sequence[str] | None, filters: MetadataFilters | None) -> dict[str, Any] | None:
    wanted = translated(filters)
    if wanted is None and node_ids is None:
        raise InvalidArgumentError(
            "neither node_ids nor filters are given", hint="give node_ids or filters; clear() deletes all nodes"
        )
    return wanted


def _deleted(node_ids: Sequence[str] | None, filters: MetadataFilters | None) -> dict[str, Any] | None:
    wanted = _wanted(node_ids, filters)
    if node_ids is None and isinstance(filters, MetadataFilters) and is_always(filters):
        raise InvalidArgumentError(
            f"the filter matches every node: {wanted}", hint="a list in it is empty; clear() deletes all nodes"
        )
    return wanted


async def _each(records: Sequence[dict[str, Any]]) -> Any:
    for found in records:
        yield found


def _result(passages: Sequence[Passage]) -> VectorStoreQueryResult:
    return VectorStoreQueryResult(
        nodes=[node_of(passage) for passage in passages],
        similarities=[passage.score or 0.0 for passage in passages],
        ids=[passage.id for passage in passages],
    )


def _scored(passages: Sequence[Passage]) -> list[NodeWithScore]:
    return [NodeWithScore(node=node_of(passage), score=passage.score) for passage in passages]
