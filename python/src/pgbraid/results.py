"""What the client returns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from typing import Any, overload

__all__ = [
    "Context",
    "FacetValue",
    "IndexProblem",
    "Passage",
    "ScorePart",
    "SearchResult",
    "SearchResults",
    "Timeline",
    "TimelineTurn",
    "WriteSummary",
]

Style = Callable[[str, str], str]
SNIPPET_CHARACTERS = 240
WIDTH = 100


@dataclass(frozen=True)
class SearchResult:
    """A chunk found: the row `braid.search_result`.

    `score` is what the rows are ordered by. `full_text_score` is BM25, `semantic_score` the similarity (for
    the cosine distance: 1 − distance); ranks start at 1. A leg that did not find the chunk has None. `snippet` is
    HTML, and None unless the options of the search ask for it; so are `group_score`, `passage` (the chunk with its
    neighbours, of the chunk_indexes `passage_start` to `passage_end`) and, on the last row of a page that is not the
    last, `cursor`.

    After reranking the rows are ordered by `rerank_score`, and `score` is what it was.
    """

    chunk_id: int
    document_id: int
    external_id: str
    chunk_index: int
    content: str
    score: float
    title: str | None = None
    source_uri: str | None = None
    speaker: str | None = None
    category: str | None = None
    importance: float | None = None
    occurred_at: datetime | None = None
    created_at: datetime | None = None
    token_count: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    rerank_score: float | None = None
    full_text_score: float | None = None
    full_text_normalised_score: float | None = None
    full_text_rank: int | None = None
    semantic_score: float | None = None
    semantic_normalised_score: float | None = None
    semantic_rank: int | None = None
    snippet: str | None = None
    fused_score: float | None = None
    boosts: list[dict[str, Any]] | None = None
    group_score: float | None = None
    passage: str | None = None
    passage_start: int | None = None
    passage_end: int | None = None
    cursor: str | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> SearchResult:
        """From a row as JSON. Columns that only a newer database has are left out."""
        values = {name: row[name] for name in _FIELDS if name in row}
        for name in ("occurred_at", "created_at"):
            values[name] = parse_time(values.get(name))
        return cls(**values)

    def __str__(self) -> str:
        return "\n".join(self._lines(None, "", plain))

    def _lines(self, rank: int | None, query: str, style: Style) -> list[str]:
        name = self.title or self.external_id
        origin = "" if name == self.external_id else f"  {self.external_id}"
        part = f" [{self.chunk_index}]" if self.chunk_index else ""
        number = "" if rank is None else f"{rank:>2}. "
        legs = "  ".join(
            f"{leg} {'–' if place is None else f'#{place} ({score:.3f})'}"
            for leg, place, score in (
                ("full text", self.full_text_rank, self.full_text_score or 0.0),
                ("semantic", self.semantic_rank, self.semantic_score or 0.0),
            )
        )
        reranked = "" if self.rerank_score is None else f"rerank {self.rerank_score:.4f}  "
        indent = " " * len(number)
        text = textwrap.wrap(snippet(self.content, query), WIDTH - len(indent))
        return [
            f"{number}{style(name, 'title')}{style(origin + part, 'faint')}",
            f"{indent}{style(f'{reranked}score {self.score:.4f}', 'score')}  {style(legs, 'faint')}",
            *(indent + line for line in text),
        ]


_FIELDS = tuple(column.name for column in fields(SearchResult))


class SearchResults(Sequence[SearchResult]):
    """The rows of a search, best first.

    `stats` says how they were found (mode, candidates per leg, terms, time in ms). `warnings` is a list of
    `{"code": …, "message": …}`: what the rows alone cannot say, such as `embedding_unavailable`, when a
    hybrid search had to do with full text.
    """

    def __init__(
        self,
        rows: Sequence[SearchResult],
        *,
        query: str | None = None,
        stats: dict[str, Any] | None = None,
        warnings: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.query = query
        self.stats = stats or {}
        self.warnings = list(warnings)
        self._rows = tuple(rows)

    @property
    def next_cursor(self) -> str | None:
        """What the option `cursor` asks for the next page with; None after the last one, and without that option."""
        return self._rows[-1].cursor if self._rows else None

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> SearchResult: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SearchResult]: ...

    def __getitem__(self, index: int | slice) -> SearchResult | Sequence[SearchResult]:
        return self._rows[index]

    def __repr__(self) -> str:
        codes = "".join(f", {warning.get('code')}" for warning in self.warnings)
        return f"<SearchResults: {len(self)} for {self.query!r}{codes}>"

    def __str__(self) -> str:
        return self.format()

    def format(self, style: Style | None = None) -> str:
        """The rows as text. `style(text, kind)` may colour; kind is title, score, faint or warning."""
        style = style or plain
        blocks = ["\n".join(row._lines(rank, self.query or "", style)) for rank, row in enumerate(self._rows, 1)]
        notes = [style(f"warning: {w.get('message', w.get('code'))}", "warning") for w in self.warnings]
        return "\n\n".join([*(blocks or ["no results"]), *(["\n".join(notes)] if notes else [])])


@dataclass(frozen=True)
class Passage:
    """A passage to be cited by its number: the row of `braid.assemble_context`. `total_tokens` runs up."""

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
    """Passages for a language model; `str()` of it is their text, each behind its number and its source."""

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


@dataclass(frozen=True)
class TimelineTurn:
    """A turn of a conversation: the row of `braid.conversation_timeline`.

    Turns that follow each other have one `window_number`. Those that were not found themselves but surround what was
    have `is_match` False and no score.
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

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> TimelineTurn:
        """From a row as JSON. Columns that only a newer database has are left out."""
        values = {column.name: row[column.name] for column in fields(cls) if column.name in row}
        values["occurred_at"] = parse_time(values.get("occurred_at"))
        return cls(**values)


