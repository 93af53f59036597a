"""Load an offline model when it first embeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pgbraid.embedders.model_files import DEFAULT

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder, Vectors
    from pgbraid.vectors import VectorLike


class OfflineModel:
    """Stand for an offline model, so that a missing one raises only when it is needed."""

    dimensions = 384

    def __init__(self, model_name: str = DEFAULT.name) -> None:
        self.model_name = model_name

    @cached_property
    def _model(self) -> Embedder:
        from pgbraid.embedders import LocalEmbedder

        return LocalEmbedder(self.model_name)

    def embed_documents(self, texts: list[str]) -> Vectors | Sequence[VectorLike]:
        return self._model.embed_documents(texts)

    def embed_query(self, text: str) -> VectorLike:
        return self._model.embed_query(text)
