# Generated from async_client/calls_sparse_encoders.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of sparse encoders. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pgbraid.arguments import optional_json

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def set_sparse_encoder(
    client: BaseClient, name: str, weights: Mapping[str, float] | None, *, append: bool = False
) -> int:
    """Store a table of term weights, by which collections make the sparse terms of a query's words without a model.

    Return how many terms it has. name: the name by which set_ranking and create_collection give it to a collection.
    weights: an object of terms and their weights, 0 or more; null removes the encoder. append: true adds to the terms
    stored before, for tables that come in pieces; else the new terms replace them. Terms are lower case and without
    accents, as in the vocabulary of BERT's uncased models: one that begins with ## stands for the rest of a word, and
    a word is cut into the longest terms that there are. A word that cannot be cut so counts for nothing. Of combining
    marks only U+0300 to U+036F are removed. A term counts once in a query. A term of weight 0 takes its place in a
    word and counts for nothing. At most 200000 terms. Only administrators may call it.

    Maps to braid.set_sparse_encoder. Raise InvalidArgumentError, LimitExceededError.
    """
    found = client._session.value_for_all(
        "set_sparse_encoder",
        "name => %(name)s::text, weights => %(weights)s::jsonb, append => %(append)s::boolean",
        name=name,
        weights=optional_json(weights, "weights"),
        append=append,
    )
    return int(found)
