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
as $$
declare
  c_batch_size constant int := 1000;
  v_tenant text := current_setting('braid.tenant', true);
  v_rows record;
  v_ids text[];
begin
  document_count := 0;
  loop
    v_rows := braid_store.next_ended_rows(synced.id, c_batch_size);
    is_complete := v_rows.is_complete;
    exit when is_complete;
    if v_rows.external_ids <> '{}' then
      perform set_config('braid.tenant', v_rows.tenant, true);
      if braid_calls.session_tenant_key() is distinct from v_rows.tenant then
        raise exception 'login "%" may not act for tenant "%"', session_user, left(v_rows.tenant, 255)
          using errcode = '42501', hint = 'Let a service call braid.apply_changes: braid.add_trusted_role.';
      end if;
      v_ids := braid_store.disown_rows(synced.id, synced.collection_id, v_rows.external_ids);
      if not synced.keeps_documents then
        document_count := document_count + braid.delete_documents(v_ids, v_rows.collection);
      end if;
    end if;
    exit when clock_timestamp() > end_rows.deadline;
  end loop;
  perform set_config('braid.tenant', coalesce(v_tenant, ''), true);
end
$$;

comment on function braid_store.end_rows(braid_store.synced_tables, timestamptz) is
  'Deletes documents and noted changes of a table that is not followed any more, in batches until the deadline. '
  'document_count: documents deleted.';
