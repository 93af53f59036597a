-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_search_activity()
returns table (
  hour timestamptz,
  collection text,
  mode text,
  calls bigint,
  estimated_calls float8,
  zero_hits bigint,
  underfilled bigint,
  warned bigint,
  mean_ms float8,
  p50_ms float8,
  p95_ms float8,
  p99_ms float8
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
-- Make the planner find each next part by the primary key.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
  with recursive parts as (
    -- No index begins with the hour. A loose index scan finds the parts, and each part's last hours are looked up.
    (select h.tenant_id, h.collection_id from braid_store.search_hours h order by h.tenant_id, h.collection_id limit 1)
    union all
    select n.tenant_id, n.collection_id
    from parts p
    cross join lateral (
      select h.tenant_id, h.collection_id from braid_store.search_hours h
      where (h.tenant_id, h.collection_id) > (p.tenant_id, p.collection_id)
      order by h.tenant_id, h.collection_id
      limit 1
    ) n
  ), hours as (
    select h.*
    from parts p
    cross join lateral (
      select h.* from braid_store.search_hours h
      where h.tenant_id = p.tenant_id and h.collection_id = p.collection_id and h.hour > now() - interval '49 hours'
      offset 0
    ) h
    -- Rows of a dropped tenant may still exist.
    join braid_store.tenants t on t.id = p.tenant_id
  ), bucketed as (
    select h.hour, h.collection_id, h.mode, b.bucket, sum(b.calls) as calls
    from hours h, lateral unnest(h.histogram) with ordinality b (calls, bucket)
    group by h.hour, h.collection_id, h.mode, b.bucket
  ), counted as (
    select b.*, sum(b.calls) over (same order by b.bucket) as calls_so_far, sum(b.calls) over same as all_calls,
           0.125 * 2 ^ ((b.bucket - 1.5) / 8) as middle_ms
    from bucketed b
    window same as (partition by b.hour, b.collection_id, b.mode)
  ), percentiles as (
    select n.hour, n.collection_id, n.mode, min(n.middle_ms) filter (where n.calls_so_far >= 0.5
      * n.all_calls) as p50_ms,
           min(n.middle_ms) filter (where n.calls_so_far >= 0.95 * n.all_calls) as p95_ms,
           min(n.middle_ms) filter (where n.calls_so_far >= 0.99 * n.all_calls) as p99_ms
    from counted n
    group by n.hour, n.collection_id, n.mode
  ), totals as (
    select h.hour, h.collection_id, h.mode, sum(h.calls)::bigint as calls, sum(h.estimated_calls) as estimated_calls,
           sum(h.zero_hits)::bigint as zero_hits, sum(h.underfilled)::bigint as underfilled,
             sum(h.warned)::bigint as warned,
           sum(h.total_ms) as total_ms, min(h.min_ms) as min_ms, max(h.max_ms) as max_ms
    from hours h
    group by h.hour, h.collection_id, h.mode
  )
  select t.hour, c.name, t.mode, t.calls, t.estimated_calls, t.zero_hits, t.underfilled, t.warned, t.total_ms / t.calls,
         least(greatest(p.p50_ms, t.min_ms), t.max_ms), least(greatest(p.p95_ms, t.min_ms), t.max_ms),
         least(greatest(p.p99_ms, t.min_ms), t.max_ms)
  from totals t
  join braid_store.collections c on c.id = t.collection_id
  left join percentiles p on p.hour = t.hour and p.collection_id = t.collection_id and p.mode = t.mode;
end
$$;

comment on function braid_store.list_search_activity() is
  'Do the work of the view braid.search_activity.';
