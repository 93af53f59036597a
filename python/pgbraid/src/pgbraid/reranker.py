"""Define the protocols of rerankers and of embedders of tokens."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from pgbraid.embedders.protocol import Vectors

Scores = npt.NDArray[np.float64]


class Reranker(Protocol):
    """Score texts against a query, more precisely and slowly than a search could for all it finds. Methods block; the
    client calls `rerank` in a thread."""

    @property
    def model_name(self) -> str:
        """Return the name for `stats` of a search."""
        ...

    def rerank(self, query: str, texts: list[str]) -> Scores:
        """Return float64, shape (len(texts),): a finite score per text, higher is better. Scores of different queries
        need not compare. Raise RerankingError."""
        ...

    def warm_up(self) -> None:
        """Do now what makes the first call slow: download, load, connect. Raise the errors of `rerank`."""
        ...


class TokenEmbedder(Protocol):
    """Embed each token as well, as LocalEmbedder and SentenceTransformerEmbedder do."""

    @property
    def model_name(self) -> str: ...

    def embed_tokens(self, texts: list[str]) -> list[Vectors]:
        """Return float32 unit vectors for each text, shape (tokens, dimensions). Raise EmbeddingError."""
        ...
