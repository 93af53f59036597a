"""What each engine can be asked."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, NamedTuple

from benchmarks.peers.corpora import Query, Stored
from benchmarks.semantic.corpus import Vectors

HYBRID, FULL_TEXT, VECTOR = "hybrid", "full text", "vector"
TOP = 10
# Of the ten nearest, found on average by vectors that are not asked later.
RECALL = 0.99
# By mode.
Ways = Mapping[str, tuple[str, ...]]
# Numbers of documents, best first.
Answer = Callable[[], list[int]]


class Where(NamedTuple):
    """The documents whose attribute is 0."""

    key: str
    declared: bool

    @property
    def column(self) -> str:
        return f"{self.key}_declared" if self.declared else self.key


class Place(NamedTuple):
    """Where an engine keeps its files, or its database."""

    folder: Path
    dsn: str


class Engine(ABC):
    """One engine with one corpus. `load` runs in a process of its own, so that memory is that of searching."""

    # What the engine can do: names of the ways to do it, as printed.
    ways: ClassVar[Ways]
    # Modes that take a filter.
    filtered: ClassVar[tuple[str, ...]] = ()
    # How it weighs words, and splits identifiers: see reference.py. None if its scores are not BM25.
    formula: ClassVar[str | None] = None
    # Of the fusion of ranks: the constant, and how many rows each leg gives. None: `exact` is asked instead.
    fusion: ClassVar[tuple[int, int] | None] = None

    def __init__(self, corpus: Stored, place: Place) -> None:
        self.corpus, self.place = corpus, place
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Of loading, with the seconds it takes."""
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0) + time.perf_counter() - started

    @abstractmethod
    def is_loaded(self) -> bool: ...

    @abstractmethod
    def load(self) -> None: ...

    @abstractmethod
    def open(self) -> str:
        """Versions and settings, as printed."""

    @abstractmethod
    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        """All that is to be timed."""

    def exact(self, mode: str, way: str, query: Query, where: Where | None) -> list[int] | None:
        """The same with nothing approximate in it, where the engine can do so."""
        return None

    @abstractmethod
    def bytes_on_disk(self) -> int: ...

    def process_id(self) -> int | None:
        """Of what searches, where it is not this process."""
        return None

    def narrowest(self, widths: Iterable[int], nearest: Callable[[int, Vectors], list[int]]) -> tuple[int, float]:
        """The first width that finds enough of the ten nearest, and how many it finds."""
        vectors, truth = self.corpus.tuning
        width, recall = 0, 0.0
        for width in widths:
            found = [set(nearest(width, vector)) for vector in vectors]
            recall = sum(len(ids.intersection(true)) for ids, true in zip(found, truth, strict=True)) / 10 / len(truth)
            if recall >= RECALL:
                break
        return width, recall


def folder_size(folder: Path) -> int:
    """Bytes as on disk."""
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())
