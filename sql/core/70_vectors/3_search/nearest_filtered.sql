create or replace function braid_store.nearest_filtered(
  tenant_id int,
  collection braid_store.collections,
  distance text,
  shard_id int,
  has_written boolean,
  query_embedding @vector@.vector,
  filter braid_store.filter,
  max_count int,
  out chunk_ids bigint[],
  out distances float8[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_seqscan = off
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_each constant text := 'select v.* from (select unnest($5) as chunk_id) u, lateral (%s) v';
  -- From PostgreSQL 17 on, one scan of an index finds all ids of an array. If a subquery gives the array, the planner
  -- expects ten ids, and so uses the primary key.
  c_scans constant boolean := current_setting('server_version_num')::int >= 170000;
  v_written text := format(
    c_each, format('select v.chunk_id, v.embedding %s $1 as distance from braid_store.chunk_vectors v where '
                   'v.tenant_id = $2 and v.collection_id = $3 and v.vector_space_id = $4 and v.chunk_id = u.chunk_id '
                   'offset 0', braid_store.distance_operator(distance)));
  v_shard text := format(
    case when c_scans then '%s' else c_each end,
    format('select v.chunk_id, v.embedding::@vector@.vector %s $1 as distance from braid_store.vectors_%s v '
           'where v.tenant_id = $2 and v.chunk_id = %s and %s offset 0',
           braid_store.distance_operator(distance), shard_id,
           case when c_scans then 'any ((select $5)::bigint[])' else 'u.chunk_id' end,
           case when has_written then braid_store.not_overridden() else 'true' end));
begin
  -- The vectors are sorted first, so that the filter is tested only until enough chunks are found.
  execute format($query$
    select coalesce(array_agg(n.chunk_id), '{}'), coalesce(array_agg(n.distance), '{}')
    from (
      select m.chunk_id, m.distance
      from (
        select v.chunk_id, v.distance
        from (%s) v
        order by v.distance
        offset 0
      ) m,
      lateral (
        select from braid_store.chunks c
        where c.tenant_id = $2 and c.id between m.chunk_id and m.chunk_id and (%s)
        order by c.id
        offset 0
      ) c
      order by m.distance
      fetch first $6 rows with ties
    ) n
    $query$,
    case when shard_id is null then v_written
         when has_written then format('(%s) union all (%s)', v_shard, v_written)
         else v_shard end,
    filter.predicate)
  into chunk_ids, distances
  using query_embedding, tenant_id, collection.id, collection.vector_space_id, filter.among, max_count;
end
$$;

comment on function braid_store.nearest_filtered(int, braid_store.collections, text, int, boolean, @vector@.vector,
                                                 braid_store.filter, int) is
  'Find the max_count vectors nearest to a query, among the vectors of chunks that pass a filter, by comparing all '
  'vectors of filter.among. The result has no order, and more than max_count vectors if several tie for the last '
  'place. shard_id: the shard to read; null if there is none. has_written: whether chunk_vectors is read as well; '
  'its vectors override the shard''s.';
