"""Define the tools. Each one makes one call of the client, and embeds its text in this process."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from typing import Annotated, Any, Literal
from warnings import catch_warnings, simplefilter

from mcp.server.auth.middleware.auth_context import get_access_token
from pydantic import Field

from pgbraid.async_client import AsyncClient
from pgbraid.errors import EmbeddingError, InvalidArgumentError, NotFoundError, PermissionDeniedError
from pgbraid.stored import Document
from pgbraid_tools.mcp_server.answers import (
    PASSAGE,
    Answer,
    collections_answer,
    document_answer,
    documents_answer,
    facets_answer,
    grep_answer,
    keys_answer,
    results_answer,
    turns_answer,
)
from pgbraid_tools.mcp_server.connections import Connections
from pgbraid_tools.mcp_server.tokens import tenant_of

__all__ = ["Tools"]

# `remember` embeds up to this number of chunks at once; `pgbraid work` embeds the rest.
MOST_EMBEDDED = 64

MatchCount = Annotated[int, Field(ge=1, le=50)]
Filters = Annotated[
    dict[str, Any] | None,
    Field(
        description='On columns and metadata keys: {"speaker": "Ana", "importance": {"$gte": 3},'
        ' "external_id": {"$like": "a/%"}}; $in, $exists, $and, $or, $not'
    ),
]
Timeframe = Annotated[
    str | None, Field(description='"last week", "March 2025", "2025-01-01/P1M"; "auto" takes it from the query')
]
Collection = Annotated[str | None, Field(description="Leave out for the default")]


def _cited(passage: str) -> tuple[str, int] | None:
    """Return the external_id and chunk of a citation such as call-1#2; None if it is not in that form."""
    found = re.fullmatch(r"(.+)#([0-9]{1,9})", passage, re.DOTALL)
    return (found[1], int(found[2])) if found else None


async def _not_embedded(client: AsyncClient, external_id: str, collection: str) -> str | None:
    """Embed pending chunks; return the reason if chunks of the document are still pending."""
    try:
        with catch_warnings():
            simplefilter("ignore")  # A refused text warns; its job holds the reason.
            await client.embed_pending(collection, limit=MOST_EMBEDDED)
    except EmbeddingError as error:
        return error.message
    document = await client.get_document(external_id, collection=collection)
    if document is None:
        return None
    first = min(chunk.chunk_id for chunk in document.chunks)
    jobs = await client.list_embedding_jobs(match_count=1000, collection=collection, after=first - 1)
    left = [job for job in jobs if job.external_id == external_id]
    return (left[0].last_error or "others wait before it") if left else None


