-- role: service
create or replace function braid_store.narrow_failed_row(
  synced braid_store.synced_tables,
  tenant text,
  row_tenant text,
  key jsonb
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables := synced;
  v_access jsonb;
begin
  v_synced.fields := (select jsonb_object_agg(f.key, f.value) from jsonb_each(synced.fields) f
                      where f.key in ('id', 'tenant_column', 'filter', 'access'));
  begin
    select jsonb_agg(jsonb_build_object('tenant', r.row_tenant, 'key', narrow_failed_row.key,
                                        'access', r.documents -> 0 -> 'access'))
    into v_access
    from braid_store.read_rows(braid_store.row_query(v_synced, braid_store.synced_relation(synced.id)),
                               narrow_failed_row.tenant, array[narrow_failed_row.row_tenant],
                               array[narrow_failed_row.key]) r
    where r.documents <> '[]';
  exception when others then
    -- Nobody can say who may read it.
    v_access := jsonb_build_array(jsonb_build_object(
      'tenant', coalesce(narrow_failed_row.row_tenant, narrow_failed_row.tenant), 'key', narrow_failed_row.key,
      'access', '[]'::jsonb));
  end;
  perform braid_store.narrow_rows(synced.id, v_access);
end
$$;

comment on function braid_store.narrow_failed_row(braid_store.synced_tables, text, text, jsonb) is
  'Let a session read the document of a row that could not be written only if it may read the row before and after '
  'its change. The arguments are as in read_rows.';
