create or replace function braid_store.close_rows(synced_table_id int)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_part record;
begin
  for v_part in
    select r.tenant_id, r.collection_id, array_agg(r.external_id order by r.external_id) as external_ids,
           array_agg(jsonb '[]') as accesses
    from braid_store.synced_rows r
    where r.synced_table_id = close_rows.synced_table_id
    group by r.tenant_id, r.collection_id
    order by r.tenant_id
  loop
    perform braid_store.extend_narrowed_documents(v_part.tenant_id, v_part.collection_id, v_part.external_ids,
                                                  v_part.accesses);
  end loop;
end
$$;

comment on function braid_store.close_rows(int) is
  'Let no session with limits read documents of a synced table until they are written again, because another rule '
  'says who may.';
