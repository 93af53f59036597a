create or replace function braid_store.posting_lists(
  segment braid_store.segments,
  chunk_ids bigint[],
  chunk_numbers int[]
)
returns setof braid_store.postings_a
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
-- Chunks are read by ascending number, and a hash aggregate keeps the order of its input, so the elements of a list
-- need no sort.
set enable_hashagg = on
set enable_sort = off
set work_mem = '64MB'
-- To the planner, both calls of posting_lists below seem cheap, too cheap for a worker. With these costs at 0, it lets
-- a worker process one half of a large segment.
set parallel_setup_cost = 0
set parallel_tuple_cost = 0
as $$
#variable_conflict use_column
declare
  -- From this number of chunks on, a worker processes one half. Starting the worker takes 30 ms of CPU.
  c_least_shared constant int := 10000;
  -- Each half is processed as if its segment had this chunk count. Compared with it no list is long, so both calls
  -- return lists of elements, which can be joined.
  c_part_size constant int := 2147483647;
  v_tenant_id int := posting_lists.segment.tenant_id;
  v_collection_id int := posting_lists.segment.collection_id;
  v_segment_id bigint := posting_lists.segment.id;
  v_chunk_count int := posting_lists.segment.chunk_count;
  v_k1 float8 := posting_lists.segment.k1;
  v_b float8 := posting_lists.segment.b;
  v_title_weight float8 := posting_lists.segment.title_weight;
  v_average_length float8 := posting_lists.segment.average_length;
  v_max_weight float8 := posting_lists.segment.max_weight;
  v_part braid_store.segments;
  v_half int;
