create or replace function braid_store.administrator_functions()
returns setof regprocedure
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select p.oid::regprocedure
  from pg_proc p
  where p.pronamespace = 'braid'::regnamespace and p.proname = any (
          '{create_tenant, drop_tenant, add_tenant_member, remove_tenant_member, add_trusted_role, remove_trusted_role,
            set_access, create_collection, drop_collection, set_ranking, apply_ranking, restore_ranking, list_rankings, set_synonyms, set_sparse_encoder, set_indexed_attributes,
            set_vector_index, set_token_vectors, set_document_defaults, set_query_embeddings, set_search_log, start_model_migration, pause_model_migration, resume_model_migration,
            cut_over_model_migration, roll_back_model_migration, finish_model_migration, calibrate, sync_table, unsync_table,
            health}')
     or p.pronamespace in ('braid_calls'::regnamespace, 'braid_store'::regnamespace) and p.proname = any (
          '{insert_tenant, remove_tenant, set_tenant_member, set_trusted_role, update_access_settings, insert_collection,
            update_ranking, deploy_ranking, return_to_ranking, describe_rankings, remove_collection, replace_synonyms, replace_sparse_encoder, replace_attributes, update_vector_index,
            update_token_vectors, update_document_defaults, update_query_embeddings, update_search_log,
            measure_exact_rows, start_model_change, step_model_change, start_sync, define_sync, stop_sync,
            end_sync, end_rows_or_leave, drop_note_function, administrator_findings, vacuum_blockers,
            line_literal}')
  union
  select braid_store.service_functions()
  order by 1;
end
$$;

comment on function braid_store.administrator_functions() is
  'Lists the functions that only administrators of this database may run, with those of service_functions.';
