# Generated from async_client/methods.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""The methods of the client. Made by tools/generate.py. DO NOT CHANGE."""

# fmt: off
from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_modules
from pgbraid.client.base import BaseClient

if TYPE_CHECKING:
    from pgbraid.client import (  # noqa: I001
        arrangement, assembling, collections, documents, embedding, embedding_jobs, evaluating, explaining,
        maintenance, model_changes, multi_searching, profiles, queries, ranking_models, rankings, recalling,
        related, retrieving, search_log, searching, standbys, streaming, synced_tables, tenants, tuning,
    )
else:
    globals().update(lazy_modules(
        __package__,
        "arrangement assembling collections documents embedding embedding_jobs evaluating explaining "
        "maintenance model_changes multi_searching profiles queries ranking_models rankings recalling related "
        "retrieving search_log searching standbys streaming synced_tables tenants tuning",
    ))

__all__ = ["Methods"]


class Methods(BaseClient):
    """Each is a function of another module, which is imported when it is called first."""

    arrange_results = arrangement.arrange_results
    arrange_context = arrangement.arrange_context
    highlight = arrangement.highlight
    assemble_context = assembling.assemble_context
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
    timeframe_filter = recalling.timeframe_filter
    extract_timeframe = recalling.extract_timeframe
    similar_chunks = related.similar_chunks
    similar_documents = related.similar_documents
    facets = related.facets
    retrieve = retrieving.retrieve
    record_feedback = search_log.record_feedback
    set_search_log = search_log.set_search_log
    search = searching.search
    wal_position = standbys.wal_position
    read_after = standbys.read_after
    search_stream = streaming.search_stream
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