begin
  if cardinality(posting_lists.chunk_ids) >= c_least_shared and v_chunk_count <> c_part_size then
    v_half := cardinality(posting_lists.chunk_ids) / 2;
    v_part := posting_lists.segment;
    v_part.chunk_count := c_part_size;
    -- A parallel Append runs each of the two calls in its own process, if a worker is free.
    return query
    select v_tenant_id, v_collection_id, l.lexeme, v_segment_id, l.document_frequency, l.posting_count,
           case when b.weight is null then l.elements end, b.weight,
           case when b.weight is not null then braid_store.pack_blocks(l.elements, b.weight, v_chunk_count) end
    from (
           select p.lexeme, sum(p.document_frequency)::int as document_frequency,
             sum(p.posting_count)::int as posting_count,
                  max(p.elements) filter (where p.part = 1) || max(p.elements) filter (where p.part = 2) as elements
           from (
             select 1 as part, p.*
             from braid_store.posting_lists(v_part, posting_lists.chunk_ids[:v_half],
               posting_lists.chunk_numbers[:v_half]) p
             union all
             select 2, p.*
             from braid_store.posting_lists(v_part, posting_lists.chunk_ids[v_half + 1 :],
                                            posting_lists.chunk_numbers[v_half + 1 :]) p
           ) p
           group by p.lexeme
         ) l,
         lateral (
           -- The rule for storing a list as blocks is the same as in the last query of this function.
           select case when l.posting_count >= 64 and l.posting_count * 256::bigint >= v_chunk_count
                            and not posting_lists.segment.is_deletion
                       then ln(1 + (v_chunk_count - l.posting_count + 0.5::float8) / (l.posting_count
                         + 0.5::float8)) end
                    as weight
         ) b;
    return;
  elsif v_max_weight is not null then
    return query
    with lists as (
      select t.term, count(*)::int as posting_count,
             -- The impact is rounded up, because it must be an upper bound.
             array_agg(t.chunk_number << braid_store.impact_bits()
                       | least(ceil(braid_store.max_impact() * t.weight::float8 / v_max_weight + 1e-6),
                               braid_store.max_impact())::int) as elements
      from (
        select u.chunk_number, unnest(string_to_array(r.terms, E'\n')) as term, unnest(r.weights) as weight
        from unnest(posting_lists.chunk_ids, posting_lists.chunk_numbers) u (chunk_id, chunk_number),
             lateral (
               select r.terms, r.weights from braid_store.sparse_rows r
               where r.tenant_id = v_tenant_id and r.collection_id = -v_collection_id and r.chunk_id = u.chunk_id
               offset 0
             ) r
      ) t
      group by t.term
    )
    select v_tenant_id, v_collection_id, l.term, v_segment_id, l.posting_count, l.posting_count,
           case when b.weight is null then l.elements end, b.weight,
           case when b.weight is not null then braid_store.pack_blocks(l.elements, b.weight, v_chunk_count) end
    from lists l,
         lateral (
           select case when l.posting_count >= 64 and l.posting_count * 256::bigint >= v_chunk_count
                       then ln(1 + (v_chunk_count - l.posting_count + 0.5::float8) / (l.posting_count
                         + 0.5::float8)) end
                    as weight
         ) b;
    return;
  end if;
  return query
  with chunks as (
    select u.chunk_number, f.is_first_chunk, f.lexemes, f.position_ends, f.title_frequencies,
           v_k1 * (1 - v_b + v_b * (f.body_length + v_title_weight * f.title_length) / v_average_length) as saturation
    from unnest(posting_lists.chunk_ids, posting_lists.chunk_numbers) u (chunk_id, chunk_number),
         lateral (
           select f.* from braid_store.forward_rows f
           where f.tenant_id = v_tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f
  ), occurrences as (
    select c.chunk_number, c.saturation, c.is_first_chunk, unnest(string_to_array(c.lexemes, ' ')) as lexeme,
           unnest(c.position_ends) as position_end, unnest('{0}' || c.position_ends) as position_begin,
           unnest(c.title_frequencies) as title_frequency
    from chunks c
  ), weighted as (
    select o.lexeme, o.chunk_number, o.saturation,
           o.is_first_chunk or o.position_end - o.position_begin > coalesce(o.title_frequency, 0) as is_counted,
           o.position_end - o.position_begin + (v_title_weight - 1) * coalesce(o.title_frequency, 0) as frequency
    from occurrences o
    where o.lexeme is not null
    offset 0 -- so that the frequency is computed once, not at every use
  ), lists as (
    select w.lexeme, count(*) filter (where w.is_counted)::int as document_frequency, count(*)::int as posting_count,
           -- Ding & Suel 2011 keep one upper bound for each block of a list: its largest impact. Adding vectors is fast
           -- enough to keep an upper bound for each posting instead.
           array_agg(w.chunk_number << braid_store.impact_bits()
                     -- The impact is rounded up, because it must be an upper bound. It is never 0, so that it can be
                     -- scaled to other parameters.
                     | case when w.frequency > 0
                            then least(ceil(braid_store.max_impact() * w.frequency / (w.frequency + w.saturation)
                              + 1e-6),
                                       braid_store.max_impact())::int
                            else 1 end) as elements
    from weighted w
    group by w.lexeme
  )
  select v_tenant_id, v_collection_id, l.lexeme, v_segment_id, l.document_frequency, l.posting_count,
         case when b.weight is null then l.elements end, b.weight,
         case when b.weight is not null then braid_store.pack_blocks(l.elements, b.weight, v_chunk_count) end
  from lists l,
       lateral (
         -- The weight is an estimate of the collection's idf. Any weight gives correct bounds, but a closer one gives
         -- tighter bounds.
         select case when l.posting_count >= 64 and l.posting_count * 256::bigint >= v_chunk_count
                          and not posting_lists.segment.is_deletion
                     then ln(1 + (v_chunk_count - l.posting_count + 0.5::float8) / (l.posting_count + 0.5::float8)) end
                  as weight
       ) b;
end
$$;

comment on function braid_store.posting_lists(braid_store.segments, bigint[], int[]) is
  'Compute the postings of a segment from the forward rows of its chunks and the BM25 parameters in the segment''s '
  'row. Compute the postings of a segment of sparse terms from the sparse rows of its chunks. '
  'chunk_numbers: the number of each of chunk_ids in the segment, ascending. The function writes nothing.';
