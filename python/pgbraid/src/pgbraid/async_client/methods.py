"""The methods of the client. Made by tools/generate.py. DO NOT CHANGE."""

# fmt: off
from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_modules
from pgbraid.async_client.base import BaseClient

if TYPE_CHECKING:
    from pgbraid.async_client import (  # noqa: I001
        assembling, calls_collections, calls_completion, calls_documents, calls_evaluation, calls_learning,
        calls_memory, calls_model_change, calls_monitoring, calls_reranking, calls_search, calls_search_log,
        calls_sparse_encoders, calls_standing_queries, calls_sync, calls_tenancy, calls_upkeep,
        calls_validity, collections, documents, embedding, explaining, multi_searching, queries, recalling,
        related, retrieving, search_log, searching, standbys, streaming, synced_tables, tenants,
    )
else:
    globals().update(lazy_modules(
        __package__,
        "assembling calls_collections calls_completion calls_documents calls_evaluation calls_learning "
        "calls_memory calls_model_change calls_monitoring calls_reranking calls_search calls_search_log "
        "calls_sparse_encoders calls_standing_queries calls_sync calls_tenancy calls_upkeep calls_validity "
        "collections documents embedding explaining multi_searching queries recalling related retrieving "
        "search_log searching standbys streaming synced_tables tenants",
    ))


class Methods(BaseClient):
    """Each is a function of another module, which is imported when it is called first."""

    assemble_context = assembling.assemble_context
    create_collection = calls_collections.create_collection
    set_collection = calls_collections.set_collection
    drop_collection = calls_collections.drop_collection
    set_synonyms = calls_collections.set_synonyms
    set_indexed_attributes = calls_collections.set_indexed_attributes
    set_ranking = calls_collections.set_ranking
    list_rankings = calls_collections.list_rankings
    restore_ranking = calls_collections.restore_ranking
    complete = calls_completion.complete
    get_document = calls_documents.get_document
    list_documents = calls_documents.list_documents
    update_metadata = calls_documents.update_metadata
    delete_document = calls_documents.delete_document
    delete_documents = calls_documents.delete_documents
    clear_collection = calls_documents.clear_collection
    embedding_backlog = calls_documents.embedding_backlog
    list_embedding_jobs = calls_documents.list_embedding_jobs
    retry_embedding_jobs = calls_documents.retry_embedding_jobs
    drop_embedding_jobs = calls_documents.drop_embedding_jobs
    create_query_set = calls_evaluation.create_query_set
    store_queries = calls_evaluation.store_queries
    store_judgments = calls_evaluation.store_judgments
    list_query_sets = calls_evaluation.list_query_sets
    list_queries = calls_evaluation.list_queries
    drop_query_set = calls_evaluation.drop_query_set
    evaluate = calls_evaluation.evaluate
    compare_evaluations = calls_evaluation.compare_evaluations
    pool_results = calls_evaluation.pool_results
    judge_agreement = calls_evaluation.judge_agreement
    tune = calls_evaluation.tune
    plan_tuning = calls_evaluation.plan_tuning
    choose_configuration = calls_evaluation.choose_configuration
    ranking_features = calls_learning.ranking_features
    sample_queries = calls_learning.sample_queries
    judgments_from_clicks = calls_learning.judgments_from_clicks
    timeframe_filter = calls_memory.timeframe_filter
    start_model_change = calls_model_change.start_model_change
    pause_model_change = calls_model_change.pause_model_change
    resume_model_change = calls_model_change.resume_model_change
    cut_over_model_change = calls_model_change.cut_over_model_change
    roll_back_model_change = calls_model_change.roll_back_model_change
    finish_model_change = calls_model_change.finish_model_change
    embedding_usage = calls_monitoring.embedding_usage
    set_token_vectors = calls_reranking.set_token_vectors
    set_profile = calls_reranking.set_profile
    learn_profile = calls_reranking.learn_profile
    get_profile = calls_reranking.get_profile
    list_profiles = calls_reranking.list_profiles
    delete_profile = calls_reranking.delete_profile
    store_ranking_model = calls_reranking.store_ranking_model
    get_ranking_model = calls_reranking.get_ranking_model
    list_ranking_models = calls_reranking.list_ranking_models
    drop_ranking_model = calls_reranking.drop_ranking_model
    grep = calls_search.grep
    list_values = calls_search.list_values
    similar_chunks = calls_search.similar_chunks
    similar_documents = calls_search.similar_documents
    fuse = calls_search.fuse
    arrange_results = calls_search.arrange_results
    arrange_context = calls_search.arrange_context
    highlight = calls_search.highlight
    explain_score = calls_search.explain_score
    set_search_log = calls_search_log.set_search_log
    set_sparse_encoder = calls_sparse_encoders.set_sparse_encoder
    create_standing_query = calls_standing_queries.create_standing_query
    drop_standing_query = calls_standing_queries.drop_standing_query
    list_standing_queries = calls_standing_queries.list_standing_queries
    claim_matches = calls_standing_queries.claim_matches
    acknowledge_matches = calls_standing_queries.acknowledge_matches
    unsync_table = calls_sync.unsync_table
    apply_changes = calls_sync.apply_changes
    sync_status = calls_sync.sync_status
    check_sync = calls_sync.check_sync
    create_tenant = calls_tenancy.create_tenant
    drop_tenant = calls_tenancy.drop_tenant
    status = calls_upkeep.status
    health = calls_upkeep.health
    maintain = calls_upkeep.maintain
    calibrate = calls_upkeep.calibrate
    check_index = calls_upkeep.check_index
    rebuild_index = calls_upkeep.rebuild_index
    rebuild_vector_index = calls_upkeep.rebuild_vector_index
    measure_index_recall = calls_upkeep.measure_index_recall
    supersede_documents = calls_validity.supersede_documents
    set_validity = calls_validity.set_validity
    set_query_embeddings = collections.set_query_embeddings
    add_documents = documents.add_documents
    store_sparse_terms = documents.store_sparse_terms
    count = documents.count
    embed_pending = embedding.embed_pending
    embed_token_vectors = embedding.embed_token_vectors
    explain_search = explaining.explain_search
    multi_search = multi_searching.multi_search
    embedded_text = queries.embedded_text
    recall = recalling.recall
    conversation_timeline = recalling.conversation_timeline
    parse_timeframe = recalling.parse_timeframe
    extract_timeframe = recalling.extract_timeframe
    facets = related.facets
    retrieve = retrieving.retrieve
    record_feedback = search_log.record_feedback
    search = searching.search
    wal_position = standbys.wal_position
    read_after = standbys.read_after
    search_stream = streaming.search_stream
    sync_table = synced_tables.sync_table
    export_tenant = tenants.export_tenant
    import_tenant = tenants.import_tenant
