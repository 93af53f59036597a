create or replace function braid_store.extend_check_settings(parts jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_check_settings(jsonb) is
  'Extension point: lets parts check their settings of a collection before they are stored, and keep what these name '
  'from being removed until the transaction ends. Raises 42704 for one that names what is not there.';
