create or replace function braid_store.sparse_posting_lists(segment braid_store.sparse_segments, chunk_ids bigint[])
returns setof braid_store.postings
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
-- As in posting_lists, chunks are read by ascending number and collected in that order.
set enable_hashagg = on
set enable_sort = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  v_tenant_id int := sparse_posting_lists.segment.tenant_id;
  v_collection_id int := sparse_posting_lists.segment.collection_id;
  v_segment_id bigint := sparse_posting_lists.segment.id;
  v_chunk_count int := sparse_posting_lists.segment.chunk_count;
  v_max_weight float8 := sparse_posting_lists.segment.max_weight;
begin
  return query
  with lists as (
    select t.term, count(*)::int as posting_count,
           array_agg(t.chunk_number << braid_store.impact_bits()
                     -- The impact is rounded up, because it must be an upper bound.
                     | least(ceil(braid_store.max_impact() * t.weight::float8 / v_max_weight + 1e-6),
                             braid_store.max_impact())::int) as elements
    from (
      select u.chunk_number::int as chunk_number, unnest(string_to_array(r.terms, E'\n')) as term,
        unnest(r.weights) as weight
      from unnest(sparse_posting_lists.chunk_ids) with ordinality u (chunk_id, chunk_number),
           lateral (
             select r.terms, r.weights from braid_store.sparse_rows r
             where r.tenant_id = v_tenant_id and r.collection_id = v_collection_id and r.chunk_id = u.chunk_id
             offset 0
           ) r
    ) t
    group by t.term
  )
  select v_tenant_id, v_collection_id, braid_store.sparse_lexeme(l.term), v_segment_id, l.posting_count,
    l.posting_count,
         case when b.weight is null then l.elements end, b.weight,
         case when b.weight is not null then braid_store.pack_blocks(l.elements, b.weight, v_chunk_count) end
  from lists l,
       lateral (
         select case when l.posting_count >= 64 and l.posting_count * 256::bigint >= v_chunk_count then 1::float8
           end as weight
       ) b;
end
$$;

comment on function braid_store.sparse_posting_lists(braid_store.sparse_segments, bigint[]) is
  'Compute the postings of a sparse segment from the sparse rows of its chunks, which are numbered from 1 in the '
  'order of chunk_ids. The function writes nothing.';
