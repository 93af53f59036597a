create or replace function braid_store.few_filtered_chunk_ids(
  tenant_id int,
  collection_id int,
  filter braid_store.filter
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- With more chunks, reading all chunks in order is as fast as looking these up.
  c_most constant int := 20000;
  v_chunk_ids bigint[];
begin
  if filter.source is null and filter.lists is null then
    return null;
  end if;
  v_chunk_ids := braid_store.filtered_chunk_ids(tenant_id, collection_id, filter, c_most);
  return case when cardinality(v_chunk_ids) <= c_most then array(select u from unnest(v_chunk_ids) u order by u) end;
end
$$;

comment on function braid_store.few_filtered_chunk_ids(int, int, braid_store.filter) is
  'Return the ids of the chunks that pass a filter, in ascending order, if an index gives them and they are few. '
  'Otherwise return null; the caller then reads all chunks and tests each.';
