create or replace function braid_store.write_segment(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- With sequential scans allowed, a plan cached while the tables were small would scan them whole for each key, until
-- the session ends.
set enable_seqscan = off
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_collection_id int := write_segment.collection.id;
  -- Smaller segments store no list of chunks, because looking up a chunk by the key of segment_chunks is as fast.
  c_least_listed constant int := 2048;
  v_segment braid_store.segments;
begin
  insert into braid_store.segments (tenant_id, collection_id, is_deletion, chunk_count, posting_count, body_length,
                                    title_length, k1, b, title_weight, average_length, chunk_ids)
  select write_segment.tenant_id, v_collection_id, false, n.chunk_count, n.posting_count, n.body_length, n.title_length,
         write_segment.collection.k1,
         coalesce(write_segment.collection.b, braid_store.adaptive_b(a.average_length)),
         write_segment.collection.title_weight, a.average_length,
         case when cardinality(write_segment.chunk_ids) >= c_least_listed then write_segment.chunk_ids end
  from (
    select count(*) as chunk_count, sum(cardinality(f.position_ends)) as posting_count,
           sum(f.body_length) as body_length, sum(f.title_length) as title_length
    from unnest(write_segment.chunk_ids) u (chunk_id),
         lateral (
           select f.* from braid_store.forward_rows f
           where f.tenant_id = write_segment.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f
  ) n,
  lateral (
    select braid_store.average_length(write_segment.tenant_id, write_segment.collection, n.chunk_count,
                                      n.body_length + write_segment.collection.title_weight * n.title_length)
             as average_length
    offset 0
  ) a
  returning * into v_segment;
  v_segment.chunk_ids := null;

  insert into braid_store.segment_chunks (tenant_id, collection_id, segment_id, chunk_number, chunk_id)
  select write_segment.tenant_id, v_collection_id, v_segment.id, u.chunk_number, u.chunk_id
  from unnest(write_segment.chunk_ids) with ordinality u (chunk_id, chunk_number);

  insert into braid_store.postings
  select p.*
  from braid_store.posting_lists(v_segment, write_segment.chunk_ids,
                                 array(select generate_series(1, cardinality(write_segment.chunk_ids)))) p
  order by p.lexeme;
  return v_segment.id;
end
$$;

comment on function braid_store.write_segment(int, braid_store.collections, bigint[]) is
  'Write a segment with the given chunks and its postings, and return its id. The segment numbers its chunks from 1 '
  'in the order of chunk_ids, which must be ascending. The chunks must have forward rows already.';
