-- Every function, and the least role that runs it. What is not listed, nobody but its owner runs; braid_definer runs
-- the internals that its own functions call.
revoke all on all functions in schema braid, braid_store from public, braid_reader, braid_writer, braid_admin, braid_definer;

do $$
declare
  v_grant record;
  v_function record;
begin
  for v_grant in
    select *
    from (values
      ('braid_reader', 'braid', '{version, status, current_tenant_id, hybrid_search, full_text_search, semantic_search,
        search_json}'::text[]),
      ('braid_writer', 'braid', '{upsert_document, upsert_documents, delete_document, update_metadata, clear_collection,
        claim_embedding_jobs, store_embeddings, fail_embedding_jobs}'),
      ('braid_admin', 'braid', '{create_tenant, add_tenant_member, remove_tenant_member, set_access, create_collection,
        drop_collection, maintain}'),

      -- Called with the caller's rights by the functions above.
      ('braid_reader', 'braid_store', '{session_tenant_id, require_tenant_id, find_collection, check_fusion,
        token_config, token_fold, token_lexemes, token_lower, token_parts, token_scan, token_stem, tokenize,
        query_terms, index_statistics, weighted_terms, required_words, full_text_candidates,
        check_embeddings, semantic_candidates,
        filter_condition, filter_group, filter_key, filter_literal, filter_predicate,
        check_search_arguments, check_search_options, full_text_leg, fuse_rrf, run_search, search_warnings,
        collection_counts}'),
      ('braid_writer', 'braid_store', '{write_documents, remove_document, remove_documents, change_metadata,
        lease_embedding_jobs, complete_embedding_jobs, release_embedding_jobs}'),
      ('braid_admin', 'braid_store', '{insert_tenant, set_tenant_member, update_access_settings, insert_collection,
        remove_collection, maintain_all}'),

      -- Called by definer functions.
      ('braid_definer', 'braid', '{current_tenant_id}'),
      ('braid_definer', 'braid_store', '{session_tenant_id, require_tenant_id, find_collection, lock_key, lock_for_writing,
        collection_tables,
        token_config, token_fold, token_lexemes, token_lower, token_parts, token_scan, token_stem, tokenize,
        index_chunks, remove_chunks, merge_segments, segments_to_merge, merge_inline,
        check_embeddings, write_vectors, shards_written,
        check_fields, check_values, parse_documents, store_documents, document_chunks, store_chunks, parse_embeddings,
        split_text, split_pieces, estimate_tokens, token_cost}'),
      ('braid_owner', 'braid_store', '{request_claims, request_is_anonymous, request_tenant_key,
        check_collection_settings}')
    ) g (role, schema, functions)
  loop
    for v_function in
      select f.name, p.oid::regprocedure as signature
      from unnest(v_grant.functions) f (name)
      left join pg_catalog.pg_proc p on p.proname = f.name and p.pronamespace = v_grant.schema::regnamespace
    loop
      if v_function.signature is null then
        raise exception 'function %.% is granted but does not exist', v_grant.schema, v_function.name;
      end if;
      execute format('grant execute on function %s to %I', v_function.signature, v_grant.role);
    end loop;
  end loop;
end
$$;
