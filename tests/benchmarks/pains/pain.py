"""Define a pain: a complaint, and how it is measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from benchmarks.pains.engine import Engine
from benchmarks.pains.texts import Texts

# The measured numbers by the name of the column.
Figure = dict[str, float]


class Pain(ABC):
    title: ClassVar[str]
    # These addresses lead to the complaint.
    threads: ClassVar[tuple[str, ...]]
    question: ClassVar[str]
    # It says how the run asked, and when a figure passes.
    method: ClassVar[str]

    # This column compares engines; 1 if a higher figure is better, else -1.
    main: ClassVar[tuple[str, int]]

    def __init__(self, texts: Texts, scale: float = 1) -> None:
        """Make the data; `scale` makes the made collections smaller, for a test."""
        self.texts, self.scale = texts, scale

    @abstractmethod
    def measure(self, engine: Engine) -> Figure:
        """Measure an engine. Raise UnsupportedError if the engine has nothing of the kind."""

    @abstractmethod
    def passes(self, figure: Figure) -> bool: ...
