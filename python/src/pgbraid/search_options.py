"""The options of a search, for type checkers. A search does not load it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

__all__ = ["SearchOptions"]


class SearchOptions(TypedDict, total=False):
    """Those that braid_store.known_search_options lists, in its order; a test compares them."""

    language: str
    operators: bool
    correct: bool
    statistics_scope: Literal["collection", "filter", "auto"]
    embedding_model: str
    prefilter: bool
    full_text_min_score: float
    min_relevance: float | Literal["auto"]
    ranking: Mapping[str, Any]
    explain: bool
    semantic_min_score: float
    exact: bool
    ef_search: int
    normalisation: str | Mapping[str, str]
    saturate_at: float
    sparse: Mapping[str, float] | bool
    sparse_weight: float
    sparse_min_score: float
    smoothing: float
    neighbour_weight: float
    boosts: Sequence[Mapping[str, Any]]
    profile: str | Mapping[str, Any]
    rank_by: Sequence[str] | Mapping[str, float]
    rerank: Sequence[str]
    model: str | Mapping[str, Any] | Literal[False]
    late_interaction: Mapping[str, Any]
    collapse: bool | Mapping[str, float]
    group_by: str
    group_size: int
    group_score: Literal["max", "sum", "mean", "mixture"]
    diversify: bool | Mapping[str, float]
    context_before: int
    context_after: int
    cursor: str
    snippet: bool | Mapping[str, Any]
