create or replace function braid_store.milliseconds(duration interval)
returns numeric
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return round(extract(epoch from duration) * 1000, 3);
end
$$;

comment on function braid_store.milliseconds(interval) is
  'Convert a duration to milliseconds, with three decimals.';
