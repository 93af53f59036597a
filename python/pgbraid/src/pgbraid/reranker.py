"""What a reranker is, and what gives it the vectors of tokens."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from pgbraid.embedders.protocol import Vectors

Scores = npt.NDArray[np.float64]


class Reranker(Protocol):
    """Scores texts against a query, more closely and more slowly than a search can score all it finds. Methods block;
    the client calls `rerank` in a thread."""

    @property
    def model_name(self) -> str:
        """What `stats` of a search calls it."""
        ...

    def rerank(self, query: str, texts: list[str]) -> Scores:
        """float64, shape (len(texts),): a finite score for each text, higher is better. Scores of different queries
        need not compare. Raises RerankingError."""
        ...

    def warm_up(self) -> None:
        """Do now what makes the first call slow: fetch, load, connect. Raises what `rerank` would."""
        ...


class TokenEmbedder(Protocol):
    """An embedder that gives a vector for each token, too: LocalEmbedder and SentenceTransformerEmbedder do."""

    @property
    def model_name(self) -> str: ...

    def embed_tokens(self, texts: list[str]) -> list[Vectors]:
        """For each text float32 unit vectors, shape (tokens, dimensions). Raises EmbeddingError."""
        ...
