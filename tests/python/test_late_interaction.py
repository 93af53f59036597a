"""Test token vectors in the client: of documents, made with embeddings or later, of queries, and pooled."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pgbraid
from pgbraid.embedders.protocol import Vectors
from pgbraid.errors import EmbeddingError, InvalidArgumentError, MissingExtraError
from pgbraid.pooling import pool_tokens
from support.embedder import HashEmbedder
from support.examples import examples

pytestmark = pytest.mark.any_version
NOTES = {"cars": "wheels engine road", "boats": "sails water wind", "birds": "feathers wings sky", "empty": "…"}


class TokenEmbedder(HashEmbedder):
    """Return a vector of its own for each word."""

    fails: Exception | None = None
    gives: Any = None

    def embed_tokens(self, texts: list[str]) -> list[Vectors]:
        if self.fails:
            raise self.fails
        if self.gives is not None:
            return [self.gives for _ in texts]
        return [self._tokens(text) for text in texts]

    def _tokens(self, text: str) -> Vectors:
        words = [word for word in text.split() if word != "…"]
        seeds = [int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big") for word in words]
        vectors = [np.random.default_rng(seed).standard_normal(384, np.float32) for seed in seeds]
        return np.array([v / np.linalg.norm(v) for v in vectors], np.float32).reshape(-1, 384)


@pytest.fixture
def client(dsn: str) -> Iterator[pgbraid.Client]:
    with pgbraid.connect(dsn, embedder=TokenEmbedder()) as opened:
        yield opened


def add(client: pgbraid.Client, **more: Any) -> None:
    client.add_documents({"external_id": name, "content": text, **more} for name, text in NOTES.items())


def counts(client: pgbraid.Client) -> dict[str, int]:
    rows = client.connection.execute(
        "select d.external_id, cardinality(t.vectors) from braid_store.token_vectors t join braid_store.chunks c on "
        "c.id = t.chunk_id join braid_store.documents d on d.id = c.document_id"
    )
    return dict(rows.fetchall())


def test_made_with_the_embeddings(client: pgbraid.Client) -> None:
    client.set_token_vectors("default", vector_count=2)
    add(client)
    assert client.embed_pending() == 4
    assert counts(client) == {"cars": 2, "boats": 2, "birds": 2}
    assert client.embed_token_vectors() == 0


def test_made_later_in_batches(client: pgbraid.Client) -> None:
    add(client)
    client.embed_pending()
    with pytest.raises(InvalidArgumentError, match="has no token vectors"):
        client.embed_token_vectors()
    client.set_token_vectors("default")
    seen: list[int] = []
    assert client.embed_token_vectors(limit=1) == 1
    assert client.embed_token_vectors(batch_size=1, progress=seen.append) == 2
    assert seen[-1] == 2
    assert counts(client) == dict.fromkeys(("cars", "boats", "birds"), 3)
    client.set_token_vectors("default", None)
    with pytest.raises(InvalidArgumentError, match="has no token vectors"):
        client.search("road", late_interaction=True)


def test_searches(client: pgbraid.Client) -> None:
    client.set_token_vectors("default")
    add(client)
    client.embed_pending()
    for mode in ("hybrid", "full_text", "semantic"):
        found = client.search("wings", mode=mode, late_interaction={"weight": 1, "candidates": 3})
        (told,) = [row.boosts[0] for row in found if row.external_id == "birds" and row.boosts]
        assert told["value"] == pytest.approx(1, abs=1e-3)
        assert found[0].external_id == "birds"
        assert told["share"] == 1
    plain = client.search("wings sails")
    assert not any(row.boosts for row in plain)
    explained = client.explain_search(
        "wings", options={"late_interaction": {"vectors": [[1.0] * 384], "embedding_model": "all-MiniLM-L6-v2"}}
    )
    assert "late_interaction: similarity" in explained.format()


def test_the_asynchronous_client(dsn: str) -> None:
    async def run() -> list[str]:
        async with pgbraid.connect_async(dsn, embedder=TokenEmbedder()) as client:
            await client.set_token_vectors("default")
            await client.add_documents({"external_id": name, "content": text} for name, text in NOTES.items())
            await client.embed_pending(limit=2)
            await client.embed_token_vectors()
            return [row.external_id for row in await client.search("water wind", late_interaction=True)]

    assert asyncio.run(run())[0] == "boats"


def test_vectors_given_with_documents(client: pgbraid.Client) -> None:
    client.set_token_vectors("default", "colbert", dimensions=3)
    tokens = np.array([[1, 0, 0], [0, 2, 0]], np.float32)
    client.add_documents(
        [
            {"external_id": "a", "content": "x", "embedding": [1.0] * 384, "token_vectors": tokens},
            {"external_id": "b", "chunks": [{"content": "y", "token_vectors": ["[0,1,0]", [0, 0, 1], tokens[0]]}]},
        ]
    )
    assert counts(client) == {"a": 2, "b": 3}
    with pytest.raises(InvalidArgumentError, match="document 'c'"):
        client.add_documents([{"external_id": "c", "chunks": [{"content": "y", "token_vectors": [["a"]]}]}])
    # The collection uses another model than the embedder.
    with pytest.raises(MissingExtraError, match="colbert"):
        client.search("x", late_interaction=True)
    with pytest.raises(MissingExtraError, match="colbert"):
        client.embed_token_vectors()


BAD_TOKENS: list[tuple[dict[str, Any], str]] = [
    ({"fails": EmbeddingError("no tokens today")}, "no tokens today"),
    ({"fails": RuntimeError("out of memory")}, "out of memory"),
    ({"gives": np.ones(384, np.float32)}, "shape"),
    ({"gives": np.full((2, 384), np.nan, np.float32)}, "not finite"),
    ({"gives": [["a"]]}, "the embedder failed"),
]


@pytest.mark.parametrize(("fault", "said"), BAD_TOKENS, ids=range(len(BAD_TOKENS)))
def test_an_embedder_that_fails(
    client: pgbraid.Client, monkeypatch: pytest.MonkeyPatch, fault: dict[str, Any], said: str
) -> None:
    client.set_token_vectors("default")
    add(client)
    for name, value in fault.items():
        monkeypatch.setattr(TokenEmbedder, name, value)
    # Embeddings do not wait for token vectors.
    with pytest.warns(UserWarning, match=f"(?s){said}.*embed_token_vectors"):
        assert client.embed_pending() == 4
    assert client.embedding_backlog() == []
    assert counts(client) == {}
    with pytest.raises(EmbeddingError, match=said):
        client.embed_token_vectors()
    found = client.search("road", late_interaction=True)
    assert "cars" in [row.external_id for row in found]
    assert "late_interaction_unavailable" in [warning["code"] for warning in found.warnings]


def test_token_vectors_of_other_dimensions_than_the_embedders(client: pgbraid.Client) -> None:
    client.set_token_vectors("default", dimensions=3)
    add(client)
    with pytest.warns(UserWarning, match="has 384 dimensions"):
        assert client.embed_pending() == 4
    assert client.embedding_backlog() == []
    client.set_token_vectors("default")
    assert client.embed_token_vectors() == 3


def test_more_vectors_than_one_call_takes(client: pgbraid.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pgbraid.client.token_vectors.STORED_VECTORS", 4)
    client.set_token_vectors("default", vector_count=3)
    statements: list[Any] = []
    fetch = client._session.rows

    def counted(functions: str, statement: str, /, **parameters: Any) -> Any:
        statements.extend(parameters["counts"] for _ in range(functions == "store_token_vectors"))
        return fetch(functions, statement, **parameters)

    monkeypatch.setattr(client._session, "rows", counted)
    add(client)
    assert client.embed_pending() == 4
    assert statements == [[3], [3], [3]]
    assert counts(client) == dict.fromkeys(("cars", "boats", "birds"), 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": None, "embedding": [1.0] * 384}, "needs a query"),
        ({"query": " "}, "needs a query"),
        ({"late_interaction": "yes"}, "late_interaction is 'yes'"),
        ({"late_interaction": {"depth": 1}}, "depth is 1"),
        ({"late_interaction": {"weight": 2}}, "weight is 2"),
        ({"options": {"late_interaction": {"vectors": []}}}, "given twice"),
    ],
)
def test_bad_arguments(client: pgbraid.Client, arguments: dict[str, Any], said: str) -> None:
    client.set_token_vectors("default")
    with pytest.raises(InvalidArgumentError, match=said) as refused:
        client.search(**{"query": "road", "late_interaction": True, **arguments})
    assert refused.value.hint


def test_settings_that_changed_meanwhile(client: pgbraid.Client, dsn: str) -> None:
    client.set_token_vectors("default")
    add(client)
    client.embed_pending()
    assert client.search("road", late_interaction=True)
    with pgbraid.connect(dsn) as other:
        other.set_token_vectors("default", "another")
    with pytest.raises(MissingExtraError, match="another"):
        client.search("road", late_interaction=True)


@pytest.mark.parametrize("mode", ["hybrid", "full_text"])
def test_a_client_with_both_models_follows_a_change(dsn: str, mode: Any) -> None:
    first, second = TokenEmbedder(), TokenEmbedder()
    second.model_name = "another"
    with pgbraid.connect(dsn, embedder=[first, second]) as client, pgbraid.connect(dsn) as other:
        client.set_token_vectors("default")
        add(client)
        client.embed_pending()
        assert client.search("road", mode=mode, late_interaction=True)[0].boosts
        other.set_token_vectors("default", "another")
        client.embed_token_vectors()
        other.set_token_vectors("default", first.model_name)
        assert client.search("road", mode=mode, late_interaction=True)[0].boosts
        other.set_token_vectors("default", "another")
        found = client.search("road", mode=mode, late_interaction=True)
        assert found[0].boosts and found[0].boosts[0]["value"] == pytest.approx(1, abs=1e-3)
        assert not client.search("road", mode=mode, late_interaction=None)[0].boosts


# Pooling


def test_pooling_puts_together_what_is_alike() -> None:
    east, north = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    nearly = np.array([0.8, 0.6], np.float32)
    pooled = pool_tokens(np.stack([north, east, nearly, north]), 2)
    assert pooled.dtype == np.float32
    mean = (east + nearly) / np.linalg.norm(east + nearly)
    assert np.allclose(pooled, [north, mean], atol=1e-6)
    assert pool_tokens(np.stack([north, east]), 2).tolist() == [north.tolist(), east.tolist()]
    assert pool_tokens(np.zeros((0, 2), np.float32), 2).shape == (0, 2)
    # If vectors cancel out, the group takes the direction of its first vector.
    assert pool_tokens(np.stack([north, -north]), 1).tolist() == [north.tolist()]


@settings(max_examples=examples(40), deadline=None)
@given(size=st.integers(1, 16), count=st.integers(1, 16), seed=st.integers(0, 10**6))
def test_pooling_is_wards(size: int, count: int, seed: int) -> None:
    """Pooling merges the two groups that add least to the squared distances from the means (Ward's method)."""
    vectors = np.random.default_rng(seed).standard_normal((size, 5)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    pooled = pool_tokens(vectors, count)
    assert len(pooled) == min(size, count)
    assert np.array_equal(pooled, pool_tokens(vectors.copy(), count))
    assert np.allclose(np.linalg.norm(pooled, axis=1), 1, atol=1e-5)
    groups = [[place] for place in range(size)]
    exact = vectors.astype(np.float64)
    while len(groups) > count:
        costs = {
            (a, b): len(groups[a]) * len(groups[b]) / (len(groups[a]) + len(groups[b]))
            * float(np.sum((exact[groups[a]].mean(axis=0) - exact[groups[b]].mean(axis=0)) ** 2))
            for b in range(len(groups))
            for a in range(b)
        }  # fmt: skip
        a, b = min(costs, key=lambda pair: costs[pair])
        groups[a] += groups.pop(b)
    expected = [exact[group].sum(axis=0) for group in sorted(groups, key=min)]
    assert np.allclose(pooled, [v / np.linalg.norm(v) for v in expected], atol=1e-4)
