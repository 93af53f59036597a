# Generated from async_client/streaming.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Stream a search's results as pages: full text at once, then fused, then reranked."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pgbraid._background import RERANKERS, in_background
from pgbraid.arguments import Mode, OtherNames, row_count
from pgbraid.client.queries import (
    RANKING,
    VectorRequest,
    ask_for_vector,
    check_vector,
    embedded_text,
    ranked,
    searched,
)
from pgbraid.client.reranked import blended, shaped
from pgbraid.errors import EmbeddingError, InvalidArgumentError, PgbraidError
from pgbraid.reranking import candidates, rerank_results
from pgbraid.results import SearchResults, results_of
from pgbraid.streams import StreamedResults, rank_changes
from pgbraid.text_vectors import query_vector

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.client.base import BaseClient
    from pgbraid.reranker import Reranker
    from pgbraid.search_options import SearchOptions
    from pgbraid.vectors import VectorLike

ARGUMENTS = f"query_text => %(query)s::text, match_count => %(match_count)s::int, {RANKING}"
# Seconds between attempts to cancel a statement, which may not have reached the server at the first attempt.
PAUSE = 0.02


def search_stream(
    client: BaseClient,
    query: str | None = None,
    match_count: int | None = None,
    mode: Mode = "hybrid",
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    embedding: VectorLike | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str | None = None,
    rrf_k: float | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
    late_interaction: bool | Mapping[str, Any] | None = False,
    reranker: Reranker | None = None,
    rerank_count: int = 20,
    blend: float = 0.2,
    rerank_timeout: float | None = 10.0,
    **other_names: Unpack[OtherNames],
) -> SearchStream:
    """Search, and yield pages of results as they improve: `for page in client.search_stream("…")`.

    A hybrid search yields full-text results while the query is being embedded, then the fused rows, then, with
    `reranker`, the rows in the blended order. Each page is a `StreamedResults` with its `stage`, the changes, and
    `is_last`. If the vector is known already, the fused page is the first. The modes full_text and semantic have one
    page, and the reranked one. If the embedder fails, the last page has full-text results with the warning
    `embedding_unavailable`. The arguments are the same as in `search`.

    The last page is what `search` would return. The search log records a stream once; it does not record the first
    full-text page.

    When the user types another query, `close()` the stream, also while another task waits for it, or cancel the task.
    This cancels a running statement on the server and abandons calls of embedder and reranker; the connection stays
    usable. In a transaction of yours, a cancelled statement aborts it.

    Raise InvalidArgumentError, DimensionMismatchError, NotFoundError.
    """
    if not (query is None or isinstance(query, str)):
        raise InvalidArgumentError(
            f"query is {query!r}"[:200],
            hint="a stream takes one query: use search for several queries",
            sqlstate="22023",
        )
    match_count = row_count(match_count, other_names, 10 if reranker is None else 5)
    count = match_count
    finding: Mapping[str, Any] | None = options
    shaping: Mapping[str, Any] = {}
    if reranker is not None:
        count, finding, shaping = candidates(reranker, query, match_count, rerank_count, blend, rerank_timeout, options)
    ranking = ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match)
    return SearchStream(
        client._for_one_call(), query, match_count, mode, collection, embedding, options, late_interaction, ranking,
        reranker, count, finding, shaping, blend, rerank_timeout,
    )  # fmt: skip


