"""Load the offline model when it first embeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder, Vectors
    from pgbraid.vectors import VectorLike


class OfflineModel:
    """Stand for the offline model, so that a missing one raises only when it is needed."""

    model_name = "all-MiniLM-L6-v2"
    dimensions = 384

    @cached_property
    def _model(self) -> Embedder:
        from pgbraid.embedders import LocalEmbedder

        return LocalEmbedder()

    def embed_documents(self, texts: list[str]) -> Vectors | Sequence[VectorLike]:
        return self._model.embed_documents(texts)

    def embed_query(self, text: str) -> VectorLike:
        return self._model.embed_query(text)
