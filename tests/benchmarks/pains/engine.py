"""Define what a pain asks of an engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

HYBRID, FULL_TEXT, VECTOR = "hybrid", "full text", "vector"
ENGLISH, ANY_LANGUAGE = "english", "simple"
# A peer's table has an index over its vectors from this number of rows on.
INDEXED = 1000
# The rows that a leg proposes, where an engine lets the caller choose.
DEPTH = 20
# The rows that a reranker scores.
RERANKED = 10

Vector = list[float]


@dataclass
class Chunk:
    """Hold a part of a document. Without parts, a document is one chunk."""

    text: str
    vector: Vector


@dataclass
class Document:
    id: str
    chunks: list[Chunk]
    title: str = ""
    kind: str = ""
    # The group that may read it; everyone, if there is none.
    reader: str = ""

    def rows(self) -> list[tuple[str, str, Vector]]:
        """Return key, text and vector of each chunk, for engines whose rows have no title."""
        return [
            (f"{self.id}#{number}", f"{self.title}\n{chunk.text}" if self.title else chunk.text, chunk.vector)
            for number, chunk in enumerate(self.chunks)
        ]


@dataclass
class Query:
    """Hold a search. An engine ignores what it has not, and raises Unsupported if nothing is left."""

    text: str
    vector: Vector
    mode: str = HYBRID
    count: int = 10
    # Find only documents of this kind.
    kind: str | None = None
    # The tenant who asks. `forgetful`: the call itself names no condition on the tenant.
    tenant: str | None = None
    forgetful: bool = False
    # The groups of the person who asks. `forgetful`: the call names no condition on them.
    groups: list[str] = field(default_factory=list)
    # Leave out what is no hit, if the engine can tell.
    floor: bool = False
    # Find misspelt words, if the engine can.
    typos: bool = False
    # Find compounds by their parts, if the engine can.
    compounds: bool = False
    # These are a reranker's scores by text, for the first RERANKED rows.
    reranked: dict[str, float] = field(default_factory=dict)


@dataclass
class Hit:
    document: str
    text: str
    score: float


class UnsupportedError(Exception):
    """Report that an engine has nothing for what a pain asks."""


class Engine(ABC):
    """Run searches in collections, each filled by `write` and made ready by `settle`."""

    # True if `floor` leaves anything out.
    has_floor = False

    @abstractmethod
    def about(self) -> str:
        """Return the names and versions."""

    @abstractmethod
    def create(self, collection: str, dimensions: int, language: str) -> None: ...

    @abstractmethod
    def write(self, collection: str, documents: Sequence[Document], tenant: str | None) -> None:
        """Insert documents, or replace documents of the same id, by the engine's own call for that."""

    @abstractmethod
    def settle(self, collection: str) -> None:
        """Make indexes and statistics that the collection lacks."""

    @abstractmethod
    def delete(self, collection: str, documents: Sequence[Document]) -> None:
        """Delete documents, given as they were written last."""

    @abstractmethod
    def search(self, collection: str, query: Query) -> list[Hit]: ...

    @abstractmethod
    def begin_change(self, collection: str, documents: Sequence[Document]) -> None:
        """Begin a change of the embedding model. The documents have the vectors of the new model."""

    @abstractmethod
    def continue_change(self, count: int) -> int:
        """Embed some more chunks by the new model; return how many."""

    @abstractmethod
    def finish_change(self) -> None: ...
