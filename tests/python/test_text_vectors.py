"""Test how a client uses embedders of any kind: errors, and texts that are embedded once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

import pgbraid
from pgbraid import text_vectors
from pgbraid.errors import EmbeddingError, InvalidArgumentError
from support import HashEmbedder

pytestmark = pytest.mark.any_version

FOX = {"external_id": "fox", "content": "The quick brown fox jumps over the lazy dog."}


class Counting(HashEmbedder):
    """Embed, and record the texts."""

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.documents: list[str] = []

    def embed_query(self, text: str) -> Any:
        self.queries.append(text)
        return super().embed_query(text)

    def embed_documents(self, texts: list[str]) -> Any:
        self.documents += texts
        return super().embed_documents(texts)


class Failing(HashEmbedder):
    """Raise the given exception, or return the given value as the vector."""

    def __init__(self, what: Any) -> None:
        self.what = what

    def embed_query(self, text: str) -> Any:
        if isinstance(self.what, Exception):
            raise self.what
        return self.what

    def embed_documents(self, texts: list[str]) -> Any:
        return [self.embed_query(text) for text in texts]


FAILURES = [
    RuntimeError("CUDA out of memory"),
    KeyError("data"),
    MemoryError(),
    TimeoutError("timed out"),
    InvalidArgumentError("no such task", hint="use another"),
    None,
    "[1, 2]",
    [math.nan] * 384,
    [],
]


@pytest.mark.parametrize("what", FAILURES, ids=repr)
def test_whatever_an_embedder_fails_by_leaves_full_text(client: pgbraid.Client, dsn: str, what: Any) -> None:
    client.add_documents([FOX])
    with pgbraid.connect(dsn, embedder=Failing(what)) as broken:
        searches: list[Callable[[], Any]] = [
            lambda: broken.search("fox"),
            lambda: broken.recall("fox"),
            lambda: broken.explain_search("fox"),
        ]
        for search in searches:
            (warning,) = [w for w in search().warnings if w["code"] == "embedding_unavailable"]
            assert warning["message"].startswith("searched by full text only; the embedder failed: ")
        assert [row.external_id for row in broken.search("fox")] == ["fox"]
        with pytest.raises(EmbeddingError) as caught:
            broken.search("fox", mode="semantic")
        assert caught.value.hint


def test_the_async_client_degrades_as_well(client: pgbraid.Client, dsn: str) -> None:
    client.add_documents([FOX])

    async def search() -> pgbraid.SearchResults:
        async with pgbraid.connect_async(dsn, embedder=Failing(RuntimeError("no GPU"))) as broken:
            return await broken.search("fox")

    found = asyncio.run(search())
    assert [row.external_id for row in found] == ["fox"]
    assert "RuntimeError: no GPU" in found.warnings[0]["message"]


def test_what_fails_for_chunks_is_an_embedding_error(client: pgbraid.Client, dsn: str) -> None:
    client.add_documents([FOX])
    with pgbraid.connect(dsn, embedder=Failing(RuntimeError("no GPU"))) as broken:
        with pytest.raises(EmbeddingError, match="RuntimeError: no GPU"):
            broken.embed_pending()
        assert "no GPU" in (client.embedding_backlog()[0].last_error or "")
    assert client.status("default")["collections"][0]["pending_embeddings"] == 1


def test_a_query_is_embedded_once(client: pgbraid.Client, dsn: str) -> None:
    client.add_documents([FOX])
    client.embed_pending()
    embedder = Counting()
    scores = []
    for _ in range(2):
        # A further client of the same process stands for a connection for each request.
        with pgbraid.connect(dsn, embedder=embedder) as asked:
            scores += [asked.search("brown fox", mode="semantic")[0].semantic_score for _ in range(2)]
    assert embedder.queries == ["brown fox"]
    assert len(set(scores)) == 1


def test_what_is_another_query_is_embedded() -> None:
    embedder, other = Counting(), Counting()
    first = text_vectors.query_vector(embedder, "a")
    assert text_vectors.query_vector(embedder, "b") != first
    text_vectors.query_vector(other, "a")
    embedder.model_name = "another model"
    text_vectors.query_vector(embedder, "a")
    assert (embedder.queries, other.queries) == (["a", "b", "a"], ["a"])


def test_the_queries_used_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_vectors, "CACHED_QUERIES", 2)
    embedder = Counting()
    for text in ("a", "b", "a", "c", "a", "b"):
        text_vectors.query_vector(embedder, text)
    assert embedder.queries == ["a", "b", "c", "b"]


def test_a_failure_is_not_kept() -> None:
    embedder = Failing(RuntimeError("for now"))
    with pytest.raises(EmbeddingError):
        text_vectors.query_vector(embedder, "a")
    embedder.what = [1.0, 2.0]
    assert text_vectors.query_vector(embedder, "a").to_list() == [1, 2]


def test_an_embedder_that_is_gone_leaves_nothing_to_the_next() -> None:
    """A new embedder does not get the vectors of a deleted one, although it often has the same id()."""
    for number in range(50):
        assert text_vectors.query_vector(Failing([float(number)]), "a").to_list() == [number]


def test_equal_texts_are_embedded_once(client: pgbraid.Client, dsn: str) -> None:
    texts = ["Number 0.", "The same.", "Number 2.", "The same.", "Number 4.", "The same."]
    client.add_documents({"external_id": str(n), "content": text} for n, text in enumerate(texts))
    embedder = Counting()
    with pgbraid.connect(dsn, embedder=embedder) as asked:
        assert asked.embed_pending() == 6
        assert sorted(embedder.documents) == ["Number 0.", "Number 2.", "Number 4.", "The same."]
        found = asked.search("The same.", mode="semantic", match_count=6)
    assert sorted(row.external_id for row in found[:3]) == ["1", "3", "5"]
