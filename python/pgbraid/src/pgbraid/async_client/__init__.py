"""The client: one method per SQL function, one statement per call, grouped as the functions are."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from copy import copy
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.pq import TransactionStatus

from pgbraid._dsn import find_dsn
from pgbraid._lazy import LazyModule
from pgbraid._opening import opening
from pgbraid._threads import in_thread
from pgbraid.async_client.session import Call, Session
from pgbraid.async_client.vector_spaces import VectorSpaces
from pgbraid.errors import InvalidArgumentError, NotSupportedError, from_psycopg

if TYPE_CHECKING:
    from pgbraid.async_client import (
        arrangement,
        collections,
        documents,
        embedding,
        embedding_jobs,
        evaluating,
        explaining,
        maintenance,
        model_changes,
        multi_searching,
        profiles,
        queries,
        ranking_models,
        rankings,
        recalling,
        related,
        retrieving,
        search_log,
        searching,
        standbys,
        streaming,
        synced_tables,
        tenants,
        tuning,
    )
    from pgbraid.async_client.standbys import Consistency
    from pgbraid.embedders.protocol import Embedder
else:
    arrangement = LazyModule(f"{__name__}.arrangement")
    collections = LazyModule(f"{__name__}.collections")
    documents = LazyModule(f"{__name__}.documents")
    embedding = LazyModule(f"{__name__}.embedding")
    embedding_jobs = LazyModule(f"{__name__}.embedding_jobs")
    evaluating = LazyModule(f"{__name__}.evaluating")
    explaining = LazyModule(f"{__name__}.explaining")
    maintenance = LazyModule(f"{__name__}.maintenance")
    model_changes = LazyModule(f"{__name__}.model_changes")
    multi_searching = LazyModule(f"{__name__}.multi_searching")
    profiles = LazyModule(f"{__name__}.profiles")
    queries = LazyModule(f"{__name__}.queries")
    ranking_models = LazyModule(f"{__name__}.ranking_models")
    rankings = LazyModule(f"{__name__}.rankings")
    recalling = LazyModule(f"{__name__}.recalling")
    related = LazyModule(f"{__name__}.related")
    retrieving = LazyModule(f"{__name__}.retrieving")
    search_log = LazyModule(f"{__name__}.search_log")
    searching = LazyModule(f"{__name__}.searching")
    standbys = LazyModule(f"{__name__}.standbys")
    streaming = LazyModule(f"{__name__}.streaming")
    synced_tables = LazyModule(f"{__name__}.synced_tables")
    tenants = LazyModule(f"{__name__}.tenants")
    tuning = LazyModule(f"{__name__}.tuning")

__all__ = ["AsyncClient", "connect_async"]


@opening
async def connect_async(
    dsn: str | psycopg.AsyncConnection[Any] | None = None,
    tenant: str = "default",
    embedder: Embedder | Sequence[Embedder] | None = None,
    *,
    read_dsn: str | Sequence[str] | None = None,
    consistency: Consistency = "session",
) -> AsyncClient:
    """Connect to a database that has pgbraid: `async with connect_async() as client:`, or
    `client = await connect_async()` and at the end `close()`.

    `dsn` is a libpq URL or connection string, else the environment's PGBRAID_DSN, else the embedded server
    that `pgbraid init` created, started if need be. The connection is in autocommit mode: every call is its
    own transaction, unless inside `client.transaction()`. Of a cluster it is that of any node: the client finds the
    tenant's, by the environment's PGBRAID_NODES if that names other addresses. An open psycopg connection may be given
    instead; its transactions and its closing remain the caller's.

    `embedder` turns text into vectors. Without one, the offline model embeds for collections made for it, if
    the extra [local] is installed. Of several, each collection gets the one whose `model_name` is its
    embedding model: with those of both models, searches go on through a model change.

    `read_dsn` names hot standbys of the database, one or several: searches and other reads go to them in turn, and to
    the primary while none can serve. With the consistency "session" reads see what this client has written, with
    "eventual" they do not wait for it: see docs/standbys.md. Without `dsn`, it is the environment's PGBRAID_READ_DSN.

    Raises ConnectionLostError, ServerError, NotInstalledError, VersionMismatchError, PermissionDeniedError, and
    NotSupportedError for `read_dsn` on a cluster.
    """
    if isinstance(dsn, psycopg.AsyncConnection):
        if not dsn.closed and dsn.info.encoding != "utf-8":
            raise InvalidArgumentError(
                f"the connection's client_encoding is {dsn.info.parameter_status('client_encoding')}",
                hint="open it with client_encoding='utf8', or run on it: set client_encoding to utf8",
                sqlstate="22023",
            )
        client = AsyncClient(dsn, tenant, embedder, owns_connection=False)
    else:
        found = await in_thread(find_dsn, dsn)
        try:
            # Prepared statements do not survive a transaction pooler, and save nothing here.
            connection = await psycopg.AsyncConnection.connect(
                found,
                autocommit=True,
                prepare_threshold=None,
                client_encoding="utf8",
                fallback_application_name="pgbraid",
            )
        except psycopg.Error as error:
            raise from_psycopg(error) from error
        client = AsyncClient(connection, tenant, embedder, owns_connection=True)
    try:
        is_new = client._session.owns_connection
        if await client._session.check_installation(is_new=is_new) and is_new:
            from pgbraid.async_client.nodes import find_node

            await find_node(client._session, found)
        read_dsn = read_dsn or (None if dsn else os.environ.get("PGBRAID_READ_DSN"))
        if read_dsn:
            if client._session.nodes is not None:
                raise NotSupportedError(
                    "standbys of a cluster's nodes cannot be read from",
                    hint="leave read_dsn (--read-dsn, PGBRAID_READ_DSN) out",
                )
            from pgbraid.async_client.standbys import standbys_of

            client._session.standbys = await standbys_of(client._session, read_dsn, consistency)
    except BaseException:
        await client.close()
        raise
    return client


class AsyncClient:
    """A tenant's view of one database. Use `connect_async()` to make one, and `async with` or `close()` to
    end it.

    Errors of the database are raised as `PgbraidError`s by SQLSTATE, with its hint. Any call may raise
    ConnectionLostError, PermissionDeniedError (no such tenant, or a login without the grant) and ConflictError (another
    transaction was in the way); what else one raises, its documentation says.
    """

    def __init__(
        self,
        connection: psycopg.AsyncConnection[Any],
        tenant: str = "default",
        embedder: Embedder | Sequence[Embedder] | None = None,
        *,
        owns_connection: bool = False,
    ) -> None:
        embedders = embedder if isinstance(embedder, Sequence) else [] if embedder is None else [embedder]
        self._session = Session(connection, tenant, owns_connection=owns_connection)
        self._spaces = VectorSpaces(self._session, embedders)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection, if the client opened it, and those to standbys and to a cluster's nodes."""
        if self._session.standbys is not None:
            await self._session.standbys.close()
        if self._session.nodes is not None:
            await self._session.nodes.close()
        elif self._session.owns_connection:
            await self.connection.close()

    @property
    def connection(self) -> psycopg.AsyncConnection[Any]:
        """The psycopg connection that all calls use. If the client opened it, it is in autocommit mode and gives
        pgvector's types. On a cluster, the one to the node of `tenant`, as far as that is known."""
        return self._session.connection

    @property
    def tenant(self) -> str:
        """The key of the tenant that calls are for; the next call is for the one assigned."""
        return self._session.tenant

    @tenant.setter
    def tenant(self, tenant: str) -> None:
        self._session.tenant = tenant

    def _for_one_call(self) -> AsyncClient:
        """For a call of several statements: a tenant that is assigned meanwhile is for the next call, and all reads are
        from one server."""
        view = copy(self)
        view._session = copy(self._session)
        view._session.call = self._session.call or Call()
        view._spaces = self._spaces.of_session(view._session)
        return view

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """All calls inside are one transaction, or one savepoint inside the caller's. An exception undoes them.

        Raises ConcurrentUpgradeError if pgbraid is upgraded meanwhile, and on a cluster WrongNodeError if the tenant
        moves meanwhile; the transaction may be repeated.
        """
        if self._session.nodes is not None and self.connection.info.transaction_status == TransactionStatus.IDLE:
            from pgbraid.async_client.nodes import follow_tenant

            await follow_tenant(self._session)
        try:
            async with self.connection.transaction():
                yield
        except psycopg.Error as error:
            raise from_psycopg(error) from error

    wal_position = standbys.wal_position
    read_after = standbys.read_after
    search_stream = streaming.search_stream
    retrieve = retrieving.retrieve

    # Made by tools/generate.py: what tells which function of the API it calls. A module is imported when it is used.
    arrange_results = arrangement.arrange_results
    arrange_context = arrangement.arrange_context
    assemble_context = arrangement.assemble_context
    highlight = arrangement.highlight
    create_collection = collections.create_collection
    set_collection = collections.set_collection
    drop_collection = collections.drop_collection
    set_synonyms = collections.set_synonyms
    set_sparse_encoder = collections.set_sparse_encoder
    set_indexed_attributes = collections.set_indexed_attributes
    set_token_vectors = collections.set_token_vectors
    set_query_embeddings = collections.set_query_embeddings
    add_documents = documents.add_documents
    store_sparse_terms = documents.store_sparse_terms
    get_document = documents.get_document
    list_documents = documents.list_documents
    count = documents.count
    update_metadata = documents.update_metadata
    delete_document = documents.delete_document
    delete_documents = documents.delete_documents
    clear_collection = documents.clear_collection
    embed_pending = embedding.embed_pending
    embed_token_vectors = embedding.embed_token_vectors
    embedding_backlog = embedding_jobs.embedding_backlog
    list_embedding_jobs = embedding_jobs.list_embedding_jobs
    retry_embedding_jobs = embedding_jobs.retry_embedding_jobs
    drop_embedding_jobs = embedding_jobs.drop_embedding_jobs
    embedding_usage = embedding_jobs.embedding_usage
    create_query_set = evaluating.create_query_set
    store_queries = evaluating.store_queries
    store_judgments = evaluating.store_judgments
    list_query_sets = evaluating.list_query_sets
    list_queries = evaluating.list_queries
    drop_query_set = evaluating.drop_query_set
    evaluate = evaluating.evaluate
    compare_evaluations = evaluating.compare_evaluations
    pool_results = evaluating.pool_results
    judge_agreement = evaluating.judge_agreement
    sample_queries = evaluating.sample_queries
    judgments_from_clicks = evaluating.judgments_from_clicks
    explain_search = explaining.explain_search
    explain_score = explaining.explain_score
    status = maintenance.status
    health = maintenance.health
    maintain = maintenance.maintain
    calibrate = maintenance.calibrate
    check_index = maintenance.check_index
    rebuild_index = maintenance.rebuild_index
    rebuild_vector_index = maintenance.rebuild_vector_index
    measure_recall = maintenance.measure_recall
    start_model_migration = model_changes.start_model_migration
    pause_model_migration = model_changes.pause_model_migration
    resume_model_migration = model_changes.resume_model_migration
    cut_over_model_migration = model_changes.cut_over_model_migration
    roll_back_model_migration = model_changes.roll_back_model_migration
    finish_model_migration = model_changes.finish_model_migration
    multi_search = multi_searching.multi_search
    set_profile = profiles.set_profile
    learn_profile = profiles.learn_profile
    get_profile = profiles.get_profile
    list_profiles = profiles.list_profiles
    delete_profile = profiles.delete_profile
    embedded_text = queries.embedded_text
    ranking_features = ranking_models.ranking_features
    store_ranking_model = ranking_models.store_ranking_model
    get_ranking_model = ranking_models.get_ranking_model
    list_ranking_models = ranking_models.list_ranking_models
    drop_ranking_model = ranking_models.drop_ranking_model
    set_ranking = rankings.set_ranking
    list_rankings = rankings.list_rankings
    restore_ranking = rankings.restore_ranking
    recall = recalling.recall
    conversation_timeline = recalling.conversation_timeline
    parse_timeframe = recalling.parse_timeframe
    extract_timeframe = recalling.extract_timeframe
    similar_chunks = related.similar_chunks
    similar_documents = related.similar_documents
    facets = related.facets
    record_feedback = search_log.record_feedback
    set_search_log = search_log.set_search_log
    search = searching.search
    sync_table = synced_tables.sync_table
    unsync_table = synced_tables.unsync_table
    apply_changes = synced_tables.apply_changes
    sync_status = synced_tables.sync_status
    check_sync = synced_tables.check_sync
    create_tenant = tenants.create_tenant
    drop_tenant = tenants.drop_tenant
    export_tenant = tenants.export_tenant
    import_tenant = tenants.import_tenant
    tune = tuning.tune
    plan_tuning = tuning.plan_tuning
    choose_configuration = tuning.choose_configuration
