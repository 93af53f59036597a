create or replace function braid_store.service_functions()
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
  where p.pronamespace = 'braid'::regnamespace and p.proname = any ('{embedding_backlog, embedding_usage, maintain,
          record_embedding_usage, apply_changes, sync_status, check_sync}')
     or p.pronamespace = 'braid_store'::regnamespace and p.proname = any ('{add_embedding_usage, count_embedding_jobs,
          list_embedding_usage, maintain_all,
          apply_all_changes, due_syncs, apply_sync, take_sync, synced_relation, row_query, check_synced_relation,
          synced_column_category, synced_value, synced_key_type, synced_external_id, sync_place, next_changes, end_changes,
          next_keys, next_synced_rows, note_sync, fail_sync, apply_batch, apply_rows, read_rows, own_rows, disown_rows,
          sync_states, find_sync, named_relation, restrict_relations, refuse_code, compare_rows, compare_batch, compare_documents,
          stored_rows, synced_keys, synced_key, synced_tenant, synced_filter, synced_document, transcript_fields, apply_part, end_rows,
          next_ended_rows, row_tenant_exists, create_row_tenant, synced_key_index, synced_source, trigger_faults, sync_faults}')
  union
  select braid_store.monitor_functions()
  order by 1;
end
$$;

comment on function braid_store.service_functions() is
  'Lists the functions that services may run, as administrators may: what a worker for all tenants needs.';
