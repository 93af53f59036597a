# Generated from async_client/ranking_models.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Models that searches rank by, and what they are learned from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import to_json

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient

__all__ = [
    "drop_ranking_model",
    "get_ranking_model",
    "list_ranking_models",
    "ranking_features",
    "store_ranking_model",
]


def ranking_features(
    client: BaseClient,
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    *,
    judge: str | None = None,
    after: str | None = None,
    limit: int = 100,
) -> list[dict[str, Any]]:
    """The candidates of the first `limit` judged queries, 1 to 1,000, of those that come after the id `after`, with
    their grades and what a model may rank by. Maps to braid.ranking_features, and returns its rows, for
    `pgbraid_tools.learning.learn`.

    Raises NotFoundError, InvalidArgumentError, LimitExceededError.
    """
    return client._session.json_rows(
        "ranking_features",
        """
        query_set => %(query_set)s::text, configuration => %(configuration)s::jsonb, judge => %(judge)s::text,
        after => %(after)s::text, query_count => %(limit)s::int
        """,
        query_set=query_set,
        configuration=to_json(configuration or {}, "configuration"),
        judge=judge,
        after=after,
        limit=limit,
    )


def store_ranking_model(client: BaseClient, name: str, model: Mapping[str, Any]) -> bool:
    """Store a model, in place of the one of this name; True if the name is new. Maps to braid.store_ranking_model.

    Raises InvalidArgumentError, LimitExceededError.
    """
    return bool(
        client._session.value(
            "store_ranking_model",
            "name => %(name)s::text, model => %(model)s::jsonb",
            name=name,
            model=to_json(model, "model"),
        )
    )


def get_ranking_model(client: BaseClient, name: str) -> dict[str, Any] | None:
    """A model as it was stored; None if there is none. Maps to braid.get_ranking_model."""
    model: dict[str, Any] | None = client._session.value("get_ranking_model", "name => %(name)s::text", name=name)
    return model


def list_ranking_models(client: BaseClient) -> list[dict[str, Any]]:
    """The models of this tenant. Maps to braid.list_ranking_models."""
    return client._session.json_rows("list_ranking_models")


def drop_ranking_model(client: BaseClient, name: str) -> bool:
    """Drop a model; False if there is none. Maps to braid.drop_ranking_model."""
    return bool(client._session.value("drop_ranking_model", "name => %(name)s::text", name=name))
