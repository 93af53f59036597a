"""A framework's embedding model as an embedder of pgbraid."""

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
    """What a collection is made for. Every embedder is one."""

    @property
    def model_name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...


@dataclass(frozen=True)
class KnownModel:
    """That of vectors which come from elsewhere."""

    model_name: str
    dimensions: int


class FrameworkEmbedder:
    """Embeds by two functions of a framework's model."""

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
        """Frameworks do not say it: the model is asked once. Raises EmbeddingError."""
        try:
            return to_vector(self._query("dimensions"), "a query").dimensions()
        except Exception as error:
            raise embedder_failure(error) from error

    def embed_documents(self, texts: list[str]) -> Sequence[VectorLike]:
        return self._documents(texts)

    def embed_query(self, text: str) -> VectorLike:
        return self._query(text)


def model_name_of(model: object) -> str:
    """The name that a framework's model has for itself, in one attribute or another; else that of its class."""
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__
