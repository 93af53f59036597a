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
    """Store a table of term weights, with which collections make the sparse terms of a query's words without a model.

    name: the name by which set_ranking and create_collection give it to a collection. weights: an object of terms and
    their weights, 0 or more; null removes the encoder. append: true adds to the stored terms, for tables that come in
    pieces; otherwise the new terms replace them. Terms are lower case and without accents, as in the vocabulary of
    BERT's uncased models. A term that begins with ## stands for the rest of a word, and a word is split into the
    longest known terms. A word that cannot be split this way counts for nothing. U+0300 to U+036F are the only
    combining marks removed. A term counts once in a query. A term of weight 0 takes its place in a word and counts for
    nothing. An encoder has at most 200000 terms. Return the number of terms. Only administrators may call it.

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
