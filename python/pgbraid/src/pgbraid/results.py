"""Define the results of searches."""

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
    """Hold a chunk found: the row `braid.search_result`.

    Rows are ordered by `score`. `full_text_score` is BM25, `semantic_score` the similarity (for the cosine distance: 1
    − distance), `sparse_score` the score of weighted terms; ranks start at 1. A leg that did not find the chunk has
    None. `snippet` is HTML, and None unless the options of the search ask for it. The same holds for `group_score` and
    `passage` (the chunk with its neighbours, with chunk_indexes `passage_start` to `passage_end`). `cursor` is on the
    last row of each page but the last.

    With several queries, `query_ranks` has the row's rank and score for each query that found it.

    After reranking, rows are ordered by `blended_score`, and `score` is unchanged. `blended_parts` says what the search
    and the reranker add to it.
    """

    def __str__(self) -> str:
        from pgbraid.display import result_lines

        return "\n".join(result_lines(self, None, "", None))


class SearchResults(Sequence[SearchResult]):
    """Hold the rows of a search, best first.

    `stats` says how they were found (mode, candidates per leg, terms, time in ms). `warnings` is a list of `{"code": …,
    "message": …}` that tells what rows cannot, such as `embedding_unavailable` for a search by full text only.
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
        """Return the option `cursor` for the next page; None after the last page, and without that option."""
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
        """Return the rows as text. `style(text, kind)` may colour; kind is title, score, faint or warning."""
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
        """Return the rows as a DataFrame, with one column per attribute of `SearchResult`. Needs pandas."""
        from pgbraid._tools import tool

        frame: pandas.DataFrame = tool("frames", "to_pandas").to_pandas(self)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """Return the rows as an Arrow table; metadata, boosts and query_ranks are JSON texts. Needs pyarrow."""
        from pgbraid._tools import tool

        table: pyarrow.Table = tool("frames", "to_arrow").to_arrow(self)
        return table

    def plot_scores(self, axes: Axes | None = None) -> Axes:
        """Draw bars of the normalised scores that the legs gave each row. Needs matplotlib."""
        from pgbraid._tools import tool

        plotted: Axes = tool("notebooks", "plot_scores").plot_scores(self, axes)
        return plotted


def results_of(answer: Mapping[str, Any], query: str | None, warnings: Sequence[dict[str, Any]] = ()) -> SearchResults:
    """Return the results in the JSON object of a search, with warnings from before it."""
    rows = [SearchResult.from_row(row) for row in answer["results"]]
    return SearchResults(rows, query=query, stats=answer["stats"], warnings=[*warnings, *answer["warnings"]])
