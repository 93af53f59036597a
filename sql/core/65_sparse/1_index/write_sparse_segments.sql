create or replace function braid_store.write_sparse_segments(tenant_id int, collection_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_chunks constant int := 8192;
  -- A segment names its terms in a column, of which PostgreSQL can store eight times as many bytes.
  c_most_bytes constant bigint := 134217728;
  v_index braid_store.collections;
  v_chunk_ids bigint[];
begin
  v_index.id := -write_sparse_segments.collection_id;
  for v_chunk_ids in
    select array_agg(s.chunk_id order by s.chunk_id)
    from (
      select u.chunk_id, u.place, sum(r.bytes) over (order by u.place) as running_bytes
      from unnest(write_sparse_segments.chunk_ids) with ordinality u (chunk_id, place),
           lateral (
             select octet_length(r.terms) as bytes from braid_store.sparse_rows r
             where r.tenant_id = write_sparse_segments.tenant_id
               and r.collection_id = write_sparse_segments.collection_id
               and r.chunk_id = u.chunk_id
             offset 0
           ) r
    ) s
    group by (s.place - 1) / c_most_chunks, div(s.running_bytes, c_most_bytes)
    order by min(s.place)
  loop
    perform braid_store.write_segment(write_sparse_segments.tenant_id, v_index, v_chunk_ids);
  end loop;
end
$$;

comment on function braid_store.write_sparse_segments(int, int, bigint[]) is
  'Write the sparse rows of distinct chunks as segments of a bounded size. Chunks without such rows are skipped.';
