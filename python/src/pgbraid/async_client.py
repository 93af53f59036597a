"""The client: one method per SQL function, one statement per call."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from pgbraid._dsn import find_dsn
from pgbraid._threads import in_thread
from pgbraid._version import __version__
from pgbraid.documents import (
    batches,
    bounded,
    checked_records,
    embedded_text,
    to_json,
    vector_literal,
    vectors_literal,
)
from pgbraid.errors import (
    DimensionMismatchError,
    EmbeddingError,
    InvalidArgumentError,
    MissingExtraError,
    NotFoundError,
    NotInstalledError,
    VersionMismatchError,
    from_psycopg,
    out_of_range,
)
from pgbraid.explanation import Explanation
from pgbraid.reranking import check_reranking, rerank_rows, split_options, with_shape
from pgbraid.results import (
    Context,
    FacetValue,
    IndexProblem,
    Passage,
    ScorePart,
    SearchResult,
    SearchResults,
    Timeline,
    TimelineTurn,
    WriteSummary,
    parse_time,
)
from pgbraid.spaces import SPACES, VectorSpace, embedder_for

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder
    from pgbraid.rerankers.protocol import Reranker

__all__ = ["AsyncClient", "connect_async"]

Mode = Literal["hybrid", "full_text", "semantic"]
Strategy = Literal["hybrid", "full_text", "semantic", "prefilter", "auto"]
Timeframe = str | Sequence[str] | tuple[datetime | None, datetime | None]
Vector = Sequence[float] | Any
LOCAL_MODEL = "all-MiniLM-L6-v2"
# Each statement sets the tenant for its own transaction: right behind a pooler, after a rollback, and on a
# connection that others use too.
TENANT = "set_config('braid.tenant', %(tenant)s, true)"


async def connect_async(
    dsn: str | psycopg.AsyncConnection[Any] | None = None,
    tenant: str = "default",
    embedder: Embedder | Sequence[Embedder] | None = None,
) -> AsyncClient:
    """Connect to a database that has pgbraid.

    `dsn` is a libpq URL or connection string, else the environment's PGBRAID_DSN, else the embedded server
    that `pgbraid init` created, started if need be. The connection is in autocommit mode: every call is its
    own transaction, unless inside `client.transaction()`. An open psycopg connection may be given instead;
    its transactions and its closing remain the caller's.

    `embedder` turns text into vectors. Without one, the offline model embeds for collections made for it, if
    the extra [local] is installed. Of several, each collection gets the one whose `model_name` is its
    embedding model: with those of both models, searches go on through a model migration.

    Raises ConnectionLostError, ServerError, NotInstalledError, VersionMismatchError, PermissionDeniedError.
    """
    if isinstance(dsn, psycopg.AsyncConnection):
        client = AsyncClient(dsn, tenant, embedder, owns_connection=False)
    else:
        found = await in_thread(find_dsn, dsn)
        try:
            # Prepared statements do not survive a transaction pooler, and save nothing here.
            connection = await psycopg.AsyncConnection.connect(found, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        client = AsyncClient(connection, tenant, embedder, owns_connection=True)
    try:
        await client._check_version()
    except BaseException:
        await client.close()
        raise
    return client


class AsyncClient:
    """A tenant's view of one database. Use `connect_async()` to make one, and `async with` or `close()` to
    end it.

    Errors of the database are raised as `PgbraidError`s by SQLSTATE, with its hint.
    """

    def __init__(
        self,
        connection: psycopg.AsyncConnection[Any],
        tenant: str = "default",
        embedder: Embedder | Sequence[Embedder] | None = None,
        *,
        owns_connection: bool = False,
    ) -> None:
        self.connection = connection
        self.tenant = tenant
        self._embedders: Sequence[Embedder] = ()
        if embedder is not None:
            self._embedders = embedder if isinstance(embedder, Sequence) else (embedder,)
        self._local: Embedder | None = None
        self._owns_connection = owns_connection
        self._spaces: dict[str, list[VectorSpace]] = {}

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection, if the client opened it."""
        if self._owns_connection:
            await self.connection.close()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """All calls inside are one transaction, or one savepoint inside the caller's."""
        try:
            async with self.connection.transaction():
                yield
        except psycopg.Error as error:
            raise from_psycopg(error) from error

    async def create_tenant(self, tenant: str) -> int:
        """Create a tenant and return its id; needs braid_admin. Maps to braid.create_tenant."""
        return int(await self._value("select braid.create_tenant(tenant => %(key)s)", {"key": tenant}))

    async def drop_tenant(self, tenant: str, confirm_tenant: str) -> bool:
        """Delete a tenant and all that it stored, its key given twice; whether there was one. It is gone at once, and
        `maintain` frees its space. Needs braid_admin. Maps to braid.drop_tenant."""
        return bool(
            await self._value(
                "select braid.drop_tenant(tenant => %(key)s::text, confirm_tenant => %(again)s::text)",
                {"key": tenant, "again": confirm_tenant},
            )
        )

    async def export_tenant(self) -> AsyncIterator[str]:
        """All that this tenant stored, without loss, as lines of JSON for `import_tenant`: the collections that it
        uses, then its documents with their chunks and embeddings. Read as one snapshot. Maps to braid.export_tenant.
        """
        try:
            async with self.connection.transaction():
                await self.connection.execute(f"select {TENANT}", {"tenant": self.tenant})
                async with self.connection.cursor(name="pgbraid_export", row_factory=tuple_row) as cursor:
                    await cursor.execute("select braid.export_tenant()::text")
                    async for (record,) in cursor:
                        yield record
        except psycopg.Error as error:
            raise from_psycopg(error) from error

    async def import_tenant(self, records: Iterable[str], *, progress: Callable[[int], object] | None = None) -> int:
        """Store what `export_tenant` gave, of any tenant and any database, for this tenant; how many documents. Maps to
        braid.import_tenant.

        Searches find the same with the same scores. Documents that are there under the same external_id are replaced.
        Collections are created if they are not there, which needs braid_admin. Every batch is a transaction, unless
        inside `transaction()`; importing again is harmless. `progress(n)` is called with the number of documents so
        far.

        Raises InvalidArgumentError, NotFoundError.
        """
        done = 0
        for batch in bounded(checked_records(records)):
            done += int(
                await self._value(
                    f"select braid.import_tenant(records => %(records)s::jsonb) from {TENANT}",
                    {"records": f"[{','.join(batch)}]"},
                )
            )
            if progress is not None:
                progress(done)
        return done

    async def create_collection(
        self,
        name: str,
        *,
        text_config: str = "english",
        dimensions: int = 384,
        distance: Literal["cosine", "inner_product", "l2"] = "cosine",
        embedding_model: str = LOCAL_MODEL,
        chunk_tokens: int | None = None,
        k1: float = 1.2,
        b: float = 0.75,
        title_weight: float = 1.0,
        full_text_weight: float = 0.6,
        semantic_weight: float = 0.4,
        fusion: str = "convex",
        rrf_k: float = 60.0,
        fold_diacritics: bool = True,
        index_fields: Sequence[str] = ("title", "speaker", "content"),
        embed_fields: Sequence[str] = ("title", "speaker", "content"),
        indexed_attributes: Mapping[str, Literal["text", "number", "time"]] | None = None,
        vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
        hnsw_m: int = 16,
        hnsw_ef_construction: int = 64,
        normalisation: str = "centroid",
    ) -> int:
        """Define a collection, for all tenants, and return its id; needs braid_admin. Maps to
        braid.create_collection.

        `text_config` is a PostgreSQL text search configuration. `chunk_tokens` bounds a chunk in tokens: by
        default 240 for the offline model and 500 for others. `indexed_attributes` are the metadata keys that filters
        find by index: see `set_indexed_attributes`. `vector_storage`, `hnsw_m` and `hnsw_ef_construction` are how a
        large tenant's vectors are stored and indexed: see `set_vector_index`; by default as exactly as an index allows
        at these dimensions. Weights, `fusion`, `rrf_k` and `normalisation` are the defaults of searches.
        """
        self._spaces.pop(name, None)
        return int(
            await self._value(
                """
                select braid.create_collection(
                  collection => %(name)s::text, text_config => %(text_config)s::text,
                  dimensions => %(dimensions)s::int, distance => %(distance)s::text,
                  embedding_model => %(embedding_model)s::text, chunk_tokens => %(chunk_tokens)s::int,
                  k1 => %(k1)s::float8, b => %(b)s::float8, title_weight => %(title_weight)s::float8,
                  full_text_weight => %(full_text_weight)s::float8,
                  semantic_weight => %(semantic_weight)s::float8,
                  fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
                  fold_diacritics => %(fold_diacritics)s::boolean, index_fields => %(index_fields)s::text[],
                  embed_fields => %(embed_fields)s::text[],
                  indexed_attributes => %(indexed_attributes)s::jsonb,
                  vector_storage => %(vector_storage)s::text, hnsw_m => %(hnsw_m)s::int,
                  hnsw_ef_construction => %(hnsw_ef_construction)s::int, normalisation => %(normalisation)s::text)
                """,
                {
                    "name": name,
                    "text_config": text_config,
                    "dimensions": dimensions,
                    "distance": distance,
                    "embedding_model": embedding_model,
                    "chunk_tokens": chunk_tokens,
                    "k1": k1,
                    "b": b,
                    "title_weight": title_weight,
                    "full_text_weight": full_text_weight,
                    "semantic_weight": semantic_weight,
                    "fusion": fusion,
                    "rrf_k": rrf_k,
                    "fold_diacritics": fold_diacritics,
                    "index_fields": list(index_fields),
                    "embed_fields": list(embed_fields),
                    "indexed_attributes": to_json(indexed_attributes or {}, "indexed_attributes"),
                    "vector_storage": vector_storage,
                    "hnsw_m": hnsw_m,
                    "hnsw_ef_construction": hnsw_ef_construction,
                    "normalisation": normalisation,
                },
            )
        )

    async def set_vector_index(
        self,
        collection: str,
        *,
        vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
        hnsw_m: int | None = None,
        hnsw_ef_construction: int | None = None,
    ) -> None:
        """Change how large tenants' vectors are stored and indexed, for all tenants; None keeps a setting. `maintain`
        makes new indexes beside those that serve. Needs braid_admin. Maps to braid.set_vector_index.

        `hnsw_m` and `hnsw_ef_construction` are those of Malkov & Yashunin 2018, section 4.1 (M, efConstruction).
        """
        await self._value(
            """
            select braid.set_vector_index(
              collection => %(collection)s::text, vector_storage => %(vector_storage)s::text,
              hnsw_m => %(hnsw_m)s::int, hnsw_ef_construction => %(hnsw_ef_construction)s::int)
            """,
            {
                "collection": collection,
                "vector_storage": vector_storage,
                "hnsw_m": hnsw_m,
                "hnsw_ef_construction": hnsw_ef_construction,
            },
        )

    async def calibrate(self) -> dict[str, float]:
        """Measure, in some seconds, from how many vectors on an index is faster than a scan on this server, and set
        that. Returns `exact_rows`, `scan_ms_per_1000` and `search_ms`. Needs braid_admin. Maps to braid.calibrate."""
        measured: dict[str, float] = json.loads(await self._value("select braid.calibrate()::text", {}))
        return measured

    async def set_ranking(
        self,
        collection: str,
        *,
        k1: float | None = None,
        b: float | None = None,
        title_weight: float | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        rrf_k: float | None = None,
        fusion: str | None = None,
        normalisation: str | None = None,
    ) -> None:
        """Change how a collection ranks, for all tenants and from the next search on; None keeps a setting. Needs
        braid_admin. Maps to braid.set_ranking.

        Raises InvalidArgumentError, NotFoundError.
        """
        await self._value(
            """
            select braid.set_ranking(
              collection => %(collection)s::text, k1 => %(k1)s::float8, b => %(b)s::float8,
              title_weight => %(title_weight)s::float8, full_text_weight => %(full_text_weight)s::float8,
              semantic_weight => %(semantic_weight)s::float8, rrf_k => %(rrf_k)s::float8,
              fusion => %(fusion)s::text, normalisation => %(normalisation)s::text)
            """,
            {
                "collection": collection,
                "k1": k1,
                "b": b,
                "title_weight": title_weight,
                "full_text_weight": full_text_weight,
                "semantic_weight": semantic_weight,
                "rrf_k": rrf_k,
                "fusion": fusion,
                "normalisation": normalisation,
            },
        )

    async def set_indexed_attributes(
        self, attributes: Mapping[str, Literal["text", "number", "time"]], *, collection: str = "default"
    ) -> None:
        """Declare which metadata keys of a collection filters find by index, for all tenants and in place of those
        declared before. Needs braid_admin. Maps to braid.set_indexed_attributes.

        `{"year": "number", "team": "text", "published": "time"}`, where time is for ISO 8601 strings. What a filter
        matches does not change. Documents that are there are indexed by `maintain`.

        Raises InvalidArgumentError, NotFoundError.
        """
        await self._value(
            """
            select braid.set_indexed_attributes(indexed_attributes => %(attributes)s::jsonb,
                                                collection => %(collection)s::text)
            """,
            {"attributes": to_json(attributes, "attributes"), "collection": collection},
        )

    async def start_model_migration(
        self,
        collection: str,
        embedding_model: str,
        dimensions: int,
        *,
        distance: Literal["cosine", "inner_product", "l2"] | None = None,
        vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
    ) -> None:
        """Begin to move a collection to another embedding model, for all tenants; needs braid_admin. Maps to
        braid.start_model_migration.

        Searches use the old model until `cut_over_model_migration`. Meanwhile `maintain` puts the chunks that are there
        into the outbox, and `embed_pending` of clients with an embedder for the new model embeds them. `status` says
        how far it is. Distance and storage are the collection's if not given.

        Raises InvalidArgumentError, NotFoundError.
        """
        await self._value(
            """
            select braid.start_model_migration(
              collection => %(collection)s::text, embedding_model => %(embedding_model)s::text,
              dimensions => %(dimensions)s::int, distance => %(distance)s::text,
              vector_storage => %(vector_storage)s::text)
            """,
            {
                "collection": collection,
                "embedding_model": embedding_model,
                "dimensions": dimensions,
                "distance": distance,
                "vector_storage": vector_storage,
            },
        )
        self._spaces.pop(collection, None)

    async def pause_model_migration(self, collection: str) -> None:
        """Hand out nothing for the new model until `resume_model_migration`; needs braid_admin. Maps to
        braid.pause_model_migration."""
        await self._step("pause", collection)

    async def resume_model_migration(self, collection: str) -> None:
        """Go on with a paused model migration; needs braid_admin. Maps to braid.resume_model_migration."""
        await self._step("resume", collection)

    async def cut_over_model_migration(self, collection: str) -> None:
        """Make searches use the new model; needs braid_admin. Maps to braid.cut_over_model_migration.

        Raises InvalidArgumentError, which says how many chunks still wait for an embedding of the new model.
        """
        await self._step("cut_over", collection)

    async def roll_back_model_migration(self, collection: str) -> None:
        """End a model migration with the old model, before the cut-over or after it; needs braid_admin. Maps to
        braid.roll_back_model_migration."""
        await self._step("roll_back", collection)

    async def finish_model_migration(self, collection: str) -> None:
        """End a model migration with the new model, after the cut-over; needs braid_admin. Maps to
        braid.finish_model_migration."""
        await self._step("finish", collection)

    async def _step(self, action: str, collection: str) -> None:
        await self._value(
            f"select braid.{action}_model_migration(collection => %(collection)s::text)", {"collection": collection}
        )
        self._spaces.pop(collection, None)

    async def drop_collection(self, collection: str) -> bool:
        """Drop a collection of all tenants; whether it was there. Needs braid_admin. Maps to
        braid.drop_collection."""
        self._spaces.pop(collection, None)
        return bool(
            await self._value("select braid.drop_collection(collection => %(collection)s)", {"collection": collection})
        )

    async def add_documents(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        collection: str = "default",
        progress: Callable[[int], object] | None = None,
    ) -> WriteSummary:
        """Insert documents, or replace those of the same external_id. Maps to braid.upsert_documents, per
        500.

        A document is a dict with external_id (yours, required), content, title, source_uri, metadata (a
        dict), speaker, category, importance (a number), occurred_at (a datetime or ISO 8601), language, and,
        if it is embedded already, embedding: a list or array of numbers, the document then being one chunk.
        Instead of content, `chunks` may hold dicts with content, embedding and attributes of their own. Text
        is found by full-text search at once; call `embed_pending` for the rest. A document that did not
        change costs nothing.

        Every batch is a transaction: use `client.transaction()` for all or nothing. `progress(n)` is called
        with the number of documents written so far. Raises InvalidArgumentError naming the document and the
        key.
        """
        summary = WriteSummary()
        for batch in batches(documents):
            rows = await self._rows(
                f"""
                select (w.result).status, count(*), coalesce(sum((w.result).chunk_count), 0)
                from (
                  select braid.upsert_documents(documents => %(documents)s::jsonb,
                                                collection => %(collection)s)
                  from {TENANT}
                ) w (result)
                group by 1
                """,
                {"documents": f"[{','.join(batch)}]", "collection": collection},
            )
            counts = {status: int(count) for status, count, _ in rows}
            chunks = sum(int(count) for status, _, count in rows if status in ("inserted", "replaced"))
            summary += WriteSummary(**counts, chunks=chunks)
            if progress is not None:
                progress(summary.documents)
        return summary

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
                {**parameters, "count": batch_size},
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
                f"""
                select braid.fail_embedding_jobs(
                  chunk_ids => %(chunk_ids)s::bigint[], error => %(error)s, collection => %(collection)s,
                  embedding_model => %(model)s)
                from {TENANT}
                """,
                {**parameters, "chunk_ids": chunk_ids, "error": f"{type(error).__name__}: {error}"[:1000]},
            )
            raise
        return int(
            await self._value(
                f"""
                select braid.store_embeddings(
                  chunk_ids => %(chunk_ids)s::bigint[], embeddings => %(embeddings)s,
                  collection => %(collection)s, embedding_model => %(model)s)
                from {TENANT}
                """,
                {**parameters, "chunk_ids": chunk_ids, "embeddings": literal},
            )
        )

    async def search(
        self,
        query: str | None = None,
        limit: int | None = None,
        mode: Mode = "hybrid",
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        embedding: Vector | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        fusion: str | None = None,
        rrf_k: float | None = None,
        candidate_count: int | None = None,
        min_score: float | None = None,
        match: str = "any",
        options: Mapping[str, Any] | None = None,
        rerank: Reranker | None = None,
        rerank_count: int = 20,
        rerank_timeout: float | None = 10.0,
    ) -> SearchResults:
        """Search. Maps to braid.search_json.

        `limit` is 10 by default, 5 with `rerank`.

        `mode` says which legs run. `embedding` is the query's vector, if you have it; else the embedder makes
        it of the query without its operators. If that fails, a hybrid search gives what full text finds and
        warns with the code `embedding_unavailable`; a semantic one raises EmbeddingError. Weights, fusion (rrf,
        convex, dbsf, max) and rrf_k default to the collection's. `match` is any, all, or the least share of the
        query's words, such as 75%. `options` are snippet, correct, operators, explain, full_text_min_score,
        semantic_min_score, normalisation, boosts, rerank and statistics_scope; with `{"operators": False}` the
        query is plain words, and embedded as it is. Boosts: `{"boosts": [{"recency": {"half_life": "30 days"}}]}`.
        Others shape the rows: group_by, group_size, group_score, collapse, diversify, context_before,
        context_after and cursor, as the README says.

        `rerank` scores the first `rerank_count` rows (`limit` if that is more) by title, speaker and content; then the
        rows are shaped as the options ask, and the best given. If it fails, gives anything but a finite number for
        each, or takes more than `rerank_timeout` seconds (None: no limit), rows stay in the order of `score` and there
        is a warning with the code `reranker_unavailable`. `min_score` is of `score`. A reranker that is slow to load
        has `warm_up()`.

        Raises InvalidArgumentError, DimensionMismatchError, NotFoundError.
        """
        if limit is None:
            limit = 10 if rerank is None else 5
        match_count = limit
        shaping: Mapping[str, Any] = {}
        if rerank is not None:
            check_reranking(rerank, query, limit, rerank_count, rerank_timeout)
            match_count = max(limit, rerank_count)
            options, shaping = split_options(options)
        ((found,),), warnings = await self._searched(
            f"""
            select braid.search_json(
              query_text => %(query)s::text, query_embedding => %(vector)s, match_count => %(match_count)s::int,
              full_text_weight => %(full_text_weight)s::float8,
              semantic_weight => %(semantic_weight)s::float8, filters => %(filters)s::jsonb,
              collection => %(collection)s::text, fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
              candidate_count => %(candidate_count)s::int, min_score => %(min_score)s::float8,
              match => %(match)s::text, options => %(options)s::jsonb)::text
            from {TENANT}
            """,
            {
                "match_count": match_count,
                "full_text_weight": full_text_weight,
                "semantic_weight": semantic_weight,
                "filters": _optional(filters, "filters"),
                "fusion": fusion,
                "rrf_k": rrf_k,
                "candidate_count": candidate_count,
                "min_score": min_score,
                "match": match,
            },
            query,
            mode,
            collection,
            embedding,
            options,
        )
        answer = json.loads(found)
        rows = [SearchResult.from_row(row) for row in answer["results"]]
        stats = answer["stats"]
        warnings += answer["warnings"]
        if rerank is not None and query:
            reranking = await in_thread(rerank_rows, rerank, query, rows, options, rerank_timeout)
            rows = reranking.rows[:limit]
            if shaping:
                scores = [row.score if row.rerank_score is None else row.rerank_score for row in reranking.rows]
                ids = [row.chunk_id for row in reranking.rows]
                shaped = await self.arrange_results(ids, scores, limit, collection, options=shaping)
                rows = with_shape(reranking.rows, shaped)
            stats = {**stats, **reranking.stats}
            warnings += reranking.warnings
        return SearchResults(rows, query=query, stats=stats, warnings=warnings)

    async def arrange_results(
        self,
        chunk_ids: Sequence[int],
        scores: Sequence[float],
        limit: int = 10,
        collection: str = "default",
        *,
        options: Mapping[str, Any] | None = None,
    ) -> SearchResults:
        """Rows for chunks with scores of your own, such as a reranker's: highest score first, shaped as the options
        group_by, collapse, diversify, context_before, context_after and cursor of `search` ask for. Maps to
        braid.arrange_results.

        Raises InvalidArgumentError, and NotFoundError for a chunk that does not exist.
        """
        return await self._shaped(
            "arrange_results(chunk_ids => %(chunk_ids)s::bigint[], scores => %(scores)s::float8[],"
            " match_count => %(limit)s::int, collection => %(collection)s::text, options => %(options)s::jsonb)",
            {
                "chunk_ids": list(chunk_ids),
                "scores": [float(score) for score in scores],
                "limit": limit,
                "collection": collection,
                "options": _optional(options, "options"),
            },
        )

    async def assemble_context(
        self,
        query: str | None = None,
        token_budget: int = 2000,
        limit: int = 50,
        mode: Mode = "hybrid",
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        sort: Literal["score", "document"] = "score",
        embedding: Vector | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        fusion: str | None = None,
        rrf_k: float | None = None,
        candidate_count: int | None = None,
        min_score: float | None = None,
        match: str = "any",
        options: Mapping[str, Any] | None = None,
    ) -> Context:
        """What to give a language model: the passages of the `limit` best rows that fit the budget, numbered. Maps to
        braid.assemble_context.

        Passages come best first, or with `sort="document"` as they would be read. Chunks that touch are one passage;
        the options context_before and context_after add neighbours. The other arguments are those of `search`.
        `str()` of the answer is the text with its citations.

        Raises InvalidArgumentError, also for a budget smaller than any passage, DimensionMismatchError, NotFoundError.
        """
        rows, warnings = await self._searched(
            f"""
            select to_jsonb(p.passage)::text
            from (
              select braid.assemble_context(
                query_text => %(query)s::text, query_embedding => %(vector)s, token_budget => %(token_budget)s::int,
                match_count => %(limit)s::int, sort => %(sort)s::text,
                full_text_weight => %(full_text_weight)s::float8,
                semantic_weight => %(semantic_weight)s::float8, filters => %(filters)s::jsonb,
                collection => %(collection)s::text, fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
                candidate_count => %(candidate_count)s::int, min_score => %(min_score)s::float8,
                match => %(match)s::text, options => %(options)s::jsonb)
              from {TENANT}
            ) p (passage)
            order by (p.passage).citation
            """,
            {
                "token_budget": token_budget,
                "limit": limit,
                "sort": sort,
                "full_text_weight": full_text_weight,
                "semantic_weight": semantic_weight,
                "filters": _optional(filters, "filters"),
                "fusion": fusion,
                "rrf_k": rrf_k,
                "candidate_count": candidate_count,
                "min_score": min_score,
                "match": match,
            },
            query,
            mode,
            collection,
            embedding,
            options,
        )
        return Context([Passage(**json.loads(row)) for (row,) in rows], warnings)

    async def recall(
        self,
        query: str | None = None,
        timeframe: Timeframe | None = None,
        strategy: Strategy = "hybrid",
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        time_zone: str | None = None,
        reference_time: datetime | None = None,
        embedding: Vector | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        fusion: str | None = None,
        rrf_k: float | None = None,
        candidate_count: int | None = None,
        min_score: float | None = None,
        match: str = "any",
        options: Mapping[str, Any] | None = None,
    ) -> SearchResults:
        """Search what was said and when. Maps to braid.recall_json.

        `timeframe` is on occurred_at: words such as "last week", "the last 3 days" or "between March and May
        2025", ISO 8601 such as "2025-03", "2025-01-01/P1M" or "P7D", a range as PostgreSQL writes it, several of
        those, two datetimes (None is open), or "auto", which takes it out of the query before that is embedded and
        searched. It is reckoned in `time_zone` (the session's) from `reference_time` (now). `strategy` is hybrid,
        full_text, semantic, prefilter (the best `candidate_count`, 100, by full text, in the order of similarity) or
        auto (hybrid, weighted by the form of the query); `stats["recall"]` says what was used and why. The rest is
        as in `search`.

        Raises InvalidArgumentError, DimensionMismatchError, NotFoundError, NotSupportedError.
        """
        searched, mode = await self._for_recall(query, strategy, timeframe, time_zone, reference_time)
        answer, warnings = await self._searched(
            f"""
            select braid.recall_json(
              query_text => %(text)s::text, query_embedding => %(vector)s, timeframe => %(timeframe)s::text,
              strategy => %(strategy)s::text, match_count => %(limit)s::int, filters => %(filters)s::jsonb,
              collection => %(collection)s::text, time_zone => %(time_zone)s::text,
              reference_time => %(reference_time)s::timestamptz, full_text_weight => %(full_text_weight)s::float8,
              semantic_weight => %(semantic_weight)s::float8, fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
              candidate_count => %(candidate_count)s::int, min_score => %(min_score)s::float8, match => %(match)s::text,
              options => %(options)s::jsonb)::text
            from {TENANT}
            """,
            {
                "text": query,
                "timeframe": _timeframe(timeframe),
                "strategy": strategy,
                "limit": limit,
                "filters": _optional(filters, "filters"),
                "time_zone": time_zone,
                "reference_time": reference_time,
                "full_text_weight": full_text_weight,
                "semantic_weight": semantic_weight,
                "fusion": fusion,
                "rrf_k": rrf_k,
                "candidate_count": candidate_count,
                "min_score": min_score,
                "match": match,
            },
            searched,
            mode,
            collection,
            embedding,
            options,
        )
        found = json.loads(answer[0][0])
        return SearchResults(
            [SearchResult.from_row(row) for row in found["results"]],
            query=searched,
            stats=found["stats"],
            warnings=[*warnings, *found["warnings"]],
        )

    async def conversation_timeline(
        self,
        topic: str | None = None,
        timeframe: Timeframe | None = None,
        strategy: Strategy = "hybrid",
        limit: int = 50,
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        context_before: int = 2,
        context_after: int = 2,
        conversation_key: str | None = None,
        time_zone: str | None = None,
        reference_time: datetime | None = None,
        embedding: Vector | None = None,
        candidate_count: int | None = None,
        min_score: float | None = None,
        match: str = "any",
        options: Mapping[str, Any] | None = None,
    ) -> Timeline:
        """What `recall` finds, in the order of time, with the turns before and after it. Maps to
        braid.conversation_timeline.

        A conversation is a document, and its turns are the chunks; where each turn is a document of its own,
        `conversation_key` is the metadata key that those of a conversation have in common. `filters` and `timeframe`
        choose the matches, not what surrounds them. Without a topic it is the last `limit` turns of the timeframe.

        Raises InvalidArgumentError, DimensionMismatchError, NotFoundError.
        """
        searched, mode = await self._for_recall(topic, strategy, timeframe, time_zone, reference_time)
        rows, warnings = await self._searched(
            f"""
            select to_jsonb(t.turn)::text
            from (
              select braid.conversation_timeline(
                topic => %(text)s::text, query_embedding => %(vector)s, timeframe => %(timeframe)s::text,
                strategy => %(strategy)s::text, match_count => %(limit)s::int,
                context_before => %(context_before)s::int, context_after => %(context_after)s::int,
                filters => %(filters)s::jsonb,
                collection => %(collection)s::text, time_zone => %(time_zone)s::text,
                reference_time => %(reference_time)s::timestamptz, conversation_key => %(conversation_key)s::text,
                candidate_count => %(candidate_count)s::int, min_score => %(min_score)s::float8,
                match => %(match)s::text, options => %(options)s::jsonb)
              from {TENANT}
            ) t (turn)
            """,
            {
                "text": topic,
                "timeframe": _timeframe(timeframe),
                "strategy": strategy,
                "limit": limit,
                "context_before": context_before,
                "context_after": context_after,
                "filters": _optional(filters, "filters"),
                "time_zone": time_zone,
                "reference_time": reference_time,
                "conversation_key": conversation_key,
                "candidate_count": candidate_count,
                "min_score": min_score,
                "match": match,
            },
            searched,
            mode,
            collection,
            embedding,
            options,
        )
        return Timeline([TimelineTurn.from_row(json.loads(row)) for (row,) in rows], warnings)

    async def parse_timeframe(
        self, timeframe: Timeframe, *, time_zone: str | None = None, reference_time: datetime | None = None
    ) -> list[tuple[datetime | None, datetime | None]]:
        """The ranges of time that a timeframe stands for, in order: from the start on, before the end; None is open.
        Maps to braid.parse_timeframe.

        Raises InvalidArgumentError, whose hint lists what is understood.
        """
        rows = await self._rows(
            f"""
            select to_jsonb((p.period).starts_at) #>> '{{}}', to_jsonb((p.period).ends_at) #>> '{{}}'
            from (
              select braid.parse_timeframe(timeframe => %(timeframe)s::text, time_zone => %(time_zone)s::text,
                                           reference_time => %(reference_time)s::timestamptz)
              from {TENANT}
            ) p (period)
            """,
            {"timeframe": _timeframe(timeframe), "time_zone": time_zone, "reference_time": reference_time},
        )
        return [(parse_time(start), parse_time(end)) for start, end in rows]

    async def extract_timeframe(
        self, query: str, *, time_zone: str | None = None, reference_time: datetime | None = None
    ) -> tuple[str, str | None]:
        """A query without the timeframe that it names, which is the text to embed, and that timeframe as `recall` takes
        it; None if it names none. Maps to braid.extract_timeframe."""
        rows = await self._rows(
            f"""
            select (e.found).searched_text, (e.found).timeframe::text
            from (
              select braid.extract_timeframe(query_text => %(query)s::text, time_zone => %(time_zone)s::text,
                                             reference_time => %(reference_time)s::timestamptz)
              from {TENANT}
            ) e (found)
            """,
            {"query": query, "time_zone": time_zone, "reference_time": reference_time},
        )
        searched, found = rows[0]
        return searched, found

    async def similar_chunks(
        self,
        chunk_id: int,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        *,
        min_score: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> SearchResults:
        """The chunks of the same collection whose vectors are nearest to a chunk's, which is not among them. Maps to
        braid.similar_chunks.

        Raises NotFoundError, and InvalidArgumentError for a chunk that is not embedded yet.
        """
        return await self._shaped(
            "similar_chunks(chunk_id => %(chunk_id)s::bigint, match_count => %(limit)s::int,"
            " filters => %(filters)s::jsonb, min_score => %(min_score)s::float8, options => %(options)s::jsonb)",
            {
                "chunk_id": chunk_id,
                "limit": limit,
                "filters": _optional(filters, "filters"),
                "min_score": min_score,
                "options": _optional(options, "options"),
            },
        )

    async def similar_documents(
        self,
        external_id: str,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        min_score: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> SearchResults:
        """The documents most like one of the collection, each by its best chunk: the nearest to the mean of the
        document's vectors. Maps to braid.similar_documents.

        Raises NotFoundError, and InvalidArgumentError for a document that is not embedded yet.
        """
        return await self._shaped(
            "similar_documents(external_id => %(external_id)s::text, match_count => %(limit)s::int,"
            " filters => %(filters)s::jsonb, collection => %(collection)s::text, min_score => %(min_score)s::float8,"
            " options => %(options)s::jsonb)",
            {
                "external_id": external_id,
                "limit": limit,
                "filters": _optional(filters, "filters"),
                "collection": collection,
                "min_score": min_score,
                "options": _optional(options, "options"),
            },
        )

    async def facets(
        self,
        keys: Sequence[str],
        query: str | None = None,
        *,
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        match: str = "any",
        value_count: int = 10,
        options: Mapping[str, Any] | None = None,
    ) -> dict[str, list[FacetValue]]:
        """The commonest values of columns and metadata keys, with the number of chunks that have each, over all chunks
        that a full-text search for the query finds; without a query, over all that the filters match. Maps to
        braid.facets.

        The answer has every key, in order; for each up to `value_count` values, the commonest first. Each element of a
        list counts as a value. `match` and `options` are those of `search`.

        Raises InvalidArgumentError, NotFoundError.
        """
        rows = await self._rows(
            f"""
            select (f.facet).key, (f.facet).value::text, (f.facet).count
            from (
              select braid.facets(keys => %(keys)s::text[], query_text => %(query)s::text,
                                  filters => %(filters)s::jsonb, collection => %(collection)s::text,
                                  match => %(match)s::text, value_count => %(value_count)s::int,
                                  options => %(options)s::jsonb)
              from {TENANT}
            ) f (facet)
            """,
            {
                "keys": list(keys),
                "query": query,
                "filters": _optional(filters, "filters"),
                "collection": collection,
                "match": match,
                "value_count": value_count,
                "options": _optional(options, "options"),
            },
        )
        found: dict[str, list[FacetValue]] = {key: [] for key in keys}
        for key, value, count in rows:
            found[key].append(FacetValue(json.loads(value), count))
        return found

    async def highlight(
        self,
        chunk_id: int,
        query: str,
        *,
        start_tag: str = "<mark>",
        stop_tag: str = "</mark>",
        fragment_count: int | None = 2,
        fragment_words: int = 30,
        fragment_separator: str = " … ",
    ) -> str:
        """The passages of a chunk that match a query best, with the matched words between the tags. Maps to
        braid.highlight.

        `chunk_id` is a search result's. The text is escaped for HTML, tags and separator are inserted as given.
        There are up to `fragment_count` passages (None: the whole text) of `fragment_words` words; a character
        of a script without spaces counts as a word. Words that the query excludes are not marked.

        Raises NotFoundError, InvalidArgumentError.
        """
        return str(
            await self._value(
                f"""
                select braid.highlight(
                  chunk_id => %(chunk_id)s::bigint, query_text => %(query)s::text,
                  start_tag => %(start_tag)s::text, stop_tag => %(stop_tag)s::text,
                  fragment_count => %(fragment_count)s::int, fragment_words => %(fragment_words)s::int,
                  fragment_separator => %(fragment_separator)s::text)
                from {TENANT}
                """,
                {
                    "chunk_id": chunk_id,
                    "query": query,
                    "start_tag": start_tag,
                    "stop_tag": stop_tag,
                    "fragment_count": fragment_count,
                    "fragment_words": fragment_words,
                    "fragment_separator": fragment_separator,
                },
            )
        )

    async def explain_search(
        self,
        query: str | None = None,
        limit: int = 10,
        mode: Mode = "hybrid",
        filters: Mapping[str, Any] | None = None,
        collection: str = "default",
        *,
        external_id: str | None = None,
        embedding: Vector | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        fusion: str | None = None,
        rrf_k: float | None = None,
        candidate_count: int | None = None,
        min_score: float | None = None,
        match: str = "any",
        options: Mapping[str, Any] | None = None,
    ) -> Explanation:
        """A search, explained: where each score comes from, and with `external_id` what became of that document.

        Maps to braid.explain_search; arguments as in `search`.

        Raises what `search` raises.
        """
        ((answer,),), warnings = await self._searched(
            f"""
            select braid.explain_search(
              query_text => %(query)s::text, query_embedding => %(vector)s, match_count => %(limit)s::int,
              full_text_weight => %(full_text_weight)s::float8,
              semantic_weight => %(semantic_weight)s::float8, filters => %(filters)s::jsonb,
              collection => %(collection)s::text, fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
              candidate_count => %(candidate_count)s::int, min_score => %(min_score)s::float8,
              match => %(match)s::text, options => %(options)s::jsonb, external_id => %(external_id)s::text)::text
            from {TENANT}
            """,
            {
                "limit": limit,
                "full_text_weight": full_text_weight,
                "semantic_weight": semantic_weight,
                "filters": _optional(filters, "filters"),
                "fusion": fusion,
                "rrf_k": rrf_k,
                "candidate_count": candidate_count,
                "min_score": min_score,
                "match": match,
                "external_id": external_id,
            },
            query,
            mode,
            collection,
            embedding,
            options,
        )
        explained = json.loads(answer)
        return Explanation.from_json({**explained, "warnings": [*warnings, *explained["warnings"]]})

    async def explain_score(
        self,
        query: str,
        chunk_ids: Sequence[int],
        *,
        match: str = "any",
        collection: str = "default",
    ) -> list[ScorePart]:
        """What each lexeme of a query adds to the BM25 scores of chunks. Maps to braid.explain_score.

        `chunk_ids` are search results'. A chunk's contributions add up to its full_text_score; one that lacks what
        the query demands has none.

        Raises NotFoundError, InvalidArgumentError.
        """
        rows = await self._rows(
            f"""
            select (e.part).*
            from (
              select braid.explain_score(query_text => %(query)s::text, chunk_ids => %(chunk_ids)s::bigint[],
                                         match => %(match)s::text, collection => %(collection)s::text)
              from {TENANT}
            ) e (part)
            """,
            {"query": query, "chunk_ids": list(chunk_ids), "match": match, "collection": collection},
        )
        return [ScorePart(*row) for row in rows]

    async def delete_document(self, external_id: str, *, collection: str = "default") -> bool:
        """Delete a document; whether it was there. Maps to braid.delete_document."""
        return bool(
            await self._value(
                f"""
                select braid.delete_document(external_id => %(external_id)s::text,
                                             collection => %(collection)s)
                from {TENANT}
                """,
                {"external_id": external_id, "collection": collection},
            )
        )

    async def delete_documents(self, external_ids: Sequence[str], *, collection: str = "default") -> int:
        """Delete documents, much faster than one by one; how many were there. Maps to braid.delete_documents."""
        return int(
            await self._value(
                f"""
                select braid.delete_documents(external_ids => %(external_ids)s::text[],
                                              collection => %(collection)s)
                from {TENANT}
                """,
                {"external_ids": list(external_ids), "collection": collection},
            )
        )

    async def update_metadata(
        self,
        external_id: str,
        metadata: Mapping[str, Any],
        *,
        replace: bool = False,
        collection: str = "default",
    ) -> bool:
        """Merge into a document's metadata, or replace it; whether the document is there. Embeds nothing.

        Maps to braid.update_metadata.
        """
        return bool(
            await self._value(
                f"""
                select braid.update_metadata(external_id => %(external_id)s::text,
                                             metadata => %(metadata)s::jsonb,
                                             replace => %(replace)s::boolean, collection => %(collection)s)
                from {TENANT}
                """,
                {
                    "external_id": external_id,
                    "metadata": to_json(metadata, "metadata"),
                    "replace": replace,
                    "collection": collection,
                },
            )
        )

    async def clear_collection(self, collection: str = "default") -> int:
        """Delete this tenant's documents of a collection; how many. Maps to braid.clear_collection."""
        return int(
            await self._value(
                f"select braid.clear_collection(collection => %(collection)s) from {TENANT}",
                {"collection": collection},
            )
        )

    async def status(self, collection: str | None = None) -> dict[str, Any]:
        """Version, tenant, and what the collections hold and have not embedded yet. Maps to braid.status."""
        status: dict[str, Any] = json.loads(
            await self._value(
                f"select braid.status(collection => %(collection)s::text)::text from {TENANT}",
                {"collection": collection},
            )
        )
        return status

    async def maintain(self, time_budget: float = 10.0) -> dict[str, Any]:
        """Merge, move vectors, index attributes declared later and tidy up for about `time_budget` seconds; what was
        done. Maps to braid.maintain."""
        done: dict[str, Any] = json.loads(
            await self._value(
                f"""
                select braid.maintain(time_budget => make_interval(secs => %(seconds)s::float8))::text
                from {TENANT}
                """,
                {"seconds": time_budget},
            )
        )
        return done

    async def check_index(self, collection: str = "default") -> list[IndexProblem]:
        """Compare this tenant's full-text index of a collection with its chunks, analysed anew; empty if it is right.
        Takes about as long as adding the documents did. Maps to braid.check_index."""
        rows = await self._rows(
            f"""
            select (p.problem).problem, (p.problem).chunk_id, (p.problem).lexeme, (p.problem).detail
            from (select braid.check_index(collection => %(collection)s) from {TENANT}) p (problem)
            """,
            {"collection": collection},
        )
        return [IndexProblem(*row) for row in rows]

    async def rebuild_index(self, collection: str = "default") -> int:
        """Make this tenant's full-text index of a collection anew, from its chunks; how many. Searches go on, writers
        wait. Maps to braid.rebuild_index."""
        return int(
            await self._value(
                f"select braid.rebuild_index(collection => %(collection)s) from {TENANT}",
                {"collection": collection},
            )
        )

    async def rebuild_vector_index(self, collection: str = "default") -> bool:
        """Have `maintain` make this tenant's vector index of a collection anew, beside the one that serves; False if it
        has none, because its vectors are scanned. Maps to braid.rebuild_vector_index."""
        return bool(
            await self._value(
                f"select braid.rebuild_vector_index(collection => %(collection)s) from {TENANT}",
                {"collection": collection},
            )
        )

    async def _check_version(self) -> None:
        try:
            installed: str | None = await self._value("select braid.version()", {})
        except (NotFoundError, NotInstalledError) as error:
            raise NotInstalledError(
                "this database has no pgbraid", hint="run: pgbraid init", sqlstate=error.sqlstate
            ) from error
        if installed is None:
            raise NotInstalledError("pgbraid is not completely installed here", hint="run: pgbraid init")
        database, package = (tuple(map(int, text.split(".")[:2])) for text in (installed, __version__))
        if database != package:
            raise VersionMismatchError(
                f"the database has pgbraid {installed}, this package is {__version__}",
                hint="run: pgbraid upgrade" if database < package else "run: pip install -U pgbraid",
            )

    async def _spaces_of(self, collection: str, *, anew: bool = False) -> list[VectorSpace]:
        """The models of a collection, that of its searches first."""
        if anew or collection not in self._spaces:
            rows = await self._rows(SPACES, {"collection": collection})
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

    async def _embed_query(
        self, query: str, collection: str, options: Mapping[str, Any] | None
    ) -> tuple[str | None, str | None]:
        """The query's vector, and the model of the collection that it is of."""
        text = query if options and options.get("operators") is False else embedded_text(query)
        if not text.strip():
            return None, None
        embedder = await self._embedder_of(collection)
        model = (await self._spaces_of(collection))[0].model
        embedding = await in_thread(embedder.embed_query, text)
        await self._check_dimensions(len(embedding), collection)
        return vector_literal(embedding, "the query"), model

    async def _for_recall(
        self,
        query: str | None,
        strategy: Strategy,
        timeframe: Timeframe | None,
        time_zone: str | None,
        reference_time: datetime | None,
    ) -> tuple[str | None, Mode]:
        """What of the query is embedded, and the mode that says whether it is."""
        if query and isinstance(timeframe, str) and timeframe.strip().lower() == "auto":
            query, _ = await self.extract_timeframe(query, time_zone=time_zone, reference_time=reference_time)
        return query, strategy if strategy in ("full_text", "semantic") else "hybrid"

    async def _searched(
        self,
        statement: str,
        parameters: dict[str, Any],
        query: str | None,
        mode: Mode,
        collection: str,
        embedding: Vector | None,
        options: Mapping[str, Any] | None,
    ) -> tuple[list[tuple[Any, ...]], list[dict[str, Any]]]:
        """The rows of a statement that searches, and warnings of how the query was embedded for it."""
        if mode not in ("hybrid", "full_text", "semantic"):
            raise InvalidArgumentError(
                f"mode is {mode!r}", hint="use 'hybrid', 'full_text' or 'semantic'", sqlstate="22023"
            )
        while True:
            warnings: list[dict[str, Any]] = []
            vector: str | None = None
            sent = options
            if mode == "full_text":
                pass
            elif embedding is not None:
                vector = vector_literal(embedding, "the query")
                await self._check_dimensions(vector.count(",") + 1, collection)
            elif query:
                try:
                    vector, model = await self._embed_query(query, collection, options)
                    # Refused if the model of searches is another one by then.
                    sent = {"embedding_model": model, **(options or {})}
                except EmbeddingError as error:
                    if mode == "semantic":
                        raise
                    message = "; ".join(filter(None, ("searched by full text only", error.message, error.hint)))
                    warnings.append({"code": "embedding_unavailable", "message": message})
            if mode == "semantic" and vector is None:
                raise InvalidArgumentError(
                    "a semantic search needs a query or an embedding", hint="give one", sqlstate="22023"
                )
            try:
                rows = await self._rows(
                    statement,
                    {
                        **parameters,
                        "query": None if mode == "semantic" else query,
                        "vector": vector,
                        "collection": collection,
                        "options": _optional(sent, "options"),
                    },
                )
                return rows, warnings
            except InvalidArgumentError:
                if vector is None or not await self._has_moved(collection):
                    raise

    async def _shaped(self, call: str, parameters: dict[str, Any]) -> SearchResults:
        # A set-returning function in a select list keeps its order.
        rows = await self._rows(
            f"select to_jsonb(s.result)::text from (select braid.{call} from {TENANT}) s (result)", parameters
        )
        return SearchResults([SearchResult.from_row(json.loads(row)) for (row,) in rows])

    async def _value(self, statement: str, parameters: dict[str, Any]) -> Any:
        return (await self._rows(statement, parameters))[0][0]

    async def _rows(self, statement: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        try:
            async with self.connection.cursor(row_factory=tuple_row) as cursor:
                await cursor.execute(statement.encode(), {**parameters, "tenant": self.tenant})
                return await cursor.fetchall()
        except psycopg.errors.NumericValueOutOfRange as error:
            raise out_of_range(error, parameters) from error
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(
                f"text that is not Unicode: {error.reason}", hint="remove lone surrogates"
            ) from error


def _optional(value: Any, name: str) -> str | None:
    return None if value is None else to_json(value, name)


def _timeframe(timeframe: Timeframe | None) -> str | None:
    if timeframe is None or isinstance(timeframe, str):
        return timeframe
    if any(isinstance(part, str) for part in timeframe):
        return "; ".join(map(str, timeframe))
    bounds = [part.isoformat() if isinstance(part, datetime) else "" for part in timeframe]
    if len(bounds) != 2:
        raise InvalidArgumentError(
            f"timeframe has {len(bounds)} parts", hint="give a text, texts, or two datetimes", sqlstate="22023"
        )
    return f"[{bounds[0]},{bounds[1]})"
