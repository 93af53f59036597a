"""Define the protocol of embedders."""

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
    """Turn text into vectors. Methods block; the async client calls them in a thread."""

    @property
    def model_name(self) -> str:
        """Return the model's name, equal to the collection's embedding_model: vectors of two models do not compare."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed_documents(self, texts: list[str]) -> Vectors | Sequence[VectorLike]:
        """Return float32, shape (len(texts), dimensions), or a list with one vector per text: numbers, or a type of
        pgvector's. Raise EmbeddingError."""
        ...

    def embed_query(self, text: str) -> VectorLike:
        """Return float32, shape (dimensions,), or numbers or a type of pgvector's. Raise EmbeddingError."""
        ...
