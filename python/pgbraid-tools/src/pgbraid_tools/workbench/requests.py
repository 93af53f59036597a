"""Read the page's search requests, which are JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, cast

from pgbraid.arguments import check_mode
from pgbraid.errors import InvalidArgumentError

if TYPE_CHECKING:
    from pgbraid.arguments import Mode
    from pgbraid.async_client import AsyncClient
    from pgbraid.results import SearchResults

__all__ = ["SearchRequest", "needed", "read"]

MOST_ROWS = 100
NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def read(body: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    """Return a value of a request. Raise InvalidArgumentError if it has another type."""
    value = body.get(name)
    if value is None:
        return default
    known = isinstance(value, (int, float)) if kind is float else isinstance(value, kind)
    if not known or (isinstance(value, bool) and kind is not bool):
        raise InvalidArgumentError(f"{name} is {value!r}"[:200], hint=f"give {NAMES[kind]}", sqlstate="22023")
    return value


def needed(body: Mapping[str, Any], name: str, kind: type) -> Any:
    value = read(body, name, kind)
    if value is None:
        raise InvalidArgumentError(f"{name} is missing", sqlstate="22023")
    return value


@dataclass(frozen=True)
class SearchRequest:
    """Hold the arguments of `client.search`, and a timeframe. Weights and fusion apply to hybrid searches only."""

    query: str = ""
    mode: Mode = "hybrid"
    match_count: int = 10
    collection: str = "default"
    filters: Mapping[str, Any] | None = None
    timeframe: str | None = None
    full_text_weight: float | None = None
    semantic_weight: float | None = None
    fusion: str | None = None
    match: str = "any"
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> SearchRequest:
        """Return the request of a JSON object. Raise InvalidArgumentError for unknown or wrong values."""
        unknown = body.keys() - {column.name for column in fields(cls)}
        if unknown:
            hint = "its name is now: match_count" if min(unknown) == "limit" else None
            raise InvalidArgumentError(f"{min(unknown)!r} is no argument of a search", hint=hint, sqlstate="22023")
        mode = read(body, "mode", str, "hybrid")
        check_mode(mode)
        match_count = read(body, "match_count", int, 10)
        if not 1 <= match_count <= MOST_ROWS:
            raise InvalidArgumentError(f"match_count is {match_count}", hint=f"use 1 to {MOST_ROWS}", sqlstate="22023")
        is_hybrid = mode == "hybrid"
        return cls(
            read(body, "query", str, ""),
            cast("Mode", mode),
            match_count,
            read(body, "collection", str, "default"),
            read(body, "filters", dict) or None,
            read(body, "timeframe", str, "").strip() or None,
            read(body, "full_text_weight", float) if is_hybrid else None,
            read(body, "semantic_weight", float) if is_hybrid else None,
            read(body, "fusion", str) if is_hybrid else None,
            read(body, "match", str, "any"),
            read(body, "options", dict, {}),
        )

    def arguments(self, **options: Any) -> dict[str, Any]:
        """Return the arguments that all searches share, with `options` added."""
        return {
            "filters": self.filters,
            "collection": self.collection,
            "full_text_weight": self.full_text_weight,
            "semantic_weight": self.semantic_weight,
            "fusion": self.fusion,
            "match": self.match,
            "options": {**options, **self.options} or None,
        }

    async def run(self, client: AsyncClient, **options: Any) -> SearchResults:
        arguments = self.arguments(**options)
        if self.timeframe is None:
            return await client.search(self.query, self.match_count, self.mode, **arguments)
        return await client.recall(self.query, self.timeframe, self.mode, self.match_count, **arguments)

    async def without_timeframe(self, client: AsyncClient) -> SearchRequest:
        """Return the same search with its timeframe as a filter, for functions without an argument for it."""
        if self.timeframe is None:
            return self
        query: str = self.query
        timeframe: str | None = self.timeframe
        if self.timeframe.lower() == "auto":
            query, timeframe = await client.extract_timeframe(query)
        filters = await client.timeframe_filter(timeframe, self.filters)
        return SearchRequest(**{**vars(self), "query": query, "timeframe": None, "filters": filters})
