"""Adapt an embedder to its model: add prefixes, shorten or lengthen vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pgbraid.embedders.protocol import Vector, Vectors
from pgbraid.errors import EmbeddingError, InvalidArgumentError
from pgbraid.vectors import MOST_DIMENSIONS, to_vector

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder


class AdaptedEmbedder:
    """Wrap an embedder: add prefixes to its texts, and truncate or pad its vectors.

    `truncate_to` keeps the first numbers and normalises them to unit vectors, for models trained for it (Kusupati et
    al. 2022, "Matryoshka Representation Learning"). `pad_to` adds zeros at the end, which changes no distance and no
    similarity. `model_name` is the embedder's: name the collection's model `name@dimensions` to distinguish it from the
    model with its own dimensions.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        truncate_to: int | None = None,
        pad_to: int | None = None,
    ) -> None:
        for name, value in (("truncate_to", truncate_to), ("pad_to", pad_to)):
            if value is not None and not 1 <= value <= MOST_DIMENSIONS:
                raise InvalidArgumentError(f"{name} is {value}", hint=f"use 1 to {MOST_DIMENSIONS}, or None")
        if truncate_to is not None and pad_to is not None and pad_to < truncate_to:
            raise InvalidArgumentError(
                f"pad_to is {pad_to}, less than truncate_to, {truncate_to}", hint="give truncate_to or pad_to"
            )
        self._embedder = embedder
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix
        self._truncate_to = truncate_to
        self._pad_to = pad_to

    @property
    def model_name(self) -> str:
        return self._embedder.model_name

    @property
    def dimensions(self) -> int:
        return self._pad_to or self._truncate_to or self._embedder.dimensions

    def embed_documents(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = self._embedder.embed_documents([self._document_prefix + text for text in texts])
        return np.stack([self._adapted(vector) for vector in vectors])

    def embed_query(self, text: str) -> Vector:
        return self._adapted(self._embedder.embed_query(self._query_prefix + text))

    def warm_up(self) -> None:
        """Warm the embedder up, by its own warm_up() if it has one. Raise EmbeddingError."""
        warm_up = getattr(self._embedder, "warm_up", None)
        if warm_up is None:
            self.embed_query("warm up")
        else:
            warm_up()

    def _adapted(self, given: Any) -> Vector:
        vector: Vector = np.asarray(to_vector(given, "a text").to_list(), dtype=np.float32)
        if self._truncate_to is not None:
            if len(vector) < self._truncate_to:
                raise EmbeddingError(
                    f"{self.model_name} gives {len(vector)} dimensions, which cannot be cut to {self._truncate_to}",
                    hint="give a smaller truncate_to",
                )
            vector = vector[: self._truncate_to]
            norm = np.linalg.norm(vector)
            vector = vector / norm if norm > 0 else vector
        if self._pad_to is not None:
            if len(vector) > self._pad_to:
                raise EmbeddingError(
                    f"{self.model_name} gives {len(vector)} dimensions, more than pad_to, {self._pad_to}",
                    hint="give a larger pad_to",
                )
            vector = np.pad(vector, (0, self._pad_to - len(vector)))
        return vector
