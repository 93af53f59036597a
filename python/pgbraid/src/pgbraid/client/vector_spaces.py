# Generated from async_client/vector_spaces.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Look up the models of collections, and the client's embedders for them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from pgbraid.errors import DimensionMismatchError, MissingExtraError, NotFoundError
from pgbraid.spaces import SPACES, VectorSpace, embedder_for

if TYPE_CHECKING:
    from pgbraid.client.session import Session
    from pgbraid.embedders.protocol import Embedder


class VectorSpaces:
    """Cache the models of collections, looked up at first use."""

    def __init__(self, session: Session, embedders: Sequence[Embedder]) -> None:
        self._session = session
        self._embedders = embedders
        # The offline models that collections needed.
        self._local: list[Embedder] = []
        self._known: dict[str, list[VectorSpace]] = {}
        # By tenant, collection and model: where storing queries' vectors failed for good; by text too, when one was
        # stored last.
        self.not_storing: set[tuple[str, str, str]] = set()
        self.stored: dict[tuple[str, str, str, str], float] = {}

    def of_session(self, session: Session) -> VectorSpaces:
        """Return a view that shares the cache, and looks up missing entries with that session."""
        view = copy(self)
        view._session = session
        return view

    def of(self, collection: str, *, anew: bool = False) -> list[VectorSpace]:
        """Return the models of a collection, the model of its searches first. Raise NotFoundError."""
        if anew or collection not in self._known:
            rows = self._session.rows("collection_spaces", SPACES, collection=collection)
            if not rows:
                self.forget(collection)
                quoted = collection.replace("'", "''")
                raise NotFoundError(
                    f'collection "{collection}" does not exist',
                    hint="see the names: select name from braid.collections; "
                    f"or create it: select braid.create_collection('{quoted}');",
                    sqlstate="42704",
                )
            self._known[collection] = [VectorSpace(*row) for row in rows]
        return self._known[collection]

    def forget(self, collection: str) -> None:
        """Drop a collection from the cache."""
        self._known.pop(collection, None)

    def has_moved(self, collection: str) -> bool:
        """Return whether the model of searches has changed since it was looked up."""
        if self._session.is_aborted():
            return False
        before = self._known.get(collection)
        now = self.of(collection, anew=True)
        return before is None or (before[0][:2], before[0].token_model) != (now[0][:2], now[0].token_model)

    def check_dimensions(self, dimensions: int, collection: str) -> None:
        """Raise DimensionMismatchError if a query's vector does not fit the model of searches."""
        space = (self.of(collection))[0]
        if dimensions != space.dimensions:
            space = (self.of(collection, anew=True))[0]
        self.check_space(dimensions, collection, space)

    def check_space(self, dimensions: int, collection: str, space: VectorSpace) -> None:
        if dimensions != space.dimensions:
            self.forget(collection)
            raise DimensionMismatchError(
                f'the embedding has {dimensions} dimensions, collection "{collection}" has {space.dimensions}',
                hint="use the embedding model that the collection was made for",
                sqlstate="22023",
            )

    def embedder_for(self, space: VectorSpace, spaces: Sequence[VectorSpace]) -> Embedder | None:
        """Return the client's embedder for one of a collection's models."""
        from pgbraid.embedders.model_files import OFFLINE_MODELS

        if self._embedders or space.model not in OFFLINE_MODELS:
            return embedder_for(self._embedders, space, spaces)
        if not any(local.model_name == space.model for local in self._local):
            from pgbraid.embedders.local import LocalEmbedder

            self._local.append(LocalEmbedder(space.model))
        return next(local for local in self._local if local.model_name == space.model)

    def embedder_of(self, collection: str) -> Embedder:
        """Return the embedder of a collection's searches. Raise MissingExtraError if the client has none."""
        spaces = self.of(collection)
        embedder = self.embedder_for(spaces[0], spaces)
        if embedder is None:
            self.forget(collection)
            raise MissingExtraError(
                f'collection "{collection}" needs an embedder for {spaces[0].model}',
                hint="give an embedder: pgbraid.connect(embedder=…), on the command line --embedding-url and"
                " --embedding-model",
            )
        return embedder
