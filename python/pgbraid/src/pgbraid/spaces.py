"""Choose the client's embedder for a collection, which has two models during a model change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

LOCAL_MODEL = "all-MiniLM-L6-v2"
# The model of searches comes first.
SPACES = """
select s.embedding_model, s.dimensions, s.is_new,
       s.parts ->> 'token_vector_model', (s.parts ->> 'token_vector_count')::int,
       s.ordinality = 1 and coalesce(s.parts ? 'query_embedding_count', false),
       coalesce(s.parts ->> 'static_embedder' = s.embedding_model, false)
from braid_calls.collection_spaces(%(collection)s) with ordinality s
"""


class VectorSpace(NamedTuple):
    model: str
    dimensions: int
    # True for the new model of a model change.
    is_new: bool
    # The model of the token vectors that the collection's chunks may have, and how many.
    token_model: str | None = None
    token_count: int | None = None
    # True if the database stores the vectors of queries.
    stores_queries: bool = False
    # True if the database embeds texts itself.
    is_static: bool = False


def embedder_for(embedders: Sequence[Embedder], space: VectorSpace, spaces: Sequence[VectorSpace]) -> Embedder | None:
    """Return the embedder whose name is the space's model.

    A single embedder with another name serves the collection's own model (the old one in a model change), as names are
    free; `other_model` warns of it.
    """
    named = [embedder for embedder in embedders if _is_of(embedder, space)]
    if len(named) > 1:
        named = [embedder for embedder in named if embedder.dimensions == space.dimensions]
    if named:
        return named[0]
    if len(embedders) == 1 and not space.is_new:
        others = [other for other in spaces if other != space]
        if all(embedder_for(embedders, other, [other]) is None for other in others):
            return embedders[0]
    return None


def other_model(embedder: Embedder, space: VectorSpace, collection: str) -> str | None:
    """Return a warning if the embedder's name is not the collection's model, else None."""
    if _is_of(embedder, space):
        return None
    return (
        f'collection "{collection}" is of the model {space.model}, the embedder of {embedder.model_name}: vectors of'
        f" different models do not compare; if it is the same model, set the embedder's model_name to {space.model!r}"
    )


def _is_of(embedder: Embedder, space: VectorSpace) -> bool:
    """Compare names; `model@512` is `model` with 512 dimensions."""
    return embedder.model_name in (space.model, space.model.removesuffix(f"@{space.dimensions}"))
