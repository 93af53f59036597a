# Generated from async_client/recalling.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Search within a timeframe, and read conversations in chronological order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from pgbraid.arguments import Mode, OtherNames, check_query, optional_json, row_count
from pgbraid.client.queries import RANKING, ranked, searched
from pgbraid.result_rows import parse_time
from pgbraid.results import SearchResults, results_of
from pgbraid.timeframes import Strategy, Timeframe, timeframe_text
from pgbraid.timelines import Timeline, TimelineTurn

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.client.base import BaseClient
    from pgbraid.reranker import Reranker
    from pgbraid.search_options import SearchOptions
    from pgbraid.vectors import VectorLike


def recall(
    client: BaseClient,
    query: str | None = None,
    timeframe: Timeframe | None = None,
    strategy: Strategy = "hybrid",
    match_count: int | None = None,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    time_zone: str | None = None,
    reference_time: datetime | None = None,
    embedding: VectorLike | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str | None = None,
    rrf_k: float | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
    reranker: Reranker | None = None,
    rerank_count: int = 20,
    blend: float = 0.2,
    rerank_timeout: float | None = 10.0,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Search what was said and when, and log the search if the collection has a log. Maps to braid.logged_recall.

    `timeframe` bounds occurred_at. It may be words such as "last week", "the last 3 days" or "between March and May
    2025", or ISO 8601 such as "2025-03", "2025-01-01/P1M" or "P7D". PostgreSQL's range syntax, a list of several, and
    two datetimes (None is open) are accepted, too. "auto" takes the timeframe out of the query before the query is
    embedded and searched. It is computed in `time_zone` (the session's) from `reference_time` (now).

    `strategy` is hybrid, full_text, semantic, prefilter or auto. prefilter takes the best `candidate_count` (100) by
    full text, and orders them by similarity; auto is hybrid, and lets the query choose what ranks first.
    `stats["recall"]` says what was used and why. The other arguments, `reranker` too, are the same as in `search`.

    Raise InvalidArgumentError, DimensionMismatchError, NotFoundError, NotSupportedError.
    """
    client = client._for_one_call()
    match_count = row_count(match_count, other_names, 10 if reranker is None else 5)
    count = match_count
    shaping: Mapping[str, Any] = {}
    if reranker is not None:
        from pgbraid.client import reranked
        from pgbraid.reranking import candidates

        count, options, shaping = candidates(reranker, query, match_count, rerank_count, blend, rerank_timeout, options)
    asked, mode, _ = _for_recall(client, query, strategy, timeframe, time_zone, reference_time)
    (answer,), warnings = searched(
        client,
        client._session.json,
        "logged_recall",
        f"""
        query_text => %(text)s::text, timeframe => %(timeframe)s::text, strategy => %(strategy)s::text,
        match_count => %(match_count)s::int, time_zone => %(time_zone)s::text,
        reference_time => %(reference_time)s::timestamptz, {RANKING}
        """,
        asked,
        mode,
        collection,
        embedding,
        options,
        text=query,
        timeframe=timeframe_text(timeframe),
        strategy=strategy,
        match_count=count,
        time_zone=time_zone,
        reference_time=reference_time,
        **ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match),
    )
    found = results_of(answer, asked, warnings)
    if reranker is None:
        return found
    return reranked.best_results(
        client, found, reranker, match_count, collection, options, shaping, blend, rerank_timeout
    )


def conversation_timeline(
    client: BaseClient,
    topic: str | None = None,
    timeframe: Timeframe | None = None,
    strategy: Strategy = "hybrid",
    match_count: int | None = None,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    context_before: int = 2,
    context_after: int = 2,
    conversation_key: str | None = None,
    time_zone: str | None = None,
    reference_time: datetime | None = None,
    embedding: VectorLike | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> Timeline:
    """Return what `recall` finds in chronological order, with the turns before and after. Maps to
    braid.conversation_timeline.

    A conversation is a document, and its turns are the chunks. If each turn is a document of its own,
    `conversation_key` is the metadata key with the conversation's identifier. `filters` and `timeframe` restrict the
    matches, not the turns around them. Without a topic, return the last `match_count` turns of the timeframe.
    `match_count`, or `limit`, is 50 by default.

    Raise InvalidArgumentError, DimensionMismatchError, NotFoundError.
    """
    client = client._for_one_call()
    match_count = row_count(match_count, other_names, 50)
    asked, mode, told = _for_recall(client, topic, strategy, timeframe, time_zone, reference_time)
    rows, warnings = searched(
        client,
        client._session.json_rows,
        "conversation_timeline",
        """
        topic => %(text)s::text, query_embedding => %(vector)s, timeframe => %(timeframe)s::text,
        strategy => %(strategy)s::text, match_count => %(match_count)s::int,
        context_before => %(context_before)s::int, context_after => %(context_after)s::int,
        filters => %(filters)s::jsonb, collection => %(collection)s::text, time_zone => %(time_zone)s::text,
        reference_time => %(reference_time)s::timestamptz, conversation_key => %(conversation_key)s::text,
        candidate_count => %(candidate_count)s::int, min_score => %(min_score)s::float8,
        match => %(match)s::text, options => %(options)s::jsonb
        """,
        asked,
        mode,
        collection,
        embedding,
        options,
        text=topic,
        timeframe=timeframe_text(timeframe),
        strategy=strategy,
        match_count=match_count,
        context_before=context_before,
        context_after=context_after,
        filters=optional_json(filters, "filters"),
        time_zone=time_zone,
        reference_time=reference_time,
        conversation_key=conversation_key,
        candidate_count=candidate_count,
        min_score=min_score,
        match=match,
    )
    return Timeline([TimelineTurn.from_row(row) for row in rows], told + warnings)


def parse_timeframe(
    client: BaseClient, timeframe: Timeframe, *, time_zone: str | None = None, reference_time: datetime | None = None
) -> list[tuple[datetime | None, datetime | None]]:
    """Return the time ranges of a timeframe in order, each with its inclusive start and exclusive end; None is open.
    Maps to braid.parse_timeframe.

    Raise InvalidArgumentError; its hint lists the accepted forms.
    """
    periods = client._session.json_rows(
        "parse_timeframe",
        """
        timeframe => %(timeframe)s::text, time_zone => %(time_zone)s::text,
        reference_time => %(reference_time)s::timestamptz
        """,
        timeframe=timeframe_text(timeframe),
        time_zone=time_zone,
        reference_time=reference_time,
    )
    return [(parse_time(period["starts_at"]), parse_time(period["ends_at"])) for period in periods]


def extract_timeframe(
    client: BaseClient, query: str, *, time_zone: str | None = None, reference_time: datetime | None = None
) -> tuple[str, str | None]:
    """Return a query without the timeframe that it names, which is the text to embed, and that timeframe as `recall`
    takes it, or None. Maps to braid.extract_timeframe.

    Raise InvalidArgumentError.
    """
    found = _extracted(client, query, time_zone, reference_time)
    return found["searched_text"], found["timeframe"]


def _extracted(
    client: BaseClient, query: str, time_zone: str | None, reference_time: datetime | None
) -> dict[str, Any]:
    check_query(query)
    (found,) = client._session.json_rows(
        "extract_timeframe",
        """
        query_text => %(query)s::text, time_zone => %(time_zone)s::text,
        reference_time => %(reference_time)s::timestamptz
        """,
        query=query,
        time_zone=time_zone,
        reference_time=reference_time,
    )
    return cast(dict[str, Any], found)


def _for_recall(
    client: BaseClient,
    query: str | None,
    strategy: Strategy,
    timeframe: Timeframe | None,
    time_zone: str | None,
    reference_time: datetime | None,
) -> tuple[str | None, Mode, list[dict[str, Any]]]:
    """Return the text to embed, the mode that says whether to embed it, and warnings about its timeframe."""
    warnings: list[dict[str, Any]] = []
    check_query(query)
    if query and isinstance(timeframe, str) and timeframe.strip().lower() == "auto":
        found = _extracted(client, query, time_zone, reference_time)
        query, warnings = found["searched_text"], found["warnings"]
    return query, strategy if strategy in ("full_text", "semantic") else "hybrid", warnings
