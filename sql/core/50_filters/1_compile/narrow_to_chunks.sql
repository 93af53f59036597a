create or replace function braid_store.narrow_to_chunks(filter braid_store.filter, chunk_ids bigint[])
returns braid_store.filter
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- "+ 0" makes PostgreSQL hash the ids. As a condition on the primary key, the array would be sorted again for each
  -- chunk.
  filter := braid_store.narrow_filter(filter, format('c.id + 0 = any (%L::bigint[])', chunk_ids));
  filter.source := null;
  filter.lists := null;
  filter.among := array(
    select unnest(chunk_ids) as chunk_id intersect select unnest(coalesce(filter.among, chunk_ids))
    order by chunk_id);
  return filter;
end
$$;

comment on function braid_store.narrow_to_chunks(braid_store.filter, bigint[]) is
  'Return a filter that lets the same chunks pass as the given one, but only among chunk_ids.';
