-- PUBLIC may call nothing. Internal functions with the caller's rights are called by definer functions, so @definer@
-- may call them. Every other function is listed with the least privileged role that may call it.
revoke all on all functions in schema braid, braid_store from public, braid_reader, braid_writer, @definer@, @owner@;

do $$
declare
  v_grant record;
begin
  for v_grant in
    with listed (role, schema, functions) as (
      values
        ('braid_reader', 'braid', '{version, status, current_tenant_id, hybrid_search, full_text_search, semantic_search,
          search_json, get_document, list_documents, highlight, explain_score, explain_search, facets, similar_chunks, similar_documents,
          arrange_results, assemble_context, missing_token_vectors, recall, recall_json, conversation_timeline, parse_timeframe,
          extract_timeframe}'::text[]),
        ('braid_writer', 'braid', '{upsert_document, upsert_documents, upsert_embedded_documents, delete_document,
          delete_documents, update_metadata, clear_collection, claim_embedding_jobs, store_embeddings, store_token_vectors, fail_embedding_jobs, store_sparse_terms, check_index, rebuild_index,
          rebuild_vector_index, export_tenant, import_tenant, set_profile, learn_profile, get_profile, list_profiles,
          delete_profile}'),
        ('@definer@', 'braid', '{current_tenant_id}'),
        ('braid_reader', 'braid_store', '{session_tenant_id, session_tenant_key, require_tenant_key, login_is_known,
          find_collection, read_document, page_documents, run_search, search_warnings, collection_counts, server_warnings,
          highlight_chunk, explain_chunks, count_values, find_similar_chunks, find_similar_documents,
          arrange_chunks, find_missing_token_vectors, passage_options, fit_passages, run_recall, run_timeline, read_timeframe, find_timeframe}'),
        ('@definer@', 'braid_store', '{session_tenant_id, session_tenant_key, session_is_anonymous, insert_requested_tenant, run_search,
          run_recall}'),
        ('braid_writer', 'braid_store', '{write_documents, remove_listed_documents, remove_documents, change_metadata,
          lease_embedding_jobs, complete_embedding_jobs, replace_token_vectors, release_embedding_jobs, write_given_terms, index_problems, rewrite_index,
          outdate_shard, export_records, import_collection, collection_definition, import_documents, store_profile,
          derive_profile, read_profile, page_profiles, remove_profile}')
    )
    select l.role::text, p.oid::regprocedure as signature
    from listed l
    cross join unnest(l.functions) f (name)
    join pg_catalog.pg_proc p on p.proname = f.name and p.pronamespace = l.schema::regnamespace
    union all
    select '@definer@', p.oid::regprocedure
    from pg_catalog.pg_proc p
    where p.pronamespace = 'braid_store'::regnamespace and not p.prosecdef
    union all
    -- The owner of everything else may call the definer's functions, too.
    select '@owner@', p.oid::regprocedure
    from pg_catalog.pg_proc p
    where p.pronamespace in ('braid'::regnamespace, 'braid_store'::regnamespace)
  loop
    execute format('grant execute on function %s to %I', v_grant.signature, v_grant.role);
  end loop;
end
$$;

select braid_store.grant_to_trusted_role(t.role) from (select distinct r.role from braid_store.trusted_roles r) t;
