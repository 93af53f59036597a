create or replace function braid_store.sparse_chunks_at(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  places bigint[]
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(
    select sc.chunk_id
    from (
      select sparse_chunks_at.segment_ids[u.place >> braid_store.chunk_number_bits()] as segment_id,
             (u.place & braid_store.max_chunk_number())::int as chunk_number
      from unnest(sparse_chunks_at.places) u (place)
      offset 0
    ) u,
    lateral (
      select sc.chunk_id from braid_store.sparse_segment_chunks sc
      where sc.tenant_id = sparse_chunks_at.tenant_id and sc.collection_id = sparse_chunks_at.collection_id
        and sc.segment_id = u.segment_id and sc.chunk_number = u.chunk_number
      offset 0
    ) sc);
end
$$;

comment on function braid_store.sparse_chunks_at(int, int, bigint[], bigint[]) is
  'Return the chunks at places in the index of sparse terms, except chunks whose terms are deleted or replaced.';
