"""What an embedder is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from pgbraid.vectors import VectorLike

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

    def embed_documents(self, texts: list[str]) -> Vectors | Sequence[VectorLike]:
        """float32, shape (len(texts), dimensions), or a list with a vector for each text: numbers, or a type of
        pgvector's. Raises EmbeddingError."""
        ...

    def embed_query(self, text: str) -> VectorLike:
        """float32, shape (dimensions,), or numbers or a type of pgvector's. Raises EmbeddingError."""
        ...
