"""The options of a search, for type checkers. A search does not load it.

Made of `options.json` by: make generate
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

__all__ = ["SearchOptions"]


class SearchOptions(TypedDict, total=False):
    """The options of a search: docs/reference/options.md."""

    operators: bool
    language: str
    typos: Literal["off", "auto"]
    snippet: bool | Mapping[str, Any]
    prefilter: bool
    strategy: Literal["hybrid", "auto"]
    ranking: Mapping[str, Any]
    explain: bool
    min_scores: Mapping[str, Any]
    min_relevance: float | Literal["auto"]
    exact: bool
    ef_search: int
    embedding_model: str
    sparse: Mapping[str, Any] | bool
    boosts: Sequence[Any]
    rank_by: Sequence[Any] | Mapping[str, Any]
    collapse: bool | Mapping[str, Any]
    group_by: str | Mapping[str, Any]
    diversify: bool | Mapping[str, Any]
    context: bool | Mapping[str, Any]
    cursor: str
    decompounding: Literal["off", "auto"]
    profile: str | Mapping[str, Any]
    ranking_model: str | Mapping[str, Any] | bool
    late_interaction: Mapping[str, Any]