class Timeline(Sequence[TimelineTurn]):
    """The turns of `conversation_timeline`, in the order of time, with warnings as `SearchResults` has them."""

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


@dataclass(frozen=True)
class WriteSummary:
    """What became of the documents of `add_documents`: counts of documents, and of chunks written.

    `superseded` are those whose external_id came again later in the same batch.
    """

    inserted: int = 0
    replaced: int = 0
    updated: int = 0
    unchanged: int = 0
    superseded: int = 0
    chunks: int = 0

    @property
    def documents(self) -> int:
        return self.inserted + self.replaced + self.updated + self.unchanged + self.superseded

    def __add__(self, other: WriteSummary) -> WriteSummary:
        return WriteSummary(*(getattr(self, column.name) + getattr(other, column.name) for column in fields(self)))

    def __str__(self) -> str:
        return (
            f"{self.documents} document{'' if self.documents == 1 else 's'}: {self.inserted} inserted, "
            f"{self.replaced} replaced, {self.updated} updated, {self.unchanged} unchanged"
            f"{f', {self.superseded} superseded' if self.superseded else ''}; "
            f"{self.chunks} chunk{'' if self.chunks == 1 else 's'} written"
        )


@dataclass(frozen=True)
class IndexProblem:
    """A difference between the full-text index and the chunks, of the chunk or of the lexeme named."""

    problem: str
    chunk_id: int | None = None
    lexeme: str | None = None
    detail: str | None = None


@dataclass(frozen=True)
class FacetValue:
    """A value of a key, and how many chunks have it."""

    value: str | float | bool
    count: int


@dataclass(frozen=True)
class ScorePart:
    """What a lexeme of the query adds to the BM25 score of a chunk: the row of `braid.explain_score`."""

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


def snippet(content: str, query: str) -> str:
    """A piece of the content on one line, from about where the first word of the query occurs."""
    text = " ".join(content.split())
    words = [re.escape(word) for word in re.findall(r"\w{3,}", query)[:50]]
    found = re.search("|".join(words), text, re.IGNORECASE) if words else None
    if len(text) <= SNIPPET_CHARACTERS or found is None or found.start() < SNIPPET_CHARACTERS // 2:
        return _cut(text)
    start = text.find(" ", found.start() - SNIPPET_CHARACTERS // 3) + 1
    return "… " + _cut(text[start or found.start() :])


def _cut(text: str) -> str:
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    return text[: SNIPPET_CHARACTERS - 2].rsplit(" ", 1)[0] + " …"


def plain(text: str, _: str) -> str:
    return text


def parse_time(value: str | None) -> datetime | None:
    """PostgreSQL's JSON form of a timestamptz; times beyond the years 1 to 9999 become datetime's bounds."""
    if value is None:
        return None
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?([+-]\d\d:\d\d)(?::\d\d)?", value)
    if parts is None:
        past = value.startswith("-") or value.endswith("BC")
        return (datetime.min if past else datetime.max).replace(tzinfo=timezone.utc)
    # Python 3.10 reads fractions of 3 or 6 digits only.
    return datetime.fromisoformat(f"{parts[1]}.{(parts[2] or '').ljust(6, '0')}{parts[3]}")
