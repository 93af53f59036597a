"""Explain scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Mode, OtherNames, row_count
from pgbraid.async_client.queries import RANKING, ranked, searched
from pgbraid.explanation import Explanation

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient
    from pgbraid.search_options import SearchOptions
    from pgbraid.vectors import VectorLike


async def explain_search(
    client: BaseClient,
    query: str | None = None,
    match_count: int | None = None,
    mode: Mode = "hybrid",
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    external_id: str | None = None,
    embedding: VectorLike | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str | None = None,
    rrf_k: float | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> Explanation:
    """Run a search and explain each score; with `external_id`, explain also what became of that document.

    Maps to braid.explain_search; the arguments are the same as in `search`. Raise the errors of `search`.
    """
    match_count = row_count(match_count, other_names, 10)
    (answer,), warnings = await searched(
        client,
        client._session.json,
        "explain_search",
        f"""
        query_text => %(query)s::text, match_count => %(match_count)s::int,
        external_id => %(external_id)s::text, {RANKING}
        """,
        query,
        mode,
        collection,
        embedding,
        options,
        match_count=match_count,
        external_id=external_id,
        **ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match),
    )
    return Explanation.from_json({**answer, "warnings": [*warnings, *answer["warnings"]]})
