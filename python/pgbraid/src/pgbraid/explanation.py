"""Define the results of the client's `explain_search` and `explain_score`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pgbraid.display import Style


@dataclass(frozen=True)
class ScorePart:
    """Hold what one lexeme of the query adds to a chunk's BM25 score: the row of `braid.explain_score`."""

    chunk_id: int
    term: str
    lexeme: str
    frequency: float
    title_frequency: float
    document_frequency: int
    idf: float
    query_frequency: int
    length: float
    average_length: float
    length_normalisation: float
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """Hold an explained search: the JSON object of `braid.explain_search`.

    Each of `results` has its score as an expression, `arithmetic`; in double precision it evaluates exactly to the
    score. `formula` is the same expression with the name of each number. `document` says what became of the document
    asked for, and is None without one. `str()` formats everything as text, with the package pgbraid-tools.
    """

    query: dict[str, Any]
    legs: dict[str, Any]
    fusion: dict[str, Any] | None
    results: list[dict[str, Any]]
    document: dict[str, Any] | None
    statistics: dict[str, Any]
    timings: dict[str, Any]
    warnings: list[dict[str, Any]]
    # A report of scores taken from similar and neighbouring chunks; None if nothing was taken.
    spread: dict[str, Any] | None = None

    @classmethod
    def from_json(cls, answer: dict[str, Any]) -> Explanation:
        return cls(**{column.name: answer[column.name] for column in fields(cls)})

    def __str__(self) -> str:
        from pgbraid.errors import NotSupportedError

        try:
            return self.format()
        except NotSupportedError:
            return repr(self)

    def format(self, style: Style | None = None) -> str:
        """Return text. `style(text, kind)` may colour; kind is title, score, faint or warning. Needs pgbraid-tools."""
        from pgbraid._tools import tool

        text: str = tool("explanations", "an explanation as text").explanation_text(self, style)
        return text
