"""Rerank a search: take its candidates, and return them in the blended order."""

from __future__ import annotations

import contextvars
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError, RerankingError
from pgbraid.results import SearchResult, SearchResults

if TYPE_CHECKING:
    from pgbraid.reranker import Reranker, Scores

# Options that shape the rows apply after reranking.
SHAPING = frozenset(("collapse", "context", "cursor", "diversify", "group_by"))
# At most this number of timed-out calls of a reranker may still run, so that a hanging one does not take more threads.
LATE_CALLS = 4
# braid.fuse takes no larger scores.
MOST = 1e100
# Timed-out calls still running, by id of the reranker, which they keep alive.
_late: Counter[int] = Counter()
_counting = threading.Lock()


def _check(
    reranker: Reranker, query: str | None, match_count: int, rerank_count: int, blend: float, timeout: float | None
) -> None:
    if isinstance(reranker, type) or not callable(getattr(reranker, "rerank", None)):
        raise InvalidArgumentError(
            f"reranker is {repr(reranker)[:100]}, not a reranker",
            hint="give one of pgbraid_tools.rerankers, such as CrossEncoderReranker()",
            sqlstate="22023",
        )
    for name, value in (("match_count", match_count), ("rerank_count", rerank_count)):
        if not isinstance(value, Integral) or value < 1:
            raise InvalidArgumentError(f"{name} is {value!r}", hint="use 1 to 10000", sqlstate="22023")
    if isinstance(blend, bool) or not isinstance(blend, Real) or not 0 <= blend <= 1:
        raise InvalidArgumentError(
            f"blend is {blend!r}",
            hint="use 0 to 1: 0 keeps the search's order, 1 takes the reranker's",
            sqlstate="22023",
        )
    if timeout is not None and not 0 < timeout <= threading.TIMEOUT_MAX:
        raise InvalidArgumentError(
            f"rerank_timeout is {timeout!r}", hint="give seconds, more than 0, or None for no limit", sqlstate="22023"
        )
    if not query:
        raise InvalidArgumentError(
            "reranking needs a query to compare texts with",
            hint="give the query, not just its embedding",
            sqlstate="22023",
        )


def candidates(
    reranker: Reranker,
    query: str | None,
    match_count: int,
    rerank_count: int,
    blend: float,
    timeout: float | None,
    options: Mapping[str, Any] | None,
) -> tuple[int, Mapping[str, Any] | None, Mapping[str, Any]]:
    """Return the number of rows to find, the options for finding them, and the options for shaping them afterwards.
    Raise InvalidArgumentError for the caller's mistakes; a reranker's failure is a warning instead."""
    _check(reranker, query, match_count, rerank_count, blend, timeout)
    count = max(match_count, rerank_count)
    if not isinstance(options, Mapping):  # the database says what is wrong with the options
        return count, options, {}
    finding = {name: value for name, value in options.items() if name not in SHAPING}
    return count, finding, {name: value for name, value in options.items() if name in SHAPING}


def with_shape(rows: Sequence[SearchResult], shaped: Sequence[SearchResult]) -> list[SearchResult]:
    """Return the shaped rows with the search's own columns, as shaping returns only the scores that it was given."""
    known = {row.chunk_id: row for row in rows}
    return [
        replace(
            known[row.chunk_id],
            group_score=row.group_score,
            passage=row.passage,
            passage_start=row.passage_start,
            passage_end=row.passage_end,
            cursor=row.cursor,
        )
        for row in shaped
    ]


def rerank_results(reranker: Reranker, query: str, found: SearchResults, timeout: float | None) -> SearchResults:
    """Return the rows with their rerank scores, in their order. `query` is without operators.

    Blocks for up to `timeout` seconds. On any failure of the reranker the rows keep their order, with a warning.
    """
    if not found:
        return found
    started = time.perf_counter()
    try:
        if not query.strip():
            raise RerankingError("the query has no words to rerank by")
        scores = _scores(reranker, query, [_text(row) for row in found], timeout)
        name = str(getattr(reranker, "model_name", type(reranker).__name__))
    except Exception as error:
        message = f"ranked by fusion only; {_describe(error)}"
        warnings = [*found.warnings, {"code": "reranker_unavailable", "message": message}]
        return SearchResults(found, query=found.query, stats=found.stats, warnings=warnings)
    milliseconds = round((time.perf_counter() - started) * 1000, 3)
    # The rows lose their cursor, because it is a place in the fused order, which reranking changes.
    ranked = [replace(row, rerank_score=score, cursor=None) for row, score in zip(found, scores, strict=True)]
    stats = {**found.stats, "rerank": {"model": name, "candidates": len(found), "time_ms": milliseconds}}
    return SearchResults(ranked, query=found.query, stats=stats, warnings=found.warnings)


