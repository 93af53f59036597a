create or replace function braid_store.filter_source(filters jsonb, tenant_id int, collection_id int)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- These settings make the planner read the one index that the query was written for: see condition_source.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  c_max_sources constant int := 8;
  c_max_probed constant int := 1000;
  v_sources text[];
  v_source text;
  v_count int;
  v_best text;
  v_best_count int;
begin
  if filters is null or filters in ('null', '{}') then
    return null;
  end if;
  v_sources := array(
    with recursive filter as (
      select filter_source.filters as value
      union all
      select m.value
      from filter f, jsonb_array_elements(case jsonb_typeof(f.value) when 'object' then f.value -> '$and' end) m
    )
    select s.source
    from (
      select braid_store.condition_source(e.key, e.value, filter_source.tenant_id,
        filter_source.collection_id) as source
      from filter f, jsonb_each(f.value) e
      where not e.key ^@ '$'
      offset 0
    ) s
    where s.source is not null
    limit c_max_sources);
  if cardinality(v_sources) < 2 then
    return v_sources[1];
  end if;

  foreach v_source in array v_sources loop
    execute format('select count(*) from (select from (%s) s limit $1) s', v_source)
      into v_count using coalesce(v_best_count, c_max_probed);
    if v_best is null or v_count < v_best_count then
      v_best := v_source;
      v_best_count := v_count;
    end if;
  end loop;
  return v_best;
end
$$;

comment on function braid_store.filter_source(jsonb, int, int) is
  'Return a query that finds candidates for a filter by an index, or null if no index helps. The query gives ids of '
  'chunks, each once; all chunks that match are among them. If several and-ed conditions of the filter have an '
  'index, the condition with the fewest chunks is used. Up to 1000 chunks of each condition are counted.';
