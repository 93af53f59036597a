"""The async client, which the sync one is made from."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid.errors import InvalidArgumentError
from support import HashEmbedder

pytestmark = pytest.mark.any_version


class ThreadEmbedder(HashEmbedder):
    """Remembers in which threads it was called."""

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def embed_documents(self, texts: list[str]) -> Any:
        self.threads.add(threading.get_ident())
        return super().embed_documents(texts)


def test_writing_and_searching(dsn: str) -> None:
    embedder = ThreadEmbedder()

    async def session() -> list[str]:
        async with await pgbraid.connect_async(dsn, embedder=embedder) as client:
            async with client.transaction():
                await client.add_documents([{"external_id": "fox", "content": "The quick brown fox"}])
            assert await client.embed_pending() == 1
            with pytest.raises(InvalidArgumentError):
                await client.search("fox", limit=0)
            return [row.external_id for row in await client.search("fox")]

    assert asyncio.run(session()) == ["fox"]
    assert threading.get_ident() not in embedder.threads


def test_the_callers_connection_stays_open(dsn: str) -> None:
    async def session() -> bool:
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            async with await pgbraid.connect_async(connection) as client:
                await client.status()
            return connection.closed

    assert asyncio.run(session()) is False
