"""Adapt a framework's embedding model to an embedder of pgbraid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from pgbraid.text_vectors import embedder_failure
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgbraid.vectors import VectorLike

__all__ = ["EmbeddingModel", "FrameworkEmbedder", "KnownModel", "model_name_of"]


class EmbeddingModel(Protocol):
    """Describe the model that a collection is made for. Every embedder implements this protocol."""

    @property
    def model_name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...


@dataclass(frozen=True)
class KnownModel:
    """Name the model of vectors that the framework computes itself."""

    model_name: str
    dimensions: int


class FrameworkEmbedder:
    """Embed with two functions of a framework's model."""

    def __init__(
        self,
        model_name: str,
        documents: Callable[[list[str]], Sequence[VectorLike]],
        query: Callable[[str], VectorLike],
    ) -> None:
        self.model_name = model_name
        self._documents = documents
        self._query = query

    @cached_property
    def dimensions(self) -> int:
        """Return the dimensions; embed a text once to learn them, because frameworks do not tell them. Raise
        EmbeddingError."""
        try:
            return to_vector(self._query("dimensions"), "a query").dimensions()
        except Exception as error:
            raise embedder_failure(error) from error

    def embed_documents(self, texts: list[str]) -> Sequence[VectorLike]:
        return self._documents(texts)

    def embed_query(self, text: str) -> VectorLike:
        return self._query(text)


def model_name_of(model: object) -> str:
    """Return a framework model's name, which may be in one of several attributes; else the name of its class."""
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__