def lists_to_blend(found: SearchResults, blend: float) -> list[dict[str, Any]]:
    """Return the scores of the search and of the reranker as lists for braid.fuse. Rows that the query names, which the
    search has lifted, are a list of their own, whose weight keeps them first unless the reranker replaces the order."""
    # braid.fuse takes weights of 0 and from 1e-9 on.
    blend = round(float(blend), 9)
    lifts = {
        row.chunk_id: boost.get("addend", 0.0)
        for row in found
        for boost in row.boosts or ()
        if boost["signal"] == "exact_name"
    }
    lists: list[tuple[str, float, dict[int, Any]]] = [
        ("search", 1 - blend, {row.chunk_id: row.score - lifts.get(row.chunk_id, 0.0) for row in found}),
        ("reranker", blend, {row.chunk_id: row.rerank_score for row in found}),
    ]
    if lifts and blend < 1:
        lists.append(("exact_name", 1.1, dict.fromkeys(lifts, 1)))
    return [
        {"name": name, "weight": weight, "items": [{"id": key, "score": score} for key, score in scores.items()]}
        for name, weight, scores in lists
    ]


def in_blended_order(found: SearchResults, blended: Sequence[Mapping[str, Any]], blend: float) -> SearchResults:
    """Return the rows with the scores that braid.fuse made of `lists_to_blend`, best first; ties keep their order."""
    scores = {int(one["id"]): one for one in blended}
    rows = [
        replace(row, blended_score=float(one["score"]), blended_parts=one["parts"])
        for row in found
        for one in [scores[row.chunk_id]]
    ]
    rows.sort(key=lambda row: -(row.blended_score or 0.0))
    stats = {**found.stats, "rerank": {**found.stats["rerank"], "blend": float(blend)}}
    return SearchResults(rows, query=found.query, stats=stats, warnings=found.warnings)


def _text(row: SearchResult) -> str:
    """Return the text that collections embed by default."""
    return "\n".join(part for part in (row.title, row.speaker, row.content) if part)


def _scores(reranker: Reranker, query: str, texts: list[str], timeout: float | None) -> list[float]:
    given: Any = _within(timeout, reranker, query, texts)
    try:
        scores = [float(score) for score in given]
    except (TypeError, ValueError, OverflowError) as error:
        raise RerankingError("the reranker gave no list of numbers") from error
    if len(scores) != len(texts):
        raise RerankingError(f"the reranker gave {len(scores)} scores for {len(texts)} texts")
    if not all(abs(score) <= MOST for score in scores):  # NaN compares as False
        raise RerankingError(f"the reranker gave NaN, or scores beyond ±{MOST:.0e}")
    return scores


def _within(timeout: float | None, reranker: Reranker, query: str, texts: list[str]) -> Scores:
    if timeout is None:
        return reranker.rerank(query, texts)
    if _late[id(reranker)] >= LATE_CALLS:
        raise RerankingError(f"{LATE_CALLS} calls of the reranker that timed out are still running")
    done: Future[Scores] = Future()

    def run() -> None:
        try:
            done.set_result(reranker.rerank(query, texts))
        except BaseException as error:
            done.set_exception(error)

    # A running call cannot be stopped, but a daemon thread does not keep the process from ending.
    threading.Thread(target=contextvars.copy_context().run, args=(run,), name="pgbraid-rerank", daemon=True).start()
    try:
        return done.result(timeout)
    except FutureTimeoutError as error:
        if done.done():
            raise
        _count_late(reranker, 1)
        done.add_done_callback(lambda _: _count_late(reranker, -1))
        raise RerankingError(
            f"the reranker took longer than {timeout:g} s",
            hint="raise rerank_timeout, or call the reranker's warm_up() before the first search",
        ) from error


def _count_late(reranker: Reranker, change: int) -> None:
    with _counting:
        _late[id(reranker)] += change
        if not _late[id(reranker)]:
            del _late[id(reranker)]


def _describe(error: Exception) -> str:
    message = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
    return "; ".join(filter(None, (str(message), getattr(error, "hint", None))))
