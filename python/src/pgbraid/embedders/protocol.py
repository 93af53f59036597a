"""What an embedder is."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Embedder", "Vector", "Vectors"]

Vector = npt.NDArray[np.float32]
Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into vectors. Methods block; the async client calls them in a thread."""

    @property
    def model_name(self) -> str:
        """What the collection's embedding_model says: vectors of two models do not compare."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed_documents(self, texts: list[str]) -> Vectors:
        """float32, shape (len(texts), dimensions). Raises EmbeddingError."""
        ...

    def embed_query(self, text: str) -> Vector:
        """float32, shape (dimensions,). Raises EmbeddingError."""
        ...