class Tools:
    """Hold the tools and their settings.

    Callers may use `collections`; the first is the default. Without `tenant_claim`, all calls act for the connections'
    tenant; with it, for the tenant in that claim of the caller's token.
    """

    def __init__(
        self, connections: Connections, collections: Sequence[str] = ("default",), tenant_claim: str | None = None
    ) -> None:
        self._connections = connections
        self._collections = tuple(collections)
        self._tenant_claim = tenant_claim

    async def search(
        self,
        query: str = "",
        match_count: MatchCount = 8,
        filters: Filters = None,
        mode: Literal["hybrid", "full_text", "semantic"] = "hybrid",
        collection: Collection = None,
    ) -> Answer:
        """Find passages by words and by meaning. The query may have "quoted phrases", +required and -excluded words;
        without a query, all passages that pass the filters."""
        async with self._client() as client:
            if not query.strip():
                listed = await client.grep(
                    filters=filters,
                    match_count=match_count,
                    excerpt_length=PASSAGE,
                    collection=self._collection(collection),
                )
                return grep_answer(listed, is_listing=True)
            found = await client.search(query, match_count, mode, filters, self._collection(collection))
        return results_answer(found, found.warnings)

    async def recall(
        self,
        query: str,
        timeframe: Timeframe = "auto",
        match_count: MatchCount = 8,
        filters: Filters = None,
        collection: Collection = None,
    ) -> Answer:
        """Find what was said or written within a time, best first."""
        async with self._client() as client:
            found = await client.recall(
                query, timeframe, "auto", match_count, filters=filters, collection=self._collection(collection)
            )
        return results_answer(found, found.warnings)

    async def timeline(
        self,
        topic: str | None = None,
        timeframe: Timeframe = None,
        match_count: MatchCount = 20,
        filters: Filters = None,
        collection: Collection = None,
    ) -> Answer:
        """Show what was said on a topic in chronological order, with the turns around it. Without a topic, show the
        latest turns."""
        async with self._client() as client:
            found = await client.conversation_timeline(
                topic, timeframe, match_count=match_count, filters=filters, collection=self._collection(collection)
            )
        return turns_answer(found, found.warnings)

    async def list_(
        self,
        what: Literal["documents", "keys", "collections"] = "documents",
        filters: Filters = None,
        match_count: Annotated[int, Field(ge=1, le=1000)] = 50,
        after: str | None = None,
        collection: Collection = None,
    ) -> Answer:
        """List documents by id, or the keys to filter by with their values and counts, or collections."""
        asked = self._collection(collection)
        async with self._client() as client:
            if what == "keys":
                return keys_answer(await client.list_values(filters=filters, collection=asked))
            if what == "collections":
                rows = [row for name in self._collections for row in (await client.status(name))["collections"]]
                return collections_answer(rows)
            found = await client.list_documents(asked, match_count=match_count, after=after, filters=filters)
        return documents_answer(found, is_full=len(found) == match_count)

    async def facets(
        self,
        keys: Annotated[Sequence[str], Field(min_length=1, max_length=20)],
        query: str | None = None,
        filters: Filters = None,
        value_count: Annotated[int, Field(ge=1, le=1000)] = 10,
        collection: Collection = None,
    ) -> Answer:
        """Count the passages that have each value of some keys and match the query."""
        async with self._client() as client:
            found = await client.facets(
                keys, query, filters=filters, value_count=value_count, collection=self._collection(collection)
            )
        return facets_answer(found)

    async def grep(
        self,
        pattern: Annotated[str, Field(min_length=1)],
        regex: bool = False,
        ignore_case: bool = False,
        filters: Filters = None,
        match_count: Annotated[int, Field(ge=1, le=1000)] = 20,
        after: int | None = None,
        collection: Collection = None,
    ) -> Answer:
        """Find every place where a text stands exactly, or a regular expression matches; shows the lines."""
        async with self._client() as client:
            found = await client.grep(
                pattern,
                regex=regex,
                ignore_case=ignore_case,
                filters=filters,
                match_count=match_count,
                after=after,
                collection=self._collection(collection),
            )
        return grep_answer(found)

    async def read(
        self,
        external_id: Annotated[str, Field(description="id, or id#chunk")],
        before: Annotated[int, Field(ge=0, le=100)] = 1,
        after: Annotated[int, Field(ge=0, le=100)] = 5,
        collection: Collection = None,
    ) -> Answer:
        """Read a document from its beginning, or the chunks before and after one chunk."""
        asked = self._collection(collection)

        async def chunks(document: str, chunk: int) -> Document | None:
            first = max(chunk - before, 0)
            return await client.get_document(
                document, collection=asked, first_chunk=first, chunk_count=chunk + after + 1 - first
            )

        async with self._client() as client:
            document = await chunks(external_id, 0)
            if document is None and (cited := _cited(external_id)):
                document = await chunks(*cited)
        if document is None:
            raise NotFoundError(
                f'there is no document "{external_id}" in the collection "{asked}"',
                hint="take the id from an answer of search, grep or list; a row of a synced table may still wait for"
                " apply_changes",
            )
        return document_answer(document)

    async def explain(
        self,
        query: str,
        external_id: Annotated[str | None, Field(description="Why is this document there, or not?")] = None,
        filters: Filters = None,
        collection: Collection = None,
    ) -> Answer:
        """Show how the scores of a search come about, and what became of one document."""
        async with self._client() as client:
            explain = functools.partial(
                client.explain_search, query, 5, filters=filters, collection=self._collection(collection)
            )
            explained = await explain(external_id=external_id)
            is_absent = explained.document is not None and explained.document["outcome"] == "absent"
            if is_absent and external_id and (cited := _cited(external_id)):
                explained = await explain(external_id=cited[0])
        text = str(explained)
        found: dict[str, Any] = {"explanation": text}
        if explained.document is not None:
            found["outcome"] = explained.document["outcome"]
        return Answer(found, text)

    async def remember(
        self,
        content: Annotated[str, Field(min_length=1)],
        external_id: Annotated[str | None, Field(description="Replaces the document of this id")] = None,
        title: str | None = None,
        speaker: str | None = None,
        occurred_at: Annotated[datetime | None, Field(description="ISO 8601; now, if left out")] = None,
        category: str | None = None,
        importance: float | None = None,
        metadata: dict[str, Any] | None = None,
        collection: Collection = None,
    ) -> Answer:
        """Store a text, to be found from now on."""
        asked = self._collection(collection)
        if external_id is None:
            # The external_id is a hash, so the same text of the same speaker, stored again, remains one document.
            name = "\0".join((speaker or "", title or "", content))
            external_id = f"memory-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
        document = {
            "external_id": external_id,
            "content": content,
            "title": title,
            "speaker": speaker,
            "occurred_at": occurred_at,
            "category": category,
            "importance": importance,
            "metadata": metadata or {},
        }
        warnings: list[str] = []
        async with self._client() as client:
            if occurred_at is None:
                # A text that is remembered again keeps its first time.
                known = await client.get_document(external_id, collection=asked)
                document["occurred_at"] = (known and known.occurred_at) or datetime.now(timezone.utc)
            written = await client.add_documents(
                [{name: value for name, value in document.items() if value is not None}], collection=asked
            )
            if reason := await _not_embedded(client, external_id, asked):
                warnings.append(f"found by its words, and by meaning once it is embedded: {reason}")
        status = next(name for name in ("inserted", "replaced", "updated", "unchanged") if getattr(written, name))
        text = "\n".join([f"{status}: {external_id}", *(f"warning: {warning}" for warning in warnings)])
        return Answer({"external_id": external_id, "status": status, "warnings": warnings}, text)

    async def forget(
        self,
        external_ids: Annotated[list[str], Field(min_length=1, max_length=100)],
        collection: Collection = None,
    ) -> Answer:
        """Delete documents for good."""
        async with self._client() as client:
            deleted = await client.delete_documents(external_ids, collection=self._collection(collection))
        return Answer({"deleted": deleted}, f"{deleted} of {len(set(external_ids))} deleted")

    def _collection(self, asked: str | None) -> str:
        if asked is None:
            return self._collections[0]
        if asked not in self._collections:
            raise InvalidArgumentError(
                f'this server does not offer the collection "{asked}"',
                hint=f"use one of: {', '.join(self._collections)}",
            )
        return asked

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[AsyncClient]:
        tenant, claims = self._connections.tenant, None
        if self._tenant_claim is not None:
            token = get_access_token()
            if token is None or token.claims is None:
                raise PermissionDeniedError(
                    "there is no token", hint="send a token in the header Authorization: Bearer"
                )
            claims = token.claims
            tenant = tenant_of(claims, self._tenant_claim)
        async with self._connections.client(tenant, claims) as client:
            yield client
