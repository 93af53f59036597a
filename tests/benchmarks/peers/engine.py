"""Define which queries each engine answers."""

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
# The index recall for which each engine is tuned: the average share of the ten nearest that it finds for vectors which
# are not among the queries.
RECALL = 0.99
# The names of ways to search, by mode.
Ways = Mapping[str, tuple[str, ...]]
# Run a search; return the numbers of documents, best first.
Answer = Callable[[], list[int]]


class Where(NamedTuple):
    """Restrict a search to the documents in which the attribute is 0."""

    key: str
    declared: bool

    @property
    def column(self) -> str:
        return f"{self.key}_declared" if self.declared else self.key


class Place(NamedTuple):
    """Hold the folder of an engine's files, and the DSN of its database."""

    folder: Path
    dsn: str


class Engine(ABC):
    """Run one engine with one corpus. `load` runs in a process of its own, so that memory is measured for searching
    alone."""

    # The ways to search that the engine offers, with their printed names.
    ways: ClassVar[Ways]
    # The modes that take a filter.
    filtered: ClassVar[tuple[str, ...]] = ()
    # The BM25 formula and the splitting of identifiers, named as in reference.py. None if the scores are not BM25.
    formula: ClassVar[str | None] = None
    # The constant of rank fusion, and the number of rows of each leg. None if recall is measured against `exact`
    # instead.
    fusion: ClassVar[tuple[int, int] | None] = None

    def __init__(self, corpus: Stored, place: Place) -> None:
        self.corpus, self.place = corpus, place
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step of loading and add its seconds."""
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0) + time.perf_counter() - started

    @abstractmethod
    def is_loaded(self) -> bool: ...

    @abstractmethod
    def load(self) -> None: ...

    @abstractmethod
    def open(self) -> str:
        """Open the engine for searches; return versions and settings, as printed."""

    @abstractmethod
    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        """Return a function that runs a search; only its run is timed."""

    def exact(self, mode: str, way: str, query: Query, where: Where | None) -> list[int] | None:
        """Return an exact search's numbers of documents, or None if the engine cannot search exactly."""
        return None

    @abstractmethod
    def bytes_on_disk(self) -> int: ...

    def process_id(self) -> int | None:
        """Return the process that searches, or None for this process."""
        return None

    def cpu_seconds(self) -> float:
        """Return the processor time that searches have taken in this session: of all threads, or of a backend."""
        backend = self.process_id()
        return time.process_time() if backend is None else cpu_seconds(backend)

    def narrowest(self, widths: Iterable[int], nearest: Callable[[int, Vectors], list[int]]) -> tuple[int, float]:
        """Return the first width that finds enough of the ten nearest, and the share that it finds."""
        vectors, truth = self.corpus.tuning
        width, recall = 0, 0.0
        for width in widths:
            found = [set(nearest(width, vector)) for vector in vectors]
            recall = sum(len(ids.intersection(true)) for ids, true in zip(found, truth, strict=True)) / 10 / len(truth)
            if recall >= RECALL:
                break
        return width, recall


def cpu_seconds(process_id: int) -> float:
    """Return the processor time of a process of one thread in seconds, to the nanosecond."""
    return int(Path(f"/proc/{process_id}/schedstat").read_text().split()[0]) / 1e9


def folder_size(folder: Path) -> int:
    """Return the bytes of a folder's files on disk."""
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())
