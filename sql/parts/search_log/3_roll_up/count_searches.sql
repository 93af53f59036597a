create or replace function braid_store.count_searches(searches braid_store.search_log[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
begin
  insert into braid_store.search_hours as h
    (tenant_id, collection_id, hour, mode, semantic_mode, calls, estimated_calls, zero_hits, underfilled, warned,
      total_ms,
     square_ms, min_ms, max_ms, compile_ms, legs_ms, ranking_ms, rows_ms, histogram)
  select c.tenant_id, c.collection_id, c.hour, c.mode, c.semantic_mode, c.calls, c.estimated_calls, c.zero_hits,
    c.underfilled,
         c.warned, c.total_ms, c.square_ms, c.min_ms, c.max_ms, c.compile_ms, c.legs_ms, c.ranking_ms, c.rows_ms,
         array(select count(b.bucket)
               from generate_series(1, c.last_bucket) g (bucket)
               left join unnest(c.buckets) b (bucket) on b.bucket = g.bucket
               group by g.bucket
               order by g.bucket)
  from (
    select l.tenant_id, l.collection_id, l.hour, l.mode, l.semantic_mode, count(*) as calls,
           sum(1 / l.sample_share) as estimated_calls, count(*) filter (where l.is_empty) as zero_hits,
           count(*) filter (where l.is_underfilled) as underfilled, count(*) filter (where l.is_warned) as warned,
           sum(l.ms) as total_ms, sum(l.ms * l.ms) as square_ms, min(l.ms) as min_ms, max(l.ms) as max_ms,
           sum(l.compile_ms::float8) as compile_ms, sum(l.legs_ms::float8) as legs_ms,
             sum(l.ranking_ms::float8) as ranking_ms,
           sum(l.rows_ms::float8) as rows_ms, max(l.bucket) as last_bucket, array_agg(l.bucket) as buckets
    from (
      select l.tenant_id, l.collection_id, date_trunc('hour', l.searched_at, 'UTC') as hour, l.mode,
             coalesce(l.semantic_mode, '') as semantic_mode, l.sample_share, l.is_first_page
               and l.result_count = 0 as is_empty,
             l.is_underfilled, l.warnings <> '{}' as is_warned, l.query_time_ms::float8 as ms, l.compile_ms, l.legs_ms,
             l.ranking_ms, l.rows_ms,
             1 + least(greatest(ceil(8 * ln(greatest(l.query_time_ms::float8, 0.001) / 0.125) / ln(2::float8)), 0),
               160)::int as bucket
      from unnest(count_searches.searches) l
      offset 0
    ) l
    group by 1, 2, 3, 4, 5
  ) c
  on conflict on constraint search_hours_pkey do update
  set calls = h.calls + excluded.calls, estimated_calls = h.estimated_calls + excluded.estimated_calls,
      zero_hits = h.zero_hits + excluded.zero_hits, underfilled = h.underfilled + excluded.underfilled,
      warned = h.warned + excluded.warned, total_ms = h.total_ms + excluded.total_ms,
      square_ms = h.square_ms + excluded.square_ms, min_ms = least(h.min_ms, excluded.min_ms),
      max_ms = greatest(h.max_ms, excluded.max_ms), compile_ms = h.compile_ms + excluded.compile_ms,
      legs_ms = h.legs_ms + excluded.legs_ms, ranking_ms = h.ranking_ms + excluded.ranking_ms,
      rows_ms = h.rows_ms + excluded.rows_ms,
      histogram = array(
        select coalesce(b.old_calls, 0) + coalesce(b.new_calls, 0)
        from unnest(h.histogram, excluded.histogram) with ordinality b (old_calls, new_calls, bucket)
        order by b.bucket);
end
$$;

comment on function braid_store.count_searches(braid_store.search_log[]) is
  'Add searches to the counts of their hours.';
