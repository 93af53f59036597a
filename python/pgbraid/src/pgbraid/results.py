"""What searches return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from pgbraid.result_rows import ResultRow

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.axes import Axes

    from pgbraid.display import Style


class SearchResult(ResultRow):
    """A chunk found: the row `braid.search_result`.

    `score` is what the rows are ordered by. `full_text_score` is BM25, `semantic_score` the similarity (for
    the cosine distance: 1 − distance), `sparse_score` that of weighted terms; ranks start at 1. A leg that did not find
    the chunk has None. `snippet` is HTML, and None unless the options of the search ask for it; so are `group_score`,
    `passage` (the chunk with its neighbours, of the chunk_indexes `passage_start` to `passage_end`) and, on the last
    row of a page that is not the last, `cursor`.

    Of several queries, `query_ranks` has the rank and the score of the row for each that has it.

    After reranking the rows are ordered by `rerank_score`, and `score` is what it was.
    """

    def __str__(self) -> str:
        from pgbraid.display import result_lines

        return "\n".join(result_lines(self, None, "", None))


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
        from pgbraid.display import results_text

        return results_text(self, self.query, self.warnings, style)

    def _repr_html_(self) -> str | None:
        from pgbraid._tools import tool
        from pgbraid.errors import NotSupportedError

        try:
            shown: str = tool("notebooks", "a table in a notebook").results_html(self, self.query, self.warnings)
        except NotSupportedError:
            return None
        return shown

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame, a column for each attribute of a `SearchResult`. Needs pandas."""
        from pgbraid._tools import tool

        frame: pandas.DataFrame = tool("frames", "to_pandas").to_pandas(self)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """As `to_pandas`, as an Arrow table; metadata, boosts and query_ranks are JSON texts. Needs pyarrow."""
        from pgbraid._tools import tool

        table: pyarrow.Table = tool("frames", "to_arrow").to_arrow(self)
        return table

    def plot_scores(self, axes: Axes | None = None) -> Axes:
        """Bars of the normalised scores that the legs gave each row. Needs matplotlib."""
        from pgbraid._tools import tool

        plotted: Axes = tool("notebooks", "plot_scores").plot_scores(self, axes)
        return plotted


def results_of(answer: Mapping[str, Any], query: str | None, warnings: Sequence[dict[str, Any]] = ()) -> SearchResults:
    """Return the results that the JSON object of a search has, with warnings of what was done before it."""
    rows = [SearchResult.from_row(row) for row in answer["results"]]
    return SearchResults(rows, query=query, stats=answer["stats"], warnings=[*warnings, *answer["warnings"]])
