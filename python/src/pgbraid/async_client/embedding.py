"""Embedding the chunks that wait for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pgbraid._threads import in_thread
from pgbraid.async_client.statements import TENANT
from pgbraid.async_client.vector_spaces import VectorSpaces
from pgbraid.documents import vectors_literal
from pgbraid.errors import EmbeddingError, InvalidArgumentError
from pgbraid.spaces import VectorSpace

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["Embedding"]


class Embedding(VectorSpaces):
    async def embed_pending(
        self,
        collection: str = "default",
        *,
        batch_size: int = 64,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Embed the chunks that wait for it; how many were. Several processes may do so at once. During a model
        migration that is of each of the two models that the client has an embedder for.

        Maps to braid.claim_embedding_jobs, braid.store_embeddings and, if the embedder fails,
        braid.fail_embedding_jobs: those chunks wait for a while and can then be claimed again. `progress(n)`
        is called with the number of chunks embedded so far. Raises EmbeddingError, MissingExtraError,
        DimensionMismatchError.
        """
        spaces = await self._spaces_of(collection, anew=True)
        work = [(space, embedder) for space in spaces if (embedder := self._embedder_for(space, spaces))]
        if not work:
            work = [(spaces[0], await self._embedder_of(collection))]
        done = 0
        for space, embedder in work:
            while (batch := await self._embed_batch(collection, space, embedder, batch_size)) is not None:
                done += batch
                if progress is not None:
                    progress(done)
        return done

    async def _embed_batch(
        self, collection: str, space: VectorSpace, embedder: Embedder, batch_size: int
    ) -> int | None:
        """How many were embedded; None if nothing waits."""
        parameters = {"collection": collection, "model": space.model}
        try:
            jobs = await self._rows(
                f"""
                select (j.job).chunk_id, (j.job).input
                from (
                  select braid.claim_embedding_jobs(job_count => %(count)s::int, collection => %(collection)s,
                                                    embedding_model => %(model)s)
                  from {TENANT}
                ) j (job)
                """,
                **parameters,
                count=batch_size,
            )
        except InvalidArgumentError:
            if self._is_aborted() or space.model in [s.model for s in await self._spaces_of(collection, anew=True)]:
                raise
            return None  # the model migration is over
        if not jobs:
            return None
        chunk_ids = [chunk_id for chunk_id, _ in jobs]
        try:
            vectors = await in_thread(embedder.embed_documents, [text for _, text in jobs])
            if len(vectors) != len(jobs):
                raise EmbeddingError(f"the embedder gave {len(vectors)} vectors for {len(jobs)} texts")
            self._check_space(len(vectors[0]), collection, space)
            literal = vectors_literal(vectors)
        except BaseException as error:
            await self._value(
                """
                braid.fail_embedding_jobs(chunk_ids => %(chunk_ids)s::bigint[], error => %(error)s,
                                          collection => %(collection)s, embedding_model => %(model)s)
                """,
                **parameters,
                chunk_ids=chunk_ids,
                error=f"{type(error).__name__}: {error}"[:1000],
            )
            raise
        return int(
            await self._value(
                """
                braid.store_embeddings(chunk_ids => %(chunk_ids)s::bigint[], embeddings => %(embeddings)s,
                                       collection => %(collection)s, embedding_model => %(model)s)
                """,
                **parameters,
                chunk_ids=chunk_ids,
                embeddings=literal,
            )
        )
