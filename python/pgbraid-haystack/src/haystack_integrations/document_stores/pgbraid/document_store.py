"""Provide a document store on a collection of pgbraid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret

from haystack_integrations.document_stores.pgbraid.converters import KEY, document_of, embedder_of, record_of
from haystack_integrations.document_stores.pgbraid.filters import translated
from pgbraid_stores import async_store, store
from pgbraid_stores.connections import Connections
from pgbraid_stores.embedders import EmbeddingModel, KnownModel

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PgbraidDocumentStore"]

# Under these policies, a stored document is not replaced.
KEEPING = (DuplicatePolicy.SKIP, DuplicatePolicy.FAIL)


class PgbraidDocumentStore:
    """Keep and search documents in a collection of pgbraid.

    `text_embedder` is a component of Haystack that embeds queries, or an embedder of pgbraid. `document_embedder`, also
    a component, embeds documents without an embedding; without it, `text_embedder` embeds them one by one. Without a
    `text_embedder`, the offline model embeds collections made for it. `model_name` names the model in a collection that
    the first write creates. `dsn` is a Secret or a string, and `tenant` is as in `pgbraid.connect`. With `embed=False`,
    documents without an embedding wait for `pgbraid work`.

    A document is a document of pgbraid with one chunk; its id is the external_id. Its meta `title` or `file_name`
    becomes title; `source`, `file_path` or `url` becomes source_uri. The keys `speaker`, `category`, `language`,
    `importance` and `occurred_at` fill the columns of the same names where their types fit. Searches also find
    documents that other programs wrote. Each of their chunks is a Document, with title, source, external_id and
    chunk_index in its meta. Results do not contain embeddings.

    Each thread or task that makes a call uses its own connection, up to eight; `close()` or `with` closes them. A
    forked process opens its own.

    Errors are PgbraidErrors, and FilterError. If a search has to leave out a step, such as embedding the query, it
    issues a UserWarning.
    """

    def __init__(
        self,
        text_embedder: Any = None,
        document_embedder: Any = None,
        *,
        collection: str = "default",
        dsn: Secret | str | None = None,
        tenant: str = "default",
        model_name: str | None = None,
        embed: bool = True,
    ) -> None:
        self.collection = collection
        self.tenant = tenant
        self._dsn = Secret.from_token(dsn) if isinstance(dsn, str) else dsn
        self._text_embedder = text_embedder
        self._document_embedder = document_embedder
        self._model_name = model_name
        self._embed = embed
        embedder = embedder_of(text_embedder, document_embedder, model_name)
        self._connections = Connections(self._dsn.resolve_value() if self._dsn else None, tenant, embedder)

    def to_dict(self) -> dict[str, Any]:
        """Return the store as a dictionary, for saving a pipeline. This requires a `dsn` that is a Secret of the
        environment, and embedders that are components of Haystack."""
        return default_to_dict(
            self, text_embedder=self._text_embedder, document_embedder=self._document_embedder,
            collection=self.collection, dsn=self._dsn, tenant=self.tenant, model_name=self._model_name,
            embed=self._embed,
        )  # fmt: skip

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return default_from_dict(cls, data)

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

    def write_documents(
        self,
        documents: list[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        on_error: Literal["raise", "skip"] = "raise",
    ) -> int:
        """Write documents and return their number. Stored documents of the same ids are replaced, unless `policy` is
        SKIP or FAIL. An unchanged text is not embedded again. With `on_error="skip"`, refused documents are left
        out, and a UserWarning names them."""
        _check_documents(documents)
        if not documents:
            return 0
        with self._connections.client() as client:
            known: set[str] = set()
            failed = 0
            if policy in KEEPING:
                known = store.existing_ids(client, [one.id for one in documents], self.collection)
            wanted = _wanted(documents, known, policy)
            if wanted:
                records = [record_of(one) for one in wanted]
                written = store.write(client, records, self.collection, self._model(wanted), on_error)
                failed = len(written.failed)
                if self._has_to_embed(wanted):
                    store.embed_waiting(client, self.collection)
        return len(wanted) - failed

    async def write_documents_async(
        self,
        documents: list[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        on_error: Literal["raise", "skip"] = "raise",
    ) -> int:
        """Run `write_documents` asynchronously."""
        _check_documents(documents)
        if not documents:
            return 0
        async with self._connections.async_client() as client:
            known: set[str] = set()
            failed = 0
            if policy in KEEPING:
                known = await async_store.existing_ids(client, [one.id for one in documents], self.collection)
            wanted = _wanted(documents, known, policy)
            if wanted:
                records = [record_of(one) for one in wanted]
                written = await async_store.write(client, records, self.collection, self._model(wanted), on_error)
                failed = len(written.failed)
                if self._has_to_embed(wanted):
                    await async_store.embed_waiting(client, self.collection)
        return len(wanted) - failed

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete documents; ignore unknown ids."""
        with self._connections.client() as client:
            client.delete_documents(document_ids, collection=self.collection)

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """Run `delete_documents` asynchronously."""
        async with self._connections.async_client() as client:
            await client.delete_documents(document_ids, collection=self.collection)

    def delete_all_documents(self) -> None:
        """Delete all the tenant's documents in the collection, including documents of other programs."""
        with self._connections.client() as client:
            client.clear_collection(self.collection)

    async def delete_all_documents_async(self) -> None:
        """Run `delete_all_documents` asynchronously."""
        async with self._connections.async_client() as client:
            await client.clear_collection(self.collection)

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Delete the documents that match, and return their number."""
        with self._connections.client() as client:
            return store.delete_matching(client, _required(filters), self.collection)

    async def delete_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Run `delete_by_filter` asynchronously."""
        async with self._connections.async_client() as client:
            return await async_store.delete_matching(client, _required(filters), self.collection)

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Merge `meta` into the meta of the documents that match, and return their number."""
        with self._connections.client() as client:
            return store.update_matching(client, _required(filters), meta, self.collection)

    async def update_by_filter_async(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Run `update_by_filter` asynchronously."""
        async with self._connections.async_client() as client:
            return await async_store.update_matching(client, _required(filters), meta, self.collection)

    # Reading

    def count_documents(self) -> int:
        """Count documents of pgbraid; a document that another program wrote may have several chunks."""
        with self._connections.client() as client:
            return client.count(self.collection)

    async def count_documents_async(self) -> int:
        """Run `count_documents` asynchronously."""
        async with self._connections.async_client() as client:
            return await client.count(self.collection)

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """Count the documents that match."""
        with self._connections.client() as client:
            return len(store.matching_ids(client, translated(filters), self.collection))

    async def count_documents_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Run `count_documents_by_filter` asynchronously."""
        async with self._connections.async_client() as client:
            return len(await async_store.matching_ids(client, translated(filters), self.collection))

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match, in the order of their ids; without a filter, return all."""
        wanted = translated(filters)
        with self._connections.client() as client:
            found = store.passages_matching(client, wanted, key=KEY, collection=self.collection)
        return [document_of(passage) for passage in found]

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Run `filter_documents` asynchronously."""
        wanted = translated(filters)
        async with self._connections.async_client() as client:
            found = await async_store.passages_matching(client, wanted, key=KEY, collection=self.collection)
        return [document_of(passage) for passage in found]

    def search(
        self, query: str | None = None, top_k: int = 10, filters: Mapping[str, Any] | None = None, **options: Any
    ) -> list[Document]:
        """Return the best documents. Further arguments go to `pgbraid.Client.search`, such as embedding, mode,
        reranker and options."""
        arguments = {**options, "key": KEY, "collection": self.collection, "filters": translated(filters)}
        with self._connections.client() as client:
            return [document_of(passage) for passage in store.find(client, query, top_k, **arguments)]

    async def search_async(
        self, query: str | None = None, top_k: int = 10, filters: Mapping[str, Any] | None = None, **options: Any
    ) -> list[Document]:
        """Run `search` asynchronously."""
        arguments = {**options, "key": KEY, "collection": self.collection, "filters": translated(filters)}
        async with self._connections.async_client() as client:
            return [document_of(passage) for passage in await async_store.find(client, query, top_k, **arguments)]

    def _model(self, documents: Sequence[Document]) -> EmbeddingModel | None:
        if self._connections.embedder is not None:
            return self._connections.embedder
        given = next((one.embedding for one in documents if one.embedding is not None), None)
        return None if given is None else KnownModel(self._model_name or "Haystack", len(given))

    def _has_to_embed(self, documents: Sequence[Document]) -> bool:
        return self._embed and any(one.embedding is None for one in documents)


def _check_documents(documents: Any) -> None:
    if not isinstance(documents, list) or not all(isinstance(one, Document) for one in documents):
        raise ValueError("write_documents() takes a list of Documents")


def _wanted(documents: list[Document], known: set[str], policy: DuplicatePolicy) -> list[Document]:
    """Return the documents to write. If several have the same id, keep the first under the policy SKIP, else the
    last."""
    if policy not in KEEPING:
        return documents
    wanted: list[Document] = []
    for document in documents:
        if document.id not in known:
            known.add(document.id)
            wanted.append(document)
        elif policy == DuplicatePolicy.FAIL:
            raise DuplicateDocumentError(f"the document {document.id!r} is there already")
    return wanted


def _required(filters: dict[str, Any]) -> dict[str, Any]:
    wanted = translated(filters)
    if wanted is None:
        raise ValueError("the filter is empty: to delete all documents, use delete_all_documents()")
    return wanted
