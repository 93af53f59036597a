-- Definer functions belong to @definer@, which owns no table: the tenant policies bind it like everyone. The few
-- functions listed here act across tenants; they belong to @owner@, like everything else.
do $$
declare
  v_function record;
begin
  -- To own a function, a role needs CREATE on the schema. It has that only during this transaction.
  grant create on schema braid_calls, braid_store to @definer@;
  for v_function in
    select p.oid::regprocedure as signature, o.owner
    from pg_catalog.pg_proc p,
         lateral (
           select case
                    when p.prosecdef and p.proname not in (
                      'session_tenant_id', 'session_tenant_key', 'request_tenant_key', 'insert_tenant', 'insert_requested_tenant',
                      'remove_tenant', 'set_tenant_member', 'set_trusted_role', 'session_is_anonymous', 'login_is_known',
                      'update_access_settings', 'insert_collection', 'update_ranking', 'deploy_ranking', 'return_to_ranking', 'describe_rankings', 'remove_collection',
                      'replace_synonyms', 'replace_sparse_encoder', 'replace_attributes', 'update_vector_index', 'update_token_vectors', 'update_document_defaults', 'update_query_embeddings', 'update_search_log', 'measure_exact_rows',
                      'start_model_change', 'step_model_change', 'count_embedding_jobs', 'add_embedding_usage',
                      'list_embedding_usage', 'maintain_all',
                      'list_storage', 'list_tenant_storage', 'list_storage_growth', 'list_tenant_growth', 'list_outbox',
                      'list_index_health', 'list_search_activity',
                      'administrator_findings',
                      'define_sync', 'find_sync', 'synced_relation', 'sync_faults', 'sync_is_outdated', 'due_syncs', 'take_sync', 'next_changes', 'end_changes',
                      'note_sync', 'next_synced_rows', 'sync_place', 'fail_sync', 'own_rows', 'disown_rows', 'sync_states',
                      'stored_rows', 'compare_documents', 'end_sync', 'drop_note_function', 'next_ended_rows', 'row_tenant_exists', 'waiting_row', 'create_row_tenant', 'apply_at_once')
                      -- Triggers of users' tables call these.
                      and p.proname !~ '^note_rows_[0-9]+$'
                    then '@definer@' else '@owner@'
                  end as owner
         ) o
    where p.pronamespace in ('braid'::regnamespace, 'braid_calls'::regnamespace, 'braid_store'::regnamespace)
      and p.proowner <> o.owner::regrole
    order by p.oid
  loop
    execute format('alter function %s owner to %I', v_function.signature, v_function.owner);
  end loop;
  revoke create on schema braid_calls, braid_store from @definer@;
end
$$;

-- If this database was renamed or copied, the roles of the old one may do nothing here any more.
do $$
declare
  v_role text;
begin
  for v_role in
    select distinct r.rolname
    from pg_catalog.pg_shdepend s
    join pg_catalog.pg_roles r on r.oid = s.refobjid
    where s.refclassid = 'pg_catalog.pg_authid'::regclass
      and s.dbid = (select oid from pg_catalog.pg_database where datname = current_database())
      and r.rolname ~ '^braid_(owner|definer)_' and r.rolname not in ('@owner@', '@definer@')
  loop
    execute format('revoke all on all tables in schema braid, braid_store, braid_locks from %I', v_role);
    execute format('revoke all on all functions in schema braid, braid_calls, braid_store from %I', v_role);
    execute format('revoke all on schema braid, braid_calls, braid_store, braid_locks from %I', v_role);
  end loop;
end
$$;

alter view braid.collections owner to @owner@;
alter view braid.synonyms owner to @owner@;
alter view braid.model_migrations owner to @owner@;
alter view braid.storage owner to @owner@;
alter view braid.tenant_storage owner to @owner@;
alter view braid.storage_growth owner to @owner@;
alter view braid.tenant_growth owner to @owner@;
alter view braid.embedding_costs owner to @owner@;
alter view braid.outbox owner to @owner@;
alter view braid.index_health owner to @owner@;
alter view braid.search_log owner to @owner@;
alter view braid.search_feedback owner to @owner@;
alter view braid.search_hours owner to @owner@;
alter view braid.search_latency owner to @owner@;
alter view braid.search_problems owner to @owner@;
alter view braid.query_statistics owner to @owner@;
alter view braid.search_success owner to @owner@;
alter view braid.search_activity owner to @owner@;
