create or replace function braid_store.semantic_candidates(
  tenant_id int,
  collection braid_store.collections,
  query_embedding @vector@.vector,
  filter text,
  min_score float8,
  candidate_count int
)
returns table (chunk_id bigint, score float8, rank int)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_distance text;
  v_shard_id int;
begin
  select s.distance into strict v_distance from braid_store.vector_spaces s where s.id = collection.vector_space_id;
  select p.shard_id into v_shard_id
  from braid_store.vector_placement p
  where p.tenant_id = semantic_candidates.tenant_id and p.collection_id = collection.id;
  if not found then
    return; -- nothing was ever embedded
  end if;

  return query execute format($query$
    with measured as materialized (
      select v.chunk_id, v.embedding operator(@vector@.%1$s) $4 as distance
      from braid_store.chunk_vectors v
      %3$s
      where v.shard_id = $1 and v.tenant_id = $2 and v.collection_id = $3
    ), scored as (
      -- All that tie with the last one. Not FETCH … WITH TIES, which sorts every row instead of keeping a heap.
      select n.chunk_id, %2$s as score
      from measured n
      where n.distance <= (select max(k.distance) from (select distance from measured order by distance limit $5) k)
    )
    select s.chunk_id, s.score, row_number() over (order by s.score desc, d.external_id, c.chunk_index)::int as rank
    from scored s,
         lateral (
           select c.document_id, c.chunk_index from braid_store.chunks c
           where c.tenant_id = $2 and c.id = s.chunk_id
           offset 0
         ) c,
         lateral (
           select d.external_id from braid_store.documents d where d.tenant_id = $2 and d.id = c.document_id offset 0
         ) d
    where s.score >= $6
    order by rank
    limit $5
    $query$,
    case v_distance when 'cosine' then '<=>' when 'inner_product' then '<#>' else '<->' end,
    case v_distance when 'cosine' then '1 - n.distance' when 'inner_product' then '-n.distance'
                    else '1 / (1 + n.distance)' end,
    case when filter <> 'true' then
      format('cross join lateral (select from braid_store.chunks c '
             'where c.tenant_id = $2 and c.id = v.chunk_id and (%s) offset 0) c', filter) end)
  using v_shard_id, tenant_id, collection.id, query_embedding, candidate_count, coalesce(min_score, '-infinity');
end
$$;

comment on function braid_store.semantic_candidates(int, braid_store.collections, @vector@.vector, text, float8, int) is
  'The chunks nearest to a vector under a filter, exactly, with their similarity (cosine: 1 - distance; inner product: '
  'the product; L2: 1 / (1 + distance)) and rank from 1, ties by external_id and chunk_index.';