class SearchStream:
    """Iterate over the pages of one search. `search_stream` makes it."""

    def __init__(
        self,
        client: BaseClient,
        query: str | None,
        match_count: int,
        mode: Mode,
        collection: str,
        embedding: VectorLike | None,
        options: Mapping[str, Any] | None,
        late_interaction: bool | Mapping[str, Any] | None,
        ranking: Mapping[str, Any],
        reranker: Reranker | None,
        count: int,
        finding: Mapping[str, Any] | None,
        shaping: Mapping[str, Any],
        blend: float,
        timeout: float | None,
    ) -> None:
        self._client = client
        self._query = query
        self._match_count = match_count
        self._mode: Mode = mode
        self._collection = collection
        self._embedding = embedding
        self._options = options
        self._late_interaction = late_interaction
        self._ranking = ranking
        self._reranker = reranker
        # The number of rows to find, the options for finding them, and the options for shaping them afterwards.
        self._count = count
        self._finding = finding
        self._shaping = shaping
        self._blend = blend
        self._timeout = timeout

        self._steps = [self._full_text, self._fused, self._reranked]
        self._before = SearchResults([])
        self._stage = ""
        self._started: float | None = None
        # The request to embed the query, and the future of its vector.
        self._asked: VectorRequest | None = None
        self._vector: Future[Any] | None = None
        # All rows that the search found, with stats and warnings; a page may show some of them.
        self._found = SearchResults([])
        # The future that a page waits for; None while it waits for a statement.
        self._awaited: Future[Any] | None = None
        self._is_closed = False
        self._is_busy = False
        # Held while the state changes, and while a statement is cancelled, so that the next statement is not hit.
        self._lock = threading.Lock()

    def __iter__(self) -> SearchStream:
        return self

    def __next__(self) -> StreamedResults:
        with self._lock:
            if self._is_busy:
                raise RuntimeError("another thread or task waits for the next page of this stream")
            if self._is_closed:
                raise StopIteration
            self._is_busy = True
        page = None
        try:
            if self._started is None:
                self._started = time.perf_counter()
            while page is None and self._steps and not self._is_closed:
                page = self._steps.pop(0)()
        except PgbraidError:
            self._steps.clear()
            if not self._is_closed:
                raise
        except BaseException:
            self._steps.clear()
            raise
        finally:
            with self._lock:
                self._is_busy = False
        if page is None or self._is_closed:
            raise StopIteration
        return page

    def __enter__(self) -> SearchStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the stream and cancel what is running. Another thread or task that waits for a page gets none."""
        self._is_closed = True
        while True:
            for future in (self._vector, self._awaited):
                if future is not None:
                    with suppress(InvalidStateError):
                        future.set_exception(PgbraidError("the stream was closed"))
            with self._lock:
                if not self._is_busy:
                    return
                if self._awaited is None:
                    self._client._session.cancel()
            time.sleep(PAUSE)

    def _full_text(self) -> StreamedResults | None:
        """Return the page to show while the query is being embedded; None if no embedding is needed."""
        options = self._options
        if self._mode != "hybrid" or self._embedding is not None or self._ranking["full_text_weight"] == 0:
            return None
        # A cursor is a place in the fused order, which this page does not have.
        if isinstance(options, Mapping):
            if options.get("cursor"):
                return None
            options = {name: value for name, value in options.items() if name != "cursor"}
        if not self._query:
            return None
        try:
            asked = ask_for_vector(self._client, self._query, self._collection, self._options)
        except EmbeddingError:
            return None  # the search itself reports this error
        if asked is None:
            return None
        self._asked = asked
        if asked.known is None:
            self._vector = in_background(query_vector, asked.embedder, asked.text)
        elif not self._late_interaction:
            return None
        found = self._search("search_json", "full_text", self._match_count, options)
        return self._page(found, "full_text", is_last=False, is_shaped=True)

    def _fused(self) -> StreamedResults | None:
        """Return the page of the search itself, with both legs in the mode hybrid."""
        found = self._search("logged_search", self._mode, self._count, self._finding, self._late_interaction)
        self._found = found
        legs = found.stats["mode"]
        if self._reranker is None or not found:
            self._steps.clear()
        return self._page(found, "fused" if legs == "hybrid" else legs, is_last=not self._steps)

    def _reranked(self) -> StreamedResults | None:
        """Return the page in the blended order."""
        assert self._reranker is not None and self._query is not None
        found = self._found
        text = embedded_text(self._client, self._query, self._collection, self._options)
        self._awaited = in_background(rerank_results, self._reranker, text, found, self._timeout, places=RERANKERS)
        best = self._awaited.result()
        self._awaited = None
        best = blended(self._client, best, self._blend)
        return self._page(best, "reranked" if "rerank" in best.stats else self._stage, is_last=True)

    def _search(
        self,
        function: str,
        mode: Mode,
        count: int,
        options: Mapping[str, Any] | None,
        late_interaction: bool | Mapping[str, Any] | None = False,
    ) -> SearchResults:
        (answer,), warnings = searched(
            self._client, self._client._session.json, function, ARGUMENTS, self._query, mode, self._collection,
            self._embedding, options, late_interaction, self._embed, match_count=count, **self._ranking,
        )  # fmt: skip
        return results_of(answer, self._query, warnings)

    def _embed(
        self,
        client: BaseClient,
        query: str,
        collection: str,
        options: Mapping[str, Any] | None,
        warnings: list[dict[str, Any]],
    ) -> tuple[Any, str | None, str | None]:
        """Return as `embed_query` does, using the vector that is being made already."""
        asked, self._asked = self._asked, None
        if asked is None:  # no text was to be embedded before, or the model has changed meanwhile
            asked = ask_for_vector(client, query, collection, options)
            if asked is None:
                return None, None, None
            self._vector = None if asked.known is not None else in_background(query_vector, asked.embedder, asked.text)
        vector = asked.known
        if vector is None and self._vector is not None:
            self._awaited = self._vector
            try:
                vector = self._vector.result()
            finally:
                self._awaited = None
        assert vector is not None
        return check_vector(client, asked, vector, collection, warnings)

    def _page(
        self, found: SearchResults, stage: str, *, is_last: bool, is_shaped: bool = False
    ) -> StreamedResults:
        rows = found
        if not is_shaped:
            rows = shaped(self._client, found, self._match_count, self._collection, self._shaping)
        changes = rank_changes(self._before, rows)
        self._before, self._stage = rows, stage
        elapsed = (time.perf_counter() - (self._started or 0.0)) * 1000
        return StreamedResults(
            rows,
            stage=stage,
            is_last=is_last,
            changes=changes,
            elapsed_ms=round(elapsed, 3),
            query=self._query,
            stats=found.stats,
            warnings=found.warnings,
        )
