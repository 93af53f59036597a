create or replace function braid_store.check_forward_rows(tenant_id int, collection braid_store.collections)
returns table (chunk_id bigint, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_last_id bigint := -9223372036854775808;
  v_chunk_ids bigint[];
begin
  loop
    v_chunk_ids := braid_store.next_chunk_ids(check_forward_rows.tenant_id, check_forward_rows.collection.id, v_last_id,
                                              5000);
    exit when v_chunk_ids = '{}';
    return query
    select a.chunk_id, d.columns
    from braid_store.analyse_chunks(check_forward_rows.tenant_id, check_forward_rows.collection, v_chunk_ids) a,
         lateral (
           select f from braid_store.forward_rows f
           where f.tenant_id = check_forward_rows.tenant_id and f.chunk_id = a.chunk_id
           offset 0
         ) f,
         lateral (
           select string_agg(e.key, ', ' order by e.key) as columns
           from jsonb_each(to_jsonb(a)) e
           where e.value <> to_jsonb(f.f) -> e.key
         ) d
    where a is distinct from f.f;
    v_last_id := v_chunk_ids[cardinality(v_chunk_ids)];
  end loop;
end
$$;

comment on function braid_store.check_forward_rows(int, braid_store.collections) is
  'Find chunks whose forward row differs from a new analysis of their text. detail: the names of the columns that '
  'differ.';
