"""Define the result of `assemble_context`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload


@dataclass(frozen=True)
class Passage:
    """Hold a passage to cite by number: the row of `braid.assemble_context`. `total_tokens` is a running total."""

    citation: int
    chunk_id: int
    external_id: str
    title: str | None
    source_uri: str | None
    passage_start: int
    passage_end: int
    content: str
    token_count: int
    total_tokens: int
    score: float


@dataclass(frozen=True)
class Context(Sequence[Passage]):
    """Hold passages for a language model; `str()` returns their text, each after its number and its source."""

    passages: Sequence[Passage]
    warnings: Sequence[dict[str, Any]] = ()

    def __len__(self) -> int:
        return len(self.passages)

    @overload
    def __getitem__(self, index: int) -> Passage: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Passage]: ...

    def __getitem__(self, index: int | slice) -> Passage | Sequence[Passage]:
        return self.passages[index]

    def __str__(self) -> str:
        return "\n\n".join(f"[{p.citation}] {p.title or p.external_id}\n{p.content}" for p in self.passages)
