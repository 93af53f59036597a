create or replace function braid_store.search_time(search_id uuid)
returns timestamptz
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return to_timestamp(('x' || left(replace(search_time.search_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);
end
$$;

comment on function braid_store.search_time(uuid) is
  'Returns the time that the id of a search begins with, in whole milliseconds.';
