"""What a reranker is."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Reranker", "Scores"]

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
