"""Test that code for any retriever accepts the client and a retriever without pgbraid."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

import pgbraid
from pgbraid import AsyncRetriever, Retriever, ScoredChunk
from support import HashEmbedder

pytestmark = pytest.mark.any_version

TEXTS = {"fox": "a quick brown fox", "dog": "a lazy dog", "both": "the fox and the dog met a fox"}


class InMemory:
    """Rank texts by the number of query words."""

    def retrieve(self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None) -> list[ScoredChunk]:
        chunks = [
            ScoredChunk(
                name, text, float(sum(text.split().count(word) for word in query.split())), metadata={"of": name}
            )
            for name, text in TEXTS.items()
            if filters is None or filters.items() <= {"of": name}.items()
        ]
        return sorted((chunk for chunk in chunks if chunk.score), key=lambda chunk: -chunk.score)[:k]


class InMemoryAsync:
    async def retrieve(self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None) -> list[ScoredChunk]:
        return InMemory().retrieve(query, k, filters)


def check(full: list[ScoredChunk], one: list[ScoredChunk], filtered: list[ScoredChunk]) -> None:
    assert {"fox", "both"} <= {chunk.external_id for chunk in full}
    assert [chunk.score for chunk in full] == sorted((chunk.score for chunk in full), reverse=True)
    assert all(type(chunk) is ScoredChunk and chunk.content == TEXTS[chunk.external_id] for chunk in full)
    assert one == full[:1]
    assert [(chunk.external_id, chunk.metadata) for chunk in filtered] == [("fox", {"of": "fox"})]


def use(retriever: Retriever) -> None:
    check(
        retriever.retrieve("fox"), retriever.retrieve("fox", 1), retriever.retrieve("fox", k=5, filters={"of": "fox"})
    )


async def use_async(retriever: AsyncRetriever) -> None:
    check(
        await retriever.retrieve("fox"),
        await retriever.retrieve("fox", 1),
        await retriever.retrieve("fox", k=5, filters={"of": "fox"}),
    )


@pytest.fixture
def filled(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(
        {"external_id": name, "content": text, "metadata": {"of": name}} for name, text in TEXTS.items()
    )
    client.embed_pending()
    return client


def test_any_retriever(filled: pgbraid.Client) -> None:
    use(InMemory())
    use(filled)


@pytest.mark.usefixtures("filled")
def test_any_retriever_that_is_awaited(dsn: str) -> None:
    async def session() -> None:
        await use_async(InMemoryAsync())
        async with await pgbraid.connect_async(dsn, embedder=HashEmbedder()) as client:
            await use_async(client)

    asyncio.run(session())


def test_the_score_and_the_order_are_those_of_the_search(filled: pgbraid.Client) -> None:
    rows = filled.search("fox")
    assert [(c.external_id, c.score) for c in filled.retrieve("fox")] == [(r.external_id, r.score) for r in rows]
    assert filled.retrieve("fox", 2, collection="default") == filled.retrieve("fox", 2)
    with pytest.raises(pgbraid.PgbraidError):
        filled.retrieve("fox", 0)
