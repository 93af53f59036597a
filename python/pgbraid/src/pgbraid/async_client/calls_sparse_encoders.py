"""Calls of sparse encoders. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pgbraid.arguments import optional_json

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def set_sparse_encoder(
    client: BaseClient, name: str, weights: Mapping[str, float] | None, *, append: bool = False
) -> int:
    """Store a table of term weights, by which collections make the sparse terms of a query's words without a model.

    Returns how many terms it has. weights: an object of terms and their weights, 0 or more, in place of those stored
    before; with append, beside them, for tables that come in pieces. Null removes the encoder. Terms are lower case
    and without accents, as in the vocabulary of BERT's uncased models: one that begins with ## stands for the rest of
    a word, and a word is cut into the longest terms that there are. A word that cannot be cut so counts for nothing.
    Of combining marks only U+0300 to U+036F are removed. A term counts once in a query. Weight 0: the term takes its
    place in a word and counts for nothing. At most 200000 terms. set_ranking and create_collection give it to a
    collection by its name. Only administrators may call it.

    Maps to braid.set_sparse_encoder. Raise InvalidArgumentError, LimitExceededError.
    """
    found = await client._session.value_for_all(
        "set_sparse_encoder",
        "name => %(name)s::text, weights => %(weights)s::jsonb, append => %(append)s::boolean",
        name=name,
        weights=optional_json(weights, "weights"),
        append=append,
    )
    return int(found)
