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
    (tenant_id, collection_id, hour, mode, semantic_mode, calls, estimated_calls, zero_hits, underfilled, warned, total_ms,
     square_ms, min_ms, max_ms, compile_ms, legs_ms, ranking_ms, rows_ms, histogram)
  with logged as (
    select l.tenant_id, l.collection_id, date_trunc('hour', l.searched_at, 'UTC') as hour, l.mode,
           coalesce(l.semantic_mode, '') as semantic_mode, l.sample_share, l.is_first_page and l.result_count = 0 as is_empty,
           l.is_underfilled, l.warnings <> '{}' as is_warned, l.query_time_ms::float8 as ms, l.compile_ms, l.legs_ms,
           l.ranking_ms, l.rows_ms,
           1 + least(greatest(ceil(8 * ln(greatest(l.query_time_ms::float8, 0.001) / 0.125) / ln(2::float8)), 0), 160)::int as bucket
    from unnest(count_searches.searches) l
  ), bucketed as (
    select l.tenant_id, l.collection_id, l.hour, l.mode, l.semantic_mode, l.bucket, count(*) as calls
    from logged l
    group by 1, 2, 3, 4, 5, 6
  )
  select l.tenant_id, l.collection_id, l.hour, l.mode, l.semantic_mode, count(*), sum(1 / l.sample_share),
         count(*) filter (where l.is_empty), count(*) filter (where l.is_underfilled), count(*) filter (where l.is_warned),
         sum(l.ms), sum(l.ms * l.ms), min(l.ms), max(l.ms), sum(l.compile_ms::float8), sum(l.legs_ms::float8),
         sum(l.ranking_ms::float8), sum(l.rows_ms::float8),
         array(select coalesce(b.calls, 0)
               from generate_series(1, max(l.bucket)) g (bucket)
               left join bucketed b
                 on b.bucket = g.bucket and b.tenant_id = l.tenant_id and b.collection_id = l.collection_id
                 and b.hour = l.hour and b.mode = l.mode and b.semantic_mode = l.semantic_mode
               order by g.bucket)
  from logged l
  group by l.tenant_id, l.collection_id, l.hour, l.mode, l.semantic_mode
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
  'Adds searches to the counts of their hours.';
