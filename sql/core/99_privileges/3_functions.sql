-- PUBLIC may call nothing. Internal functions with the caller's rights are called by definer functions, so @definer@
-- may call them. Every other function is listed with the least privileged role that may call it.
revoke all on all functions in schema braid, braid_calls, braid_store from public, braid_reader, braid_writer, @definer@, @owner@;

do $$
declare
  v_grant record;
begin
  for v_grant in
    with listed (role, schema, functions) as (
      values
        ('braid_reader', 'braid', '{version, status, current_tenant_id, hybrid_search, full_text_search, semantic_search,
          search, search_json, record_feedback, multi_search, logged_recall, logged_multi_search, get_document, list_documents, highlight, embedded_text, explain_score, explain_search, facets, similar_chunks, similar_documents,
          arrange_results, assemble_context, missing_token_vectors, get_query_embedding, recall, recall_json, conversation_timeline, parse_timeframe,
          extract_timeframe}'::text[]),
        ('braid_writer', 'braid', '{upsert_document, upsert_documents, upsert_embedded_documents, delete_document,
          delete_documents, update_metadata, clear_collection, claim_embedding_jobs, store_embeddings, store_token_vectors, fail_embedding_jobs,
          abandon_embedding_jobs, retry_embedding_jobs, drop_embedding_jobs, list_embedding_jobs, store_sparse_terms, store_query_embedding, check_index, rebuild_index,
          rebuild_vector_index, measure_recall, export_tenant, import_tenant, set_profile, learn_profile, get_profile, list_profiles,
          delete_profile, create_query_set, store_queries, store_judgments, list_query_sets, list_queries, list_judgments,
          drop_query_set, evaluate, compare_evaluations, pool_results, judge_agreement, sample_queries, judgments_from_clicks,
          health, store_ranking_model, get_ranking_model, list_ranking_models, drop_ranking_model, ranking_features,
          tune, plan_tuning, choose_configuration}'),
        ('@definer@', 'braid', '{current_tenant_id}'),
        ('braid_reader', 'braid_calls', '{session_tenant_id, session_tenant_key, login_is_known, read_installation,
          read_status, collection_spaces, read_document, page_documents, run_search, run_logged_search, run_logged_recall, run_logged_queries, write_feedback, run_queries, search_warnings,
          highlight_chunk, read_embedded_text, explain_chunks, count_values, find_similar_chunks, find_similar_documents,
          arrange_chunks, find_missing_token_vectors, read_query_embedding, passage_options, fit_passages, run_recall, run_timeline, read_timeframe, query_timeframe}'),
        ('@definer@', 'braid_store', '{session_is_anonymous, insert_requested_tenant, require_tenant_key, waiting_row, collection_counts,
          server_findings}'),
        ('@definer@', 'braid_calls', '{session_tenant_id, session_tenant_key, login_is_known, run_search, run_recall, run_queries, search_warnings, arrange_chunks, write_queries, write_judgments, run_evaluation, make_tuning_plan, choose_evaluated}'),
        ('braid_writer', 'braid_calls', '{write_documents, remove_listed_documents, remove_documents, change_metadata,
          lease_embedding_jobs, complete_embedding_jobs, replace_token_vectors, release_embedding_jobs,
          unclaim_embedding_jobs, change_embedding_jobs, page_embedding_jobs, write_given_terms, write_query_embedding, index_problems, rewrite_index,
          outdate_shard, measure_indexes, export_records, import_collection, stored_definition, import_documents, store_profile,
          derive_profile, read_profile, page_profiles, remove_profile, insert_query_set, write_queries, write_judgments,
          count_query_sets, page_queries, read_judgments, remove_query_set, run_evaluation, run_comparison,
          pool_rankings, measure_agreement, store_sampled_queries, store_click_judgments,
          own_findings, write_ranking_model, read_ranking_model, describe_ranking_models, remove_ranking_model,
          gather_ranking_features, run_tuning, make_tuning_plan, choose_evaluated}'),
        ('braid_writer', 'braid_store', '{token_lower}') -- by a view, which does not name it
    )
    select l.role::text, p.oid::regprocedure as signature
    from listed l
    cross join unnest(l.functions) f (name)
    join pg_catalog.pg_proc p on p.proname = f.name and p.pronamespace = l.schema::regnamespace
    union all
    select '@definer@', p.oid::regprocedure
    from pg_catalog.pg_proc p
    where p.pronamespace in ('braid_calls'::regnamespace, 'braid_store'::regnamespace) and not p.prosecdef
    union all
    -- The owner of everything else may call the definer's functions, too.
    select '@owner@', p.oid::regprocedure
    from pg_catalog.pg_proc p
    where p.pronamespace in ('braid'::regnamespace, 'braid_calls'::regnamespace, 'braid_store'::regnamespace)
  loop
    execute format('grant execute on function %s to %I', v_grant.signature, v_grant.role);
  end loop;
end
$$;

select braid_store.grant_to_trusted_role(t.role) from (select distinct r.role from braid_store.trusted_roles r) t;
