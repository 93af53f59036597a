-- role: service
create or replace function braid_store.compare_batch(
  synced braid_store.synced_tables,
  query text,
  tenant text,
  tenants text[],
  keys jsonb[],
  only_gone boolean
)
returns table (row_tenant text, external_id text, problem text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_max_error constant int := 300;
  v_count int := cardinality(keys);
  v_middle int := v_count / 2;
  v_part record;
  -- Rows returned before an error would remain, so collect them first.
  v_found jsonb := '[]';
  v_error text;
begin
  begin
    for v_part in
      select * from braid_store.read_rows(compare_batch.query, compare_batch.tenant, compare_batch.tenants,
        compare_batch.keys)
    loop
      if not only_gone then
        v_found := v_found || (
          select coalesce(jsonb_agg(jsonb_build_array(v_part.row_tenant, c.external_id, c.problem)), '[]')
          from braid_store.compare_documents(synced.id, v_part.row_tenant, v_part.documents) c);
      elsif v_part.row_tenant = coalesce(tenants[1], tenant) then
        v_found := v_found || (
          select coalesce(jsonb_agg(jsonb_build_array(v_part.row_tenant, d.external_id, 'document without row')), '[]')
          from braid_store.stored_rows(synced.id, v_part.row_tenant, v_part.gone_ids) d);
      end if;
    end loop;
    return query
    select f.value ->> 0, f.value ->> 1, f.value ->> 2
    from jsonb_array_elements(v_found) with ordinality f
    order by f.ordinality;
    return;
  exception
    when insufficient_privilege or disk_full or operator_intervention then
      raise;
    when others then
      v_error := split_part(sqlerrm, chr(10), 1);
  end;
  if v_count > 1 then
    return query
    select * from braid_store.compare_batch(synced, query, tenant, tenants[:v_middle], keys[:v_middle], only_gone)
    union all
    select * from braid_store.compare_batch(synced, query, tenant, tenants[v_middle + 1:], keys[v_middle + 1:],
      only_gone);
  elsif not only_gone then
    return query
    select coalesce(tenants[1], tenant), braid_store.synced_external_id(keys[1]),
           'row cannot be a document: '
           || case when length(v_error) <= c_max_error then v_error
                   else left(v_error, c_max_error / 2) || ' ... ' || right(v_error, c_max_error / 2) end;
  end if;
end
$$;

comment on function braid_store.compare_batch(braid_store.synced_tables, text, text, text[], jsonb[], boolean) is
  'Compare the rows of keys with their documents. A row that cannot be read as a document is named with the reason. '
  'only_gone: return documents without a row instead, for the tenant that all keys share.';
