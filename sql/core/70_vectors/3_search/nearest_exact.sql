create or replace function braid_store.nearest_exact(
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
set work_mem = '64MB'
as $$
declare
  v_written text := format(
    'select v.chunk_id, v.embedding %s $1 as distance from braid_store.chunk_vectors v '
    'where v.tenant_id = $2 and v.collection_id = $3 and v.vector_space_id = $4',
    braid_store.distance_operator(distance));
  v_shard text := format(
    'select v.chunk_id, v.embedding::@vector@.vector %s $1 as distance from braid_store.vectors_%s v '
    'where v.tenant_id = $2 and %s',
    braid_store.distance_operator(distance), shard_id,
    case when has_written then braid_store.not_overridden() else 'true' end);
  v_all text := case when shard_id is null then v_written
                     when has_written then v_shard || ' union all ' || v_written
                     else v_shard end;
begin
  if filter.is_empty then
    -- LIMIT keeps only a heap of the best rows. FETCH FIRST ... WITH TIES would sort all rows.
    execute format('select array_agg(n.chunk_id), array_agg(n.distance) '
                   'from (select m.chunk_id, m.distance from (%s) m order by m.distance limit $5 + 1) n', v_all)
    into chunk_ids, distances
    using query_embedding, tenant_id, collection.id, collection.vector_space_id, max_count;
    if distances[max_count + 1] = distances[max_count] then
      execute format('select array_agg(m.chunk_id), array_agg(m.distance) from (%s) m where m.distance <= $5', v_all)
      into chunk_ids, distances
      using query_embedding, tenant_id, collection.id, collection.vector_space_id, distances[max_count];
    end if;
  else
    -- The vectors are sorted first, so that the filter is tested only until enough chunks are found.
    execute format($query$
      select array_agg(n.chunk_id), array_agg(n.distance)
      from (
        select v.chunk_id, v.distance
        from (select m.chunk_id, m.distance from (%s) m order by m.distance offset 0) v,
             lateral (
               -- The filter is outside the subquery. Inside, the planner could prefer an index of a filtered column
               -- while the table is small, and would read it for each chunk.
               select
               from (
                 select c.* from braid_store.chunks c
                 where c.tenant_id = $2 and c.id between v.chunk_id and v.chunk_id
                 order by c.id
                 offset 0
               ) c
               where %s
               offset 0
             ) c
        order by v.distance
        fetch first $5 rows with ties
      ) n
      $query$, v_all, filter.predicate)
    into chunk_ids, distances
    using query_embedding, tenant_id, collection.id, collection.vector_space_id, max_count;
  end if;
  chunk_ids := coalesce(chunk_ids, '{}');
  distances := coalesce(distances, '{}');
end
$$;

comment on function braid_store.nearest_exact(int, braid_store.collections, text, int, boolean, @vector@.vector,
                                              braid_store.filter, int) is
  'Find the max_count vectors nearest to a query, among the vectors of chunks that pass a filter, by comparing all '
  'of them. The result has no order, and more than max_count vectors if several tie for the last place. shard_id: '
  'the shard to read; null if there is none. has_written: whether chunk_vectors is read as well; its vectors '
  'override the shard''s.';
