# Generated from async_client/embedding.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Embed pending chunks."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from pgbraid.embedding_service import LateError, RefusedError, Service, document_vectors, is_down
from pgbraid.errors import InvalidArgumentError, PgbraidError
from pgbraid.spaces import other_model

if TYPE_CHECKING:
    from pgvector import Vector

    from pgbraid.client.base import BaseClient
    from pgbraid.embedders.protocol import Embedder
    from pgbraid.spaces import VectorSpace

# Bounds the attempts for a text that fails while others do not.
MOST_ATTEMPTS = 5


def embed_pending(
    client: BaseClient,
    collection: str = "default",
    *,
    limit: int | None = None,
    batch_size: int = 64,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Embed pending chunks, up to `limit` of them (None: all); return the number embedded. Several processes may do so
    at once. During a model change, this embeds for both models if the client has embedders for both. If the collection
    has token vectors of the embedder's model (`set_token_vectors`), these are made and stored, too; a failure there is
    a UserWarning, and `embed_token_vectors` makes them later.

    Maps to braid.claim_embedding_jobs, braid.store_embeddings, braid.store_token_vectors and, if the embedder fails,
    braid.fail_embedding_jobs: the chunks can be claimed again after a pause. If only some texts fail, halving the batch
    finds them, as in `pgbraid work`: braid.abandon_embedding_jobs, and a UserWarning. The embedder gets up to
    `batch_size` texts at a time, duplicates once. `progress(n)` is called with the number of chunks embedded so far. If
    the only embedder's name is not the collection's model, a UserWarning says so.

    Raise EmbeddingError, MissingExtraError, DimensionMismatchError, NotFoundError, InvalidArgumentError.
    """
    if limit is not None and limit < 1:
        raise InvalidArgumentError(f"limit is {limit}", hint="use 1 or more, or None for all", sqlstate="22023")
    client = client._for_one_call()
    # The database embeds the chunks of static spaces itself.
    spaces = [space for space in client._spaces.of(collection, anew=True) if not space.is_static]
    if not spaces:
        return 0
    work = [(space, embedder) for space in spaces if (embedder := client._spaces.embedder_for(space, spaces))]
    if not work:
        work = [(spaces[0], client._spaces.embedder_of(collection))]
    done = 0
    for space, embedder in work:
        if message := other_model(embedder, space, collection):
            warnings.warn(message, stacklevel=2)
        while limit is None or done < limit:
            size = batch_size if limit is None else min(batch_size, limit - done)
            batch = _embed_batch(client, collection, space, embedder, size)
            if batch is None:
                break
            done += batch
            if progress is not None:
                progress(done)
    return done


def embed_token_vectors(
    client: BaseClient,
    collection: str = "default",
    *,
    limit: int | None = None,
    batch_size: int = 64,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Make and store token vectors for chunks without any of the collection's model, up to `limit` of them (None: all);
    return the number of chunks stored. `embed_pending` serves new chunks; this call serves chunks that are older than
    `set_token_vectors`, or came with an embedding.

    Maps to braid.missing_token_vectors and braid.store_token_vectors. `progress(n)` is called with the number of chunks
    so far. Raise EmbeddingError, MissingExtraError, NotFoundError, InvalidArgumentError.
    """
    from pgbraid.client import token_vectors

    if limit is not None and limit < 1:
        raise InvalidArgumentError(f"limit is {limit}", hint="use 1 or more, or None for all", sqlstate="22023")
    client = client._for_one_call()
    space = token_vectors.space_with_tokens(client, collection, anew=True)
    embedder = token_vectors.embedder_for_tokens(client, collection, space)
    done = after = 0
    while limit is None or done < limit:
        rows = client._session.records(
            "missing_token_vectors",
            "chunk_count => %(count)s::int, after_chunk_id => %(after)s::bigint, collection => %(collection)s",
            count=batch_size if limit is None else min(batch_size, limit - done),
            after=after,
            collection=collection,
        )
        if not rows:
            break
        chunk_ids = [chunk_id for chunk_id, _ in rows]
        done += token_vectors.store_token_vectors(
            client, collection, space, embedder, chunk_ids, [text for _, text in rows]
        )
        after = chunk_ids[-1]
        if progress is not None:
            progress(done)
    return done


def _embed_batch(
    client: BaseClient, collection: str, space: VectorSpace, embedder: Embedder, batch_size: int
) -> int | None:
    """Embed one batch; return the number embedded, or None if nothing is pending."""
    parameters = {"collection": collection, "model": space.model}
    try:
        jobs = client._session.records(
            "claim_embedding_jobs",
            "job_count => %(count)s::int, collection => %(collection)s, embedding_model => %(model)s",
            **parameters,
            count=batch_size,
        )
    except InvalidArgumentError:
        if client._session.is_aborted():
            raise
        if space.model in [known.model for known in client._spaces.of(collection, anew=True)]:
            raise
        return None  # the model change is over
    if not jobs:
        return None
    chunk_ids = [chunk_id for chunk_id, _ in jobs]
    problem: str | None = None
    embedded: list[tuple[int, Vector]] = []
    refused: list[tuple[int, RefusedError | LateError]] = []
    try:
        found = _vectors(embedder, [text for _, text in jobs], space.dimensions)
        for chunk_id, one in zip(chunk_ids, found, strict=True):
            if isinstance(one, Exception):
                refused.append((chunk_id, one))
            else:
                client._spaces.check_space(one.dimensions(), collection, space)
                embedded.append((chunk_id, one))
        # Token vectors are stored before the embeddings, which end the jobs.
        if embedded and space.token_model == embedder.model_name and hasattr(embedder, "embed_tokens"):
            text_of = dict(jobs)
            kept = [(chunk_id, text_of[chunk_id]) for chunk_id, _ in embedded]
            problem = keep_token_vectors(client, collection, space, embedder, kept)
    except BaseException as error:
        if client._session.is_aborted():
            raise
        client._session.value(
            "fail_embedding_jobs",
            """
            chunk_ids => %(chunk_ids)s::bigint[], error => %(error)s, collection => %(collection)s,
            embedding_model => %(model)s
            """,
            **parameters,
            chunk_ids=chunk_ids,
            error=storable(f"{type(error).__name__}: {error}"),
        )
        raise
    stored = store_embedded(client, collection, space.model, embedded, refused)
    for chunk_id, refusal in refused:
        abandon_refused(client, collection, space.model, chunk_id, refusal)
    # Warnings come last, because a filter can turn each of them into an error.
    for chunk_id, refusal in refused:
        warnings.warn(
            f'collection "{collection}", chunk {chunk_id} got no embedding: {refusal.message};'
            " see list_embedding_jobs()",
            stacklevel=3,
        )
    if problem is not None:
        warnings.warn(problem, stacklevel=3)
    return stored


def _vectors(embedder: Embedder, texts: list[str], dimensions: int) -> list[Vector | RefusedError | LateError]:
    try:
        return [*document_vectors(embedder, texts)]
    except PgbraidError as error:
        failure = error
    apart = _refused_apart(failure, embedder, texts, dimensions)
    if apart is None:
        raise failure
    return apart


def _refused_apart(
    failure: PgbraidError, embedder: Embedder, texts: list[str], dimensions: int
) -> list[Vector | RefusedError | LateError] | None:
    """Return for each text its vector or its error; None if no single text is at fault."""
    # An HttpEmbedder has retried already, and would retry a harmless text as well.
    if is_down(failure):
        return None
    try:
        return Service(embedder, threading.Event()).apart(failure, texts, dimensions)
    except PgbraidError:
        return None


def store_embedded(
    client: BaseClient,
    collection: str,
    model: str,
    embedded: list[tuple[int, Vector]],
    refused: list[tuple[int, RefusedError | LateError]],
) -> int:
    """Store vectors of chunks; return the number stored. Add vectors that the database refuses to `refused`."""
    if not embedded:
        return 0
    try:
        return int(
            client._session.value(
                "store_embeddings",
                """
                chunk_ids => %(chunk_ids)s::bigint[], embeddings => %(embeddings)b, collection => %(collection)s,
                embedding_model => %(model)s
                """,
                chunk_ids=[chunk_id for chunk_id, _ in embedded],
                embeddings=[vector for _, vector in embedded],
                collection=collection,
                model=model,
            )
        )
    except InvalidArgumentError as error:
        if client._session.is_aborted():
            raise
        if len(embedded) == 1:
            refused.append((embedded[0][0], RefusedError(error, is_final=False)))
            return 0
    half = len(embedded) // 2
    return store_embedded(client, collection, model, embedded[:half], refused) + store_embedded(
        client, collection, model, embedded[half:], refused
    )


def abandon_refused(
    client: BaseClient, collection: str, model: str, chunk_id: int, refusal: RefusedError | LateError
) -> None:
    """Give up a text that the service refuses: at once if the refusal is final, else after MOST_ATTEMPTS."""
    client._session.value(
        "abandon_embedding_jobs",
        """
        chunk_ids => %(chunk_ids)s::bigint[], error => %(error)s, most_attempts => %(most_attempts)s::int,
        collection => %(collection)s, embedding_model => %(model)s
        """,
        chunk_ids=[chunk_id],
        error=storable(refusal.message),
        most_attempts=1 if getattr(refusal, "is_final", False) else MOST_ATTEMPTS,
        collection=collection,
        model=model,
    )


def storable(message: str) -> str:
    """Return the message as text that the database can store: without NUL, at most 1,000 characters."""
    return message.replace("\0", "").encode(errors="replace").decode()[:1000]


def keep_token_vectors(
    client: BaseClient, collection: str, space: VectorSpace, embedder: Embedder, jobs: list[tuple[int, str]]
) -> str | None:
    """Store token vectors. If that fails, return a message instead of raising an error, because the embeddings are
    stored anyway."""
    from pgbraid.client import token_vectors

    chunk_ids, texts = [chunk_id for chunk_id, _ in jobs], [text for _, text in jobs]
    try:
        token_vectors.store_token_vectors(client, collection, space, embedder, chunk_ids, texts)
    except Exception as error:
        if client._session.is_aborted():
            raise
        said = error.message if isinstance(error, PgbraidError) else f"{type(error).__name__}: {error}"
        return f'collection "{collection}" got embeddings without token vectors ({said}): call embed_token_vectors()'
    return None
