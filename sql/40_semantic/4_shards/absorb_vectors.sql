create or replace function braid_store.absorb_vectors(shard braid_store.vector_shards, max_count int)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- Reads the key's index in its order. The planner, which has no statistics, would read and sort all remaining rows for
-- each batch.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_moved int;
  v_inserted int;
begin
  -- In one statement, so that every snapshot sees a vector in at least one of the two places.
  execute format($query$
    with batch as materialized (
      select v.ctid from braid_store.chunk_vectors v
      where v.tenant_id = $1 and v.collection_id = $2 and v.vector_space_id = $3
      order by v.chunk_id limit $4 for update skip locked
    ), moved as (
      delete from braid_store.chunk_vectors v
      where v.ctid = any (array(select b.ctid from batch b))
      returning v.chunk_id, v.embedding
    ), absorbed as (
      insert into braid_store.vectors_%1$s as s (tenant_id, chunk_id, embedding)
      select $1, m.chunk_id, m.embedding from moved m order by m.chunk_id
      on conflict (tenant_id, chunk_id) do update set embedding = excluded.embedding
        -- A vector that is unchanged since it was copied keeps its place in the graph.
        where s.embedding operator(@vector@.<>) excluded.embedding
      returning (s.xmax = 0) as is_new
    )
    select (select count(*) from moved), (select count(*) from absorbed a where a.is_new)
    $query$, shard.id)
  into v_moved, v_inserted
  using shard.tenant_id, shard.collection_id, shard.vector_space_id, max_count;
  update braid_store.vector_shards s
  set vector_count = s.vector_count + v_inserted
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id and v_inserted > 0;
  return v_moved;
end
$$;

comment on function braid_store.absorb_vectors(braid_store.vector_shards, int) is
  'Moves vectors from chunk_vectors, where new ones are written, into the shard that serves searches: at most '
  'max_count. Returns how many were moved.';
