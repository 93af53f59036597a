"""Define the result of `conversation_timeline`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload

from pgbraid.result_rows import Row


@dataclass(frozen=True)
class TimelineTurn(Row):
    """Hold a turn of a conversation: the row of `braid.conversation_timeline`.

    Consecutive turns share a `window_number`. Turns that only surround a match have `is_match` False and no score.
    """

    window_number: int
    is_match: bool
    conversation: str
    chunk_id: int
    document_id: int
    external_id: str
    chunk_index: int
    content: str
    title: str | None = None
    source_uri: str | None = None
    speaker: str | None = None
    category: str | None = None
    importance: float | None = None
    occurred_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    score: float | None = None


class Timeline(Sequence[TimelineTurn]):
    """Hold the turns of `conversation_timeline` in chronological order, with warnings as in `SearchResults`."""

    def __init__(self, turns: Sequence[TimelineTurn], warnings: Sequence[dict[str, Any]] = ()) -> None:
        self.warnings = list(warnings)
        self._turns = tuple(turns)

    def __len__(self) -> int:
        return len(self._turns)

    @overload
    def __getitem__(self, index: int) -> TimelineTurn: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[TimelineTurn]: ...

    def __getitem__(self, index: int | slice) -> TimelineTurn | Sequence[TimelineTurn]:
        return self._turns[index]

    def __repr__(self) -> str:
        matches = sum(turn.is_match for turn in self._turns)
        return f"<Timeline: {matches} matches in {len(self)} turns>"
