create or replace function braid_store.source_chunk_ids(filter braid_store.filter, max_count int)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings leave the planner one plan: a scan of the index for which condition_source wrote the query
-- filter.source.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_chunk_ids bigint[];
begin
  execute format('select array(select s.id from (select s.id from (%s) s (id) limit $1) s order by s.id)',
                 source_chunk_ids.filter.source)
  into v_chunk_ids
  using source_chunk_ids.max_count + 1::bigint;
  return v_chunk_ids;
end
$$;

comment on function braid_store.source_chunk_ids(braid_store.filter, int) is
  'Return the chunks that the source of a filter gives, in ascending order. Stop at max_count + 1 chunks; this '
  'number means that there are more than max_count.';
