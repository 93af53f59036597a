"""The versions of a collection's ranking."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import optional_json, to_json

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient

__all__ = ["list_rankings", "restore_ranking", "set_ranking"]


async def set_ranking(
    client: BaseClient,
    collection: str,
    ranking: Mapping[str, Any],
    reason: str | None = None,
    *,
    evaluation: Mapping[str, Any] | None = None,
    expected_ranking: Mapping[str, Any] | None = None,
) -> int:
    """Change how a collection ranks, for all tenants and from the next search on, and keep a version of it; its number.
    For administrators. Maps to braid.set_ranking.

    `ranking` has settings under their names, such as `{"fusion": "convex", "full_text_weight": 0.7}` or
    `{"preset": "conversation"}`; those that it leaves out stay. `reason` tells others why, `evaluation` what it rests
    on, such as the answer of `tune`; texts of queries are not kept. If the collection does not have the settings in
    `expected_ranking` any more, nothing changes, and InvalidArgumentError is raised.

    Raises InvalidArgumentError, NotFoundError, LimitExceededError.
    """
    return int(
        await client._session.value_for_all(
            "set_ranking",
            """
            collection => %(collection)s::text, ranking => %(ranking)s::jsonb, reason => %(reason)s::text,
            evaluation => %(evaluation)s::jsonb, expected_ranking => %(expected_ranking)s::jsonb
            """,
            collection=collection,
            ranking=to_json(ranking, "ranking"),
            reason=reason,
            evaluation=optional_json(evaluation, "evaluation"),
            expected_ranking=optional_json(expected_ranking, "expected_ranking"),
        )
    )


async def list_rankings(client: BaseClient, collection: str = "default") -> list[dict[str, Any]]:
    """The versions of a collection's ranking, newest first: who changed what, when and why. For administrators. Maps to
    braid.list_rankings.

    Raises NotFoundError.
    """
    rows = await client._session.rows(
        "list_rankings",
        "select to_jsonb(r)::text from braid.list_rankings(collection => %(collection)s::text) r",
        collection=collection,
    )
    return [json.loads(row) for (row,) in rows]


async def restore_ranking(client: BaseClient, collection: str, version: int, reason: str | None = None) -> int:
    """Let a collection rank as in a version that `list_rankings` shows; the number of the new version that this is. For
    administrators. Maps to braid.restore_ranking.

    Raises InvalidArgumentError, NotFoundError.
    """
    return int(
        await client._session.value_for_all(
            "restore_ranking",
            """
            collection => %(collection)s::text, version => %(version)s::int, reason => %(reason)s::text
            """,
            collection=collection,
            version=version,
            reason=reason,
        )
    )
