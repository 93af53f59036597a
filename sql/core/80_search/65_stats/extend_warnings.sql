create or replace function braid_store.extend_warnings(stats jsonb)
returns table (code text, message text)
language plpgsql
immutable
parallel safe
security invoker
rows 1
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_warnings(jsonb) is
  'Extension point: let parts give warnings, from the stats of a search in which they took part.';
