create or replace function braid_store.extend_record_problem(record jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return null;
end
$$;

comment on function braid_store.extend_record_problem(jsonb) is
  'Extension point: say what is wrong with the form of a record of a part; return null if nothing is.';
