# Generated from async_client.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""The client: one method per SQL function, one statement per call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import psycopg
from psycopg.rows import tuple_row

from pgbraid._dsn import find_dsn
from pgbraid._version import __version__
from pgbraid.documents import batches, embedded_text, to_json, vector_literal, vectors_literal
from pgbraid.errors import (
    DimensionMismatchError,
    EmbeddingError,
    InvalidArgumentError,
    MissingExtraError,
    NotFoundError,
    NotInstalledError,
    VersionMismatchError,
    from_psycopg,
)
from pgbraid.results import IndexProblem, ScorePart, SearchResult, SearchResults, WriteSummary

if TYPE_CHECKING:
    from pgbraid.embedders.protocol import Embedder

__all__ = ["Client", "connect"]

Mode = Literal["hybrid", "full_text", "semantic"]
Vector = Sequence[float] | Any
LOCAL_MODEL = "all-MiniLM-L6-v2"
# Each statement sets the tenant for its own transaction: right behind a pooler, after a rollback, and on a
# connection that others use too.
TENANT = "set_config('braid.tenant', %(tenant)s, true)"


def connect(
    dsn: str | psycopg.Connection[Any] | None = None,
    tenant: str = "default",
    embedder: Embedder | None = None,
) -> Client:
    """Connect to a database that has pgbraid.

    `dsn` is a libpq URL or connection string, else the environment's PGBRAID_DSN, else the embedded server
    that `pgbraid init` created, started if need be. The connection is in autocommit mode: every call is its
    own transaction, unless inside `client.transaction()`. An open psycopg connection may be given instead;
    its transactions and its closing remain the caller's.

    `embedder` turns text into vectors. Without one, the offline model embeds for collections made for it, if
    the extra [local] is installed.

    Raises ConnectionLostError, ServerError, NotInstalledError, VersionMismatchError, PermissionDeniedError.
    """
    if isinstance(dsn, psycopg.Connection):
        client = Client(dsn, tenant, embedder, owns_connection=False)
    else:
        found = find_dsn(dsn)
        try:
            # Prepared statements do not survive a transaction pooler, and save nothing here.
            connection = psycopg.Connection.connect(found, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        client = Client(connection, tenant, embedder, owns_connection=True)
    try:
        client._check_version()
    except BaseException:
        client.close()
        raise
    return client


class Client:
    """A tenant's view of one database. Use `connect()` to make one, and `with` or `close()` to
    end it.

    Errors of the database are raised as `PgbraidError`s by SQLSTATE, with its hint.
    """

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        tenant: str = "default",
        embedder: Embedder | None = None,
        *,
        owns_connection: bool = False,
    ) -> None:
        self.connection = connection
        self.tenant = tenant
        self._embedder = embedder
        self._local: Embedder | None = None
        self._owns_connection = owns_connection
        self._spaces: dict[str, tuple[str, int]] = {}

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, if the client opened it."""
        if self._owns_connection:
            self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All calls inside are one transaction, or one savepoint inside the caller's."""
        try:
            with self.connection.transaction():
                yield
        except psycopg.Error as error:
            raise from_psycopg(error) from error

    def create_tenant(self, tenant: str) -> int:
        """Create a tenant and return its id; needs braid_admin. Maps to braid.create_tenant."""
        return int(self._value("select braid.create_tenant(tenant => %(key)s)", {"key": tenant}))

    def create_collection(
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
        full_text_weight: float = 1.0,
        semantic_weight: float = 1.0,
        fusion: str = "rrf",
        rrf_k: float = 60.0,
        fold_diacritics: bool = True,
        index_fields: Sequence[str] = ("title", "speaker", "content"),
        embed_fields: Sequence[str] = ("title", "speaker", "content"),
    ) -> int:
        """Define a collection, for all tenants, and return its id; needs braid_admin. Maps to
        braid.create_collection.

        `text_config` is a PostgreSQL text search configuration. `chunk_tokens` bounds a chunk in tokens: by
        default 240 for the offline model and 500 for others.
        """
        self._spaces.pop(name, None)
        return int(
            self._value(
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
                  embed_fields => %(embed_fields)s::text[])
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
                },
            )
        )

    def set_ranking(
        self,
        collection: str,
        *,
        k1: float | None = None,
        b: float | None = None,
        title_weight: float | None = None,
        full_text_weight: float | None = None,
        semantic_weight: float | None = None,
        rrf_k: float | None = None,
    ) -> None:
        """Change how a collection ranks, for all tenants and from the next search on; None keeps a setting. Needs
        braid_admin. Maps to braid.set_ranking.

        Raises InvalidArgumentError, NotFoundError.
        """
        self._value(
            """
            select braid.set_ranking(
              collection => %(collection)s::text, k1 => %(k1)s::float8, b => %(b)s::float8,
              title_weight => %(title_weight)s::float8, full_text_weight => %(full_text_weight)s::float8,
              semantic_weight => %(semantic_weight)s::float8, rrf_k => %(rrf_k)s::float8)
            """,
            {
                "collection": collection,
                "k1": k1,
                "b": b,
                "title_weight": title_weight,
                "full_text_weight": full_text_weight,
                "semantic_weight": semantic_weight,
                "rrf_k": rrf_k,
            },
        )

    def drop_collection(self, collection: str) -> bool:
        """Drop a collection of all tenants; whether it was there. Needs braid_admin. Maps to
        braid.drop_collection."""
        self._spaces.pop(collection, None)
        return bool(
            self._value("select braid.drop_collection(collection => %(collection)s)", {"collection": collection})
        )

    def add_documents(
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
            rows = self._rows(
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

    def embed_pending(
        self,
        collection: str = "default",
        *,
        batch_size: int = 64,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Embed the chunks that wait for it; how many were. Several processes may do so at once.

        Maps to braid.claim_embedding_jobs, braid.store_embeddings and, if the embedder fails,
        braid.fail_embedding_jobs: those chunks wait for a while and can then be claimed again. `progress(n)`
        is called with the number of chunks embedded so far. Raises EmbeddingError, MissingExtraError,
        DimensionMismatchError.
        """
        embedder = self._embedder_of(collection)
        done = 0
        while True:
            jobs = self._rows(
                f"""
                select (j.job).chunk_id, (j.job).input
                from (
                  select braid.claim_embedding_jobs(job_count => %(count)s::int, collection => %(collection)s)
                  from {TENANT}
                ) j (job)
                """,
                {"count": batch_size, "collection": collection},
            )
            if not jobs:
                return done
            chunk_ids = [chunk_id for chunk_id, _ in jobs]
            try:
                vectors = embedder.embed_documents([text for _, text in jobs])
                if len(vectors) != len(jobs):
                    raise EmbeddingError(f"the embedder gave {len(vectors)} vectors for {len(jobs)} texts")
                self._check_dimensions(len(vectors[0]), collection)
                literal = vectors_literal(vectors)
            except BaseException as error:
                self._value(
                    f"""
                    select braid.fail_embedding_jobs(
                      chunk_ids => %(chunk_ids)s::bigint[], error => %(error)s, collection => %(collection)s)
                    from {TENANT}
                    """,
                    {
                        "chunk_ids": chunk_ids,
                        "error": f"{type(error).__name__}: {error}"[:1000],
                        "collection": collection,
                    },
                )
                raise
            done += int(
                self._value(
                    f"""
                    select braid.store_embeddings(
                      chunk_ids => %(chunk_ids)s::bigint[], embeddings => %(embeddings)s,
                      collection => %(collection)s)
                    from {TENANT}
                    """,
                    {"chunk_ids": chunk_ids, "embeddings": literal, "collection": collection},
                )
            )
            if progress is not None:
                progress(done)

    def search(
        self,
        query: str | None = None,
        limit: int = 10,
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
    ) -> SearchResults:
        """Search. Maps to braid.search_json.

        `mode` says which legs run. `embedding` is the query's vector, if you have it; else the embedder makes
        it of the query without its operators. If that fails, a hybrid search gives what full text finds and
        warns with the code `embedding_unavailable`; a semantic one raises EmbeddingError. Weights, fusion and
        rrf_k default to the collection's. `match` is any, all, or the least share of the query's words, such as
        75%. `options` are snippet, correct, operators, explain, full_text_min_score and semantic_min_score; with
        `{"operators": False}` the query is plain words, and embedded as it is.

        Raises InvalidArgumentError, DimensionMismatchError, NotFoundError, NotSupportedError.
        """
        if mode not in ("hybrid", "full_text", "semantic"):
            raise InvalidArgumentError(
                f"mode is {mode!r}", hint="use 'hybrid', 'full_text' or 'semantic'", sqlstate="22023"
            )
        warnings: list[dict[str, Any]] = []
        vector: str | None = None
        if mode == "full_text":
            pass
        elif embedding is not None:
            vector = vector_literal(embedding, "the query")
            self._check_dimensions(vector.count(",") + 1, collection)
        elif query:
            try:
                vector = self._embed_query(query, collection, options)
            except EmbeddingError as error:
                if mode == "semantic":
                    raise
                message = "; ".join(filter(None, ("searched by full text only", error.message, error.hint)))
                warnings.append({"code": "embedding_unavailable", "message": message})
        if mode == "semantic" and vector is None:
            raise InvalidArgumentError(
                "a semantic search needs a query or an embedding", hint="give one", sqlstate="22023"
            )
        answer = json.loads(
            self._value(
                f"""
                select braid.search_json(
                  query_text => %(query)s::text, query_embedding => %(vector)s, match_count => %(limit)s::int,
                  full_text_weight => %(full_text_weight)s::float8,
                  semantic_weight => %(semantic_weight)s::float8, filters => %(filters)s::jsonb,
                  collection => %(collection)s::text, fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
                  candidate_count => %(candidate_count)s::int, min_score => %(min_score)s::float8,
                  match => %(match)s::text, options => %(options)s::jsonb)::text
                from {TENANT}
                """,
                {
                    "query": None if mode == "semantic" else query,
                    "vector": vector,
                    "limit": limit,
                    "full_text_weight": full_text_weight,
                    "semantic_weight": semantic_weight,
                    "filters": _optional(filters, "filters"),
                    "collection": collection,
                    "fusion": fusion,
                    "rrf_k": rrf_k,
                    "candidate_count": candidate_count,
                    "min_score": min_score,
                    "match": match,
                    "options": _optional(options, "options"),
                },
            )
        )
        return SearchResults(
            [SearchResult.from_row(row) for row in answer["results"]],
            query=query,
            stats=answer["stats"],
            warnings=[*warnings, *answer["warnings"]],
        )

    def highlight(
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
            self._value(
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

    def explain_score(
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
        rows = self._rows(
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

    def delete_document(self, external_id: str, *, collection: str = "default") -> bool:
        """Delete a document; whether it was there. Maps to braid.delete_document."""
        return bool(
            self._value(
                f"""
                select braid.delete_document(external_id => %(external_id)s::text,
                                             collection => %(collection)s)
                from {TENANT}
                """,
                {"external_id": external_id, "collection": collection},
            )
        )

    def update_metadata(
        self,
        external_id: str,
        metadata: Mapping[str, Any],
        *,
        replace: bool = False,
        collection: str = "default",
    ) -> bool:
        """Merge into a document's metadata, or replace it; whether the document is there. Touches no index.

        Maps to braid.update_metadata.
        """
        return bool(
            self._value(
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

    def clear_collection(self, collection: str = "default") -> int:
        """Delete this tenant's documents of a collection; how many. Maps to braid.clear_collection."""
        return int(
            self._value(
                f"select braid.clear_collection(collection => %(collection)s) from {TENANT}",
                {"collection": collection},
            )
        )

    def status(self, collection: str | None = None) -> dict[str, Any]:
        """Version, tenant, and what the collections hold and have not embedded yet. Maps to braid.status."""
        status: dict[str, Any] = json.loads(
            self._value(
                f"select braid.status(collection => %(collection)s::text)::text from {TENANT}",
                {"collection": collection},
            )
        )
        return status

    def maintain(self, time_budget: float = 10.0) -> dict[str, Any]:
        """Merge and tidy up for about `time_budget` seconds; what was done. Maps to braid.maintain."""
        done: dict[str, Any] = json.loads(
            self._value(
                f"""
                select braid.maintain(time_budget => make_interval(secs => %(seconds)s::float8))::text
                from {TENANT}
                """,
                {"seconds": time_budget},
            )
        )
        return done

    def check_index(self, collection: str = "default") -> list[IndexProblem]:
        """Compare this tenant's full-text index of a collection with its chunks, analysed anew; empty if it is right.
        Takes about as long as adding the documents did. Maps to braid.check_index."""
        rows = self._rows(
            f"""
            select (p.problem).problem, (p.problem).chunk_id, (p.problem).lexeme, (p.problem).detail
            from (select braid.check_index(collection => %(collection)s) from {TENANT}) p (problem)
            """,
            {"collection": collection},
        )
        return [IndexProblem(*row) for row in rows]

    def rebuild_index(self, collection: str = "default") -> int:
        """Make this tenant's full-text index of a collection anew, from its chunks; how many. Searches go on, writers
        wait. Maps to braid.rebuild_index."""
        return int(
            self._value(
                f"select braid.rebuild_index(collection => %(collection)s) from {TENANT}",
                {"collection": collection},
            )
        )

    def _check_version(self) -> None:
        try:
            installed: str | None = self._value("select braid.version()", {})
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

    def _space(self, collection: str) -> tuple[str, int]:
        """The model and dimensions of a collection."""
        if collection not in self._spaces:
            rows = self._rows(
                "select embedding_model, dimensions from braid.collections where name = %(collection)s",
                {"collection": collection},
            )
            if not rows:
                raise NotFoundError(
                    f'collection "{collection}" does not exist',
                    hint="create it with create_collection, or see `pgbraid status` for those there are",
                    sqlstate="42704",
                )
            self._spaces[collection] = (rows[0][0], rows[0][1])
        return self._spaces[collection]

    def _check_dimensions(self, dimensions: int, collection: str) -> None:
        _, expected = self._space(collection)
        if dimensions != expected:
            self._spaces.pop(collection)
            raise DimensionMismatchError(
                f'the embedding has {dimensions} dimensions, collection "{collection}" has {expected}',
                hint="use the embedding model that the collection was made for",
                sqlstate="22023",
            )

    def _embedder_of(self, collection: str) -> Embedder:
        if self._embedder is not None:
            return self._embedder
        model, _ = self._space(collection)
        if model != LOCAL_MODEL:
            raise MissingExtraError(
                f'collection "{collection}" needs an embedder for {model}',
                hint="give one: pgbraid.connect(embedder=…)",
            )
        from pgbraid.embedders.local import LocalEmbedder

        self._local = self._local or LocalEmbedder()
        return self._local

    def _embed_query(self, query: str, collection: str, options: Mapping[str, Any] | None) -> str | None:
        text = query if options and options.get("operators") is False else embedded_text(query)
        if not text.strip():
            return None
        embedder = self._embedder_of(collection)
        embedding = embedder.embed_query(text)
        self._check_dimensions(len(embedding), collection)
        return vector_literal(embedding, "the query")

    def _value(self, statement: str, parameters: dict[str, Any]) -> Any:
        return (self._rows(statement, parameters))[0][0]

    def _rows(self, statement: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        try:
            with self.connection.cursor(row_factory=tuple_row) as cursor:
                cursor.execute(statement.encode(), {**parameters, "tenant": self.tenant})
                return cursor.fetchall()
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(
                f"text that is not Unicode: {error.reason}", hint="remove lone surrogates"
            ) from error


def _optional(value: Any, name: str) -> str | None:
    return None if value is None else to_json(value, name)
