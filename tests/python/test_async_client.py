"""Test the async client, from which the sync client is generated."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.errors import ConnectionLostError, InvalidArgumentError
from support import HashEmbedder

pytestmark = pytest.mark.any_version


class ThreadEmbedder(HashEmbedder):
    """Embed, and record the calling threads."""

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
                await client.search("fox", match_count=0)
            return [row.external_id for row in await client.search("fox")]

    assert asyncio.run(session()) == ["fox"]
    assert threading.get_ident() not in embedder.threads


def test_the_client_is_entered_without_awaiting_it_first(dsn: str) -> None:
    async def session() -> list[bool]:
        async with pgbraid.connect_async(dsn) as client:
            opened = client.connection.closed
            await client.status()
        with pytest.raises(KeyError):
            async with pgbraid.connect_async(dsn) as failing:
                raise KeyError
        return [opened, client.connection.closed, failing.connection.closed]

    assert asyncio.run(session()) == [False, True, True]


def test_what_cannot_be_opened_is_told_on_entering(dsn: str) -> None:
    async def session() -> None:
        async with pgbraid.connect_async(make_conninfo(dsn, port=1)):
            raise AssertionError("it was opened")

    with pytest.raises(ConnectionLostError):
        asyncio.run(session())


def test_the_callers_connection_stays_open(dsn: str) -> None:
    async def session() -> bool:
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            async with await pgbraid.connect_async(connection) as client:
                await client.status()
            return connection.closed

    assert asyncio.run(session()) is False
