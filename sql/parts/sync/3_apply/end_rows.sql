-- role: service
create or replace function braid_store.end_rows(
  synced braid_store.synced_tables,
  deadline timestamptz,
  out document_count bigint,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
declare
  c_batch_size constant int := 1000;
  v_tenant text := current_setting('braid.tenant', true);
  v_rows record;
  v_ids text[];
  v_reached_id int := 0;
begin
  document_count := 0;
  loop
    v_rows := braid_store.next_ended_rows(synced.id, c_batch_size, v_reached_id);
    is_complete := v_rows.is_complete and v_reached_id = 0;
    exit when v_rows.is_complete;
    if v_rows.external_ids <> '{}' then
      perform set_config('braid.tenant', v_rows.tenant, true);
      if braid_calls.session_tenant_key() is distinct from v_rows.tenant then
        raise exception 'login "%" may not act for tenant "%"', session_user, left(v_rows.tenant, 255)
          using errcode = '42501', hint = 'Call braid.apply_changes as a service. An administrator makes a login a '
                                          'service with braid.add_trusted_role.';
      end if;
      begin
        v_ids := braid_store.disown_rows(synced.id, synced.collection_id, v_rows.external_ids);
        if not synced.keeps_documents then
          document_count := document_count + braid.delete_documents(v_ids, v_rows.collection);
        end if;
      exception when lock_not_available or deadlock_detected then
        -- A lock on a document of one tenant must not keep the other tenants waiting.
        v_reached_id := v_rows.ended_tenant_id;
      end;
    end if;
    exit when clock_timestamp() > end_rows.deadline;
  end loop;
  perform set_config('braid.tenant', coalesce(v_tenant, ''), true);
end
$$;

comment on function braid_store.end_rows(braid_store.synced_tables, timestamptz) is
  'Delete the documents and noted changes of a table that is no longer followed, in batches until the deadline. If '
  'another transaction has locked a document of a tenant, leave the tenant''s documents for the next call. '
  'document_count: documents deleted.';
