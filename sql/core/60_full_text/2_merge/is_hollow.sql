create or replace function braid_store.is_hollow(
  tenant_id int,
  collection_id int,
  segment_id bigint,
  chunk_count int
)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  c_sample constant int := 64;
  v_size int;
  v_live_count int;
begin
  -- All chunks are counted only in a small segment, or if a sample shows that many chunks are gone.
  foreach v_size in array array[c_sample, is_hollow.chunk_count] loop
    continue when v_size * 4 >= is_hollow.chunk_count and v_size < is_hollow.chunk_count;
    select count(*) into v_live_count
    from generate_series(1, v_size) g (number),
         lateral (
           select sc.chunk_id from braid_store.segment_chunks sc
           where sc.tenant_id = is_hollow.tenant_id and sc.collection_id = is_hollow.collection_id
             and sc.segment_id = is_hollow.segment_id
             and sc.chunk_number = case when v_size = is_hollow.chunk_count then g.number
                                        else 1 + (hashint8extended(g.number, is_hollow.segment_id) & 2147483647)
                                                 % is_hollow.chunk_count end
           offset 0
         ) sc,
         lateral (
           select from braid_store.sparse_rows r
           where r.tenant_id = is_hollow.tenant_id and r.collection_id = -is_hollow.collection_id
             and r.chunk_id = sc.chunk_id and r.newer_than < is_hollow.segment_id
           offset 0
         ) r;
    exit when v_live_count * 8 > v_size * 5;
  end loop;
  return v_live_count * 2 < is_hollow.chunk_count and v_size = is_hollow.chunk_count;
end
$$;

comment on function braid_store.is_hollow(int, int, bigint, int) is
  'Tell whether more than half of the chunks of a segment of sparse terms have no terms any more, or newer ones.';
