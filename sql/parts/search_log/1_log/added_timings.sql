create or replace function braid_store.added_timings(stats jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select jsonb_build_object(
             'compile_ms', t.compile_ms, 'legs_ms', t.legs_ms, 'rows_ms', t.rows_ms,
             'ranking_ms',
               greatest((added_timings.stats ->> 'query_time_ms')::float8 - t.compile_ms - t.legs_ms - t.rows_ms, 0))
    from (
      select sum((q #>> '{timings,compile_ms}')::float8) as compile_ms,
        sum((q #>> '{timings,legs_ms}')::float8) as legs_ms,
             sum((q #>> '{timings,rows_ms}')::float8) as rows_ms
      from jsonb_array_elements(added_timings.stats -> 'queries') q
    ) t);
end
$$;

comment on function braid_store.added_timings(jsonb) is
  'Return the timings of a multi_search from its stats: the sums over its searches. The time for merging their rows '
  'counts as ranking.';
