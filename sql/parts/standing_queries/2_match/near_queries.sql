create or replace function braid_store.near_queries(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns table (query_id bigint, found_ids bigint[])
language plpgsql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_distance text;
begin
  if not exists (
    select from braid_store.standing_query_embeddings e
    where e.tenant_id = near_queries.tenant_id and e.collection_id = near_queries.collection.id
      and e.vector_space_id = near_queries.collection.vector_space_id
  ) then
    return;
  end if;
  select s.distance into strict v_distance
  from braid_store.vector_spaces s
  where s.id = near_queries.collection.vector_space_id;
  return query
  with chunks as materialized (
    select s.chunk_id, s.embedding
    from braid_store.stored_embeddings(near_queries.tenant_id, near_queries.collection, near_queries.chunk_ids) s
  )
  select n.query_id, array_agg(n.chunk_id order by n.score desc, n.chunk_id)
  from (
    select q.query_id, c.chunk_id, q.min_score,
           -- The scores are the scores of rank_nearest.
           case v_distance when 'cosine' then 1 - (c.embedding operator(@vector@.<=>) q.embedding)
                           when 'inner_product' then -(c.embedding operator(@vector@.<#>) q.embedding)
                           else 1 / (1 + (c.embedding operator(@vector@.<->) q.embedding)) end as score
    -- The vectors of queries are read once for all chunks, not once for each.
    from (
      select e.query_id, e.min_score, e.embedding from braid_store.standing_query_embeddings e
      where e.tenant_id = near_queries.tenant_id and e.collection_id = near_queries.collection.id
        and e.vector_space_id = near_queries.collection.vector_space_id
      offset 0
    ) q
    left join chunks c on true
    offset 0
  ) n
  where n.score >= n.min_score
  group by n.query_id;
end
$$;

comment on function braid_store.near_queries(int, braid_store.collections, bigint[]) is
  'Return the standing queries whose vector is near enough to the vectors of some of the given chunks, with these '
  'chunks, nearest first. All vectors of the tenant''s standing queries in the collection are measured.';
