"""Define the tools. Each one makes one call of the client, and embeds its text in this process."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from typing import Annotated, Any, Literal, TypeVar
from warnings import catch_warnings, simplefilter

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import Field

from pgbraid.async_client import AsyncClient
from pgbraid.errors import EmbeddingError, InvalidArgumentError, NotFoundError, PermissionDeniedError, PgbraidError
from pgbraid_tools.mcp_server.answers import (
    Deleted,
    DocumentAnswer,
    ExplanationAnswer,
    Results,
    Stored,
    Turns,
    answer,
    document_answer,
    results_answer,
    turns_answer,
)
from pgbraid_tools.mcp_server.connections import Connections
from pgbraid_tools.mcp_server.tokens import tenant_of

__all__ = ["Tools"]

Tool = TypeVar("Tool", bound=Callable[..., Awaitable[Any]])
# `remember` embeds up to this number of chunks at once; `pgbraid work` embeds the rest.
MOST_EMBEDDED = 64

MatchCount = Annotated[int, Field(ge=1, le=50)]
Filters = Annotated[
    dict[str, Any] | None,
    Field(
        description='On speaker, category, importance, occurred_at, source_uri or metadata keys: {"speaker": "Ana",'
        ' "importance": {"$gte": 3}, "tag": {"$in": ["a", "b"]}}; $and, $or, $not'
    ),
]
Timeframe = Annotated[
    str | None, Field(description='"last week", "March 2025", "2025-01-01/P1M"; "auto" takes it from the query')
]
Collection = Annotated[str | None, Field(description="Leave out for the default")]


def _told(tool: Tool) -> Tool:
    """Report an error of the library with its hint; the protocol's library hides all other errors."""

    @functools.wraps(tool)
    async def call(*arguments: Any, **named: Any) -> Any:
        try:
            return await tool(*arguments, **named)
        except PgbraidError as error:
            raise ToolError(str(error)) from error

    return call  # type: ignore[return-value]


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

    @_told
    async def search(
        self,
        query: str,
        match_count: MatchCount = 8,
        filters: Filters = None,
        mode: Literal["hybrid", "full_text", "semantic"] = "hybrid",
        collection: Collection = None,
    ) -> Annotated[CallToolResult, Results]:
        """Find passages by words and by meaning. The query may have "quoted phrases", +required and -excluded words."""
        async with self._client() as client:
            found = await client.search(query, match_count, mode, filters, self._collection(collection))
        return results_answer(found, found.warnings)

    @_told
    async def recall(
        self,
        query: str,
        timeframe: Timeframe = "auto",
        match_count: MatchCount = 8,
        filters: Filters = None,
        collection: Collection = None,
    ) -> Annotated[CallToolResult, Results]:
        """Find what was said or written within a time, best first."""
        async with self._client() as client:
            found = await client.recall(
                query, timeframe, "auto", match_count, filters=filters, collection=self._collection(collection)
            )
        return results_answer(found, found.warnings)

    @_told
    async def timeline(
        self,
        topic: str | None = None,
        timeframe: Timeframe = None,
        match_count: MatchCount = 20,
        filters: Filters = None,
        collection: Collection = None,
    ) -> Annotated[CallToolResult, Turns]:
        """Show what was said on a topic in chronological order, with the turns around it. Without a topic, show the
        latest turns."""
        async with self._client() as client:
            found = await client.conversation_timeline(
                topic, timeframe, match_count=match_count, filters=filters, collection=self._collection(collection)
            )
        return turns_answer(found, found.warnings)

    @_told
    async def get_document(
        self,
        external_id: str,
        first_chunk: Annotated[int | None, Field(ge=0)] = None,
        chunk_count: Annotated[int, Field(ge=1, le=100)] = 20,
        collection: Collection = None,
    ) -> Annotated[CallToolResult, DocumentAnswer]:
        """Read a document, or go on at next_chunk; external_id#n begins at chunk n. Neighbouring chunks may overlap."""
        asked = self._collection(collection)
        async with self._client() as client:
            document = await client.get_document(external_id, collection=asked)
            if document is None and (cited := _cited(external_id)):
                document = await client.get_document(cited[0], collection=asked)
                first_chunk = cited[1] if first_chunk is None else first_chunk
        if document is None:
            raise NotFoundError(
                f'there is no document "{external_id}" in the collection "{asked}"',
                hint="take external_id from the results of search; a row of a synced table may still wait for"
                " apply_changes",
            )
        return document_answer(document, first_chunk or 0, chunk_count)

    @_told
    async def explain(
        self,
        query: str,
        external_id: Annotated[str | None, Field(description="Why is this document there, or not?")] = None,
        filters: Filters = None,
        collection: Collection = None,
    ) -> Annotated[CallToolResult, ExplanationAnswer]:
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
        return answer(found, text)

    @_told
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
    ) -> Annotated[CallToolResult, Stored]:
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
        return answer({"external_id": external_id, "status": status, "warnings": warnings}, text)

    @_told
    async def forget(
        self,
        external_ids: Annotated[list[str], Field(min_length=1, max_length=100)],
        collection: Collection = None,
    ) -> Annotated[CallToolResult, Deleted]:
        """Delete documents for good."""
        async with self._client() as client:
            deleted = await client.delete_documents(external_ids, collection=self._collection(collection))
        return answer({"deleted": deleted}, f"{deleted} of {len(set(external_ids))} deleted")

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
