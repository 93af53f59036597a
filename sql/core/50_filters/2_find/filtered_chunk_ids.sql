create or replace function braid_store.filtered_chunk_ids(
  tenant_id int,
  collection_id int,
  filter braid_store.filter,
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_chunk_ids bigint[];
begin
  if filtered_chunk_ids.filter.source is not null then
    return braid_store.filtered_by_index(filtered_chunk_ids.tenant_id, filtered_chunk_ids.collection_id,
                                         filtered_chunk_ids.filter, filtered_chunk_ids.max_count);
  end if;
  if filtered_chunk_ids.filter.lists is not null then
    v_chunk_ids := (braid_store.listed_chunk_ids(filtered_chunk_ids.filter, filtered_chunk_ids.tenant_id,
                                                 filtered_chunk_ids.collection_id,
                                                   filtered_chunk_ids.max_count)).chunk_ids;
    if v_chunk_ids is not null then
      return braid_store.filtered_among(v_chunk_ids, filtered_chunk_ids.tenant_id, filtered_chunk_ids.filter);
    end if;
  end if;
  return braid_store.filtered_by_reading(filtered_chunk_ids.filter, filtered_chunk_ids.tenant_id,
                                         filtered_chunk_ids.collection_id, filtered_chunk_ids.max_count);
end
$$;

comment on function braid_store.filtered_chunk_ids(int, int, braid_store.filter, int) is
  'Return the ids of the chunks that pass a filter, in no order. Stop at max_count + 1 ids; this number means that '
  'there are more than max_count. If neither a source nor lists of the filter help, read every chunk.';
