"""The models of collections, and the client's embedders for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from psycopg.pq import TransactionStatus

from pgbraid.async_client.statements import Statements
from pgbraid.errors import DimensionMismatchError, MissingExtraError, NotFoundError
from pgbraid.spaces import LOCAL_MODEL, SPACES, VectorSpace, embedder_for

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["VectorSpaces"]


class VectorSpaces(Statements):
    _embedders: Sequence[Embedder]
    # The offline model, once it is loaded.
    _local: Embedder | None
    # Those known, by collection.
    _spaces: dict[str, list[VectorSpace]]

    async def _spaces_of(self, collection: str, *, anew: bool = False) -> list[VectorSpace]:
        """The models of a collection, that of its searches first."""
        if anew or collection not in self._spaces:
            rows = await self._rows(SPACES, collection=collection)
            if not rows:
                self._spaces.pop(collection, None)
                raise NotFoundError(
                    f'collection "{collection}" does not exist',
                    hint="create it with create_collection, or see `pgbraid status` for those there are",
                    sqlstate="42704",
                )
            self._spaces[collection] = [VectorSpace(*row) for row in rows]
        return self._spaces[collection]

    async def _has_moved(self, collection: str) -> bool:
        """Whether searches are of another model than the client took them for."""
        if self._is_aborted():
            return False
        before = self._spaces.get(collection)
        now = await self._spaces_of(collection, anew=True)
        return before is None or before[0][:2] != now[0][:2]

    def _is_aborted(self) -> bool:
        return self.connection.info.transaction_status == TransactionStatus.INERROR

    async def _check_dimensions(self, dimensions: int, collection: str) -> None:
        space = (await self._spaces_of(collection))[0]
        if dimensions != space.dimensions:
            space = (await self._spaces_of(collection, anew=True))[0]
        self._check_space(dimensions, collection, space)

    def _check_space(self, dimensions: int, collection: str, space: VectorSpace) -> None:
        if dimensions != space.dimensions:
            self._spaces.pop(collection, None)
            raise DimensionMismatchError(
                f'the embedding has {dimensions} dimensions, collection "{collection}" has {space.dimensions}',
                hint="use the embedding model that the collection was made for",
                sqlstate="22023",
            )

    def _embedder_for(self, space: VectorSpace, spaces: Sequence[VectorSpace]) -> Embedder | None:
        if self._embedders or space.model != LOCAL_MODEL:
            return embedder_for(self._embedders, space, spaces)
        from pgbraid.embedders.local import LocalEmbedder

        self._local = self._local or LocalEmbedder()
        return self._local

    async def _embedder_of(self, collection: str) -> Embedder:
        """The embedder of a collection's searches."""
        spaces = await self._spaces_of(collection)
        embedder = self._embedder_for(spaces[0], spaces)
        if embedder is None:
            self._spaces.pop(collection, None)
            raise MissingExtraError(
                f'collection "{collection}" needs an embedder for {spaces[0].model}',
                hint="give one: pgbraid.connect(embedder=…)",
            )
        return embedder
